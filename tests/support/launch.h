/* A launch that asks for nothing special, in one line. */
#ifndef TEST_LAUNCH_H
#define TEST_LAUNCH_H

#include "driver/driver.h"

static inline oplus_status launch_plain(opi_gpu *gpu, void *kernel, uint64_t groups, unsigned items,
                                        const opi_gpu_argument *argument, int arguments)
{
    const opi_launch launch = {
        .kernel = kernel, .groups = groups, .items = items, .argument = argument, .arguments = arguments};
    return gpu->driver->launch(gpu, "test", &launch);
}

#endif
