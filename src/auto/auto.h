/* "auto": the processor or an accelerator, call by call. */
#ifndef OPI_AUTO_H
#define OPI_AUTO_H

#include "cores/device.h"

/* seconds = start + bytes * each */
typedef struct opi_line {
    double start, each;
} opi_line;

enum { OPI_WHY_BYTES = 400 };

/* What was found and measured, as it is kept in the cache. */
typedef struct opi_figures {
    char magic[16];
    char where[32], name[128]; /* of the accelerator; "" if there is none, */
    char why[OPI_WHY_BYTES];   /* and why not */
    opi_line cores[OPI_WORKS], accelerator[OPI_WORKS];
} opi_figures;

typedef struct opi_auto {
    oplus_device *cores, *accelerator;
    bool looked; /* the figures are there, and the accelerator is open if there is one */
    opi_figures figures;
} opi_auto;

/* Fills in the handle, its instruction set chosen. */
oplus_status opi_auto_open(const char *call, oplus_device *dev);

/* The device that does a call which is no plain sweep: dev itself, or the one that "auto" takes. */
static inline oplus_device *opi_chosen(oplus_device *dev, const void *const *arrays, int count, opi_work work,
                                       size_t bytes)
{
    return dev->tree->choose ? dev->tree->choose(dev, arrays, count, work, bytes) : dev;
}
/* After the chosen device has failed: whether the cores can do it, because the data are theirs and still there, and the
 * accelerator only lacked memory, or its compiler did not take the operator.  apart: no output is an input. */
bool opi_auto_retries(const oplus_device *dev, const oplus_device *chosen, oplus_status status, bool apart,
                      const void *const *arrays, int count);
/* The cores of "auto"; any other device itself. */
oplus_device *opi_cores_of(oplus_device *dev);

#endif
