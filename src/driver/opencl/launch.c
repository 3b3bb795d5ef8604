/* Launches on an OpenCL device, and the kinds of launch that OpenCL lacks. */
#include "driver/opencl/opencl.h"

#include <stdio.h>

/* --- what OpenCL cannot do ---------------------------------------------------------------------------------------- */

static oplus_status no_local(const opi_cl_gpu *gpu, const char *call, const opi_cl_kernel *k, size_t local)
{
    return opi_fail(OPLUS_ERR_UNSUPPORTED,
                    "%s: a launch of %s on %s is to add %zu bytes of local memory, and OpenCL has only what a kernel "
                    "declares; declare them there",
                    call, k->name, gpu->gpu.facts.where, local);
}

static oplus_status not_resident(const opi_cl_gpu *gpu, const char *call, const opi_cl_kernel *k)
{
    return opi_fail(
        OPLUS_ERR_UNSUPPORTED,
        "%s: all work-groups of %s are to run at the same time, which OpenCL does not promise of any on %s; "
        "use kernels in which none waits for another",
        call, k->name, gpu->gpu.facts.where);
}

static oplus_status check(const opi_cl_gpu *gpu, const char *call, const opi_launch *launch)
{
    const opi_cl_kernel *const k = launch->kernel;
    if (launch->local > 0) return no_local(gpu, call, k, launch->local);
    if (launch->resident) return not_resident(gpu, call, k);
    if (launch->cluster <= 1) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_UNSUPPORTED,
        "%s: %s is to run in clusters of %u work-groups, which OpenCL does not have on %s; launch it without", call,
        k->name, launch->cluster, gpu->gpu.facts.where);
}

oplus_status opi_cl_allow(opi_gpu *base, const char *call, void *kernel, size_t local, int carve_out)
{
    (void)carve_out; /* a preference: it may be passed over */
    return local > 0 ? no_local((const opi_cl_gpu *)base, call, kernel, local) : OPLUS_OK;
}

oplus_status opi_cl_residents(opi_gpu *base, const char *call, const opi_launch *launch, uint64_t *groups)
{
    *groups = 0;
    return not_resident((const opi_cl_gpu *)base, call, launch->kernel);
}

/* --- launch ------------------------------------------------------------------------------------------------------- */

/* Sets one argument, which is one parameter of the kernel or, in memory, two; *index counts them. */
static cl_int set_argument(const opi_cl_gpu *gpu, cl_kernel of, cl_uint *index, const opi_gpu_argument *argument,
                           cl_mem mem, cl_ulong offset)
{
    if (!argument->memory) return gpu->cl->SetKernelArg(of, (*index)++, argument->bytes, argument->value);
    const cl_int error = gpu->cl->SetKernelArg(of, (*index)++, sizeof mem, mem ? &mem : NULL);
    if (error != CL_SUCCESS) return error;
    return gpu->cl->SetKernelArg(of, (*index)++, sizeof offset, &offset);
}

static oplus_status set_arguments(const opi_cl_gpu *gpu, const char *call, const opi_launch *launch)
{
    const opi_cl_kernel *const k = launch->kernel;
    cl_uint index = 0;
    for (int i = 0; i < launch->arguments; i++) {
        const opi_gpu_argument *const argument = &launch->argument[i];
        cl_mem mem = NULL;
        size_t offset = 0;
        if (argument->memory) OPI_TRY(opi_cl_place(gpu, call, argument->value, 0, &mem, &offset));
        const cl_int error = set_argument(gpu, k->kernel, &index, argument, mem, offset);
        if (error == CL_SUCCESS) continue;
        char set[160];
        snprintf(set, sizeof set, "clSetKernelArg %d of %s", i, k->name);
        return opi_cl_check(gpu, call, set, error);
    }
    return OPLUS_OK;
}

/* Does not flush the queue: a mark or a sync does, once for all that a call of the library enqueues. */
oplus_status opi_cl_launch(opi_gpu *base, const char *call, const opi_launch *launch)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    const opi_cl_kernel *const k = launch->kernel;
    const size_t local = launch->items, global = (size_t)launch->groups * launch->items;
    cl_command_queue queue;
    if (launch->groups == 0) return OPLUS_OK;
    OPI_TRY(check(gpu, call, launch));
    OPI_TRY(opi_cl_queue(gpu, call, OPI_QUEUE_COMPUTE, &queue));
    OPI_TRY(set_arguments(gpu, call, launch));
    const cl_int error = gpu->cl->EnqueueNDRangeKernel(queue, k->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_SUCCESS) return OPLUS_OK;
    char enqueued[224];
    snprintf(enqueued, sizeof enqueued, "clEnqueueNDRangeKernel of %s (%llu groups of %u)", k->name,
             (unsigned long long)launch->groups, launch->items);
    return opi_cl_check(gpu, call, enqueued, error);
}
