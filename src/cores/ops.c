/* The built-in types and operators as descriptors: each with its text, its combine, and the leaves of the instruction
 * set that every processor of this kind has. */
#include "cores/builtin.h"
#include "cores/isa.h"

#if defined(__aarch64__)
#define LEAVES opi_builtins_neon
#else
#define LEAVES opi_builtins_baseline
#endif
extern const opi_builtin LEAVES[OPI_BUILTINS];

/* --- types ------------------------------------------------------------------------------------------------------- */

#define TYPE(suffix, T, scalar)                                                                                        \
    const oplus_type oplus_##suffix = {OPLUS_ABI, #T, NULL, sizeof(T), _Alignof(T), scalar, NULL};
OPLUS_FOR_SCALARS(TYPE)
TYPE(bool, bool, OPLUS_U8)
#undef TYPE

/* --- operators --------------------------------------------------------------------------------------------------- */

#define OPERATOR(op, suffix, T, identity, flags, ...) OPERATOR_(op##_##suffix, T, identity, flags, __VA_ARGS__)
#define OPERATOR_(name_, T, identity_, flags_, ...)                                                                    \
    OPLUS_FN_(T, name_, (T a, T b), __VA_ARGS__)                                                                       \
    OPLUS_STRICT_ static void name_##_combine(void *out, const void *a, const void *b)                                 \
    {                                                                                                                  \
        *(T *)out = name_(*(const T *)a, *(const T *)b);                                                               \
    }                                                                                                                  \
    static const T name_##_identity = {OPLUS_UNPAREN_ identity_};                                                      \
    const oplus_op oplus_##name_ = {.abi = OPLUS_ABI,                                                                  \
                                    .name = "oplus_" #name_,                                                           \
                                    .type = &OPLUS_TYPE_(T),                                                           \
                                    .identity = &name_##_identity,                                                     \
                                    .flags = flags_,                                                                   \
                                    .text = #__VA_ARGS__,                                                              \
                                    .builtin = OPI_BUILTIN_##name_ + 1,                                                \
                                    .combine = name_##_combine,                                                        \
                                    .leaves = &LEAVES[OPI_BUILTIN_##name_].tree};
OPI_FOR_BODIES(OPERATOR)
