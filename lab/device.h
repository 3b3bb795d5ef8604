/* A device that is experimented on: memory, kernels, launches, time.
 *
 * It is oplus's own device (oplus_open) and the table of driver calls behind it (src/driver/driver.h), so that kernels
 * of the lab and calls of oplus share memory and queue.  "serial" and "threads" have no kernels (gpu is NULL); the
 * model (model/) is a table of driver calls of its own, whose kernels run on the host and are counted.
 *
 * No call returns an error: an error ends the command with a message. */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include "driver/driver.h"
#include "lab/counters.h"

typedef struct lab_device lab_device;

struct lab_device {
    oplus_device *oplus; /* NULL: a twin */
    opi_gpu *gpu;        /* NULL: "serial", "threads" */
    bool model;
    bool hurried;      /* --quick: little is copied and timed */
    uint64_t launches; /* so far */
    struct lab_program *programs;
    struct lab_cupti *cupti;        /* reads the counters, or NULL, */
    char no_counters[512];          /* and why not; "": not asked for */
    struct lab_device *twin;        /* the model of this device; NULL: none */
    const char *(*also_wait)(void); /* set while calls of a peer are pending: waits for them; NULL, or what failed */
    double copy;                    /* bytes a second of a copy in its memory, reads plus writes; 0: not measured */
};

/* where: as for oplus_open; or "model"; or NULL: the first of a CUDA device, a GPU of OpenCL, any device of OpenCL,
 * or "threads" if there is none.  counts: hardware counters are wanted; opening them takes most of a second. */
lab_device *lab_device_open(const char *where, bool counts);
void lab_device_close(lab_device *dev);
static inline const opi_gpu_facts *lab_facts(const lab_device *dev) { return &dev->gpu->facts; }
/* Is it a CUDA device? */
bool lab_is_cuda(const lab_device *dev);

/* --- memory --- */

void *lab_alloc(lab_device *dev, size_t bytes); /* freed by lab_free */
void lab_free(lab_device *dev, void *mem);
void lab_upload(lab_device *dev, void *to, const void *from, size_t bytes); /* waits */
void lab_download(lab_device *dev, void *to, const void *from, size_t bytes);
/* To be called before a check: fills the device's memory and the host's (host) with values that no kernel writes, so
 * that the check finds missing writes. */
void lab_spoil(lab_device *dev, void *mem, void *host, size_t bytes);

/* --- kernels --- */

/* A kernel of a file of lab/, "reduce/02-modulo.cl", behind its dialect, the sizes.h of its folder if there is one,
 * and `macros` (lines of #define, or NULL).  Compiled and looked up only once, so that timed code may call this. */
void *lab_kernel(lab_device *dev, const char *file, const char *name, const char *macros);

/* How many pieces of size b cover a: work-groups, blocks. */
static inline uint32_t lab_ceiling(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

/* lab_launch(dev, kernel, groups, items, opi_memory(in), opi_value(n)): does not wait. */
#define lab_launch(dev, kernel, groups, items, ...)                                                                    \
    lab_launch_with(dev, kernel, groups, items, (const opi_gpu_argument[]){__VA_ARGS__},                               \
                    (int)(sizeof((const opi_gpu_argument[]){__VA_ARGS__}) / sizeof(opi_gpu_argument)))
void lab_launch_with(lab_device *dev, void *kernel, uint64_t groups, unsigned items, const opi_gpu_argument *argument,
                     int arguments);
void lab_wait(lab_device *dev);

/* --- measuring --- */

/* Seconds of one call of `run`: the median of several batches, each long enough that the delay in seeing its end
 * does not matter; after a call that warms up.  run enqueues, and may also wait.  NAN on "model", which has no time. */
double lab_seconds(lab_device *dev, void (*run)(void *context), void *context);

/* What the hardware of the device counts in one call of `run`, which is called several times; false: its counters
 * cannot be read (dev->no_counters says why).  For the model (dev->twin) use lab_model_counts. */
bool lab_count(lab_device *dev, void (*run)(void *context), void *context, lab_counts *counts);

/* Bytes a second that a copy in the device's memory moves: reads plus writes; measured once; NAN on "model". */
double lab_copy_rate(lab_device *dev);

/* Takes a status of oplus or of a driver; ends the command if it is a failure. */
void lab_must(oplus_status status);

#endif
