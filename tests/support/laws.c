#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cores/isa.h"
#include "type/layout.h"
#include "gpus/gpus.h"

/* --- the run ------------------------------------------------------------------------------------------------------ */

static uint64_t seed;

void test_seed_again(void) { seed = 0; }

uint64_t test_seed(void)
{
    if (seed == 0) {
        const char *given = getenv("OPLUS_TEST_SEED");
        seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
        if (seed == 0) seed = 1;
        printf("OPLUS_TEST_SEED=%llu\n", (unsigned long long)seed);
        fflush(stdout);
    }
    return seed;
}

static bool is_set(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

bool test_quick(void) { return is_set("OPLUS_TEST_QUICK"); }

bool test_all(void) { return is_set("OPLUS_TEST_ALL"); }
bool test_long(void) { return is_set("OPLUS_TEST_LONG"); }

rng test_rng(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *name != '\0'; name++) hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (rng){hash ^ test_seed()};
}

long test_number(const char *name, long otherwise)
{
    const char *const given = getenv(name);
    return given ? strtol(given, NULL, 10) : otherwise;
}

uint64_t test_free_bytes(void)
{
    char line[256];
    unsigned long long kb = 0;
    FILE *const info = fopen("/proc/meminfo", "r");
    if (info == NULL) return 0;
    while (fgets(line, sizeof line, info) != NULL && sscanf(line, "MemAvailable: %llu kB", &kb) != 1) continue;
    fclose(info);
    return (uint64_t)kb * 1024;
}

void must_be_ok(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

void *must(void *mem)
{
    if (mem == NULL) {
        fprintf(stderr, "the test itself is out of memory\n");
        abort();
    }
    return mem;
}

/* --- places */

static place places[64];
static size_t place_count;

static void set(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Devices of these tests have as many threads as they ask for, also on a machine with fewer processors. */
__attribute__((constructor)) static void let_all_threads_work(void) { setenv("OPLUS_ALL_THREADS", "1", 0); }

oplus_device *open_at(const char *where, const char *isa)
{
    const char *const forced = getenv("OPLUS_ISA");
    char *before = forced != NULL ? must(strdup(forced)) : NULL;
    if (isa != NULL) setenv("OPLUS_ISA", isa, 1);
    oplus_device *dev = NULL;
    if (oplus_open(where, &dev) != OPLUS_OK)
        fail_msg("oplus_open(%s, OPLUS_ISA=%s): %s", where, isa, oplus_last_error());
    set("OPLUS_ISA", before);
    free(before);
    return dev;
}

/* Opens a device with OPLUS_WAY, which the device reads when it is opened. */
static oplus_device *open_by_way(const char *where, const char *way)
{
    const char *const forced = getenv("OPLUS_WAY");
    char *before = forced != NULL ? must(strdup(forced)) : NULL;
    set("OPLUS_WAY", way);
    oplus_device *const dev = open_at(where, NULL);
    set("OPLUS_WAY", before);
    free(before);
    return dev;
}

static place *add_place(const char *where, const char *isa, bool thorough, oplus_device *dev)
{
    place *const added = &places[place_count++];
    if (place_count > sizeof places / sizeof *places || strlen(where) >= sizeof added->where)
        fail_msg("too many places, or too long a name: %s", where);
    *added = (place){.isa = isa, .thorough = thorough, .dev = dev};
    strcpy(added->where, where);
    return added;
}

/* The leaves depend on the instruction set, the cuts on the number of threads.  So each instruction set runs serially
 * and with three threads, and each number of threads with the best set. */
static void add_cores(void)
{
    static const char *const more[] = {"threads:1", "threads:2", "threads:4", "threads:5",
                                       "threads:7", "threads:8", "threads:17"};
    const char *const wanted = getenv("OPLUS_TEST_CORES");
    const bool one = wanted != NULL && strcmp(wanted, "0") == 0;
    const opi_isa *isa[4];
    const int isas = opi_isa_list(isa);
    for (int i = one ? isas - 1 : 0; i < isas; i++)
        add_place("serial", isa[i]->name, true, open_at("serial", isa[i]->name));
    if (one) return;
    for (int i = 0; i < isas; i++)
        add_place("threads:3", isa[i]->name, i == isas - 1, open_at("threads:3", isa[i]->name));
    add_place("openmp:3", isa[isas - 1]->name, false, open_at("openmp:3", isa[isas - 1]->name));
    add_place("threads:3@@@two-pass+digits", isa[isas - 1]->name, false, open_by_way("threads:3", "two-pass+digits"));
    add_place("serial@@@two-pass", isa[isas - 1]->name, false, open_by_way("serial", "two-pass"));
    for (size_t i = 0; i < sizeof more / sizeof *more; i += test_quick() ? 3 : 1)
        add_place(more[i], isa[isas - 1]->name, false, open_at(more[i], isa[isas - 1]->name));
}

/* --- accelerators */

/* OpenCL's cores need some seconds to compile each program of these, and more in the shape of a GPU. */
static const char *const some[] = {"hash_with", "beyond",    "modulo",         "sum_f32",   "sum_f64",
                                   "sum_u8",    "compose32", "multiply_exact", "first_u32", "hash8",
                                   "join3",     "join16",    "join5000",       NULL};
static const char *const some_lifted[] = {"sum_u8", "hash_with", "compose32", "first_u32", "hash1", "join16", NULL};
static const char *const quick_ones[] = {"sum_f32", "hash_with", "compose32", "hash1", "join16", NULL};
static const char *const group_ones[] = {"sum_f32", "hash_with", "compose32", "hash1", NULL};
static const char *const one[] = {"compose32", NULL};

/* Takes the part of a name up to the next '@', or to its end. */
static void take_part(const char **name, char *part, size_t bytes)
{
    const size_t length = strcspn(*name, "@");
    if (length >= bytes) fail_msg("too long: \"%s\"", *name);
    memcpy(part, *name, length);
    part[length] = '\0';
    *name += length + ((*name)[length] == '@');
}

/* "cuda:0", "cuda:0@chunk", "cuda:0@group@64K", "cuda:0@@1M", "cuda:0@@@one-group": shape, memory, ways; NULL if there is
 * none and it need not be there. */
static place *add_accelerator(const char *name, bool needed)
{
    static const char *const variables[] = {"OPLUS_DEVICE_MEMORY", "OPLUS_WAY"};
    char device[64], shape[16], given[2][64], *before[2];
    const char *rest = name;
    take_part(&rest, device, sizeof device);
    take_part(&rest, shape, sizeof shape);
    for (int i = 0; i < 2; i++) {
        const char *const forced = getenv(variables[i]);
        before[i] = forced != NULL ? must(strdup(forced)) : NULL;
        take_part(&rest, given[i], sizeof given[i]);
        if (*given[i] != '\0') set(variables[i], given[i]);
    }
    oplus_device *dev = NULL;
    const oplus_status status = oplus_open(device, &dev);
    for (int i = 0; i < 2; i++) {
        set(variables[i], before[i]);
        free(before[i]);
    }
    if (status != OPLUS_OK) {
        if (needed) fail_msg("OPLUS_TEST_DEVICES has \"%s\": %s", name, oplus_last_error());
        printf("not tried on \"%s\": %s\n", device, oplus_last_error());
        return NULL;
    }
    place *const added = add_place(name, "", true, dev);
    added->accelerator = true;
    added->shape = strcmp(shape, "group") == 0 ? "group" : strcmp(shape, "chunk") == 0 ? "chunk" : NULL;
    return added;
}

static void add_default_accelerators(void)
{
    place *const chunks = add_accelerator("opencl:cpu@chunk@1M", false);
    if (chunks == NULL) return;
    chunks->tries = test_quick() ? (selection){quick_ones, one} : (selection){some, some_lifted};
    if (test_quick()) return;
    place *const groups = add_accelerator("opencl:cpu@group", true);
    groups->thorough = false;
    groups->tries = (selection){group_ones, one};
}

static void add_accelerators(void)
{
    const char *const given = getenv("OPLUS_TEST_DEVICES");
    if (given == NULL) {
        add_default_accelerators();
        return;
    }
    char *const list = must(strdup(given)), *rest = list;
    for (const char *name; (name = strtok_r(rest, " ", &rest)) != NULL;) add_accelerator(name, true);
    free(list);
}

const place *all_places(size_t *count)
{
    if (place_count == 0) {
        add_cores();
        add_accelerators();
    }
    *count = place_count;
    return places;
}

void close_places(void)
{
    while (place_count > 0) oplus_close(places[--place_count].dev);
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* Returns why an accelerator cannot compute with an operator; NULL: it can. */
static const char *inability(const place *at, const oplus_op *op)
{
    oplus_member member[OPI_MAX_MEMBERS];
    const opi_gpu_facts *const facts = &opi_gpus_driver_of(at->dev)->facts;
    if (op->text == NULL) return "its operator has no text";
    if (op->type->size > facts->element) return "its elements are too large for the device's compiler";
    if (facts->f64) return NULL;
    const int members = opi_layout(op->type, member, OPI_MAX_MEMBERS);
    for (int i = 0; i < members; i++)
        if (member[i].scalar == OPLUS_F64) return "the device has no double precision";
    return NULL;
}

bool stand_at(const place *at, const subject *s, bool heads)
{
    static const place *said_of;
    static const char *said_name;
    set("OPLUS_SHAPE", at->shape);
    if (!at->accelerator) return true;
    const selection *const tries = &at->tries;
    if (s == NULL) return at->thorough;
    if (tries->plain != NULL && !is_among(heads ? tries->lifted : tries->plain, s->name)) return false;
    const char *const why = inability(at, s->op);
    if (why != NULL && (said_of != at || said_name != s->name)) {
        printf("%s is not tried on %s: %s\n", s->name, at->where, why);
        said_of = at;
        said_name = s->name;
    }
    return why == NULL;
}

static void at_places(const char *name, size_t tries, bool everywhere, void (*law)(rng *r, const place *at))
{
    rng r = test_rng(name);
    size_t count;
    const place *const place = all_places(&count);
    for (size_t i = 0; i < tries * count; i++)
        if (stand_at(&place[i % count], NULL, false) || everywhere) law(&r, &place[i % count]);
}

void often(const char *name, size_t quick, size_t many, void (*law)(rng *r, const place *at))
{
    at_places(name, test_quick() ? quick : many, false, law);
}

void often_everywhere(const char *name, size_t quick, size_t many, void (*law)(rng *r, const place *at))
{
    at_places(name, test_quick() ? quick : many, true, law);
}

void *lend(oplus_device *dev, bool there, const void *mem, size_t bytes)
{
    void *lent = (void *)mem;
    if (!there) return lent;
    must_be_ok(oplus_alloc(dev, bytes > 0 ? bytes : 1, &lent), "alloc");
    must_be_ok(oplus_copy(dev, lent, mem, bytes), "copy");
    return lent;
}

void end_loan(oplus_device *dev, void *lent, void *mem, size_t bytes)
{
    if (lent == mem) return;
    must_be_ok(oplus_copy(dev, mem, lent, bytes), "copy");
    oplus_free(dev, lent);
}

/* --- sizes */

enum { SIZES = 256 };

static size_t all_sizes(bool thorough, size_t max, size_t *list)
{
    static const size_t primes[] = {97, 1009, 5003, 10007, 65521, 99991, 199999, 1000003};
    static const size_t few[] = {0, 1, 2, 3, 1000, 4097, 65535, 131071, 131072, 131073, 300007};
    size_t count = 0;
    if (thorough) {
        for (size_t n = 0; n < 18; n++) list[count++] = n;
        for (unsigned k = 5; k <= 17; k++)
            for (size_t n = ((size_t)1 << k) - 1; n <= ((size_t)1 << k) + 1; n++) list[count++] = n;
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) list[count++] = primes[i];
    } else {
        for (size_t i = 0; i < sizeof few / sizeof *few; i++) list[count++] = few[i];
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i] < max) list[kept++] = list[i];
    list[kept++] = max;
    return kept;
}

size_t largest(const subject *s)
{
    const size_t n = test_quick() ? 70001 : 700001;
    return n < s->limit ? n : s->limit;
}

/* --- problems */

problem problem_open(const subject *s, size_t max, size_t heads, bool init)
{
    const size_t size = s->op->type->size;
    problem p = {.s = s, .size = size, .max = max};
    rng r = test_rng(s->name);
    p.x = must(malloc(max * size + 1));
    for (size_t i = 0; i < max; i++) s->random(&r, p.x + i * size);
    if (heads > 0) {
        p.heads = must(calloc(max + 1, 1));
        for (size_t i = 0; i < max; i++) /* any flag but 0 marks a head */
            if (rng_below(&r, heads) == 0) p.heads[i] = (uint8_t)(1 + rng_below(&r, 255));
    }
    if (init) {
        p.init = must(malloc(size));
        s->random(&r, p.init);
    }
    p.prefix = must(malloc((max + 1) * size));
    reference_prefixes(s, p.init, p.x, p.heads, max, p.prefix);
    if (s->op->identity != NULL) {
        p.exclusive = must(malloc(max * size + 1));
        reference_exclusive(s, p.prefix, p.heads, max, p.exclusive);
    }
    return p;
}

void problem_close(problem *p)
{
    free(p->x);
    free(p->heads);
    free(p->init);
    free(p->prefix);
    free(p->exclusive);
}

/* --- laws */

/* Looks for a smaller n at which the law fails too. */
static trial shrunk(trial t, law holds, finding *f)
{
    for (size_t step = t.n / 2 + 1; step > 0; step /= 2) {
        trial smaller = t;
        finding g;
        while (smaller.n >= step && (smaller.n -= step, !holds(&smaller, &g))) {
            t = smaller;
            *f = g;
        }
    }
    return t;
}

void expect(const trial *t, law holds)
{
    finding f;
    if (holds(t, &f)) return;
    const trial s = shrunk(*t, holds, &f);
    fail_msg("%s on %s %s, %s%s, n = %zu (found at %zu): %s\n    OPLUS_TEST_SEED=%llu%s", s.p->s->name, s.at->where,
             s.at->isa, s.kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive", s.in_place ? ", in place" : "", s.n,
             t->n, f.text, (unsigned long long)test_seed(), test_quick() ? " OPLUS_TEST_QUICK=1" : "");
}

void for_all(const problem *p, unsigned varies, law holds)
{
    rng r = test_rng(p->s->name);
    size_t places_here, list[SIZES];
    const place *place = all_places(&places_here);
    for (size_t k = 0; k < places_here; k++, place++) {
        if (varies & ACCELERATORS && k > 0 && !place->accelerator) continue;
        if (!stand_at(place, p->s, p->heads != NULL)) continue;
        const size_t sizes = all_sizes(place->thorough && !(varies & FEW_SIZES), p->max, list);
        for (size_t i = 0; i < sizes; i++)
            for (int kind = OPLUS_INCLUSIVE; kind <= (varies & KINDS ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE); kind++) {
                if (kind == OPLUS_EXCLUSIVE && p->s->op->identity == NULL) continue;
                trial t = {p, place, list[i], (oplus_kind)kind, (varies & IN_PLACE) && rng_below(&r, 2)};
                expect(&t, holds);
                if (!(varies & IN_PLACE) || t.n > 5000) continue;
                t.in_place = !t.in_place;
                expect(&t, holds);
            }
    }
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    output(NULL, NULL, 0);
    return 0;
}

/* OPLUS_TEST_SHARE=k/n: the operators whose number leaves k - 1 if divided by n. */
static bool is_of_share(size_t number)
{
    const char *const given = getenv("OPLUS_TEST_SHARE");
    unsigned k, n;
    if (!given) return true;
    if (sscanf(given, "%u/%u", &k, &n) != 2 || k < 1 || k > n) fail_msg("OPLUS_TEST_SHARE=%s is not like 2/8", given);
    return number % n == k - 1;
}

int run_subjects(const char *group, void (*test)(void **state), bool (*wanted)(const subject *s))
{
    test_seed();
    struct CMUnitTest *tests = must(calloc(subject_count, sizeof *tests));
    size_t count = 0;
    for (size_t i = 0; i < subject_count; i++)
        if ((wanted == NULL || wanted(&subjects[i])) && is_of_share(i))
            tests[count++] = (struct CMUnitTest){subjects[i].name, test, NULL, NULL, (void *)&subjects[i]};
    const int failed = _cmocka_run_group_tests(group, tests, count, NULL, close_all);
    free(tests);
    return failed;
}

/* --- the words of a law */

bool succeeded(oplus_status status, finding *f)
{
    if (status == OPLUS_OK) return true;
    snprintf(f->text, sizeof f->text, "%s: %s", oplus_status_string(status), oplus_last_error());
    return false;
}

static void hex(char *text, size_t room, const unsigned char *x, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size && i < 32 && used + 3 < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%02x", i > 0 && i % 4 == 0 ? " " : "", x[i]);
}

static bool same_element(const problem *p, const unsigned char *a, const unsigned char *b)
{
    if (memcmp(a, b, p->size) == 0) return true;
    if (p->s->blank == NULL) return false;
    unsigned char x[64], y[64];
    memcpy(x, a, p->size);
    memcpy(y, b, p->size);
    p->s->blank(x);
    p->s->blank(y);
    return memcmp(x, y, p->size) == 0;
}

bool same(const problem *p, const void *got, const void *expected, size_t n, finding *f)
{
    if (n == 0 || memcmp(got, expected, n * p->size) == 0) return true;
    const unsigned char *g = got, *e = expected;
    size_t i = 0, wrong = 0, first = 0;
    for (; i < n; i++)
        if (!same_element(p, g + i * p->size, e + i * p->size) && wrong++ == 0) first = i;
    if (wrong == 0) return true;
    char is[128] = "", should[128] = "";
    hex(is, sizeof is, g + first * p->size, p->size);
    hex(should, sizeof should, e + first * p->size, p->size);
    snprintf(f->text, sizeof f->text, "%zu of %zu differ, the first at [%zu]: bytes %s, expected %s", wrong, n, first,
             is, should);
    return false;
}

enum { GUARD = 128, FILL = 0xa5 };

static _Thread_local unsigned char *room, *inside; /* ranks may be threads */
static _Thread_local size_t inside_bytes;

void *output(const problem *p, const void *x, size_t n)
{
    static _Thread_local size_t capacity;
    if (p == NULL) {
        free(room);
        room = NULL;
        capacity = 0;
        return NULL;
    }
    const size_t bytes = n * p->size, odd = p->s->op->type->align; /* 64-byte aligned, and then off by one element */
    const size_t need = opi_round_up(bytes + 3 * GUARD + odd, 64);
    if (need > capacity) {
        free(room);
        room = must(aligned_alloc(64, need));
        capacity = need;
    }
    inside = room + GUARD + odd;
    inside_bytes = bytes;
    memset(inside - GUARD, FILL, GUARD);
    memset(inside + bytes, FILL, GUARD);
    if (x != NULL && bytes > 0)
        memcpy(inside, x, bytes);
    else
        memset(inside, FILL, bytes);
    return inside;
}

bool kept_inside(finding *f)
{
    for (size_t i = 0; i < GUARD; i++)
        if (inside[-1 - (ptrdiff_t)i] != FILL || inside[inside_bytes + i] != FILL) {
            snprintf(f->text, sizeof f->text, "wrote outside of the output, %zu bytes %s", i + 1,
                     inside[inside_bytes + i] != FILL ? "behind it" : "before it");
            return false;
        }
    return true;
}
