/* A table with one row for each scalar type.  All code that needs to know whether a scalar is floating, or its size,
 * looks here, so that one more kind of float is one more row. */
#ifndef OPI_SCALARS_H
#define OPI_SCALARS_H

#include <oplus/type.h>

#include <stdbool.h>
#include <stddef.h>

typedef enum opi_number { OPI_NO_NUMBER, OPI_SIGNED, OPI_UNSIGNED, OPI_FLOATING } opi_number;

typedef struct opi_scalar {
    const char *text; /* name of the type in C */
    size_t size;      /* size in bytes; 0: OPLUS_RECORD */
    size_t align;     /* alignment in a struct, in bytes */
    opi_number number;
    int rank; /* rank in C's conversions, in which the type of larger rank wins; 0: promoted to int */

    /* --- for floating types only --- */
    const char *quiet;                /* the word in kernels that makes NaNs canonical */
    int digits;                       /* decimal digits with which every value reads back as itself */
    double epsilon;                   /* the distance from 1 to the next value */
    double smallest;                  /* the smallest value above 0 */
    double (*read)(const char *text); /* as strtod, rounded once, to this type */
    double (*get)(const void *from);
    void (*put)(void *to, double value); /* rounded */
} opi_scalar;

enum { OPI_SCALARS = OPLUS_F64 + 1 };
extern const opi_scalar opi_scalars[OPI_SCALARS];

static inline bool opi_is_floating(oplus_scalar scalar) { return opi_scalars[scalar].number == OPI_FLOATING; }

static inline bool opi_is_signed(oplus_scalar scalar) { return opi_scalars[scalar].number == OPI_SIGNED; }

/* Whether a value of oplus_scalar is a scalar type, and no record. */
static inline bool opi_is_scalar(oplus_scalar scalar) { return scalar > OPLUS_RECORD && (int)scalar < OPI_SCALARS; }

#endif
