#include "gpu/canon/tree.h"

enum {
    LOG_WARP = 5,        /* a warp has 2^LOG_WARP work-items */
    EXCHANGED_BYTES = 16 /* the largest element whose node goes from register to register */
};

/* Whether whole warps exchange what is in their registers. */
static bool has_warps(const opi_gpu_source *source, opi_shape shape, size_t element)
{
    return source->gpu->facts.lanes == 1u << LOG_WARP && shape.log_w >= LOG_WARP && element <= EXCHANGED_BYTES;
}

void opi_gpu_write_tree(opi_gpu_source *source, opi_shape shape, size_t element)
{
    opi_gpu_write_kernels(source, "tree");
    if (shape.log_w == 0) {
        opi_gpu_write_kernels(source, "tree_chunk");
    } else {
        opi_gpu_write_kernels(source, has_warps(source, shape, element) ? "tree_warps" : "tree_group");
        opi_gpu_write_kernels(source, "tree_registers");
    }
}
