/* The trees run sweeps: how blocks are dealt out and how carries meet, one file a kind of machine. */
#ifndef OPI_TREE_SWEEP_H
#define OPI_TREE_SWEEP_H

#include "cores/sweep.h"
#include "cores/device.h"

/* Runs a sweep on a device, for the public call of that name.  carry: on entry what precedes item 0, on return what
 * precedes item n (unless the sweep makes a result of it); NULL if there is none to be kept (start makes an empty one).
 * Fails before anything is written, or because a device did. */
static inline oplus_status opi_sweep_run(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry)
{
    return dev->tree->run(dev, call, sweep, carry);
}

/* The trees of the processor. */
oplus_status opi_serial_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry);
oplus_status opi_threads_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry);
/* With sweep->meeting, on one thread or several. */
oplus_status opi_meeting_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry);

#endif
