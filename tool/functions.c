/* functions: the built-in ones, for every type where they make sense.  Integers wrap around; a division by an integer 0
 * gives 0; as in the built-in operators, min and max hand a NaN on and take -0 for less than +0.
 *
 * The bodies are texts for the compilers of devices as well: no macros, no helpers, and from <math.h> only what all
 * of them have. */
#include "functions.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* X(name, suffix, type), as in <oplus/ops.h>, which has the lists of types. */
#define SIGNED(X, name)                                                                                                \
    X(name, i8, int8_t)                                                                                                \
    X(name, i16, int16_t)                                                                                              \
    X(name, i32, int32_t)                                                                                              \
    X(name, i64, int64_t)
#define UNSIGNED(X, name)                                                                                              \
    X(name, u8, uint8_t)                                                                                               \
    X(name, u16, uint16_t)                                                                                             \
    X(name, u32, uint32_t)                                                                                             \
    X(name, u64, uint64_t)

/* --- integers: computed as uint64_t, which wraps ------------------------------------------------------------------ */

#define MAP_INTEGER(_, s, T)                                                                                           \
    OPLUS_MAP(copy_##s, T, T, { return a; })                                                                           \
    OPLUS_MAP(neg_##s, T, T, { return (T)(0 - (uint64_t)a); })                                                         \
    OPLUS_MAP(square_##s, T, T, { return (T)((uint64_t)a * (uint64_t)a); })                                            \
    OPLUS_MAP(floor_##s, T, T, { return a; })                                                                          \
    OPLUS_MAP(ceil_##s, T, T, { return a; })                                                                           \
    OPLUS_MAP(trunc_##s, T, T, { return a; })                                                                          \
    OPLUS_MAP(round_##s, T, T, { return a; })                                                                          \
    OPLUS_MAP(not_##s, T, T, { return (T)(~(uint64_t)a); })                                                            \
    OPLUS_ZIP(add_##s, T, T, T, { return (T)((uint64_t)a + (uint64_t)b); })                                            \
    OPLUS_ZIP(sub_##s, T, T, T, { return (T)((uint64_t)a - (uint64_t)b); })                                            \
    OPLUS_ZIP(mul_##s, T, T, T, { return (T)((uint64_t)a * (uint64_t)b); })                                            \
    OPLUS_ZIP(min_##s, T, T, T, { return a < b ? a : b; })                                                             \
    OPLUS_ZIP(max_##s, T, T, T, { return a > b ? a : b; })                                                             \
    OPLUS_PREDICATE(zero_##s, T, { return a == 0; })                                                                   \
    OPLUS_PREDICATE(nonzero_##s, T, { return a != 0; })                                                                \
    OPLUS_PREDICATE(positive_##s, T, { return a > 0; })                                                                \
    OPLUS_PREDICATE(even_##s, T, { return !(a & 1); })                                                                 \
    OPLUS_PREDICATE(odd_##s, T, { return a & 1; })                                                                     \
    OPLUS_PREDICATE(finite_##s, T, { return a == a; })                                                                 \
    OPLUS_PREDICATE(inf_##s, T, { return a != a; })                                                                    \
    OPLUS_PREDICATE(nan_##s, T, { return a != a; })
/* cppcheck-suppress unknownMacro */
OPLUS_FOR_INTEGERS(MAP_INTEGER, all)

#define MAP_SIGNED(_, s, T)                                                                                            \
    OPLUS_MAP(sign_##s, T, T, { return (T)((a > 0) - (a < 0)); })                                                      \
    OPLUS_MAP(abs_##s, T, T, { return (T)(a < 0 ? 0 - (uint64_t)a : (uint64_t)a); })                                   \
    OPLUS_ZIP(div_##s, T, T, T, { return (T)(b == 0 ? 0 : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b)); })           \
    OPLUS_PREDICATE(negative_##s, T, { return a < 0; })
SIGNED(MAP_SIGNED, all)

#define MAP_UNSIGNED(_, s, T)                                                                                          \
    OPLUS_MAP(sign_##s, T, T, { return a > 0; })                                                                       \
    OPLUS_MAP(abs_##s, T, T, { return a; })                                                                            \
    OPLUS_ZIP(div_##s, T, T, T, { return (T)(b == 0 ? 0 : a / b); })                                                   \
    OPLUS_PREDICATE(negative_##s, T, { return a != a; })
UNSIGNED(MAP_UNSIGNED, all)

/* --- floats ------------------------------------------------------------------------------------------------------- */

#define MAP_FLOAT(s, T, f)                                                                                             \
    OPLUS_MAP(copy_##s, T, T, { return a; })                                                                           \
    OPLUS_MAP(neg_##s, T, T, { return -a; })                                                                           \
    OPLUS_MAP(abs_##s, T, T, { return fabs##f(a); })                                                                   \
    OPLUS_MAP(square_##s, T, T, { return a * a; })                                                                     \
    OPLUS_MAP(sign_##s, T, T, { return a > 0 ? 1 : a < 0 ? -1 : a; })                                                  \
    OPLUS_MAP(sqrt_##s, T, T, { return sqrt##f(a); })                                                                  \
    OPLUS_MAP(floor_##s, T, T, { return floor##f(a); })                                                                \
    OPLUS_MAP(ceil_##s, T, T, { return ceil##f(a); })                                                                  \
    OPLUS_MAP(trunc_##s, T, T, { return trunc##f(a); })                                                                \
    OPLUS_MAP(round_##s, T, T, { return round##f(a); })                                                                \
    OPLUS_ZIP(add_##s, T, T, T, { return a + b; })                                                                     \
    OPLUS_ZIP(sub_##s, T, T, T, { return a - b; })                                                                     \
    OPLUS_ZIP(mul_##s, T, T, T, { return a * b; })                                                                     \
    OPLUS_ZIP(div_##s, T, T, T, { return a / b; })                                                                     \
    OPLUS_ZIP(min_##s, T, T, T, {                                                                                      \
        return a != a ? a : b != b ? b : a < b || (a == b && copysign##f(1, a) < 0) ? a : b;                           \
    })                                                                                                                 \
    OPLUS_ZIP(max_##s, T, T, T, {                                                                                      \
        return a != a ? a : b != b ? b : a > b || (a == b && copysign##f(1, a) > 0) ? a : b;                           \
    })                                                                                                                 \
    OPLUS_PREDICATE(zero_##s, T, { return a == 0; })                                                                   \
    OPLUS_PREDICATE(nonzero_##s, T, { return a != 0; })                                                                \
    OPLUS_PREDICATE(positive_##s, T, { return a > 0; })                                                                \
    OPLUS_PREDICATE(negative_##s, T, { return a < 0; })                                                                \
    OPLUS_PREDICATE(finite_##s, T, { return a - a == 0; })                                                             \
    OPLUS_PREDICATE(inf_##s, T, { return a == a && a - a != 0; })                                                      \
    OPLUS_PREDICATE(nan_##s, T, { return a != a; })
MAP_FLOAT(f32, float, f)
MAP_FLOAT(f64, double, )

/* --- complex numbers ---------------------------------------------------------------------------------------------- */

#define MAP_COMPLEX(s, T, R, f)                                                                                        \
    OPLUS_MAP(copy_##s, T, T, { return a; })                                                                           \
    OPLUS_MAP(neg_##s, T, T, {                                                                                         \
        T r;                                                                                                           \
        r.re = -a.re;                                                                                                  \
        r.im = -a.im;                                                                                                  \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_MAP(conj_##s, T, T, {                                                                                        \
        T r;                                                                                                           \
        r.re = a.re;                                                                                                   \
        r.im = -a.im;                                                                                                  \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_MAP(square_##s, T, T, {                                                                                      \
        T r;                                                                                                           \
        r.re = a.re * a.re - a.im * a.im;                                                                              \
        r.im = a.re * a.im + a.im * a.re;                                                                              \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_MAP(real_##s, R, T, { return a.re; })                                                                        \
    OPLUS_MAP(imag_##s, R, T, { return a.im; })                                                                        \
    OPLUS_MAP(abs_##s, R, T, { return hypot##f(a.re, a.im); })                                                         \
    OPLUS_ZIP(add_##s, T, T, T, {                                                                                      \
        T r;                                                                                                           \
        r.re = a.re + b.re;                                                                                            \
        r.im = a.im + b.im;                                                                                            \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_ZIP(sub_##s, T, T, T, {                                                                                      \
        T r;                                                                                                           \
        r.re = a.re - b.re;                                                                                            \
        r.im = a.im - b.im;                                                                                            \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_ZIP(mul_##s, T, T, T, {                                                                                      \
        T r;                                                                                                           \
        r.re = a.re * b.re - a.im * b.im;                                                                              \
        r.im = a.re * b.im + a.im * b.re;                                                                              \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_PREDICATE(zero_##s, T, { return a.re == 0 && a.im == 0; })                                                   \
    OPLUS_PREDICATE(nonzero_##s, T, { return a.re != 0 || a.im != 0; })                                                \
    OPLUS_PREDICATE(finite_##s, T, { return a.re - a.re == 0 && a.im - a.im == 0; })                                   \
    OPLUS_PREDICATE(inf_##s, T, { return (a.re == a.re && a.re - a.re != 0) || (a.im == a.im && a.im - a.im != 0); })  \
    OPLUS_PREDICATE(nan_##s, T, { return a.re != a.re || a.im != a.im; })
MAP_COMPLEX(c64, oplus_complex64, float, f)
MAP_COMPLEX(c128, oplus_complex128, double, )

/* --- the tables --------------------------------------------------------------------------------------------------- */

enum { MOST_TYPES = 12 };

typedef struct function_row {
    const char *name;
    const oplus_fn *fn[MOST_TYPES + 1]; /* one for each type, then NULL */
} function_row;

/* clang-format off */
#define ENTRY(name, s, T) &name##_##s##_fn,
#define ROW(name, set)    {#name, {set(ENTRY, name) NULL}}
#define INTEGERS(X, name) OPLUS_FOR_INTEGERS(X, name)
#define FLOATS(X, name)   OPLUS_FOR_FLOATS(X, name)
#define COMPLEX(X, name)  OPLUS_FOR_COMPLEX(X, name)
#define REALS(X, name)    INTEGERS(X, name) FLOATS(X, name)
#define ALL(X, name)      REALS(X, name) COMPLEX(X, name)

static const function_row functions[] = {
    ROW(copy, ALL),     ROW(neg, ALL),      ROW(abs, ALL),      ROW(square, ALL),    ROW(sign, REALS),
    ROW(floor, REALS),  ROW(ceil, REALS),   ROW(trunc, REALS),  ROW(round, REALS),   ROW(sqrt, FLOATS),
    ROW(not, INTEGERS),
    ROW(real, COMPLEX), ROW(imag, COMPLEX), ROW(conj, COMPLEX), ROW(add, ALL),       ROW(sub, ALL),
    ROW(mul, ALL),      ROW(div, REALS),    ROW(min, REALS),    ROW(max, REALS),
};
static const function_row predicates[] = {
    ROW(zero, ALL),     ROW(nonzero, ALL),  ROW(positive, REALS), ROW(negative, REALS), ROW(even, INTEGERS),
    ROW(odd, INTEGERS), ROW(finite, ALL),   ROW(inf, ALL),        ROW(nan, ALL),
};
/* clang-format on */
enum { FUNCTIONS = sizeof functions / sizeof *functions, PREDICATES = sizeof predicates / sizeof *predicates };

static const oplus_fn *find(const function_row *rows, size_t n, const char *name, const oplus_type *type)
{
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; strcmp(rows[r].name, name) == 0 && rows[r].fn[i]; i++) {
            const oplus_type *input = rows[r].fn[i]->input[0];
            const bool record = input->scalar == OPLUS_RECORD;
            if (input->scalar == type->scalar && (!record || (type->text && strcmp(input->text, type->text) == 0)))
                return rows[r].fn[i];
        }
    return NULL;
}

/* copy of structs: their size is a parameter.  A command applies one function, so one description is enough. */
static void copy_record_leaf(const void *const *in, const void *param, size_t n, void *out)
{
    memmove(out, in[0], n * *(const uint64_t *)param);
}

static const oplus_fn *copy_record(const oplus_type *type)
{
    static uint64_t size;
    static oplus_fn fn = {.abi = OPLUS_ABI,
                          .name = "copy",
                          .arity = 1,
                          .param_type = &oplus_u64,
                          .param = &size,
                          .text = "{ return a; }",
                          .file = __FILE__,
                          .line = __LINE__,
                          .leaf = copy_record_leaf};
    size = type->size;
    fn.result = fn.input[0] = type;
    return &fn;
}

const oplus_fn *tool_function(const char *name, const oplus_type *type)
{
    const oplus_fn *const fn = find(functions, FUNCTIONS, name, type);
    if (!fn && strcmp(name, "copy") == 0) return copy_record(type);
    return fn;
}
const oplus_fn *tool_predicate(const char *name, const oplus_type *type)
{
    return find(predicates, PREDICATES, name, type);
}
const char *tool_function_name(size_t i) { return i < FUNCTIONS ? functions[i].name : NULL; }
const char *tool_predicate_name(size_t i) { return i < PREDICATES ? predicates[i].name : NULL; }
