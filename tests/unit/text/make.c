/* Types, operators and functions made from text: the same bits as those made by the macros, whatever the compiler and
 * the state of the cache; and every call of the system on the way may fail.
 *
 * The linker sends the calls that can fail through the __wrap_ functions here (make.link). */
#include "support/eager.h"
#include "support/laws.h"
#include "task/late.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- calls that fail ---------------------------------------------------------------------------------------------- */

static size_t calls, failing; /* `failing` counts down to the call that fails; 0: none */

static bool fails(int error)
{
    calls++;
    if (failing == 0 || --failing > 0) return false;
    errno = error;
    return true;
}

#define WRAP(result, name, parameters, arguments, error, failure)                                                      \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters { return fails(error) ? failure : __real_##name arguments; }

WRAP(void *, malloc, (size_t bytes), (bytes), ENOMEM, NULL)
WRAP(void *, aligned_alloc, (size_t align, size_t bytes), (align, bytes), ENOMEM, NULL)
WRAP(FILE *, open_memstream, (char **text, size_t *bytes), (text, bytes), ENOMEM, NULL)
WRAP(void *, dlopen, (const char *path, int flags), (path, flags), ENOENT, NULL)
WRAP(int, posix_spawnp,
     (pid_t * pid, const char *file, const void *do_first, const void *attributes, char *const *argv,
      char *const *environment),
     (pid, file, do_first, attributes, argv, environment), EAGAIN, EAGAIN)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), EMFILE, -1)
WRAP(char *, mkdtemp, (char *name), (name), EACCES, NULL)
WRAP(int, mkstemp, (char *name), (name), EACCES, -1)
WRAP(int, open, (const char *path, int flags, unsigned mode), (path, flags, mode), EACCES, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), EACCES, -1)
WRAP(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n), ENOSPC, -1)

/* --- places of its own for the cache and for temporary files ------------------------------------------------------ */

static char root[] = "/tmp/oplus-test-XXXXXX", cache[64], temporary[64];
static oplus_device *dev;

static int open_all(void **state)
{
    (void)state;
    if (!__real_mkdtemp(root)) return 1;
    snprintf(cache, sizeof cache, "%s/cache", root);
    snprintf(temporary, sizeof temporary, "%s/tmp", root);
    if (mkdir(temporary, 0700) != 0) return 1;
    setenv("OPLUS_CACHE_DIR", cache, 1);
    setenv("TMPDIR", temporary, 1);
    unsetenv("OPLUS_CC");
    unsetenv("OPLUS_CACHE");
    return oplus_open("threads:2", &dev) != OPLUS_OK;
}

static void for_files(const char *directory, void (*visit)(const char *path))
{
    DIR *const opened = opendir(directory);
    if (!opened) return;
    for (struct dirent *entry; (entry = readdir(opened)) != NULL;) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        visit(path);
    }
    closedir(opened);
}

static int files;
static void count_file(const char *path) { files += path[0] != '\0'; }
static int files_in(const char *directory)
{
    files = 0;
    for_files(directory, count_file);
    return files;
}

static void remove_file(const char *path) { assert_int_equal(remove(path), 0); }
static void empty_cache(void) { for_files(cache, remove_file); }

static int close_all(void **state)
{
    (void)state;
    oplus_close(dev);
    empty_cache();
    rmdir(cache);
    rmdir(temporary);
    return rmdir(root);
}

/* --- operators against their twins -------------------------------------------------------------------------------- */

enum { N = 10007 };

OPLUS_STRUCT(affine, float a; float b;)
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r = {a.a * b.a, a.b * b.a + b.b};
    return r;
})
OPLUS_SEMIGROUP(larger, float, 0, { return a > b ? a : b; })
OPLUS_ZIP(root_sum, float, float, double, { return sqrtf(a) + (float)b; })
OPLUS_PREDICATE_WITH(above, float, float, { return a > p; })

static affine maps[N];
static float floats[N];
static double doubles[N];

static void fill(void)
{
    rng r = test_rng("make");
    for (int i = 0; i < N; i++) {
        floats[i] = (float)rng_below(&r, 1000000) / 7;
        doubles[i] = (double)rng_below(&r, 1000000) / 3;
        maps[i].a = 1 - (float)rng_below(&r, 1000) / 100000;
        maps[i].b = (float)rng_below(&r, 1000000) / 3 - 100000;
    }
}

static void good(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s", oplus_last_error());
}

static void same_scan(const oplus_op *made, const oplus_op *twin, const void *in)
{
    const size_t bytes = N * twin->type->size;
    void *const by_made = must(__real_malloc(bytes)), *const by_twin = must(__real_malloc(bytes));
    for (int kind = OPLUS_INCLUSIVE; kind <= OPLUS_EXCLUSIVE; kind++) {
        if (kind == OPLUS_EXCLUSIVE && !twin->identity) continue;
        good(oplus_scan(dev, made, (oplus_kind)kind, in, N, by_made));
        good(oplus_scan(dev, twin, (oplus_kind)kind, in, N, by_twin));
        assert_memory_equal(by_made, by_twin, bytes);
    }
    free(by_made);
    free(by_twin);
}

static oplus_op *make_larger(void)
{
    oplus_op *op;
    good(eager_op_make("larger", &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op));
    return op;
}

static void operators(void **state)
{
    (void)state;
    oplus_op *op;
    oplus_type *type;
    fill();
    op = make_larger();
    assert_non_null(opi_code_of_op(op)->leaves);
    assert_string_equal(op->name, "larger");
    same_scan(op, &larger_op, floats);
    oplus_op_free(op);

    char name[] = "affine", members[] = "float a; float b", text[] = "r.a = a.a * b.a; r.b = a.b * b.a + b.b";
    affine one = {1, 0};
    good(oplus_type_make(name, members, &type));
    assert_int_equal(type->size, 8);
    assert_int_equal(type->align, 4);
    assert_string_equal(type->text, "float a; float b;");
    good(eager_op_make(NULL, type, &one, 0, NULL, text, NULL, &op));
    oplus_type_free(type);
    memset(name, 'x', sizeof name - 1); /* what was passed in need not live on */
    memset(members, 'x', sizeof members - 1);
    memset(text, 'x', sizeof text - 1);
    one.a = 7;
    assert_string_equal(op->name, "r.a = a.a * b.a; r.b = a.b * b.a + b.b");
    same_scan(op, &compose_op, maps);
    oplus_op_free(op);
    oplus_op_free(NULL);
    oplus_type_free(NULL);
}

/* --- parameters: bound in memory of the library's, as another language does it */

OPLUS_STRUCT(bend, uint8_t shift; float factor;)
OPLUS_SEMIGROUP_WITH(leak, float, bend, 0, { return a * p.factor + b + (float)p.shift; })
OPLUS_MAP_WITH(bent, float, float, bend, { return a * p.factor - (float)p.shift; })

static void bound_operators(void **state)
{
    (void)state;
    oplus_type *type;
    oplus_op *op, *bound, *again;
    bend value = {3, 0.5f};
    float identity = 5;
    fill();
    good(oplus_type_make("bend", "uint8_t shift; float factor", &type));
    good(eager_op_make(NULL, &oplus_f32, NULL, 0, type, "a * p.factor + b + p.shift", NULL, &op));
    oplus_type_free(type);
    assert_null(op->combine);
    assert_int_equal(oplus_reduce(dev, op, floats, N, doubles), OPLUS_ERR_ARGUMENT);
    good(oplus_op_bind(op, &value, NULL, &bound));
    const bend first = value;
    oplus_op twin = oplus_op_with(&leak_op, &first);
    value.shift = 100; /* it need not live on */
    same_scan(bound, &twin, floats);

    /* Binds another value, and an identity (which is none), to what is bound already. */
    good(oplus_op_bind(bound, &value, &identity, &again));
    twin = oplus_op_with(&leak_op, &value);
    const float given = identity;
    twin.identity = &given;
    identity = 6;
    same_scan(again, &twin, floats);
    oplus_op_free(again);
    oplus_op_free(bound);
    oplus_op_free(op);
}

static void bound_functions(void **state)
{
    (void)state;
    static float by_made[N], by_twin[N];
    const oplus_type *const input[] = {&oplus_f32};
    oplus_fn *fn, *bound;
    bend value = {3, 0.5f};
    const oplus_fn twin = oplus_with(&bent_fn, &(const bend){3, 0.5f});
    fill();
    good(eager_fn_make(NULL, &oplus_f32, 1, input, &bend_type, "a * p.factor - p.shift", &fn));
    good(oplus_fn_bind(fn, &value, &bound));
    value.factor = 7;
    good(oplus_map(dev, bound, (const void *const[]){floats}, N, by_made));
    good(oplus_map(dev, &twin, (const void *const[]){floats}, N, by_twin));
    assert_memory_equal(by_made, by_twin, sizeof by_made);
    oplus_fn_free(bound);
    oplus_fn_free(fn);
}

/* gcc fuses a complex product in wide vectors if it is allowed to (see leaf.h). */
static void complex_product(void **state)
{
    (void)state;
    oplus_op *op;
    fill();
    good(eager_op_make("product", &oplus_c64, &(oplus_complex64){1, 0}, 0, NULL,
                       "r.re = a.re * b.re - a.im * b.im; r.im = a.re * b.im + a.im * b.re", NULL, &op));
    same_scan(op, &oplus_prod_c64, maps);
    oplus_op_free(op);
}

static void functions(void **state)
{
    (void)state;
    static float by_made[N], by_twin[N];
    const oplus_type *const types[] = {&oplus_f32, &oplus_f64};
    const void *const in[] = {floats, doubles};
    size_t made_kept, twin_kept;
    oplus_fn *fn;
    fill();
    good(eager_fn_make("root_sum", &oplus_f32, 2, types, NULL, "sqrtf(a) + (float)b", &fn));
    good(oplus_map(dev, fn, in, N, by_made));
    good(oplus_map(dev, &root_sum_fn, in, N, by_twin));
    assert_memory_equal(by_made, by_twin, sizeof by_made);
    oplus_fn_free(fn);

    const float limit = 70000;
    good(eager_fn_make("above", NULL, 1, types, &oplus_f32, "a > p", &fn));
    fn->param = &limit;
    const oplus_fn twin = oplus_with(&above_fn, &limit);
    good(oplus_filter(dev, fn, floats, N, by_made, &made_kept));
    good(oplus_filter(dev, &twin, floats, N, by_twin, &twin_kept));
    assert_int_equal(made_kept, twin_kept);
    assert_true(made_kept > 0 && made_kept < N);
    assert_memory_equal(by_made, by_twin, made_kept * sizeof(float));
    oplus_fn_free(fn);
    oplus_fn_free(NULL);

    good(eager_fn_make("half", NULL, 1, types, NULL, "a - 0.5f", &fn)); /* 0.5 is true, though (int)0.5 is not */
    good(oplus_filter(dev, fn, (const float[]){1, 0.5f, 0}, 3, by_made, &made_kept));
    assert_int_equal(made_kept, 2);
    oplus_fn_free(fn);
}

static void eight_inputs(void **state)
{
    (void)state;
    oplus_fn *fn;
    const oplus_type *types[8];
    const void *in[8];
    int64_t x[8][3], out[3];
    for (int k = 0; k < 8; k++) {
        types[k] = &oplus_i64;
        in[k] = x[k];
        for (int i = 0; i < 3; i++) x[k][i] = i + 10 * k;
    }
    good(eager_fn_make(NULL, &oplus_i64, 8, types, NULL, "a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h", &fn));
    good(oplus_map(dev, fn, in, 3, out));
    for (int i = 0; i < 3; i++) assert_int_equal(out[i], 36 * i + 10 * (2 + 6 + 12 + 20 + 30 + 42 + 56));

    /* One array given for all inputs has a loop of its own, also if it is the result. */
    for (int k = 0; k < 7; k++) in[k] = x[2];
    good(oplus_map(dev, fn, in, 3, out));
    for (int i = 0; i < 3; i++) assert_int_equal(out[i], 28 * (i + 20) + 8 * (i + 70));
    in[7] = x[2];
    good(oplus_map(dev, fn, in, 3, out));
    for (int i = 0; i < 3; i++) assert_int_equal(out[i], 36 * (i + 20));
    good(oplus_map(dev, fn, in, 3, x[2]));
    for (int i = 0; i < 3; i++) assert_int_equal(x[2][i], 36 * (i + 20));
    oplus_fn_free(fn);
}

static void structs_of_two_types(void **state)
{
    (void)state;
    oplus_type *pair, *wide;
    oplus_fn *fn;
    good(oplus_type_make("pair", "int16_t x, y;", &pair));
    good(oplus_type_make("wide", "double sum; int32_t part[2];", &wide));
    const struct {
        int16_t x, y;
    } in[2] = {{1, 2}, {-3, 4}};
    struct {
        double sum;
        int32_t part[2];
    } out[2];
    good(eager_fn_make(NULL, wide, 1, (const oplus_type *const[]){pair}, NULL,
                       "r.sum = a.x + a.y; r.part[0] = a.x; r.part[1] = a.y;", &fn));
    good(oplus_map(dev, fn, (const void *const[]){in}, 2, out));
    assert_true(out[0].sum == 3 && out[0].part[0] == 1 && out[0].part[1] == 2);
    assert_true(out[1].sum == 1 && out[1].part[0] == -3 && out[1].part[1] == 4);
    oplus_fn_free(fn);
    oplus_type_free(pair);
    oplus_type_free(wide);
}

/* Every form of a text, compiled and run: 3 (+) 5. */
static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } form[] = {{"a + b // the sum", 8},
                {"r = a; r *= b", 15},
                {"++r;", 1},
                {"double r = a - b; return r;", -2},
                {"if (a < b) return a; return b;", 3},
                {"{ if (a > b) { return 7; } r = b; }", 5},
                {"({ double r = a; r + b; })", 8},
                {"memcpy(&r, &a, sizeof r);", 3},
                {"for (r = a; r < b; r++) ;", 5},
                {"(double){b}", 5},
                {"fmax(a, b) + INT_MAX * 0.0 + abs(-2)", 7}};
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        oplus_op *op;
        double out;
        good(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, form[i].text, NULL, &op));
        good(oplus_reduce(dev, op, (const double[]){3, 5}, 2, &out));
        if (out != form[i].value) fail_msg("%s: %g", form[i].text, out);
        oplus_op_free(op);
    }
}

/* --- by name ------------------------------------------------------------------------------------------------------ */

static void names(void **state)
{
    (void)state;
    oplus_member m[4];
    assert_ptr_equal(oplus_type_named("f32"), &oplus_f32);
    assert_ptr_equal(oplus_type_named("uint8_t"), &oplus_u8);
    assert_string_equal(oplus_type_named("c128")->name, "oplus_complex128");
    assert_null(oplus_type_named("f16"));
    assert_null(oplus_type_named(NULL));
    assert_ptr_equal(oplus_op_named("sum", &oplus_f64), &oplus_sum_f64);
    assert_ptr_equal(oplus_op_named("xor", &oplus_u16), &oplus_xor_u16);
    assert_ptr_equal(oplus_op_named("prod", &oplus_c64), &oplus_prod_c64);
    assert_null(oplus_op_named("xor", &oplus_f64));
    assert_null(oplus_op_named("max", &oplus_c64));
    assert_null(oplus_op_named("sum", &affine_type));
    assert_null(oplus_op_named("summe", &oplus_f64));
    assert_int_equal(oplus_type_members(&affine_type, m, 4), 2);
    assert_string_equal(m[1].name, "b");
    assert_int_equal(m[1].offset, 4);
    assert_int_equal(oplus_type_members(&oplus_i16, m, 4), 1);
    assert_int_equal(oplus_type_members(NULL, m, 4), -1);
}

/* --- what is wrong is said ---------------------------------------------------------------------------------------- */

static void says(oplus_status status, oplus_status expected, const char *message)
{
    if (!strstr(oplus_last_error(), message)) fail_msg("\"%s\"\n  does not say\n\"%s\"", oplus_last_error(), message);
    assert_int_equal(status, expected);
}

enum { THREE = 3 };
OPLUS_STRUCT(secret, float v[THREE];)

/* A struct that the cores know as the compiler of this program has measured it. */
static void struct_of_the_program(void **state)
{
    (void)state;
    oplus_op *op = NULL;
    says(eager_op_make("first", &secret_type, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_COMPILE,
         "a text is compiled alone: write out the enumeration constants and the types of the program");
}

static void refusals(void **state)
{
    (void)state;
    const oplus_type unnamed = {OPLUS_ABI, NULL, "float a;", 4, 4, OPLUS_RECORD, NULL},
                     textless = {OPLUS_ABI, "t", NULL, 4, 4, OPLUS_RECORD, NULL},
                     lying = {OPLUS_ABI, "t", "float a; float b;", 12, 4, OPLUS_RECORD, NULL},
                     odd = {OPLUS_ABI, "t", NULL, 4, 4, OPLUS_F64, NULL};
    const oplus_type other = {OPLUS_ABI, "affine", "double x;", 8, 8, OPLUS_RECORD, NULL},
                     unaligned = {OPLUS_ABI, "u", NULL, 4, 1, OPLUS_F32, NULL},
                     packed = {OPLUS_ABI, "affine", "float a; float b;", 5, 1, OPLUS_RECORD, NULL};
    const oplus_type *const floats_in[] = {&oplus_f32}, *const clash[] = {&affine_type, &other},
                            *const sizes[] = {&affine_type, &packed};
    oplus_type *type = NULL;
    oplus_op *op = NULL;
    oplus_fn *fn = NULL;
    says(oplus_type_make("2d", "float x;", &type), OPLUS_ERR_ARGUMENT, "name \"2d\" cannot name a type");
    says(oplus_type_make("float", "float x;", &type), OPLUS_ERR_ARGUMENT, "name \"float\" cannot name a type");
    says(oplus_type_make("r", "float x;", &type), OPLUS_ERR_ARGUMENT, "name \"r\" cannot name a type");
    says(oplus_type_make("p", "float x;", &type), OPLUS_ERR_ARGUMENT, "name \"p\" cannot name a type");
    says(oplus_type_make("pair", "float x; int x;", &type), OPLUS_ERR_ARGUMENT, "\"x\" is there twice");
    says(oplus_type_make("pair", "float x; int if;", &type), OPLUS_ERR_ARGUMENT, "\"if\" is a word of C");
    says(oplus_type_make("large", "double x[8192]; char y;", &type), OPLUS_ERR_ARGUMENT, "up to 64 and 65536 bytes");
    says(oplus_type_make("pair", "float *x;", &type), OPLUS_ERR_ARGUMENT, "members \"float *x;\" are not understood");
    says(oplus_type_make("pair", "", &type), OPLUS_ERR_ARGUMENT, "not understood");
    says(oplus_type_make("pair", NULL, &type), OPLUS_ERR_ARGUMENT, "members is NULL");
    says(oplus_type_make("pair", "float x;", NULL), OPLUS_ERR_ARGUMENT, "type is NULL");
    says(eager_op_make(NULL, NULL, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT, "type is NULL");
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, NULL, NULL, &op), OPLUS_ERR_ARGUMENT, "text is NULL");
    says(eager_op_make(NULL, &oplus_f32, NULL, 16, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT, "flags is 16");
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a +* b)", NULL, &op), OPLUS_ERR_ARGUMENT,
         "a ) has no partner");
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a", NULL, NULL), OPLUS_ERR_ARGUMENT, "op is NULL");
    says(eager_op_make(NULL, &unnamed, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT,
         "a name that C and texts leave free");
    says(eager_op_make(NULL, &textless, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT, "the text of its members");
    says(eager_op_make(NULL, &odd, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT,
         "has size 4 and align 4, but its scalar has 8");
    says(eager_op_make(NULL, &lying, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_COMPILE, "do not make up the size");
    says(eager_op_make("max2", &oplus_f32, NULL, 0, NULL, "a > c ? a : b", NULL, &op), OPLUS_ERR_COMPILE,
         "operator \"max2\" does not compile:\noperator:1:5: error: ");
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > c ? a : b", NULL, &op), OPLUS_ERR_COMPILE, "'c'");
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "\n\n  a +\n   c", NULL, &op), OPLUS_ERR_COMPILE,
         "operator:4:4: error");
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "a +", NULL, &op), OPLUS_ERR_COMPILE, "operator:2:");
    says(eager_op_make(NULL, &oplus_i64, NULL, 0, NULL, "\"x\"", NULL, &op), OPLUS_ERR_COMPILE, "does not compile");
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "nosuch(a) + b", NULL, &op), OPLUS_ERR_COMPILE, "nosuch");
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "if (a > b) return a;", NULL, &op), OPLUS_ERR_COMPILE,
         "end of non-void");
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "int *q = a; return *q;", NULL, &op), OPLUS_ERR_COMPILE,
         "operator:1:10");
    says(eager_fn_make(NULL, NULL, 9, floats_in, NULL, "a", &fn), OPLUS_ERR_ARGUMENT, "arity is 9");
    says(eager_fn_make(NULL, &oplus_f32, 9, floats_in, NULL, "a", &fn), OPLUS_ERR_ARGUMENT, "arity is 9");
    says(eager_fn_make(NULL, &oplus_f32, 1, NULL, NULL, "a", &fn), OPLUS_ERR_ARGUMENT, "input is NULL");
    says(eager_fn_make(NULL, &oplus_f32, 2, clash, NULL, "1", &fn), OPLUS_ERR_ARGUMENT, "called \"affine\"");
    says(eager_fn_make(NULL, &oplus_f32, 2, sizes, NULL, "1", &fn), OPLUS_ERR_ARGUMENT, "of 8 bytes and");
    says(eager_op_make(NULL, &unaligned, NULL, 0, NULL, "a", NULL, &op), OPLUS_ERR_ARGUMENT,
         "align 1, but its scalar has 4 and 4");
    says(eager_fn_make("wave", &oplus_f32, 1, floats_in, NULL, "wave(a)", &fn), OPLUS_ERR_COMPILE, "wave");
    assert_true(!type && !op && !fn);
    assert_int_equal(files_in(temporary), 0);
}

/* What a compiler says against a text is kept: it is not asked again. */
static void refused_again(void **state)
{
    (void)state;
    char first[512];
    oplus_op *op = NULL;
    empty_cache();
    says(eager_op_make("wrong", &oplus_f64, NULL, 0, NULL, "a % b", NULL, &op), OPLUS_ERR_COMPILE, "operator:1:3");
    snprintf(first, sizeof first, "%s", oplus_last_error());
    assert_int_equal(files_in(cache), 1);
    setenv("TMPDIR", "/nowhere", 1); /* nothing can be compiled there */
    says(eager_op_make("wrong", &oplus_f64, NULL, 0, NULL, "a % b", NULL, &op), OPLUS_ERR_COMPILE, first);
    setenv("TMPDIR", temporary, 1);
    good(eager_op_make("right", &oplus_i64, NULL, 0, NULL, "a % b", NULL, &op));
    oplus_op_free(op);
    empty_cache();
}

/* --- without a compiler ------------------------------------------------------------------------------------------- */

static void by_hand(void *out, const void *a, const void *b, const void *param)
{
    assert_null(param);
    *(float *)out = larger(*(const float *)a, *(const float *)b);
}

static void by_hand_with(void *out, const void *a, const void *b, const void *param)
{
    *(float *)out = leak(*(const float *)a, *(const float *)b, *(const bend *)param);
}

static void no_compiler(void **state)
{
    (void)state;
    oplus_op *op;
    setenv("OPLUS_CC", "/nowhere/cc -O2", 1);
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_COMPILE,
         "OPLUS_CC, \"/nowhere/cc -O2\", does not run");
    good(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", by_hand, &op));
    assert_null(opi_code_of_op(op)->leaves);
    fill();
    same_scan(op, &larger_op, floats);
    oplus_op_free(op);

    const bend value = {3, 0.5f};
    oplus_op *bound;
    good(eager_op_make(NULL, &oplus_f32, NULL, 0, &bend_type, "a * p.factor + b + p.shift", by_hand_with, &op));
    good(oplus_op_bind(op, &value, NULL, &bound));
    assert_null(opi_code_of_op(bound)->leaves_with);
    const oplus_op twin = oplus_op_with(&leak_op, &value);
    same_scan(bound, &twin, floats);
    oplus_op_free(bound);
    oplus_op_free(op);

    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    unsetenv("OPLUS_CC");
    setenv("PATH", "/nowhere", 1);
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_COMPILE,
         "apt-get install gcc");
    setenv("PATH", path, 1);
    setenv("OPLUS_CC", "true", 1); /* answers, and makes no file */
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_COMPILE,
         "cannot compile C here");
    setenv("OPLUS_CC", "cc -nostdinc", 1);
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_COMPILE,
         "cannot compile C here");
    good(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", by_hand, &op));
    oplus_op_free(op);
    setenv("OPLUS_CC", "cc 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", 1);
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_ARGUMENT, "16 words");
    setenv("OPLUS_CC", "cc\t-DONE=1", 1);
    good(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a + b + ONE", NULL, &op));
    oplus_op_free(op);
    setenv("OPLUS_CC", "false", 1);
    says(eager_op_make(NULL, &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op), OPLUS_ERR_COMPILE, "does not run");
    unsetenv("OPLUS_CC");
}

/* --- the cache ---------------------------------------------------------------------------------------------------- */

static struct stat one_file;
static void look_at(const char *path) { assert_int_equal(stat(path, &one_file), 0); }
static void truncate_file(const char *path) { assert_int_equal(truncate(path, one_file.st_size / 2), 0); }
static void empty_file(const char *path) { assert_int_equal(truncate(path, 0), 0); }
static void make_unreadable(const char *path) { assert_int_equal(chmod(path, 0), 0); }
static void put_a_directory(const char *path)
{
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void flip(const char *path, long at)
{
    FILE *const file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    const int c = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(c ^ 16, file);
    fclose(file);
}
static void flip_code(const char *path) { flip(path, one_file.st_size / 3); }
static void flip_footer(const char *path) { flip(path, -3); }

/* Whether the compiler has run: only it starts more than one program. */
static bool compiles(void)
{
    calls = 0;
    fill();
    oplus_op *const op = make_larger();
    const bool compiled = calls > 14; /* a hit takes fewer calls of the system and of malloc */
    same_scan(op, &larger_op, floats);
    oplus_op_free(op);
    assert_int_equal(files_in(temporary), 0);
    return compiled;
}

static void damage(void **state)
{
    (void)state;
    static void (*const harm[])(const char *) = {truncate_file, empty_file, flip_code, flip_footer, make_unreadable};
    empty_cache();
    assert_true(compiles());
    assert_int_equal(files_in(cache), 1);
    assert_false(compiles());
    for_files(cache, look_at);
    assert_int_equal(one_file.st_mode & 0777, 0600);
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        if (harm[i] == make_unreadable && geteuid() == 0) continue; /* root reads it all the same */
        for_files(cache, harm[i]);
        assert_true(compiles());
        assert_false(compiles()); /* the file was repaired */
        assert_int_equal(files_in(cache), 1);
    }
    for_files(cache, put_a_directory); /* cannot be repaired, but does no harm */
    assert_true(compiles());
    assert_true(compiles());
    empty_cache();
}

static void no_cache(void **state)
{
    (void)state;
    setenv("OPLUS_CACHE", "0", 1);
    assert_true(compiles());
    assert_true(compiles());
    assert_int_equal(files_in(cache), 0);
    unsetenv("OPLUS_CACHE");

    chmod(cache, 0777); /* others could put programs there: not to be trusted */
    assert_true(compiles());
    assert_int_equal(files_in(cache), 0);
    chmod(cache, 0700);

    setenv("OPLUS_CACHE_DIR", "/dev/null/cache", 1);
    assert_true(compiles());
    setenv("OPLUS_CACHE_DIR", cache, 1);
}

static void other_text_or_flags(void **state)
{
    (void)state;
    oplus_op *op;
    empty_cache();
    assert_true(compiles());
    good(eager_op_make("larger", &oplus_f32, NULL, OPLUS_COMMUTATIVE, NULL, "a > b ? a : b", NULL, &op));
    oplus_op_free(op);
    good(eager_op_make("larger", &oplus_f32, NULL, 0, NULL, "a >= b ? a : b", NULL, &op));
    oplus_op_free(op);
    good(eager_op_make("larger", &oplus_f64, NULL, 0, NULL, "a > b ? a : b", NULL, &op));
    oplus_op_free(op);
    setenv("OPLUS_ISA", "baseline", 1);
    op = make_larger();
    oplus_op_free(op);
    unsetenv("OPLUS_ISA");
    assert_true(files_in(cache) == 5 || files_in(cache) == 4); /* 4: a processor without AVX2 */
    good(eager_op_make("another name", &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op));
    oplus_op_free(op);
    assert_true(files_in(cache) == 5 || files_in(cache) == 4); /* the name does not count */
    empty_cache();
}

/* Two processes, one cold cache. */
static void race(void **state)
{
    (void)state;
    enum { PROCESSES = 3 };
    empty_cache();
    for (int i = 0; i < PROCESSES; i++) {
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid > 0) continue;
        oplus_op *op;
        float most = 0;
        oplus_device *serial;
        const float x[] = {1, 3, 2};
        const bool right = oplus_open("serial", &serial) == OPLUS_OK &&
                           eager_op_make("larger", &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op) == OPLUS_OK &&
                           oplus_reduce(serial, op, x, 3, &most) == OPLUS_OK && most == 3;
        _exit(right ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(files_in(cache), 1);
    assert_int_equal(files_in(temporary), 0);
    empty_cache();
}

/* A host that ignores its child processes, and compilers that end early or leave processes behind. */
static void processes(void **state)
{
    (void)state;
    oplus_op *op;
    empty_cache();
    void (*const before)(int) = signal(SIGCHLD, SIG_IGN);
    op = make_larger();
    same_scan(op, &larger_op, floats);
    oplus_op_free(op);
    says(eager_op_make(NULL, &oplus_f64, NULL, 0, NULL, "a > c ? a : b", NULL, &op), OPLUS_ERR_COMPILE, "operator:1:5");
    signal(SIGCHLD, before);

    char script[128];
    snprintf(script, sizeof script, "%s/cc", root);
    FILE *const file = fopen(script, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nsleep 30 &\nexec cc \"$@\"\n", file); /* keeps our pipe open */
    fclose(file);
    chmod(script, 0700);
    setenv("OPLUS_CC", script, 1);
    const time_t begin = time(NULL);
    oplus_op_free(make_larger());
    assert_true(time(NULL) - begin < 25);
    unsetenv("OPLUS_CC");
    remove(script);
    empty_cache();
}

/* --- every call of the system fails once -------------------------------------------------------------------------- */

static void every_failure(bool warm)
{
    fill();
    empty_cache();
    if (warm) oplus_op_free(make_larger());
    calls = 0;
    oplus_op_free(make_larger());
    const size_t most = calls;
    assert_true(most > 3);
    for (size_t at = 1; at <= most; at++) {
        oplus_op *op;
        if (!warm) empty_cache();
        failing = at;
        const oplus_status status = eager_op_make("larger", &oplus_f32, NULL, 0, NULL, "a > b ? a : b", NULL, &op);
        failing = 0;
        if (status == OPLUS_OK) {
            same_scan(op, &larger_op, floats);
            oplus_op_free(op);
        } else {
            assert_null(op);
            assert_true(status == OPLUS_ERR_MEMORY || status == OPLUS_ERR_COMPILE || status == OPLUS_ERR_IO);
            assert_true(strstr(oplus_last_error(), "oplus_op_") == oplus_last_error());
        }
        assert_int_equal(files_in(temporary), 0);
        assert_true(files_in(cache) <= 1);
    }
    empty_cache();
}

static void failures_cold(void **state)
{
    (void)state;
    every_failure(false);
}

static void failures_warm(void **state)
{
    (void)state;
    every_failure(true);
}

/* The cores ask the compiler when they first run a text; an accelerator needs no compiler of C. */
static void compiled_when_first_run(void **state)
{
    static const float x[] = {1, 2, 3, 4};
    oplus_device *accelerator;
    oplus_op *op;
    float sum = 0;
    (void)state;
    setenv("OPLUS_CC", "no-such-compiler", 1);
    good(oplus_op_make("late", &oplus_f32, NULL, 0, NULL, "a + b", NULL, &op));
    says(oplus_reduce(dev, op, x, 4, &sum), OPLUS_ERR_COMPILE,
         "oplus_reduce: the compiler in the environment variable");
    says(oplus_op_compile(op), OPLUS_ERR_COMPILE, "oplus_op_compile: the compiler");
    if (oplus_open("opencl:cpu", &accelerator) == OPLUS_OK) {
        good(oplus_reduce(accelerator, op, x, 4, &sum));
        assert_true(sum == 10);
        oplus_close(accelerator);
    }
    unsetenv("OPLUS_CC");
    const oplus_op copied = *op; /* before it is compiled */
    good(oplus_reduce(dev, op, x, 4, &sum));
    assert_true(sum == 10);
    good(oplus_reduce(dev, &copied, x, 3, &sum));
    assert_true(sum == 6);
    oplus_op_free(op);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_when_first_run),
                                       cmocka_unit_test(operators),
                                       cmocka_unit_test(bound_operators),
                                       cmocka_unit_test(bound_functions),
                                       cmocka_unit_test(complex_product),
                                       cmocka_unit_test(functions),
                                       cmocka_unit_test(eight_inputs),
                                       cmocka_unit_test(structs_of_two_types),
                                       cmocka_unit_test(forms),
                                       cmocka_unit_test(names),
                                       cmocka_unit_test(struct_of_the_program),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(refused_again),
                                       cmocka_unit_test(no_compiler),
                                       cmocka_unit_test(damage),
                                       cmocka_unit_test(no_cache),
                                       cmocka_unit_test(other_text_or_flags),
                                       cmocka_unit_test(race),
                                       cmocka_unit_test(processes),
                                       cmocka_unit_test(failures_cold),
                                       cmocka_unit_test(failures_warm)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
