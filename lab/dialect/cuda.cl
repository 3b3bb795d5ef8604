/* What the lab's kernels are written in, for CUDA C++ as NVRTC compiles it.  See opencl.cl. */
#define KERNEL         extern "C" __global__ void
#define ARRAY(T, name) T *name, const unsigned long
#define CONSTANT(T, name) T *name, const unsigned long
#define CONSTANT_TABLE __constant__
#define SHARED         __shared__
#define ITEM           ((uint)threadIdx.x)
#define GROUP          ((uint)blockIdx.x)
#define GROUPS         ((uint)gridDim.x)
#define BARRIER()      __syncthreads()
#define WARP           32
#define FIRST_WARP(item) if ((item) < WARP)
#define WARP_SYNC()    __syncwarp()
#define SHUFFLE_DOWN(x, by) __shfl_down_sync(0xffffffffu, x, by)
#define SHUFFLE_UP(x, by)   __shfl_up_sync(0xffffffffu, x, by)
/* For kernels whose work-groups wait for each other, on CUDA alone: a number that nobody else gets; which lanes of the warp
 * have x != 0, and the first of them; how often a wait looks before it gives up. */
#define TAKE(counter)   atomicAdd(counter, 1u)
#define LANES_WITH(x)   __ballot_sync(0xffffffffu, (x) != 0)
#define FIRST_OF(lanes) ((uint)__ffs(lanes) - 1)
#define PATIENCE        (1u << 22)
#define UNROLLED       _Pragma("unroll")
#define ROLLED         _Pragma("unroll 1")

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
