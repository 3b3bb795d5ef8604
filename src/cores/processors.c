#include "cores/processors.h"

#include "cores/count.h"
#include "cores/crew.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MASK_NS = 10000000, MASK_BYTES = 256 << 10, QUOTA_NS = 1000000000, QUOTA_BYTES = 16 << 20 };

void opi_processors_open(opi_processors *processors)
{
    const char *const all = getenv("OPLUS_ALL_THREADS");
    *processors = (opi_processors){.unlimited = all && strcmp(all, "1") == 0,
                                   .mask = INFINITY,
                                   .quota = INFINITY,
                                   .process = "/proc/self/cgroup",
                                   .root = "/sys/fs/cgroup"};
}

static void look(opi_processors *processors, size_t bytes)
{
    const unsigned long long now = opi_crew_now();
    if (processors->mask_at == 0 || now - processors->mask_at >= MASK_NS) {
        processors->mask = omp_get_num_procs(); /* in the caller's affinity mask */
        processors->mask_at = now;
    }
    if (processors->quota_at == 0 || (bytes >= QUOTA_BYTES && now - processors->quota_at >= QUOTA_NS)) {
        processors->quota = ceil(opi_cores_quota(processors->process, processors->root));
        processors->quota_at = now;
    }
}

size_t opi_processors_now(opi_processors *processors, size_t bytes)
{
    if (processors->unlimited) return SIZE_MAX;
    if (bytes >= MASK_BYTES) look(processors, bytes);
    const double allowed = fmax(1, fmin(processors->mask, processors->quota));
    return allowed < OPI_MOST_THREADS ? (size_t)allowed : OPI_MOST_THREADS;
}
