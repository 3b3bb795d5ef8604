/* Times and counters of calls on a device. */
#include "lab/device.h"

#include "die.h"
#include "lab/counters/cupti.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 7, MOST_CALLS = 1 << 16 };
static const double batch_seconds = 0.005; /* the end of a batch is seen some 10 us late: 1 in 500 */
static const double most_seconds = 2;      /* of all batches */
static const double hurry = 0.01;          /* instead of both, with --quick */

/* --- time --------------------------------------------------------------------------------------------------------- */

static double seconds_of(lab_device *dev, void (*run)(void *context), void *context, unsigned calls)
{
    const double begin = tool_seconds();
    for (unsigned i = 0; i < calls; i++) run(context);
    lab_wait(dev);
    return tool_seconds() - begin;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double lab_seconds(lab_device *dev, void (*run)(void *context), void *context)
{
    const double part = dev->hurried ? hurry : 1;
    double each[BATCHES];
    unsigned calls = 1;
    int batches = 0;
    if (dev->model) return NAN;
    seconds_of(dev, run, context, 1); /* the first call may compile, allocate, wake up */
    double last = seconds_of(dev, run, context, calls);
    while (last < batch_seconds * part && calls < MOST_CALLS) {
        calls *= 2;
        last = seconds_of(dev, run, context, calls);
    }
    for (double all = 0; batches < BATCHES && (batches == 0 || all < most_seconds * part); batches++) {
        each[batches] = seconds_of(dev, run, context, calls) / calls;
        all += each[batches] * calls;
    }
    qsort(each, (size_t)batches, sizeof *each, compare);
    return each[batches / 2];
}

/* --- a copy ------------------------------------------------------------------------------------------------------- */

enum { COPY_ITEMS = 256 }; /* the same as in copy.cl */

typedef struct copying {
    lab_device *dev;
    void *in, *out, *kernel;
    size_t bytes;
} copying;

static void copy_by_driver(void *context)
{
    const copying *const c = context;
    if (c->dev->gpu)
        lab_must(c->dev->gpu->driver->copy(c->dev->gpu, "oplus lab", OPI_QUEUE_COMPUTE, c->out, c->in, c->bytes));
    else
        memcpy(c->out, c->in, c->bytes);
}

/* A kernel that copies 16 bytes for each work-item; the copy rate is the better of this kernel and the driver's
 * copy. */
static void copy_by_kernel(void *context)
{
    enum { VECTOR = 16 };
    const copying *const c = context;
    const uint32_t n = (uint32_t)(c->bytes / VECTOR);
    lab_launch(c->dev, c->kernel, lab_ceiling(n, COPY_ITEMS), COPY_ITEMS, opi_memory(c->in), opi_memory(c->out),
               opi_value(n));
}

static size_t copied_bytes(const lab_device *dev)
{
    if (dev->hurried) return (size_t)1 << 20;
    if (!dev->gpu || lab_facts(dev)->host_cores) return (size_t)64 << 20;
    return lab_facts(dev)->memory / 16 < (size_t)512 << 20 ? lab_facts(dev)->memory / 16 : (size_t)512 << 20;
}

double lab_copy_rate(lab_device *dev)
{
    if (dev->copy > 0 || dev->model) return dev->model ? NAN : dev->copy;
    copying c = {.dev = dev, .bytes = copied_bytes(dev)};
    c.in = dev->gpu ? lab_alloc(dev, c.bytes) : tool_alloc(c.bytes);
    c.out = dev->gpu ? lab_alloc(dev, c.bytes) : tool_alloc(c.bytes);
    double seconds = lab_seconds(dev, copy_by_driver, &c);
    if (dev->gpu && lab_facts(dev)->group >= COPY_ITEMS) {
        c.kernel = lab_kernel(dev, "copy.cl", "copy", NULL);
        const double by_kernel = lab_seconds(dev, copy_by_kernel, &c);
        if (by_kernel < seconds) seconds = by_kernel;
    }
    if (dev->gpu) {
        lab_free(dev, c.in);
        lab_free(dev, c.out);
    } else {
        free(c.in);
        free(c.out);
    }
    return dev->copy = 2 * (double)c.bytes / seconds;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

typedef struct counted {
    lab_device *dev;
    void (*run)(void *context);
    void *context;
} counted;

static void run_and_wait(void *context)
{
    const counted *const c = context;
    c->run(c->context);
    lab_wait(c->dev);
}

bool lab_count(lab_device *dev, void (*run)(void *context), void *context, lab_counts *counts)
{
    counted c = {dev, run, context};
    if (!dev->cupti) return false;
    if (lab_cupti_count(dev->cupti, run_and_wait, &c, counts, dev->no_counters, sizeof dev->no_counters)) return true;
    tool_warn("the counters of %s cannot be read from here on: %s", lab_facts(dev)->where, dev->no_counters);
    lab_cupti_close(dev->cupti);
    dev->cupti = NULL;
    return false;
}
