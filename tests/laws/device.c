/* Accelerators and their memory: arrays of the device and of the host in any mixture, pieces, carries that change
 * devices, errors in words, operators that do not compile. */
#include "support/laws.h"

#include "driver/opencl/opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- helpers ------------------------------------------------------------------------------------------------------ */

static const place *accelerators[16];
static size_t accelerator_count;

static int find_accelerators(void **state)
{
    size_t count;
    const place *const place = all_places(&count);
    (void)state;
    for (size_t i = 0; i < count && accelerator_count < 16; i++)
        if (place[i].accelerator) accelerators[accelerator_count++] = &place[i];
    if (accelerator_count == 0) printf("there is no accelerator here: nothing but errors is tested\n");
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    output(NULL, NULL, 0);
    return 0;
}

static void good(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", oplus_status_string(status), oplus_last_error());
}

/* Words that must stand in the message, ended by NULL. */
static void check_failure(int line, oplus_status got, oplus_status expected, const char *const *words)
{
    const char *const message = oplus_last_error();
    if (got != expected)
        fail_msg("line %d: status is %s, expected %s (\"%s\")", line, oplus_status_string(got),
                 oplus_status_string(expected), message);
    for (; *words != NULL; words++)
        if (strstr(message, *words) == NULL) fail_msg("line %d: \"%s\" does not say \"%s\"", line, message, *words);
}
#define FAILS(status, call, ...) check_failure(__LINE__, call, status, (const char *const[]){__VA_ARGS__, NULL})

/* The name without what this suite adds to it. */
static const char *device_of(const place *at)
{
    static char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at->where, "@"), at->where);
    return name;
}

static oplus_device *opened_with(const place *at, const char *memory)
{
    oplus_device *dev;
    if (memory != NULL) setenv("OPLUS_DEVICE_MEMORY", memory, 1);
    const oplus_status status = oplus_open(device_of(at), &dev);
    unsetenv("OPLUS_DEVICE_MEMORY");
    good(status);
    return dev;
}

/* --- arrays in any mixture ---------------------------------------------------------------------------------------- */

enum { PAD = 9, GUARD_BYTE = 0x5a };

/* An array of the host or of the device, with PAD elements before and behind it, off any alignment but its own. */
typedef struct array {
    oplus_device *dev;
    unsigned char *host; /* all of it */
    void *mem;           /* the same in device memory, or NULL */
    size_t bytes, size, shift;
} array;

static array array_of(oplus_device *dev, bool on_device, const void *x, size_t n, size_t size, size_t shift)
{
    array a = {.dev = dev, .bytes = (n + PAD) * size, .size = size, .shift = shift};
    a.host = must(malloc(a.bytes));
    memset(a.host, GUARD_BYTE, a.bytes);
    if (x != NULL && n > 0) memcpy(a.host + shift * size, x, n * size);
    if (!on_device) return a;
    good(oplus_alloc(dev, a.bytes, &a.mem));
    good(oplus_copy(dev, a.mem, a.host, a.bytes));
    return a;
}

static void *elements_of(const array *a) { return (char *)(a->mem ? a->mem : a->host) + a->shift * a->size; }

/* Returns the elements on the host; false if elements behind the first n have been written. */
static bool fetched(array *a, size_t n, const unsigned char **x, finding *f)
{
    if (a->mem != NULL) good(oplus_copy(a->dev, a->host, a->mem, a->bytes));
    *x = a->host + a->shift * a->size;
    for (size_t i = 0; i < a->bytes; i++) {
        if (i == a->shift * a->size) i += n * a->size;
        if (i >= a->bytes || a->host[i] == GUARD_BYTE) continue;
        snprintf(f->text, sizeof f->text,
                 "byte %zu of an array of %zu bytes was written, which is outside of [%zu, %zu)", i, a->bytes,
                 a->shift * a->size, (a->shift + n) * a->size);
        return false;
    }
    return true;
}

static void release(array *a)
{
    oplus_free(a->dev, a->mem);
    free(a->host);
}

/* Chooses which arrays are the device's: all of them, or any mixture, by the size. */
enum { IN = 1, HEADS = 2, OUT = 4 };
static unsigned mixture(size_t n) { return n % 3 ? IN | HEADS | OUT : (unsigned)(n * 7 / 3 % 8); }

static bool scan_of_any_memory(const trial *t, finding *f)
{
    const problem *p = t->p;
    oplus_device *const dev = t->at->dev;
    const unsigned where = mixture(t->n + (t->kind == OPLUS_EXCLUSIVE));
    const unsigned char *result;
    array in = array_of(dev, where & IN, p->x, t->n, p->size, t->n % PAD);
    array out = array_of(dev, where & OUT, NULL, t->n, p->size, (t->n / 3) % PAD);
    array heads = array_of(dev, where & HEADS, p->heads, t->n, 1, t->n % PAD);
    array *const to = t->in_place ? &in : &out;
    const void *const x = elements_of(&in);
    const oplus_status status =
        p->heads ? oplus_segscan(dev, p->s->op, t->kind, x, elements_of(&heads), t->n, elements_of(to))
                 : oplus_scan(dev, p->s->op, t->kind, x, t->n, elements_of(to));
    const bool holds = succeeded(status, f) && fetched(to, t->n, &result, f) &&
                       same(p, result, t->kind == OPLUS_EXCLUSIVE ? p->exclusive : at(p, p->prefix, 1), t->n, f);
    release(&in);
    release(&out);
    release(&heads);
    return holds;
}

static bool reduce_of_any_memory(const trial *t, finding *f)
{
    const problem *p = t->p;
    oplus_device *const dev = t->at->dev;
    const unsigned where = mixture(t->n);
    const unsigned char *result;
    if (t->n == 0 && p->init == NULL && p->s->op->identity == NULL) return true;
    array in = array_of(dev, where & IN, p->x, t->n, p->size, t->n % PAD);
    array out = array_of(dev, where & OUT, NULL, 1, p->size, t->n % PAD);
    const oplus_status status = p->init ? oplus_fold(dev, p->s->op, p->init, elements_of(&in), t->n, elements_of(&out))
                                        : oplus_reduce(dev, p->s->op, elements_of(&in), t->n, elements_of(&out));
    const bool holds =
        succeeded(status, f) && fetched(&out, 1, &result, f) && same(p, result, at(p, p->prefix, t->n), 1, f);
    release(&in);
    release(&out);
    return holds;
}

static void any_memory(void **state)
{
    const subject *const s = *state;
    const size_t most = test_quick() ? 40009 : 300007, max = most < s->limit ? most : s->limit;
    for (size_t heads = 0; heads <= 60; heads += 60) {
        problem p = problem_open(s, max, heads, false);
        for_all(&p, KINDS | IN_PLACE | FEW_SIZES | ACCELERATORS, scan_of_any_memory);
        if (heads == 0) for_all(&p, ACCELERATORS, reduce_of_any_memory);
        problem_close(&p);
    }
    problem p = problem_open(s, max, 0, true);
    for_all(&p, FEW_SIZES | ACCELERATORS, reduce_of_any_memory);
    problem_close(&p);
}

/* --- pieces: arrays of the host that are larger than what the device has for them --------------------------------- */

static oplus_device *small; /* has little room */

static bool scan_in_pieces(const trial *t, finding *f)
{
    const problem *p = t->p;
    if (!t->at->accelerator) return true;
    void *out = output(p, t->in_place ? p->x : NULL, t->n);
    const void *const in = t->in_place ? out : p->x;
    return succeeded(p->heads ? oplus_segscan(small, p->s->op, t->kind, in, p->heads, t->n, out)
                              : oplus_scan(small, p->s->op, t->kind, in, t->n, out),
                     f) &&
           kept_inside(f) && same(p, out, t->kind == OPLUS_EXCLUSIVE ? p->exclusive : at(p, p->prefix, 1), t->n, f);
}

static bool reduce_in_pieces(const trial *t, finding *f)
{
    const problem *p = t->p;
    if (!t->at->accelerator || (t->n == 0 && p->s->op->identity == NULL)) return true;
    void *out = output(p, NULL, 1);
    return succeeded(oplus_reduce(small, p->s->op, p->x, t->n, out), f) && kept_inside(f) &&
           same(p, out, at(p, p->prefix, t->n), 1, f);
}

static void pieces(void **state)
{
    static const char *const names[] = {"sum_f32", "compose32", "first_u32", "hash1", "join3", "join16"};
    (void)state;
    if (accelerator_count == 0) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t heads = 0; heads <= 500; heads += 500) {
            problem p = problem_open(subject_named(names[i]), 150011, heads, false);
            small = opened_with(accelerators[0], "64K");
            for_all(&p, KINDS | IN_PLACE | FEW_SIZES | ACCELERATORS, scan_in_pieces);
            for_all(&p, FEW_SIZES | ACCELERATORS, heads ? scan_in_pieces : reduce_in_pieces);
            oplus_close(small);
            problem_close(&p);
        }
}

static void room_for_pieces(void **state)
{
    static const char *const bad[] = {"x", "5Q", "-1", "1MB", "M", "99999999999999999999999"};
    static const char *const fine[] = {"", "1", "70000", "64K", "3M", "1G"};
    oplus_device *dev;
    (void)state;
    if (accelerator_count == 0) return;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("OPLUS_DEVICE_MEMORY", bad[i], 1);
        FAILS(OPLUS_ERR_ARGUMENT, oplus_open(device_of(accelerators[0]), &dev), "OPLUS_DEVICE_MEMORY", bad[i]);
        assert_null(dev);
    }
    unsetenv("OPLUS_DEVICE_MEMORY");
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) oplus_close(opened_with(accelerators[0], fine[i]));
}

/* --- carries change devices --------------------------------------------------------------------------------------- */

static void check_value(const problem *p, const oplus_carry *carry, size_t n, const char *what)
{
    finding f;
    unsigned char *const value = must(malloc(p->size));
    good(oplus_carry_value(carry, value));
    if (!same(p, value, at(p, p->prefix, n), 1, &f))
        fail_msg("%s, n = %zu, %s: %s\n    OPLUS_TEST_SEED=%llu", what, n, p->s->name, f.text,
                 (unsigned long long)test_seed());
    free(value);
}

/* Parts are added and scanned, each on a device of its own, and then joined. */
static void carry_travels(const problem *p, const place *where, rng *r)
{
    oplus_device *const dev[] = {all_places(&(size_t){0})->dev, where->dev};
    const size_t middle = rng_below(r, p->max);
    unsigned char *const out = must(malloc(p->max * p->size));
    oplus_carry *left, *right;
    finding f;
    good(oplus_carry_open(p->s->op, 0, &left));
    good(oplus_carry_open(p->s->op, middle, &right));
    for (size_t begin = 0, end = middle, m; begin < p->max; begin += m) {
        oplus_carry *const carry = begin < middle ? left : right;
        if (begin >= middle) end = p->max;
        m = 1 + rng_below(r, end - begin);
        good(oplus_carry_add(dev[rng_below(r, 2)], carry, at(p, p->x, begin), m));
    }
    good(oplus_carry_join(left, right));
    check_value(p, left, p->max, "carry_add on two devices, then carry_join");
    oplus_carry_close(left);
    oplus_carry_close(right);

    good(oplus_carry_open(p->s->op, 0, &left));
    for (size_t begin = 0, m; begin < p->max; begin += m) {
        m = 1 + rng_below(r, p->max - begin);
        good(oplus_scan_from(dev[rng_below(r, 2)], left, OPLUS_INCLUSIVE, at(p, p->x, begin), m, at(p, out, begin)));
        check_value(p, left, begin + m, "scan_from on two devices");
    }
    if (!same(p, out, at(p, p->prefix, 1), p->max, &f))
        fail_msg("scan_from on two devices, %s: %s\n    OPLUS_TEST_SEED=%llu", p->s->name, f.text,
                 (unsigned long long)test_seed());
    oplus_carry_close(left);
    free(out);
}

static void carries_travel(void **state)
{
    static const char *const names[] = {"sum_f32", "compose32", "multiply_exact", "first_u32", "hash8", "join16"};
    rng r = test_rng("travel");
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        problem p = problem_open(subject_named(names[i]), 90001, 0, false);
        for (size_t k = 0; k < accelerator_count; k++)
            for (int round = 0; round < 8 && stand_at(accelerators[k], p.s, false); round++)
                carry_travels(&p, accelerators[k], &r);
        problem_close(&p);
    }
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void memory_on(const place *where)
{
    enum { BYTES = 100000 };
    oplus_device *const dev = where->dev;
    unsigned char *const x = must(malloc(BYTES)), *const y = must(malloc(BYTES));
    char *a, *b;
    for (size_t i = 0; i < BYTES; i++) x[i] = (unsigned char)(i * 7 + i / 251);
    good(oplus_alloc(dev, BYTES, (void **)&a));
    good(oplus_alloc(dev, BYTES, (void **)&b));
    good(oplus_copy(dev, a, x, BYTES));
    good(oplus_copy(dev, b, a, BYTES));
    good(oplus_copy(dev, a, a, BYTES));
    good(oplus_copy(dev, b + 77, a + 1001, 5003));
    good(oplus_copy(dev, y, b, BYTES));
    assert_memory_equal(y, x, 77);
    assert_memory_equal(y + 77, x + 1001, 5003);
    assert_memory_equal(y + 77 + 5003, x + 77 + 5003, BYTES - 77 - 5003);
    good(oplus_copy(dev, y, x, BYTES)); /* host to host */
    assert_memory_equal(y, x, BYTES);
    good(oplus_copy(dev, NULL, NULL, 0));
    good(oplus_sync(dev));

    /* --- what ends beyond its allocation --- */
    FAILS(OPLUS_ERR_ARGUMENT, oplus_copy(dev, a + 1, x, BYTES), "oplus_copy", "100000");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_copy(dev, y, a + 1, BYTES), "oplus_copy", "src", "100000");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_copy(dev, b, a + 1, BYTES), "oplus_copy", "100000");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_reduce(dev, &oplus_sum_f32, a, BYTES / 4 + 1, y), "oplus_reduce", "in", "100004");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, 100, b + BYTES - 396), "oplus_scan",
          "out", "400");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, a, BYTES / 4 + 1, y), "oplus_scan",
          "in");
    good(oplus_reduce(dev, &oplus_sum_f32, a + BYTES - 4, 1, b + BYTES - 4)); /* to the last byte */
    FAILS(OPLUS_ERR_ARGUMENT, oplus_reduce(dev, &oplus_sum_f32, a, 1, b + BYTES - 2), "oplus_reduce", "4");
    FAILS(OPLUS_ERR_OVERLAP, oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, a, 100, a + 4), "oplus_scan");

    /* --- too much; nothing --- */
    void *mem = x;
    FAILS(OPLUS_ERR_MEMORY, oplus_alloc(dev, SIZE_MAX / 4, &mem), "oplus_alloc", "4611686018427387903");
    assert_null(mem);
    FAILS(OPLUS_ERR_MEMORY, oplus_alloc(dev, SIZE_MAX, &mem), "oplus_alloc");
    good(oplus_alloc(dev, 0, &mem));
    assert_null(mem);
    oplus_free(dev, NULL);
    oplus_free(dev, a);
    oplus_free(dev, b);

    /* --- freed and allocated again, many at once --- */
    void *many[100];
    for (size_t i = 0; i < 100; i++) good(oplus_alloc(dev, 1 + i * i, &many[i]));
    for (size_t i = 0; i < 100; i++) good(oplus_copy(dev, many[i], x + i, 1 + i * i));
    for (size_t i = 0; i < 100; i += 2) oplus_free(dev, many[i]);
    for (size_t i = 0; i < 100; i += 2) good(oplus_alloc(dev, 1 + i * i, &many[i]));
    for (size_t i = 1; i < 100; i += 2) {
        good(oplus_copy(dev, y, many[i], 1 + i * i));
        assert_memory_equal(y, x + i, 1 + i * i);
    }
    for (size_t i = 0; i < 100; i++) oplus_free(dev, many[i]);
    free(x);
    free(y);
}

static void memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < accelerator_count; i++) {
        stand_at(accelerators[i], NULL, false);
        memory_on(accelerators[i]);
    }
}

static void closing_frees_what_is_left(void **state)
{
    void *mem;
    (void)state;
    if (accelerator_count == 0) return;
    oplus_device *const dev = opened_with(accelerators[0], NULL);
    for (int i = 0; i < 40; i++) good(oplus_alloc(dev, 1000, &mem));
    oplus_close(dev);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static void opening_fails_in_words(void **state)
{
    oplus_device *dev = (oplus_device *)&dev;
    int not_a_queue = 0;
    (void)state;
    FAILS(OPLUS_ERR_DEVICE, oplus_open("opencl:99", &dev), "oplus_open", "opencl:99");
    assert_null(dev);
    FAILS(OPLUS_ERR_DEVICE, oplus_open("cuda:99", &dev), "oplus_open", "cuda:99");
    FAILS(OPLUS_ERR_DEVICE, oplus_open("openclx", &dev), "oplus_open", "openclx");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open("opencl:cpu:x", &dev), "oplus_open", "opencl:cpu:x");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open("opencl:", &dev), "oplus_open", "opencl:");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open("opencl:-1", &dev), "oplus_open", "opencl:-1");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open("cuda:x", &dev), "oplus_open", "cuda:x");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open_on(NULL, &not_a_queue, &dev), "oplus_open_on", "where is NULL");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open_on("opencl", NULL, &dev), "oplus_open_on", "queue is NULL");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open_on("serial", &not_a_queue, &dev), "oplus_open_on", "serial");
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open_on("opencl", &not_a_queue, NULL), "oplus_open_on", "dev is NULL");
    if (oplus_open("cuda:0", &dev) == OPLUS_OK)
        oplus_close(dev);
    else
        FAILS(OPLUS_ERR_DEVICE, oplus_open("cuda:0", &dev), "oplus_open", "cuda:0");
}

static bool sums(oplus_device *dev, float *x, size_t n)
{
    float sum = -1;
    for (size_t i = 0; i < n; i++) x[i] = (float)(i % 11);
    good(oplus_reduce(dev, &oplus_sum_f32, x, n, &sum));
    double expected = 0;
    for (size_t i = 0; i < n; i++) expected += (double)(i % 11); /* exact in float, too */
    return (double)sum == expected;
}

enum { SUMMED = 100003 };

/* Three handles of one device, used in turn; trimmed, and used again. */
static void several_handles(void **state)
{
    static float x[SUMMED];
    oplus_device *dev[3];
    (void)state;
    if (accelerator_count == 0) return;
    stand_at(accelerators[0], NULL, false);
    for (int i = 0; i < 3; i++) dev[i] = opened_with(accelerators[0], i == 1 ? "64K" : NULL);
    for (int round = 0; round < 6; round++) {
        assert_true(sums(dev[round % 3], x, SUMMED));
        good(oplus_trim(dev[round % 3]));
        assert_true(sums(dev[round % 3], x, SUMMED - (size_t)round));
    }
    void *mem;
    good(oplus_alloc(dev[0], SUMMED * sizeof *x, &mem));
    good(oplus_copy(dev[0], mem, x, sizeof x));
    good(oplus_trim(dev[0])); /* leaves the caller's memory alone */
    float first = -1;
    good(oplus_reduce(dev[0], &oplus_sum_f32, (float *)mem + 1, 1, &first));
    assert_true(first == 1);
    for (int i = 0; i < 3; i++) oplus_close(dev[i]);
}

static void *sum_often(void *dev)
{
    static _Thread_local float x[SUMMED];
    for (size_t n = 1; n <= SUMMED; n = n * 5 + 3)
        if (!sums(dev, x, n)) return dev;
    return NULL;
}

/* Each thread with a handle of its own. */
static void several_threads(void **state)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    oplus_device *dev[THREADS];
    (void)state;
    if (accelerator_count == 0) return;
    stand_at(accelerators[0], NULL, false);
    for (int i = 0; i < THREADS; i++) dev[i] = opened_with(accelerators[0], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, sum_often, dev[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
        oplus_close(dev[i]);
    }
}

/* --- a queue of the caller's -------------------------------------------------------------------------------------- */

static void on_a_queue_of_the_caller(void **state)
{
    static float x[SUMMED];
    const char *why;
    char reason[640];
    opi_cl_found *found = NULL;
    cl_int error = 0;
    oplus_device *dev;
    (void)state;
    const opi_cl_api *const cl = opi_cl_open(&why);
    if (cl == NULL || opi_cl_find(cl, &found, reason, sizeof reason) == 0) {
        printf("there is no OpenCL here: %s\n", cl ? reason : why);
        return;
    }
    const cl_device_id id = found[0].device;
    free(found);
    cl_context context = cl->CreateContext(NULL, 1, &id, NULL, NULL, &error);
    assert_int_equal(error, 0);
    cl_command_queue queue = cl->CreateCommandQueue(context, id, 0, &error);
    assert_int_equal(error, 0);
    for (int round = 0; round < 2; round++) {
        good(oplus_open_on("opencl", queue, &dev));
        assert_true(sums(dev, x, SUMMED));
        oplus_close(dev);
        assert_int_equal(cl->Finish(queue), 0); /* it is still the caller's */
    }
    FAILS(OPLUS_ERR_ARGUMENT, oplus_open_on("opencl:98", queue, &dev), "oplus_open_on", "opencl:98");
    assert_int_equal(cl->ReleaseCommandQueue(queue), 0);
    assert_int_equal(cl->ReleaseContext(context), 0);
}

/* --- operators that are not understood ---------------------------------------------------------------------------- */

static void combine_f32(void *out, const void *a, const void *b)
{
    *(float *)out = *(const float *)a + *(const float *)b;
}

static void no_text(void **state)
{
    static const oplus_op op = {.abi = OPLUS_ABI, .name = "wordless", .type = &oplus_f32, .combine = combine_f32};
    float x[10] = {0}, y[10];
    (void)state;
    for (size_t i = 0; i < accelerator_count; i++) {
        oplus_device *const dev = accelerators[i]->dev;
        FAILS(OPLUS_ERR_UNSUPPORTED, oplus_reduce(dev, &op, x, 10, y), "oplus_reduce", "wordless", "text");
        FAILS(OPLUS_ERR_UNSUPPORTED, oplus_scan(dev, &op, OPLUS_INCLUSIVE, x, 10, y), "oplus_scan", "wordless", "text");
    }
}

/* The message leads to the user's file and line, whatever the file is called. */
static void text_does_not_compile(void **state)
{
    static const struct {
        const char *file, *text;
    } places[] = {{"user.c", "{\n    return a + nowhere;\n}"},
                  {"operator", "{\n    return b + nowhere;\n}"},
                  {"operators.c", "{\n    return nowhere;\n}"}};
    float x[10] = {1}, y[10] = {7};
    (void)state;
    for (size_t i = 0; i < accelerator_count; i++) {
        oplus_device *const dev = accelerators[i]->dev;
        if (!stand_at(accelerators[i], NULL, false)) continue;
        for (int round = 0; round < 4; round++) { /* a failure is not stored as a program */
            const char *const file = places[round % 3].file;
            const oplus_op op = {.abi = OPLUS_ABI,
                                 .name = "wrong",
                                 .type = &oplus_f32,
                                 .combine = combine_f32,
                                 .text = places[round % 3].text,
                                 .file = file,
                                 .line = 42};
            char place[64];
            snprintf(place, sizeof place, "operator \"wrong\" (%s:42)", file);
            FAILS(OPLUS_ERR_COMPILE, oplus_reduce(dev, &op, x, 10, y), "oplus_reduce", place, "nowhere");
            FAILS(OPLUS_ERR_COMPILE, oplus_scan(dev, &op, OPLUS_INCLUSIVE, x, 10, y), "oplus_scan", place);
            assert_true(y[0] == 7);
        }
        assert_true(sums(dev, (float[100]){0}, 100)); /* and the device goes on */
    }
}

/* A predicate gives a bool before it gives a number, in a map as in a filter. */
OPLUS_PREDICATE(halved, float, {
    const float part = a / 2;
    return part;
})
static void a_map_of_a_predicate(void **state)
{
    static const float x[] = {0, 1, 0.25f, -0.5f, 300};
    enum { N = sizeof x / sizeof *x };
    oplus_fn *text;
    uint8_t y[N];
    (void)state;
    assert_int_equal(oplus_fn_make("halved", NULL, 1, (const oplus_type *const[]){&oplus_f32}, NULL, "a / 2", &text),
                     OPLUS_OK);
    for (size_t i = 0; i < accelerator_count; i++) {
        if (!stand_at(accelerators[i], NULL, false)) continue;
        const oplus_fn *const both[] = {&halved_fn, text};
        for (int k = 0; k < 2; k++) {
            memset(y, 9, sizeof y);
            assert_int_equal(oplus_map(accelerators[i]->dev, both[k], OPLUS_IN(x), N, y), OPLUS_OK);
            for (int e = 0; e < N; e++) assert_int_equal(y[e], x[e] != 0);
        }
    }
    oplus_fn_free(text);
}

/* If the device lays a struct out otherwise, this is an error and not a wrong number. */
static void layouts_are_compared(void **state)
{
    static const oplus_type larger = {.abi = OPLUS_ABI,
                                      .name = "larger",
                                      .size = 12,
                                      .align = 4,
                                      .scalar = OPLUS_RECORD,
                                      .text = "float a; float b;"};
    static const oplus_type moved = {.abi = OPLUS_ABI,
                                     .name = "moved",
                                     .size = 8,
                                     .align = 4,
                                     .scalar = OPLUS_RECORD,
                                     .text = "float a; short b; short c; short d;"};
    static const oplus_type *const types[] = {&larger, &moved};
    static const char identity[16];
    (void)state;
    for (size_t i = 0; i < accelerator_count; i++)
        for (size_t k = 0; k < 2 && stand_at(accelerators[i], NULL, false); k++) {
            const oplus_op op = {.abi = OPLUS_ABI,
                                 .name = "laid",
                                 .type = types[k],
                                 .identity = identity,
                                 .combine = combine_f32,
                                 .text = "{ return a; }",
                                 .file = "user.c",
                                 .line = 7};
            char x[160] = {0}, y[160];
            const oplus_status status = oplus_reduce(accelerators[i]->dev, &op, x, 10, y);
            if (status == OPLUS_OK) fail_msg("type \"%s\" of another layout computed something", types[k]->name);
            if (!strstr(oplus_last_error(), types[k]->name))
                fail_msg("\"%s\" does not name type \"%s\"", oplus_last_error(), types[k]->name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(closing_frees_what_is_left),
        cmocka_unit_test(opening_fails_in_words),
        cmocka_unit_test(room_for_pieces),
        cmocka_unit_test(several_handles),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(on_a_queue_of_the_caller),
        cmocka_unit_test(no_text),
        cmocka_unit_test(text_does_not_compile),
        cmocka_unit_test(a_map_of_a_predicate),
        cmocka_unit_test(layouts_are_compared),
        cmocka_unit_test(pieces),
        cmocka_unit_test(carries_travel),
    };
    test_seed();
    const int failed = cmocka_run_group_tests_name("device", tests, find_accelerators, close_all);
    return failed + run_subjects("any memory", any_memory, NULL);
}
