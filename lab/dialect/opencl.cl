/* What the lab's kernels are written in, for OpenCL C 1.2.
 *
 *   KERNEL name(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
 *
 * ITEM is the work-item's number in its work-group of ITEMS, GROUP that of the work-group of GROUPS.  SHARED declares
 * memory that a work-group shares, BARRIER() waits for all of it.  A warp is 32 work-items that a GPU moves as one;
 * OpenCL 1.2 does not know it, so that FIRST_WARP lets all work-items in and WARP_SYNC() waits for all of them. */
#define KERNEL         kernel void
#define ARRAY(T, name) global T *name, const ulong name##_begins /* an array begins where its buffer does */
#define SHARED         local
#define CONSTANT(T, name) constant T *name, const ulong name##_begins
#define CONSTANT_TABLE constant /* of an array with its values, outside of kernels */
#define ITEM           ((uint)get_local_id(0))
#define GROUP          ((uint)get_group_id(0))
#define GROUPS         ((uint)get_num_groups(0))
#define BARRIER()      barrier(CLK_LOCAL_MEM_FENCE)
#define WARP           32
#define FIRST_WARP(item) if (1)
#define WARP_SYNC()    barrier(CLK_LOCAL_MEM_FENCE)
#define UNROLLED       /* of a loop: OpenCL 1.2 has no word for it, compilers unroll short ones */
#define ROLLED
