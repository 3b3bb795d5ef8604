/* The operator and the functions of moments.h.
 *
 * Groups of equal size have a rule of their own, with one division.  Where that size is a power of two the division is
 * exact: so blocks of the tree need none (cores/isa/moments.c). */
#include "cores/moments.h"

/* --- the operator ------------------------------------------------------------------------------------------------- */

#if defined(__aarch64__)
#define LEAVES opi_moments_leaves_neon
#else
#define LEAVES opi_moments_leaves_baseline
#endif
extern const oplus_leaves LEAVES;

OPLUS_FN_(oplus_moments, join_moments, (oplus_moments a, oplus_moments b), OPI_BODY_JOIN_MOMENTS)

OPLUS_STRICT_ static void combine(void *out, const void *a, const void *b)
{
    *(oplus_moments *)out = join_moments(*(const oplus_moments *)a, *(const oplus_moments *)b);
}

#define TEXT(...)    AS_TEXT(__VA_ARGS__)
#define AS_TEXT(...) #__VA_ARGS__
static const oplus_moments none;
const oplus_op oplus_join_moments = {.abi = OPLUS_ABI,
                                     .name = "oplus_join_moments",
                                     .type = &OPLUS_TYPE_(oplus_moments),
                                     .identity = &none,
                                     .text = TEXT(OPI_BODY_JOIN_MOMENTS),
                                     .combine = combine,
                                     .leaves = &LEAVES};

/* --- the functions ------------------------------------------------------------------------------------------------ */

#define FUNCTION(object, name_, R, A, ...)                                                                             \
    OPLUS_FN_(R, name_, (A a), __VA_ARGS__)                                                                            \
    OPLUS_LEAF_(name_, R, (OPLUS_INPUT_(A, 0)), name_(oplus_my_in0[oplus_my_i]))                                       \
    const oplus_fn object = {.abi = OPLUS_ABI,                                                                         \
                             .name = #object,                                                                          \
                             .result = &OPLUS_TYPE_(R),                                                                \
                             .arity = 1,                                                                               \
                             .input = {&OPLUS_TYPE_(A)},                                                               \
                             .text = #__VA_ARGS__,                                                                     \
                             .leaf = oplus_##name_##_leaf_};
#define MOMENTS_OF(suffix, T)                                                                                          \
    FUNCTION(oplus_moments_of_##suffix, moments_of_##suffix, oplus_moments, T, {                                       \
        oplus_moments r;                                                                                               \
        r.n = 1;                                                                                                       \
        r.sum = (double)a;                                                                                             \
        r.m2 = 0;                                                                                                      \
        return r;                                                                                                      \
    })
/* cppcheck-suppress unknownMacro */
OPLUS_FOR_MOMENTS(MOMENTS_OF)

/* What is added to a variance is NaN if the sum is not finite, else 0. */
FUNCTION(oplus_mean_of_fn, mean_of, double, oplus_moments, { return a.sum / (double)a.n; })
FUNCTION(oplus_variance_of_fn, variance_of, double, oplus_moments, { return a.m2 / (double)a.n + (a.sum - a.sum); })
FUNCTION(oplus_sample_variance_of_fn, sample_variance_of, double, oplus_moments, {
    const double none = 0;
    return a.n < 2 ? none / none : a.m2 / (double)(a.n - 1) + (a.sum - a.sum);
})

/* --- their nodes -------------------------------------------------------------------------------------------------- */

#define ROW(suffix, T) &oplus_moments_of_##suffix,
static const oplus_fn *const functions[] = {OPLUS_FOR_MOMENTS(ROW)}; /* in the order of opi_isa::moments */
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const oplus_fn *opi_moments_of(oplus_scalar scalar)
{
    const oplus_fn *const *fn = functions;
    while ((*fn)->input[0]->scalar != scalar) fn++;
    return *fn;
}

opi_moments_node opi_moments_node_of(const opi_isa *isa, const oplus_fn *before, const oplus_op *op)
{
    if (!before || op->combine != oplus_join_moments.combine) return NULL;
    for (int k = 0; k < FUNCTIONS; k++)
        if (before->leaf == functions[k]->leaf) return isa->moments[k];
    return NULL;
}
