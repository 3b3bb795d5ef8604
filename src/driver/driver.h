/* An accelerator as its driver shows it: one table of calls, filled in by cuda/cuda.c and opencl/opencl.c.
 *
 * Both are opened at run time (dlopen): where neither exists, there are no devices and nothing else changes.  Memory
 * of a device has addresses that no host memory has: CUDA's own; for an OpenCL buffer, a range of this process's
 * address space that is reserved and never mapped.  Adding bytes to an address stays inside the buffer, so that
 * everything above speaks of `void *` alone.
 *
 * Each call returns a status whose words (opi_fail) name the driver's call and its error.  `call` is the public call
 * on whose behalf it is made, for these messages. */
#ifndef OPI_DRIVER_H
#define OPI_DRIVER_H

#include <oplus/oplus.h>

#include "task/offer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct opi_driver opi_driver;

/* What a device is and can do, asked once. */
typedef struct opi_gpu_facts {
    char where[32];        /* the name that oplus_open knows it by: "cuda:0", "opencl:1" */
    char name[128];        /* its name in the words of its driver */
    char driver[192];      /* the versions of all that turns a source into results: a part of the cache's keys */
    unsigned architecture; /* CUDA's compute capability as a number: 90 is 9.0; 0 in OpenCL */
    bool host_cores;       /* it computes on the processor of the host: a work-item is a contiguous chunk there */
    bool f64;              /* it has double precision */
    bool denormals;        /* single precision keeps denormal numbers */
    bool divides;          /* single-precision division and square root are rounded correctly, perhaps by an option */
    uint64_t memory;       /* all its memory, in bytes */
    uint64_t largest;      /* the bytes of the largest allocation */
    size_t local;          /* the bytes that a kernel may declare as memory which a work-group shares */
    size_t local_most;     /* the same with what a launch adds, once opi_driver::allow has allowed it */
    unsigned cluster;      /* the work-groups of the largest cluster; 0: there are no clusters */
    bool resident;         /* a launch can demand that all its work-groups run at the same time */
    unsigned units;        /* multiprocessors, cores */
    unsigned group;        /* the work-items of the largest work-group */
    unsigned lanes;        /* the work-items that exchange values by shuffles; 0: none do */
    unsigned fast_bytes;   /* the bytes of the widest load */
    size_t element;        /* the bytes of the largest element that its compiler combines in less than some 10 s */
} opi_gpu_facts;

/* Where memory lies, as a device sees it. */
typedef enum opi_gpu_side {
    OPI_SIDE_HOST,   /* memory of the host, which has to be staged */
    OPI_SIDE_PINNED, /* memory of the host that is copied without the processor's help */
    OPI_SIDE_DEVICE  /* memory of this device, all of it */
} opi_gpu_side;

/* In-order queues of a device.  A queue that the caller gave is OPI_QUEUE_COMPUTE; the others are the library's own,
 * and a driver may have one queue stand for several. */
typedef enum opi_gpu_queue { OPI_QUEUE_COMPUTE, OPI_QUEUE_UP, OPI_QUEUE_DOWN, OPI_QUEUES } opi_gpu_queue;

/* An open device. */
typedef struct opi_gpu {
    const opi_driver *driver;
    opi_gpu_facts facts;
    bool counts_apart; /* reaches memory of other devices in which it cannot add atomically (`reach`) */
} opi_gpu;             /* drivers put it first in a struct of their own */

/* An argument of a kernel: an address in device memory (a pointer and an offset in the kernel: see words/ and
 * opi_memory), or the bytes of a value. */
typedef struct opi_gpu_argument {
    bool memory;
    const void *value; /* the device address itself, NULL allowed; or where the value stands on the host */
    size_t bytes;      /* of the value */
} opi_gpu_argument;

static inline opi_gpu_argument opi_memory(const void *address) { return (opi_gpu_argument){true, address, 0}; }
#define opi_value(lvalue) ((opi_gpu_argument){false, &(lvalue), sizeof(lvalue)})

enum { OPI_MAX_ARGUMENTS = 24 };

/* One launch of a kernel, on OPI_QUEUE_COMPUTE: groups * items work-items. */
typedef struct opi_launch {
    void *kernel;
    uint64_t groups;  /* 0: nothing is launched */
    unsigned items;   /* of each group */
    size_t local;     /* bytes of shared memory that each group has beside what the kernel declares */
    unsigned cluster; /* groups of a cluster, which reach each other's shared memory; it divides groups; 0 or 1: none */
    bool resident;    /* all groups run at the same time, so that one may wait for another; too many are refused */
    bool early;       /* may begin before launches before it have ended: the kernel itself waits for them */
    const opi_gpu_argument *argument;
    int arguments; /* up to OPI_MAX_ARGUMENTS */
} opi_launch;

struct opi_driver {
    const char *name;    /* "cuda", "opencl" */
    const char *dialect; /* the dialect of its kernels: gpu/words/<name>.cl comes first */

    /* Both NULL where only oplus makes addresses of device memory. */
    bool (*installed)(void); /* its library can be opened; nothing of it is called */
    bool (*loaded)(void);    /* ... and is: no address can be of its memory otherwise.  Cheap enough for every call */

    /* Fills in the facts of up to `capacity` devices and returns how many there are; 0 and the reason in `why` where
     * there are none. */
    int (*list)(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes);

    /* Opens what follows the name in `where`: "" the best, ":1" the second, ":cpu" (OpenCL) the first that is one.
     * queue: a CUstream or cl_command_queue of the caller, or NULL; it must live until close. */
    oplus_status (*open)(const char *call, const char *where, void *queue, opi_gpu **gpu);
    void (*close)(opi_gpu *gpu); /* waits for what is under way; not between enter and leave */

    /* All calls below are made between enter and leave (opi_enter, opi_leave), by the thread that has entered.  CUDA
     * makes the device's context current, and leave makes the caller's context current again.  Pairs may be nested, up
     * to 64 deep; with several devices, calls are for the device that was entered last.  Both are NULL where there are
     * no contexts. */
    oplus_status (*enter)(opi_gpu *gpu, const char *call);
    oplus_status (*leave)(opi_gpu *gpu, const char *call, oplus_status status);

    /* --- memory --- */
    oplus_status (*alloc)(opi_gpu *gpu, const char *call, size_t bytes, void **mem); /* bytes > 0; aligned to 64 */
    void (*free)(opi_gpu *gpu, void *mem);                                           /* waits for what uses it */
    /* Makes a cl_mem, or nothing for CUDA (where *mem = native), known under an address; freed by `free`, which leaves
     * the object to its owner. */
    oplus_status (*wrap)(opi_gpu *gpu, const char *call, void *native, size_t bytes, void **mem);
    oplus_status (*pinned_alloc)(opi_gpu *gpu, const char *call, size_t bytes, void **mem);
    void (*pinned_free)(opi_gpu *gpu, void *mem);
    /* Where [p, p + bytes) lies; OPLUS_ERR_ARGUMENT where it begins in device memory and ends beyond it, or is another
     * device's. */
    oplus_status (*side)(opi_gpu *gpu, const char *call, const char *argument, const void *p, size_t bytes,
                         opi_gpu_side *side);
    /* Enqueued; with host memory that is not pinned they may also wait. */
    oplus_status (*upload)(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                           size_t bytes);
    oplus_status (*download)(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                             size_t bytes);
    oplus_status (*copy)(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from, size_t bytes);

    /* --- memory that several devices share: all NULL where devices cannot --- */
    /* Lets kernels and copies of a device use the memory of another one; `side` then calls it this device's.
     * OPLUS_ERR_UNSUPPORTED: nothing links the two. */
    oplus_status (*reach)(opi_gpu *gpu, const char *call, const opi_gpu *other);
    /* Makes a range of addresses whose page k is memory of gpus[k % count]; all of them can use all of it, and `side` calls
     * it theirs.  page: bytes, a multiple of what `page` gives; bytes: a multiple of a page.  gpus[0] has been entered. */
    oplus_status (*deal)(opi_gpu *const *gpus, unsigned count, const char *call, size_t page, size_t bytes, void **mem);
    /* Gives a range back, once nothing uses it any more. */
    void (*gather)(opi_gpu *const *gpus, unsigned count, void *mem, size_t bytes);
    oplus_status (*page)(opi_gpu *gpu, const char *call, size_t *bytes); /* the smallest page */
    /* Which of some devices has the memory at p; *which = count: none of them. */
    oplus_status (*home)(opi_gpu *const *gpus, unsigned count, const char *call, const void *p, unsigned *which);

    /* --- memory that another device of this host copies from, perhaps in another process: all NULL where none can --- */
    /* Names the allocation at mem; offer->host is 0 if nobody could open it. */
    oplus_status (*offer)(opi_gpu *gpu, const char *call, const void *mem, opi_offer *offer);
    /* Whether this device can copy from what another one has offered, and from where; until `decline`. */
    bool (*accept)(opi_gpu *gpu, const opi_offer *offer, const void **mem);
    void (*decline)(opi_gpu *gpu, const opi_offer *offer);
    /* What was declined may stay open, because to open it again takes long: closes it.  Returns whether there was any. */
    bool (*close_opened)(opi_gpu *gpu);

    /* --- programs --- */
    /* Compiles a source, or loads what `binary` gave earlier for the same source and facts.  The log of a failed
     * compilation, cut to fit, goes into the message after `what` ("operator \"compose\"") with OPLUS_ERR_COMPILE. */
    oplus_status (*compile)(opi_gpu *gpu, const char *call, const char *what, const char *source, void **program);
    oplus_status (*load)(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **program);
    /* The first half of `compile`: what `load` takes, in memory to be freed.  Several threads may call it at the same time,
     * without entering the device.  NULL where a program is compiled whole; otherwise the compiler takes so long that each
     * kernel is compiled by itself, when it is first used. */
    oplus_status (*translate)(const opi_gpu *gpu, const char *call, const char *what, const char *source, void **binary,
                              size_t *bytes);
    /* In memory to be freed. */
    oplus_status (*binary)(opi_gpu *gpu, const char *call, void *program, void **binary, size_t *bytes);
    oplus_status (*kernel)(opi_gpu *gpu, const char *call, void *program, const char *name, void **kernel);
    void (*unload)(opi_gpu *gpu, void *program); /* and its kernels */

    /* --- launches --- */
    /* Enqueued.  OPLUS_ERR_UNSUPPORTED: the device has no such launches (opi_gpu_facts says so before). */
    oplus_status (*launch)(opi_gpu *gpu, const char *call, const opi_launch *launch);
    /* Allows later launches of a kernel up to so many bytes of opi_launch::local.  carve_out: how many percent of a
     * multiprocessor's memory should be shared memory and no cache while the kernel runs; -1: the driver chooses. */
    oplus_status (*allow)(opi_gpu *gpu, const char *call, void *kernel, size_t local, int carve_out);
    /* *groups: how many groups of such a launch can run at the same time on an idle device, whatever its arguments and
     * its number of groups are. */
    oplus_status (*residents)(opi_gpu *gpu, const char *call, const opi_launch *launch, uint64_t *groups);

    /* --- order --- */
    /* *mark: what has been enqueued so far; to be dropped. */
    oplus_status (*mark)(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void **mark);
    /* Later work of the queue begins after the mark. */
    oplus_status (*after)(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *mark);
    oplus_status (*reached)(opi_gpu *gpu, const char *call, void *mark);           /* waits for it on the host */
    oplus_status (*query)(opi_gpu *gpu, const char *call, void *mark, bool *done); /* does not wait */
    void (*drop)(opi_gpu *gpu, void *mark);                                        /* NULL allowed; also after leave */
    oplus_status (*sync)(opi_gpu *gpu, const char *call, opi_gpu_queue queue);     /* waits for all that was enqueued */

    /* Whether what is enqueued is not done but recorded, to be done later and perhaps often: the caller's stream of CUDA
     * is being captured into a graph.  Then all calls above fail that cannot be recorded: those that allocate, free, load,
     * wait, or copy from or to the host.  NULL: never. */
    bool (*recording)(opi_gpu *gpu);
    /* While this is so: forgets memory that `wrap` made known, without waiting.  False: it is other memory. */
    bool (*forget)(opi_gpu *gpu, void *mem);
};

/* Once for a public call; whoever has entered leaves, with the status of what was done between: the first failure
 * counts. */
static inline oplus_status opi_enter(opi_gpu *gpu, const char *call)
{
    return gpu->driver->enter ? gpu->driver->enter(gpu, call) : OPLUS_OK;
}

static inline oplus_status opi_leave(opi_gpu *gpu, const char *call, oplus_status status)
{
    return gpu->driver->leave ? gpu->driver->leave(gpu, call, status) : status;
}

/* Ends a function with what is done between enter and leave: OPI_INSIDE(gpu, call, gpu->driver->sync(gpu, call,
 * q)); */
#define OPI_INSIDE(gpu, call, ...)                                                                                     \
    do {                                                                                                               \
        const oplus_status entered_ = opi_enter(gpu, call);                                                            \
        return entered_ != OPLUS_OK ? entered_ : opi_leave(gpu, call, (__VA_ARGS__));                                  \
    } while (0)

extern const opi_driver opi_cuda, opi_opencl;
extern const opi_driver *const opi_drivers[]; /* those, in the order in which devices are looked for; NULL at the end */

#endif
