/* Canonical NaNs: wherever a result holds a NaN it is the positive quiet one without payload, because which of two NaNs
 * an addition keeps, and with which sign, differs between processors and compilers (docs/tree-v1.md). */
#ifndef OPI_QUIET_H
#define OPI_QUIET_H

#include "cores/isa.h"
#include "type/layout.h"

typedef enum opi_quiet_mode {
    OPI_QUIET_NOTHING, /* no floating-point members, or a struct that is bytes (opi_layout_is_known) */
    OPI_QUIET_F32,     /* nothing but floats, without a gap */
    OPI_QUIET_F64,     /* nothing but doubles, without a gap */
    OPI_QUIET_MEMBERS, /* floats or doubles among others */
    OPI_QUIET_MANY     /* the same in more rows than there is room for: the layout is read for each run of elements */
} opi_quiet_mode;

/* Floating-point values in a row inside a struct. */
typedef struct opi_quiet_row {
    size_t offset, count;
    bool wide; /* doubles */
} opi_quiet_row;

enum { OPI_QUIET_ROWS = 64 };

/* How to canonicalise elements of one type: made once a call, so that no text is read in a block. */
typedef struct opi_quiet {
    opi_quiet_mode mode;
    const opi_isa *isa;
    const oplus_type *type;
    size_t size;     /* of an element, bytes */
    size_t elements; /* floats or doubles in an element (modes F32 and F64) */
    int rows;        /* more than OPI_QUIET_ROWS: MANY */
    opi_quiet_row row[OPI_QUIET_ROWS];
} opi_quiet;

void opi_quiet_plan(opi_quiet *plan, const opi_isa *isa, const oplus_type *type);

void opi_quiet_some(const opi_quiet *plan, void *x, size_t n);

/* Replaces every NaN in the n elements at x by the canonical one. */
static inline void opi_quiet_run(const opi_quiet *plan, void *x, size_t n)
{
    if (plan->mode != OPI_QUIET_NOTHING) opi_quiet_some(plan, x, n);
}

#endif
