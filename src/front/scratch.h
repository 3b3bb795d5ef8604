/* Scratch memory of a public call that does several tasks. */
#ifndef OPI_FRONT_SCRATCH_H
#define OPI_FRONT_SCRATCH_H

#include "task/machine.h"

/* Sets *mem to `bytes` > 0 bytes of the memory of `dev`, which opi_give_back gives back.  A call has one such memory at a
 * time: the device may keep it for the next call. */
static inline oplus_status opi_borrow(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    const opi_machine *const machine = dev->machine;
    return machine->lend ? machine->lend(dev, call, bytes, mem) : machine->alloc(dev, call, bytes, mem);
}

static inline void opi_give_back(oplus_device *dev, void *mem)
{
    if (!dev->machine->lend) dev->machine->free(dev, mem);
}

#endif
