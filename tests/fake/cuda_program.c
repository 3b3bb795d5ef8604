/* The fake driver's programs, and launches, which are written down. */
#include "fake/books.h"

#include <elf.h>
#include <stdio.h>

static struct CUfunc_st function; /* all kernels are this one */

/* --- modules --- */

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    CALL_OUT_OF_CAPTURE(ModuleLoadDataEx);
    const char *const text = image;
    const bool cubin = memcmp(text, ELFMAG, SELFMAG) == 0;
    if (count == 2 && strstr(text + (cubin ? sizeof(Elf64_Ehdr) : 0), "damaged")) {
        if (options[0] == CU_JIT_ERROR_LOG_BUFFER && options[1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            snprintf(values[0], (uintptr_t)values[1], "the fake does not like it");
        return cubin ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_INVALID_PTX;
    }
    *module = fake_make(sizeof **module);
    fake_books.live[FAKE_MODULES]++;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    CALL_IN_CONTEXT(ModuleUnload);
    fake_unmake(module);
    fake_books.live[FAKE_MODULES]--;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    CALL_IN_CONTEXT(ModuleGetFunction);
    if (!module || strcmp(name, "absent") == 0) return CUDA_ERROR_NOT_FOUND;
    *out = &function;
    return CUDA_SUCCESS;
}

/* --- launches --- */

CUresult cuFuncSetAttribute(CUfunction kernel, CUfunction_attribute which, int value)
{
    CALL_IN_CONTEXT(FuncSetAttribute);
    if (kernel != &function) return CUDA_ERROR_INVALID_HANDLE;
    if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 || value > FAKE_SHARED_MOST) return CUDA_ERROR_INVALID_VALUE;
        if (value > fake_books.allowed) fake_books.allowed = value; /* the one function stands for all kernels */
        return CUDA_SUCCESS;
    }
    if (which != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT || value < -1 || value > 100)
        return CUDA_ERROR_INVALID_VALUE;
    fake_books.carve_out = value;
    return CUDA_SUCCESS;
}

static bool is_allowed(size_t shared) { return shared <= FAKE_SHARED || shared <= (size_t)fake_books.allowed; }

/* Blocks that fit a multiprocessor, by threads and by shared memory; the system takes 1 KiB for each block. */
static unsigned residents(unsigned threads, size_t shared)
{
    const unsigned by_threads = FAKE_THREADS / threads, by_shared = (unsigned)(FAKE_SHARED_UNIT / (shared + 1024));
    return by_threads < by_shared ? by_threads : by_shared;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction kernel, int threads, size_t shared)
{
    CALL_IN_CONTEXT(OccupancyMaxActiveBlocksPerMultiprocessor);
    if (kernel != &function) return CUDA_ERROR_INVALID_HANDLE;
    if (threads <= 0 || !is_allowed(shared)) return CUDA_ERROR_INVALID_VALUE;
    *blocks = (int)residents((unsigned)threads, shared);
    return CUDA_SUCCESS;
}

/* Reads the attributes of a launch; false: the fake does not know one. */
static bool read_attributes(const CUlaunchConfig *config, fake_launch *launch)
{
    launch->cluster = 1;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const opi_cuda_launch_attribute *const a = &config->attrs[i];
        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            launch->cooperative = a->value.cooperative != 0;
        else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            launch->cluster = a->value.clusterDim.x * a->value.clusterDim.y * a->value.clusterDim.z;
        else if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            launch->early = a->value.programmaticStreamSerializationAllowed != 0;
        else
            return false;
    }
    return true;
}

/* Clusters lie in groups of 16 multiprocessors; the last four multiprocessors are in no group. */
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction kernel, const CUlaunchConfig *config)
{
    fake_launch launch = {.shared = config->sharedMemBytes};
    CALL_IN_CONTEXT(OccupancyMaxActiveClusters);
    if (kernel != &function) return CUDA_ERROR_INVALID_HANDLE;
    if (!is_allowed(config->sharedMemBytes) || !read_attributes(config, &launch) || config->gridDimX == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (launch.cluster > 8 || config->gridDimX % launch.cluster) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    const unsigned blocks = residents(config->blockDimX, config->sharedMemBytes);
    *clusters = (int)(FAKE_UNITS / 16 * (16 * blocks / launch.cluster));
    return CUDA_SUCCESS;
}

static CUresult write_down(const fake_launch *launch, CUfunction kernel, void **parameters)
{
    if (kernel != &function || !fake_is_here(launch->stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (!is_allowed(launch->shared)) return CUDA_ERROR_INVALID_VALUE;
    fake_books.launch = *launch;
    for (int i = 0; i < FAKE_PARAMETERS && fake_books.size[i]; i++)
        memcpy(&fake_books.launch.parameter[i], parameters[i], (size_t)fake_books.size[i]);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
                        void **extra)
{
    CALL_IN_CONTEXT(LaunchKernel);
    const fake_launch launch = {.grid = {grid_x, grid_y, grid_z},
                                .block = {block_x, block_y, block_z},
                                .shared = shared,
                                .cluster = 1,
                                .stream = stream,
                                .extra = extra};
    return write_down(&launch, kernel, parameters);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction kernel, void **parameters, void **extra)
{
    fake_launch launch = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                          .shared = config->sharedMemBytes,
                          .stream = config->hStream,
                          .extra = extra};
    CALL_IN_CONTEXT(LaunchKernelEx);
    if (!read_attributes(config, &launch)) return CUDA_ERROR_INVALID_VALUE;
    if (launch.cluster > 8 || config->gridDimX % launch.cluster) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (launch.cooperative && config->gridDimX > FAKE_UNITS * residents(config->blockDimX, config->sharedMemBytes))
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return write_down(&launch, kernel, parameters);
}
