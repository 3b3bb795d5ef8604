/* The blocks that oplus_op_make, oplus_fn_make, oplus_op_bind and oplus_fn_bind allocate, and that oplus_op_free and
 * oplus_fn_free free: each begins with the descriptor. */
#ifndef OPI_MADE_H
#define OPI_MADE_H

#include "task/late.h"

#include <pthread.h>

/* The code of a text.  A bound operator or function uses the code of the one that it was bound from, which lives
 * longer. */
typedef struct opi_made_code {
    opi_late late; /* the first member, as a descriptor points to it */
    pthread_mutex_t lock;
    void *module;       /* NULL: no module is loaded */
    const oplus_op *op; /* the operator whose text it is; NULL: it is a function's */
    const oplus_fn *fn; /* the function whose text it is; NULL: it is an operator's */
} opi_made_code;

typedef struct opi_made_op {
    oplus_op op; /* the first member: the caller's pointer is the address of the block */
    opi_made_code code;
} opi_made_op;

typedef struct opi_made_fn {
    oplus_fn fn;
    opi_made_code code;
} opi_made_fn;

/* Prepare the code of a block, after its text is set; opi_made_close frees the code. */
void opi_made_open_op(opi_made_op *made);
void opi_made_open_fn(opi_made_fn *made);
void opi_made_close(opi_made_code *code);

#endif
