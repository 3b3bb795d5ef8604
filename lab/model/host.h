/* The language of the lab's kernels (dialect/opencl.cl), for a model of a GPU on the host.
 *
 * Every branch, every iteration of a loop and every access tells its place in the text: a site, a number counted by
 * the preprocessor.  trace.awk has turned subscripts into traced accesses; here `if` and `for` become macros, so
 * this part comes last.  A kernel may not use break, while, do, switch or goto, as it would not be known where lanes
 * meet again. */
#include "lab/model/model.h"
#include "lab/model/trace.h"

#include <stdint.h>

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef struct uint2 {
    uint x, y;
} __attribute__((aligned(8))) uint2;
typedef struct uint4 {
    uint x, y, z, w;
} __attribute__((aligned(16))) uint4;

#define KERNEL              static void
#define ARRAY(T, name)      T *name, const ulong name##_begins
#define CONSTANT(T, name)   T *name, const ulong name##_begins
#define SHARED              static __attribute__((aligned(128)))
#define ITEM                lab_trace_item()
#define GROUP               lab_trace_group()
#define GROUPS              lab_trace_groups()
#define BARRIER()           lab_trace_barrier()
#define WARP                32
#define FIRST_WARP(item)    if ((item) < WARP)
#define WARP_SYNC()         lab_trace_warp_sync()
#define SHUFFLE_DOWN(x, by) lab_trace_shuffle(x, (int)(by))
#define SHUFFLE_UP(x, by)   lab_trace_shuffle(x, -(int)(by))
#define UNROLLED
#define ROLLED

#define LAB_ACCESS(place, use, space)                                                                                  \
    (*(__typeof__(place) *)lab_trace_access(__COUNTER__, LAB_TRACE_##use, LAB_TRACE_##space, &(place), sizeof(place)))
#define LAB_SHARED_LOAD(place)   LAB_ACCESS(place, LOAD, SHARED)
#define LAB_SHARED_STORE(place)  LAB_ACCESS(place, STORE, SHARED)
#define LAB_SHARED_UPDATE(place) LAB_ACCESS(place, UPDATE, SHARED)
#define LAB_GLOBAL_LOAD(place)   LAB_ACCESS(place, LOAD, GLOBAL)
#define LAB_GLOBAL_STORE(place)  LAB_ACCESS(place, STORE, GLOBAL)
#define LAB_GLOBAL_UPDATE(place) LAB_ACCESS(place, UPDATE, GLOBAL)

/* clang-format off */
#define if(...)  if (lab_trace_branch(__COUNTER__, (__VA_ARGS__)))
#define for(...) LAB_TRACE_LOOP(__COUNTER__, __VA_ARGS__)
/* Around the loop: tells its begin and its end; in its body: tells each round once. */
#define LAB_TRACE_LOOP(site, ...)                                                      \
    for (int lab_once = lab_trace_enter(site); lab_once; lab_once = lab_trace_leave()) \
        for (__VA_ARGS__)                                                              \
            for (int lab_round = lab_trace_round(); lab_round; lab_round = 0)
/* clang-format on */
