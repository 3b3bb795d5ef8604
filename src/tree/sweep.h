/* The trees run sweeps: how blocks are dealt out and how carries meet, one file a kind of machine. */
#ifndef OPI_TREE_SWEEP_H
#define OPI_TREE_SWEEP_H

#include "base/fpenv.h"
#include "leaf/sweep.h"
#include "tree/device.h"

/* Runs a sweep on a device.  carry: on entry what precedes item 0, on return what precedes item n; NULL if there is
 * none to be kept (start makes an empty one).  Fails only for want of scratch memory, before anything is written.  The
 * floating-point mode is set for it, and restored. */
static inline oplus_status opi_sweep_run(oplus_device *dev, const opi_sweep *sweep, void *carry)
{
    const opi_fpenv mode = opi_fpenv_enter();
    const oplus_status status = dev->sweep(dev, sweep, carry);
    opi_fpenv_leave(mode);
    return status;
}

oplus_status opi_serial_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry);
oplus_status opi_threads_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry);

#endif
