#include "gpu/source.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP_LOG_W = 8,
    GROUP_BYTES = 64, /* bytes of a work-item's elements, */
    GROUP_LOG_E = 4,  /* of which there are at most 2^4 */
    LANES_BYTES = 16 << 10,
    CHUNK_BYTES = 16 << 10, /* stays in a first-level cache */
    CHUNK_LOG = 12
};

/* The largest k up to `most` with 2^k * size <= bytes; 0 if there is none. */
static unsigned log_of(size_t bytes, size_t size, unsigned most)
{
    unsigned k = 0;
    while (k < most && (size << (k + 1)) <= bytes) k++;
    return k;
}

static bool takes_chunks(const opi_gpu_facts *facts)
{
    const char *const wanted = getenv("OPLUS_SHAPE");
    if (wanted && strcmp(wanted, "group") == 0) return false;
    if (wanted && strcmp(wanted, "chunk") == 0) return true;
    return facts->host_cores;
}

opi_shape opi_shape_for(const opi_gpu_facts *facts, size_t element, size_t node)
{
    const size_t larger = node > element ? node : element;
    opi_shape shape = {0};
    if (!takes_chunks(facts)) {
        shape.log_w = log_of(facts->local / 2 < LANES_BYTES ? facts->local / 2 : LANES_BYTES, larger, GROUP_LOG_W);
        while (shape.log_w > 0 && 1u << shape.log_w > facts->group) shape.log_w--;
    }
    if (shape.log_w == 0) {
        shape.log_e = log_of(CHUNK_BYTES, larger, CHUNK_LOG);
    } else {
        shape.log_e = log_of(GROUP_BYTES, element, GROUP_LOG_E);
        shape.vectors = facts->fast_bytes >= OPI_VECTOR_BYTES && OPI_VECTOR_BYTES % element == 0 &&
                        element << shape.log_e >= OPI_VECTOR_BYTES;
    }
    return shape;
}
