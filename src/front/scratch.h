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

/* --- of calls whose arrays may be the host's ---------------------------------------------------------------------- */

/* Where scratch memory belongs. */
typedef struct opi_scratch {
    oplus_device *home; /* the device in whose memory it is */
    bool is_apart;      /* the caller's arrays lie in host memory, and the device's is not the host's */
} opi_scratch;

/* The memory of `dev`; it is apart if the `bytes` bytes at p, which an argument names, lie in host memory. */
oplus_status opi_scratch_find(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                              opi_scratch *scratch);
/* Whether so many bytes of scratch memory and of copies fit the device; they always do if it is not apart. */
bool opi_scratch_fits(const opi_scratch *scratch, size_t bytes);
/* Scratch memory is the host's from now on: then all arrays of a task lie there, and a device that has too little memory for
 * it leaves it to the cores. */
void opi_scratch_on_host(opi_scratch *scratch, oplus_device *dev);

#endif
