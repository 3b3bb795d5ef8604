#include "gpu/launch.h"

#include "base/error.h"
#include "gpu/memory.h"

#include <stdlib.h>

static oplus_status compare_layout(opi_accelerator *g, const char *call, const opi_program *program,
                                   const uint64_t *bytes)
{
    for (int i = 0; i < program->layouts; i++) {
        const opi_layout_fact *const fact = &program->layout[i];
        if (fact->bytes == bytes[i]) continue;
        return opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: type \"%s\" has another layout on %s: %s%s %llu there, %llu here; declare its members in the "
            "order of their sizes, the largest first, and as its text says",
            call, fact->type, g->gpu->facts.where, *fact->member ? "offset of " : "size",
            *fact->member ? fact->member : " is", (unsigned long long)bytes[i], (unsigned long long)fact->bytes);
    }
    return OPLUS_OK;
}

/* Before the first launch: does the device lay structs out as the host does?  A rehearsal asks this too, because only
 * the device knows. */
static oplus_status check_layout(opi_accelerator *g, const char *call, opi_program *program)
{
    const opi_driver *const driver = g->gpu->driver;
    const size_t bytes = (size_t)program->layouts * sizeof(uint64_t);
    void *mem;
    if (program->checked) return OPLUS_OK;
    uint64_t *const found = calloc((size_t)program->layouts, sizeof *found);
    if (!found) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the layout of a type", call);
    oplus_status status = driver->alloc(g->gpu, call, bytes, &mem);
    if (status == OPLUS_OK) {
        const opi_gpu_argument list[] = {opi_memory(mem)};
        opi_launch launch = {.groups = 1, .items = 1, .argument = list, .arguments = 1};
        status = opi_kernel_get(&g->programs, call, program, "opi_layout", &launch.kernel);
        if (status == OPLUS_OK) status = driver->launch(g->gpu, call, &launch);
        if (status == OPLUS_OK) status = driver->download(g->gpu, call, OPI_QUEUE_COMPUTE, found, mem, bytes);
        if (status == OPLUS_OK) status = driver->sync(g->gpu, call, OPI_QUEUE_COMPUTE);
        if (status == OPLUS_OK) status = compare_layout(g, call, program, found);
        driver->free(g->gpu, mem);
    }
    free(found);
    program->checked = status == OPLUS_OK;
    return status;
}

oplus_status opi_gpu_check_layout(const opi_job *job, opi_program *program)
{
    return check_layout(job->g, job->call, program);
}

oplus_status opi_gpu_launch_as(const opi_job *job, opi_program *program, const char *kernel, const opi_launch *launch)
{
    opi_accelerator *const g = job->g;
    opi_launch own = *launch;
    if (own.groups == 0) return OPLUS_OK;
    g->enqueued++;
    OPI_TRY(opi_kernel_get(&g->programs, job->call, program, kernel, &own.kernel)); /* and the kernel of the layout */
    OPI_TRY(check_layout(g, job->call, program));
    if (!g->rehearsal) {
        if (!g->recorded || own.early) own.early &= !opi_gpu_see_recording(g); /* graphs have plain edges */
        return g->gpu->driver->launch(g->gpu, job->call, &own);
    }
    g->rehearsal->launches++;
    return OPLUS_OK;
}

oplus_status opi_gpu_launch_of(const opi_job *job, opi_program *program, const char *kernel, uint64_t groups,
                               unsigned items, const opi_gpu_argument *argument, int arguments)
{
    return opi_gpu_launch_as(
        job, program, kernel,
        &(opi_launch){.groups = groups, .items = items, .argument = argument, .arguments = arguments});
}

oplus_status opi_gpu_launch(const opi_job *job, const char *kernel, uint64_t groups, const opi_gpu_argument *argument,
                            int arguments)
{
    return opi_gpu_launch_of(job, job->program, kernel, groups, 1u << job->shape.log_w, argument, arguments);
}

oplus_status opi_gpu_launch_early(const opi_job *job, const char *kernel, uint64_t groups,
                                  const opi_gpu_argument *argument, int arguments)
{
    return opi_gpu_launch_as(job, job->program, kernel,
                             &(opi_launch){.groups = groups,
                                           .items = 1u << job->shape.log_w,
                                           .early = true,
                                           .argument = argument,
                                           .arguments = arguments});
}
