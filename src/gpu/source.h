/* The source of a program for a device: the dialect, the types, the operator or function, the kernels. */
#ifndef OPI_GPU_SOURCE_H
#define OPI_GPU_SOURCE_H

#include "base/memory.h"
#include "driver/driver.h"
#include "gpu/shared.h"

#include <stdio.h>

/* How kernels are cut: 2^log_w work-items in a work-group, each with 2^log_e consecutive elements of a tile. */
typedef struct opi_shape {
    unsigned log_w, log_e;
    bool vectors; /* whole tiles are moved by the widest loads */
} opi_shape;

static inline unsigned opi_log_tile(opi_shape shape) { return shape.log_w + shape.log_e; }
static inline size_t opi_tile(opi_shape shape) { return (size_t)1 << opi_log_tile(shape); }
/* Bytes of local memory that a kernel may take beside the arrays that are reckoned with: what aligns them, and single words. */
enum { OPI_LOCAL_SPARE = 64 };

/* The shape of a kernel for elements and nodes of these sizes, in bytes.  If the device is the host's processor, or if
 * nodes are too large for local memory, each work-item has a chunk of consecutive elements: kernels of a GPU's shape
 * would be slow.  OPLUS_SHAPE=group|chunk in the environment forces a shape, for tests. */
opi_shape opi_shape_for(const opi_gpu_facts *facts, size_t element, size_t node);

enum { OPI_MAX_TYPES = OPLUS_MAX_ARITY + 8 /* of a fused task: see task/task.h */ };

/* The size of a type (member ""), or the offset of a member, on the host; the device must have the same. */
typedef struct opi_layout_fact {
    char type[96], member[32];
    uint64_t bytes;
} opi_layout_fact;

/* What the names of mathematical functions stand for (text/generic.cl). */
typedef enum opi_gpu_functions { OPI_FUNCTIONS_NONE, OPI_FUNCTIONS_OF_C, OPI_FUNCTIONS_OF_TEXTS } opi_gpu_functions;

/* A source that is being written.  After the first failure, which is kept (opi_fail), all functions do nothing. */
typedef struct opi_gpu_source {
    const opi_gpu *gpu;
    const char *call; /* the public call, for messages */
    oplus_status status;
    FILE *to;
    char *text;
    size_t bytes;
    opi_gpu_functions functions; /* the last ones that were written */
    int types;
    const oplus_type *type[OPI_MAX_TYPES]; /* the types already written */
    opi_layout_fact *layout;               /* their layout on the host; the kernel opi_layout gives the device's */
    int layouts, layout_room;
} opi_gpu_source;

static inline bool opi_gpu_failed(const opi_gpu_source *source) { return source->status != OPLUS_OK; }

/* What follows is not the user's. */
#define OPI_GPU_OURS "\n#line 1 \"oplus\"\n"

/* Begins with what the host and all kernels share, and the dialect. */
void opi_gpu_begin(opi_gpu_source *source, const char *call, const opi_gpu *gpu);
/* #define name value */
void opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
/* The constants of a shape: OPI_LOG_W, OPI_LOG_E, OPI_LOG_TILE, OPI_VECTORS, and OPI_SIZE of an element. */
void opi_gpu_write_shape(opi_gpu_source *source, opi_shape shape, size_t element);
/* `typedef <type> alias`, before it the struct, once, and
 * `<alias> <alias>_quiet(<alias> x)`, which makes every NaN canonical.  A type that the device cannot compute with is
 * OPLUS_ERR_UNSUPPORTED. */
void opi_gpu_write_type(opi_gpu_source *source, const oplus_type *type, const char *alias);
/* Writes an operator.  It defines the type opi_t, which is op->type, and opi_op(a, b), opi_identity(), opi_quiet(x).
 * If there is a parameter, of type opi_p, it defines opi_op(a, b, p), OPI_BOUND, and OPI_IDENTITY_AT for the identity,
 * which lies behind the parameter (canon/bound.cl). */
void opi_gpu_write_op(opi_gpu_source *source, const oplus_op *op);
/* How many bytes after the parameter of op its identity begins. */
static inline size_t opi_identity_at(const oplus_op *op) { return opi_round_up(op->param_type->size, OPI_CACHE_LINE); }
/* Writes a function.  With the prefix "opi" it defines the types opi_a .. opi_h, opi_p if there is a parameter, and
 * opi_result, and the function opi_fn(a, ..., [p], [i]), which gives an opi_result, or true or false if it is a predicate. */
void opi_gpu_write_fn_as(opi_gpu_source *source, const char *prefix, const oplus_fn *fn, bool predicate);
static inline void opi_gpu_write_fn(opi_gpu_source *source, const oplus_fn *fn, bool predicate)
{
    opi_gpu_write_fn_as(source, "opi", fn, predicate);
}
/* Writes in words what is compiled: operator "compose" (user.c:42).  Messages need it, as some compilers ignore
 * #line. */
enum { OPI_WHAT_BYTES = 224 };
void opi_gpu_what(char what[OPI_WHAT_BYTES], const char *kind, const char *name, const char *file, int line);
/* Writes a file of src/gpu; name: its name without the ending. */
void opi_gpu_write_kernels(opi_gpu_source *source, const char *name);
/* Ends a source, and sets *text to it.  The caller frees *text and source->layout. */
oplus_status opi_gpu_end(opi_gpu_source *source, char **text);

#endif
