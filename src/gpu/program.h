/* Programs of a device.  Each is compiled once from a source, found by its key, and kept in memory and in the cache on
 * disk: whole, or, where the driver says so (opi_driver::by_kernel), kernel by kernel as they are first used. */
#ifndef OPI_PROGRAM_H
#define OPI_PROGRAM_H

#include "base/hash.h"
#include "gpu/source.h"

enum { OPI_MAX_KERNELS = 12 };

typedef struct opi_program {
    struct opi_program *next;
    opi_hash key;
    void *handle;            /* the driver's handle of all kernels; NULL: each kernel has its own */
    char *text, *what;       /* if each kernel has its own: the source, and the program in words */
    oplus_status refusal;    /* OPLUS_OK, or the status with which it was refused */
    char *words;             /* if refused: the message, without the name of a call at its beginning */
    opi_layout_fact *layout; /* layout of its structs, which is compared with the device's before the first launch */
    int layouts;
    bool checked;
    uint64_t residents; /* how many groups of its kernel that waits for others run at the same time; 0: not known */
    int kernels;
    struct {
        char name[32];
        void *handle;
        void *own; /* the driver's handle of a program with this kernel alone; NULL: the kernel is one of another */
    } kernel[OPI_MAX_KERNELS];
} opi_program;

/* The programs that were compiled for a device. */
typedef struct opi_programs {
    opi_gpu *gpu;
    opi_program *first;
} opi_programs;

/* Finds the program with this key.  If it is new, `write` writes its source, and it is compiled.  what: the program in
 * words for messages, "operator \"compose\"". */
oplus_status opi_program_get(opi_programs *programs, const char *call, const char *what, opi_hash key,
                             void (*write)(opi_gpu_source *source, const void *context), const void *context,
                             opi_program **program);
/* Finds a kernel of a program, and compiles it if it has a program of its own. */
oplus_status opi_kernel_get(opi_programs *programs, const char *call, opi_program *program, const char *name,
                            void **kernel);
void opi_programs_release(opi_programs *programs);

/* A key is a hash of everything that the source is written from: it begins with the name of the primitive, and the
 * functions below add to it. */
typedef struct opi_key {
    opi_hash hash;
} opi_key;
opi_key opi_key_begin(const char *primitive, opi_shape shape);
void opi_key_number(opi_key *key, uint64_t number);
void opi_key_type(opi_key *key, const oplus_type *type); /* NULL allowed */
void opi_key_op(opi_key *key, const oplus_op *op);
void opi_key_fn(opi_key *key, const oplus_fn *fn);

#endif
