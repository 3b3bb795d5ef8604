#include "front/scratch.h"

#include "base/error.h"
#include "cores/cores.h"

oplus_status opi_scratch_find(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                              opi_scratch *scratch)
{
    const opi_machine *const machine = dev->machine;
    oplus_device *there = dev;
    *scratch = (opi_scratch){.home = dev};
    if (machine->room && machine->look && bytes > 0) OPI_TRY(machine->look(dev, call, argument, p, bytes, &there));
    scratch->is_apart = !there;
    return OPLUS_OK;
}

bool opi_scratch_fits(const opi_scratch *scratch, size_t bytes)
{
    const oplus_device *const home = scratch->home;
    return !scratch->is_apart || bytes <= home->machine->room(home);
}

void opi_scratch_on_host(opi_scratch *scratch, oplus_device *dev)
{
    scratch->home = &dev->cores->dev;
    scratch->is_apart = false;
}
