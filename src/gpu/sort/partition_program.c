/* The programs of the way "partition". */
#include "base/error.h"
#include "gpu/sort/partition_cut.h"

/* --- the program --------------------------------------------------------------------------------------------------- */

typedef struct text {
    size_t key;
    bool one;
    const opi_deal *deal;
} text;

static void write_source(opi_gpu_source *source, const void *context)
{
    const text *const t = context;
    const size_t key = t->key;
    opi_gpu_define(source, "OPI_ONE", t->one);
    opi_gpu_define(source, "OPI_KEY_SIZE", key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", 0);
    opi_gpu_define(source, "OPI_INDEXED", 0);
    opi_gpu_define(source, "OPI_SORT_W", SORT_W);
    opi_gpu_define(source, "OPI_SORT_V", SORT_V);
    opi_gpu_define(source, "OPI_SORT_GROUPS", 3);
    opi_gpu_define(source, "OPI_SORT_MOST", SORT_MOST);
    opi_gpu_define(source, "OPI_SORT_LOCAL", local_bytes(key, SORT_W));
    opi_gpu_define(source, "OPI_LARGE_W", LARGE_W);
    opi_gpu_define(source, "OPI_LARGE_MOST", LARGE_MOST);
    opi_gpu_define(source, "OPI_LARGE_LOCAL", local_bytes(key, LARGE_W));
    opi_gpu_define(source, "OPI_COUNT_W", COUNT_W);
    opi_gpu_define(source, "OPI_PLACES_W", PLACES_W);
    opi_gpu_define(source, "OPI_DEAL_W", DEAL_W);
    opi_gpu_define(source, "OPI_DEAL_V", deal_v(key));
    opi_gpu_define(source, "OPI_DEAL_GROUPS", 2);
    opi_gpu_define(source, "OPI_DEAL_BATCH", key == 4 ? 1 : 4);
    opi_gpu_define(source, "OPI_DEAL_TILE", deal_tile(key));
    opi_gpu_define(source, "OPI_DEAL_LOCAL", deal_bytes(key));
    opi_gpu_define(source, "OPI_FEW_V", FEW_V);
    opi_gpu_define(source, "OPI_FEW_LOCAL", few_bytes(key));
    opi_gpu_define(source, "OPI_REST_GROUPS", key == 4 ? 3 : 2);
    opi_gpu_define(source, "OPI_REST_LOCAL", rest_bytes(key));
    opi_gpu_define(source, "OPI_FIRSTS", DIGITS);
    opi_gpu_define(source, "OPI_BUCKETS", BUCKETS);
    opi_gpu_define(source, "OPI_LOG_CELLS", log_cells(key));
    opi_gpu_define(source, "OPI_CELLS", 1ul << log_cells(key));
    opi_gpu_define(source, "OPI_CELL_BYTES", cell_bytes(key));
    opi_gpu_define(source, "OPI_PARTITION_BYTES", PARTITION_BYTES);
    opi_gpu_define(source, "OPI_PIECES_A_SEGMENT", PIECES_A_SEGMENT);
    opi_gpu_define(source, "OPI_PIECES_MORE", PIECES_MORE);
    opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
    opi_deal_write(t->deal, source);
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "sort");
    opi_gpu_write_kernels(source, "key_order");
    opi_gpu_write_kernels(source, "warps");
    opi_gpu_write_kernels(source, "numbers");
    opi_gpu_write_kernels(source, "keys");
    opi_gpu_write_kernels(source, "keys_local");
    opi_gpu_write_kernels(source, "keys_crowded");
    opi_gpu_write_kernels(source, "keys_sort");
    if (t->one) return;
    opi_gpu_write_kernels(source, "keys_map");
    opi_gpu_write_kernels(source, "keys_sample");
    opi_gpu_write_kernels(source, "keys_count");
    opi_gpu_write_kernels(source, "keys_deal");
    opi_gpu_write_kernels(source, "keys_rest");
}

oplus_status opi_partition_program(const opi_job *job, partition_size size, opi_program **program)
{
    const text t = {((const opi_sorting *)job)->key, size == SIZE_ONE, job->deal};
    opi_key key = opi_key_begin("partition", (opi_shape){.log_w = 0});
    opi_key_number(&key, t.key);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 8 | size);
    return opi_program_get(&job->g->programs, job->call, "the sort", key.hash, write_source, &t, program);
}

static oplus_status allow(const opi_job *job, opi_program *program, const char *name, size_t local)
{
    return opi_kernel_allow(&job->g->programs, job->call, program, name, local);
}

static oplus_status allow_one(const opi_job *job, opi_program *program, size_t key)
{
    static const char *const kernels[] = {"opi_keys_one", "opi_keys_one_large"};
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, program, kernels, 2));
    OPI_TRY(allow(job, program, "opi_keys_one", local_bytes(key, SORT_W)));
    OPI_TRY(allow(job, program, "opi_keys_one_large", local_bytes(key, LARGE_W)));
    program->residents = 1;
    return OPLUS_OK;
}

static oplus_status allow_all(const opi_job *job, opi_program *program, size_t key, partition_size size)
{
    opi_gpu *const gpu = job->g->gpu;
    opi_launch rest = {.items = SORT_W, .local = rest_bytes(key), .resident = true};
    const char *const kernels[] = {/* what takes longest begins first */
                                   size == SIZE_FEW ? "opi_keys_deal_few" : "opi_keys_deal",
                                   "opi_keys_rest",
                                   "opi_keys_sample",
                                   "opi_keys_count",
                                   "opi_keys_sort_large",
                                   "opi_keys_sort",
                                   "opi_keys_places",
                                   "opi_keys_deal_source"};
    const int needed = size == SIZE_FEW ? 6 : job->deal ? 8 : 7;
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, program, kernels, needed));
    OPI_TRY(allow(job, program, "opi_keys_sample", local_bytes(key, SORT_W)));
    OPI_TRY(allow(job, program, "opi_keys_count", gpu->facts.local_most));
    if (size == SIZE_FEW) OPI_TRY(allow(job, program, "opi_keys_deal_few", few_bytes(key)));
    if (size == SIZE_MANY) OPI_TRY(allow(job, program, "opi_keys_deal", deal_bytes(key)));
    if (job->deal) OPI_TRY(allow(job, program, "opi_keys_deal_source", deal_bytes(key)));
    OPI_TRY(allow(job, program, "opi_keys_sort", local_bytes(key, SORT_W)));
    OPI_TRY(allow(job, program, "opi_keys_sort_large", local_bytes(key, LARGE_W)));
    OPI_TRY(allow(job, program, "opi_keys_rest", rest_bytes(key)));
    OPI_TRY(opi_kernel_get(&job->g->programs, job->call, program, "opi_keys_rest", &rest.kernel));
    return gpu->driver->residents(gpu, job->call, &rest, &program->residents);
}

oplus_status opi_partition_allow(const opi_job *job, partition_size size, opi_program *program)
{
    const size_t key = ((const opi_sorting *)job)->key;
    if (program->residents > 0) return OPLUS_OK;
    return size == SIZE_ONE ? allow_one(job, program, key) : allow_all(job, program, key, size);
}
