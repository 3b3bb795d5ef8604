/* Launches: plain ones, in clusters, and with all work-groups at once. */
#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <limits.h>

/* --- 1. what can be launched -------------------------------------------------------------------------------------- */

/* Whether the device has such work-groups, in words. */
static oplus_status check_groups(const opi_gpu_facts *facts, const char *call, const opi_launch *launch)
{
    if (launch->local > facts->local_most)
        return opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: %zu bytes of shared memory in a work-group; %s has up to %zu", call,
                        launch->local, facts->where, facts->local_most);
    if (launch->resident && !facts->resident)
        return opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: %s cannot promise that all work-groups of a launch run at the same time; update the driver "
            "(CUDA 11.8 or later), or use kernels in which none waits for another",
            call, facts->where);
    if (launch->cluster <= 1) return OPLUS_OK;
    if (launch->cluster > facts->cluster)
        return opi_fail(OPLUS_ERR_UNSUPPORTED,
                        "%s: clusters of %u work-groups; %s has up to %u (none before compute capability 9.0 and CUDA "
                        "11.8)",
                        call, launch->cluster, facts->where, facts->cluster);
    if (launch->groups % launch->cluster == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_INTERNAL, "%s: %llu work-groups are no whole number of clusters of %u", call,
                    (unsigned long long)launch->groups, launch->cluster);
}

static oplus_status check(const opi_gpu_facts *facts, const char *call, const opi_launch *launch)
{
    if (launch->groups > INT_MAX)
        return opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: %llu work-groups in one launch; %s takes %d: take fewer elements",
                        call, (unsigned long long)launch->groups, facts->where, INT_MAX);
    if (launch->arguments > OPI_MAX_ARGUMENTS)
        return opi_fail(OPLUS_ERR_INTERNAL, "%s: a kernel with %d arguments; %d are allowed", call, launch->arguments,
                        (int)OPI_MAX_ARGUMENTS);
    return check_groups(facts, call, launch);
}

/* --- 2. launch ---------------------------------------------------------------------------------------------------- */

/* An address is two parameters of a kernel, pointer and offset. */
static void fill_parameters(const opi_launch *launch, void **parameter)
{
    static const uint64_t no_offset = 0;
    for (int i = 0; i < launch->arguments; i++) {
        const opi_gpu_argument *const argument = &launch->argument[i];
        *parameter++ = argument->memory ? (void *)&argument->value : (void *)argument->value;
        if (argument->memory) *parameter++ = (void *)&no_offset;
    }
}

enum { ATTRIBUTES = 3 };

/* The launch as the driver takes it, with the attributes that it needs. */
static opi_cuda_launch_config config_of(const opi_cuda_gpu *g, const opi_launch *launch,
                                        opi_cuda_launch_attribute attribute[ATTRIBUTES])
{
    opi_cuda_launch_config config = {.gridDimX = (unsigned)launch->groups,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = launch->items,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .sharedMemBytes = (unsigned)launch->local,
                                     .hStream = g->stream[OPI_QUEUE_COMPUTE],
                                     .attrs = attribute};
    if (launch->resident)
        attribute[config.numAttrs++] =
            (opi_cuda_launch_attribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    if (launch->cluster > 1)
        attribute[config.numAttrs++] = (opi_cuda_launch_attribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                                   .value = {.clusterDim = {launch->cluster, 1, 1}}};
    /* What has clusters can do this, too; but kernels that were compiled for older devices do not wait. */
    if (launch->early && g->gpu.facts.cluster > 0 && !g->translates)
        attribute[config.numAttrs++] =
            (opi_cuda_launch_attribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                        .value = {.programmaticStreamSerializationAllowed = 1}};
    return config;
}

/* A launch that needs no attributes uses the call that every driver has. */
static oplus_status enqueue(const opi_cuda_gpu *g, const char *call, const opi_launch *launch)
{
    void *parameters[2 * OPI_MAX_ARGUMENTS];
    opi_cuda_launch_attribute attribute[ATTRIBUTES];
    const opi_cuda_launch_config config = config_of(g, launch, attribute);
    fill_parameters(launch, parameters);
    if (config.numAttrs > 0) return OPI_CUDA_TRY(g, call, LaunchKernelEx, &config, launch->kernel, parameters, NULL);
    return OPI_CUDA_TRY(g, call, LaunchKernel, launch->kernel, config.gridDimX, 1, 1, launch->items, 1, 1,
                        config.sharedMemBytes, config.hStream, parameters, NULL);
}

oplus_status opi_cuda_launch(opi_gpu *gpu, const char *call, const opi_launch *launch)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    if (launch->groups == 0) return OPLUS_OK; /* the driver refuses an empty launch */
    OPI_TRY(check(&g->gpu.facts, call, launch));
    return enqueue(g, call, launch);
}

/* --- 3. what a kernel is allowed ---------------------------------------------------------------------------------- */

oplus_status opi_cuda_allow(opi_gpu *gpu, const char *call, void *kernel, size_t local, int carve_out)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    OPI_TRY(check_groups(&g->gpu.facts, call, &(opi_launch){.local = local}));
    OPI_TRY(
        OPI_CUDA_TRY(g, call, FuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)local));
    return OPI_CUDA_TRY(g, call, FuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                        carve_out);
}

static oplus_status count_residents(const opi_cuda_gpu *g, const char *call, const opi_launch *launch, uint64_t *groups)
{
    opi_launch one = *launch; /* a launch of one cluster: the driver wants a number of groups */
    opi_cuda_launch_attribute attribute[ATTRIBUTES];
    int count = 0;
    if (launch->cluster <= 1) {
        OPI_TRY(OPI_CUDA_TRY(g, call, OccupancyMaxActiveBlocksPerMultiprocessor, &count, launch->kernel,
                             (int)launch->items, launch->local));
        *groups = (uint64_t)count * g->gpu.facts.units;
        return OPLUS_OK;
    }
    one.groups = launch->cluster;
    const opi_cuda_launch_config config = config_of(g, &one, attribute);
    OPI_TRY(OPI_CUDA_TRY(g, call, OccupancyMaxActiveClusters, &count, launch->kernel, &config));
    *groups = (uint64_t)count * launch->cluster;
    return OPLUS_OK;
}

oplus_status opi_cuda_residents(opi_gpu *gpu, const char *call, const opi_launch *launch, uint64_t *groups)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_launch any = *launch;
    any.groups = 0;
    *groups = 0;
    OPI_TRY(check_groups(&g->gpu.facts, call, &any));
    return count_residents(g, call, launch, groups);
}
