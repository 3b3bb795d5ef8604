/* "auto": the processor or an accelerator, call by call. */
#ifndef OPI_AUTO_H
#define OPI_AUTO_H

#include "tree/device.h"

/* Fills in the handle, its instruction set chosen. */
oplus_status opi_auto_open(const char *call, oplus_device *dev);

/* The device that does a call which is no plain sweep: dev itself, or the one that "auto" takes. */
static inline oplus_device *opi_chosen(oplus_device *dev, const void *const *arrays, int count, opi_work work,
                                       size_t bytes)
{
    return dev->tree->choose ? dev->tree->choose(dev, arrays, count, work, bytes) : dev;
}
/* After the chosen device has failed: whether the cores can do it, because the data are theirs and the accelerator only
 * lacked memory, or its compiler did not take the operator. */
bool opi_auto_retries(const oplus_device *dev, const oplus_device *chosen, oplus_status status,
                      const void *const *arrays, int count);
/* The cores of "auto"; any other device itself. */
oplus_device *opi_cores_of(oplus_device *dev);

#endif
