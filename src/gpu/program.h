/* Programs of a device: made once from a source, known by a key, kept in memory and in the cache on disk. */
#ifndef OPI_PROGRAM_H
#define OPI_PROGRAM_H

#include "base/hash.h"
#include "gpu/source.h"

enum { OPI_MAX_KERNELS = 12 };

typedef struct opi_program {
    struct opi_program *next;
    opi_hash key;
    void *handle; /* the driver's; NULL: it was refused, */
    oplus_status refusal;
    char *words;             /* in these words, which follow the name of a call */
    opi_layout_fact *layout; /* of the structs in it, to be compared with the device's before the first launch */
    int layouts;
    bool checked;
    int kernels;
    struct {
        char name[32];
        void *handle;
    } kernel[OPI_MAX_KERNELS];
} opi_program;

/* What a device has compiled. */
typedef struct opi_programs {
    opi_gpu *gpu;
    opi_program *first;
} opi_programs;

/* The program with this key; made from what `write` writes if it is not known yet.  what: "operator \"compose\"". */
oplus_status opi_program_get(opi_programs *programs, const char *call, const char *what, opi_hash key,
                             void (*write)(opi_gpu_source *source, const void *context), const void *context,
                             opi_program **program);
/* One of its kernels. */
oplus_status opi_kernel_get(opi_programs *programs, const char *call, opi_program *program, const char *name,
                            void **kernel);
void opi_programs_release(opi_programs *programs);

/* Keys are hashes of all that a source is written from: begin with the name of the primitive, and add. */
typedef struct opi_key {
    opi_hash hash;
} opi_key;
opi_key opi_key_begin(const char *primitive, opi_shape shape);
void opi_key_number(opi_key *key, uint64_t number);
void opi_key_type(opi_key *key, const oplus_type *type); /* NULL allowed */
void opi_key_op(opi_key *key, const oplus_op *op);
void opi_key_fn(opi_key *key, const oplus_fn *fn);

#endif
