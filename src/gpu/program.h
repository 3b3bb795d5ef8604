/* Programs of a device.  Each is compiled once from a source, found by its key, and kept in memory and in the cache on
 * disk: whole, or, where the driver can translate sources (opi_driver::translate), kernel by kernel as they are first
 * used. */
#ifndef OPI_PROGRAM_H
#define OPI_PROGRAM_H

#include "base/hash.h"
#include "gpu/source.h"
#include "task/task.h"

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
        void *own;    /* the driver's handle of a program with this kernel alone; NULL: the kernel is one of another */
        size_t local; /* bytes of shared memory that its launches may ask for; 0: the driver's usual limit holds */
    } kernel[OPI_MAX_KERNELS];
} opi_program;

/* The programs that were compiled for a device. */
typedef struct opi_programs {
    opi_gpu *gpu;
    opi_program *first;
} opi_programs;

/* A key is a hash of everything that the source is written from: it begins with the name of the primitive and
 * the shape of its kernels, and numbers are added. */
typedef struct opi_key {
    opi_hash hash;
} opi_key;
opi_key opi_key_begin(const char *primitive, opi_shape shape);
void opi_key_number(opi_key *key, uint64_t number);

/* Finds the program with this key.  If it is new, `write` writes its source, and it is compiled.  what: the program in
 * words for messages, "operator \"compose\"". */
oplus_status opi_program_get(opi_programs *programs, const char *call, const char *what, opi_hash key,
                             void (*write)(opi_gpu_source *source, const void *context), const void *context,
                             opi_program **program);
/* The same for a program around an operator or a function, which is added to the key, and which messages name. */
oplus_status opi_program_of_op(opi_programs *programs, const char *call, const oplus_op *op, opi_key key,
                               void (*write)(opi_gpu_source *source, const void *context), const void *context,
                               opi_program **program);
oplus_status opi_program_of_fn(opi_programs *programs, const char *call, const oplus_fn *fn, opi_key key,
                               void (*write)(opi_gpu_source *source, const void *context), const void *context,
                               opi_program **program);
/* The same for a program around all parts of a task: its operator or its function, and those of a fused task. */
oplus_status opi_program_of_task(opi_programs *programs, const char *call, const opi_task *task, opi_key key,
                                 void (*write)(opi_gpu_source *source, const void *context), const void *context,
                                 opi_program **program);
/* The status and the words with which a program was refused; OPLUS_OK if it was not. */
oplus_status opi_program_refused(const opi_program *program, const char *call);
/* Remembers the failure of this moment: another attempt would fail, too. */
void opi_program_refuse(opi_program *program);
/* Finds a kernel of a program, and compiles it if it has a program of its own. */
oplus_status opi_kernel_get(opi_programs *programs, const char *call, opi_program *program, const char *name,
                            void **kernel);
/* Makes kernels of a program ready before they are used.  Those that have to be compiled by themselves are compiled at the
 * same time, by several threads; opi_kernel_get would compile one after the other. */
oplus_status opi_kernels_make(opi_programs *programs, const char *call, opi_program *program, const char *const *names,
                              size_t count);
/* Allows launches of a kernel, which is compiled if need be, to ask for `local` bytes of shared memory.  The driver is told
 * once. */
oplus_status opi_kernel_allow(opi_programs *programs, const char *call, opi_program *program, const char *name,
                              size_t local);
void opi_programs_release(opi_programs *programs);

#endif
