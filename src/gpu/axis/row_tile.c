#include "gpu/axis/row_tile.h"

#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"

enum {
    LOG_W = 8,
    LEAST_LOG_W = 4, /* as many work-items as a row has parts */
    TILE_BYTES = 16 << 10,
    STAGE_BYTES = TILE_BYTES + TILE_BYTES / 32 + 64, /* with gaps */
    LONGEST = 4096,                                  /* bytes of a row */
    TILES_A_UNIT = 4, /* at least, if there are so many rows: smaller tiles keep more multiprocessors busy */
    LARGEST_UNIT = 4
};

unsigned opi_row_tiles_log_w(const opi_gpu_facts *facts)
{
    unsigned log_w = LOG_W;
    while (log_w > 0 && 1u << log_w > facts->group) log_w--;
    return log_w;
}

bool opi_row_tiles_can(const opi_job *job, uint64_t row_bytes)
{
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    return row_bytes <= LONGEST && facts->local >= STAGE_BYTES && opi_row_tiles_log_w(facts) >= LEAST_LOG_W;
}

opi_row_tiles opi_row_tiles_of(const opi_job *job, uint64_t outer, uint64_t row_bytes, uint64_t most)
{
    const uint64_t workers = job->deal ? job->deal->workers : 1, w = (uint64_t)1 << job->shape.log_w;
    const uint64_t wanted = (uint64_t)TILES_A_UNIT * opi_units(opi_deal_first(job)) * workers;
    uint64_t rows = opi_smaller(most, TILE_BYTES / row_bytes);
    if (rows > w) rows -= rows % w;
    while (rows > 1 && rows > w / 4 && outer / rows < wanted) rows = (rows + 1) / 2;
    return (opi_row_tiles){.tiles = (outer - 1) / rows + 1, .rows = (uint32_t)rows};
}

void opi_row_tiles_write(opi_gpu_source *source, size_t size, size_t align)
{
    size_t unit = LARGEST_UNIT;
    while (size % unit || align % unit) unit /= 2;
    opi_gpu_define(source, "OPI_UNIT", unit);
    opi_gpu_define(source, "OPI_ROW_TILE", TILE_BYTES);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "row_tile");
}
