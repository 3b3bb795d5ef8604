#include "gpu/canon/tree.h"

enum {
    LOG_WARP = 5,        /* a warp has 2^LOG_WARP work-items */
    EXCHANGED_BYTES = 16 /* the largest element whose node goes from register to register */
};

bool opi_gpu_has_warps(const opi_gpu_source *source, opi_shape shape)
{
    return source->gpu->facts.lanes == 1u << LOG_WARP && shape.log_w >= LOG_WARP;
}

void opi_gpu_write_tree(opi_gpu_source *source, opi_shape shape, size_t element)
{
    opi_gpu_write_kernels(source, "tree");
    if (shape.log_w == 0) {
        opi_gpu_write_kernels(source, "tree_chunk");
    } else {
        const bool warps = opi_gpu_has_warps(source, shape);
        if (warps) opi_gpu_write_kernels(source, "exchange");
        opi_gpu_write_kernels(source, warps && element <= EXCHANGED_BYTES ? "tree_warps" : "tree_group");
        opi_gpu_write_kernels(source, "tree_registers");
    }
}

void opi_gpu_write_elements(opi_gpu_source *source)
{
    opi_gpu_write_kernels(source, "each");
    opi_gpu_write_kernels(source, "elements");
}

void opi_gpu_write_tile(opi_gpu_source *source)
{
    opi_gpu_write_elements(source);
    opi_gpu_write_kernels(source, "tile");
}
