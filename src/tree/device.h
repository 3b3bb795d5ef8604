/* A device handle: which tree, how many workers, which compiled leaves, and the scratch memory that it keeps. */
#ifndef OPI_DEVICE_H
#define OPI_DEVICE_H

#include <oplus/oplus.h>

#include "base/memory.h"
#include "leaf/isa.h"
#include "leaf/sweep.h"

struct oplus_device {
    char name[64];
    oplus_status (*sweep)(oplus_device *dev, const opi_sweep *sweep, void *carry); /* its tree */
    int workers;                                                                   /* threads; 1 if serial */
    const opi_isa *isa;   /* the built-in leaves for this processor */
    opi_buffer workspace; /* of a tree: carries and the workers' scratch */
    opi_buffer carry;     /* of the front: what a call begins and ends with */
    opi_buffer array;     /* of a primitive: as large as the data (sort) */
};

#endif
