/* What the library knows of each scalar, a row each: what asks whether a scalar is floating, or how wide one is, asks here,
 * so that one more kind of float is one more row. */
#ifndef OPI_SCALARS_H
#define OPI_SCALARS_H

#include <oplus/type.h>

#include <stdbool.h>
#include <stddef.h>

typedef enum opi_number { OPI_NO_NUMBER, OPI_SIGNED, OPI_UNSIGNED, OPI_FLOATING } opi_number;

typedef struct opi_scalar {
    const char *text; /* its name in C */
    size_t size;      /* bytes; 0: OPLUS_RECORD */
    size_t align;     /* in a struct, bytes */
    opi_number number;
    int rank; /* in the conversions of C, where the larger one wins; 0: promoted to int */

    /* --- of a floating one --- */
    const char *quiet;                /* the word of the kernels that makes its NaNs canonical */
    int digits;                       /* decimal ones, with which each value reads back as itself */
    double epsilon;                   /* the distance of 1 to the next value */
    double smallest;                  /* value above 0 */
    double (*read)(const char *text); /* as strtod, rounded to this one alone */
    double (*get)(const void *from);
    void (*put)(void *to, double value); /* rounded */
} opi_scalar;

enum { OPI_SCALARS = OPLUS_F64 + 1 };
extern const opi_scalar opi_scalars[OPI_SCALARS];

static inline bool opi_is_floating(oplus_scalar scalar) { return opi_scalars[scalar].number == OPI_FLOATING; }

/* A value of oplus_scalar that is a scalar, and no record. */
static inline bool opi_is_scalar(oplus_scalar scalar) { return scalar > OPLUS_RECORD && (int)scalar < OPI_SCALARS; }

#endif
