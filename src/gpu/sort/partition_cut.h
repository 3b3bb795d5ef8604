/* The numbers that the parts of the way "partition" share: how its kernels are cut, and the memory that they need. */
#ifndef OPI_GPU_PARTITION_CUT_H
#define OPI_GPU_PARTITION_CUT_H

#include "gpu/memory.h"
#include "gpu/sort/passes.h"

/* How the kernels are cut: measured on an H200. */
enum {
    ARCHITECTURE = 80, /* the first that adds up a warp in one instruction */
    SORT_W = 384,      /* work-items that sort a bucket */
    LARGE_W = 768,     /* the same for larger ones */
    SORT_V = 12,       /* keys that each of them has */
    SORT_MOST = SORT_W * SORT_V,
    LARGE_MOST = LARGE_W * SORT_V,
    COUNT_W = 1024,
    PLACES_W = 512,
    DEAL_W = 512,
    FEW_V = 8,          /* keys that a work-item of the only deal has */
    DIGITS = 512,       /* the most digits of a deal */
    BUCKETS = 96 << 10, /* the most buckets: a work-group counts them in its memory */
    LOW_BITS = 8,       /* the most of them in the second deal */
    BUCKET_BITS = 16,   /* the most bits of a bucket's number if the keys are even */
    LOG_BUCKET = 12,    /* a bucket should have at most so many keys */
    ONE_BITS = 8,       /* up to so many bits there is one deal, and then buckets may be smaller: */
    LOG_SMALL = 10,
    SAMPLE_EACH = 12,     /* keys of the sample for each of those, but SORT_MOST keys at most */
    ONE_DEAL = 340,       /* buckets that cells share if one deal is to do */
    PIECES_A_SEGMENT = 5, /* for each SORT_MOST keys of a segment there are at most so many pieces */
    PIECES_MORE = 16,
    SAMPLE_GROUPS = 33 /* one makes the map, the others clear memory */
};

#define PARTITION_BYTES ((size_t)5 << 18)     /* as opi_work of keys.cl, or more */
#define PATIENCE        UINT64_C(20000000000) /* cycles that a group waits before it gives up: some ten seconds */
#define KEYS_MOST       UINT64_C(0x7fff0000)  /* indices have 32 bits, and so have the ends of tiles */
#define FAST_MOST       ((uint64_t)LARGE_MOST * 6 << 13) /* more keys have buckets that no group can hold */

#define DIGITS_MOST ((uint64_t)1 << 20) /* up to so many keys of 4 bytes go by digits: measured on an H100 */

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static inline unsigned log_cells(size_t key) { return key == 4 ? 9 : 11; }
static inline unsigned deal_v(size_t key) { return key == 4 ? 32 : 20; }
static inline unsigned deal_tile(size_t key) { return DEAL_W * deal_v(key); }
static inline size_t cell_bytes(size_t key) { return key == 4 ? 16 : 8; }
static inline size_t cells_bytes(size_t key) { return cell_bytes(key) << log_cells(key); }

/* Shared memory of a kernel: as the structs of the kernels, or more. */
static inline size_t local_bytes(size_t key, size_t items)
{
    const size_t most = items * SORT_V, bins = most >= 8192 ? 1 << 13 : 1 << 12;
    return most * key + bins * 4 + 256;
}

static inline size_t deal_bytes(size_t key)
{
    return deal_tile(key) * key + (size_t)DIGITS * 8 + 256 + cells_bytes(key);
}
static inline size_t few_bytes(size_t key)
{
    return (size_t)DEAL_W * FEW_V * key + (size_t)DIGITS * 8 + 256 + cells_bytes(key);
}
static inline size_t rest_bytes(size_t key) { return local_bytes(key, SORT_W) + 2 * 256 * 4 + 256; }

/* The most buckets that a work-group can count: two bytes each. */
static inline uint32_t countable(const opi_gpu_facts *facts, size_t key)
{
    return (uint32_t)opi_smaller((facts->local_most - cells_bytes(key)) / 2, BUCKETS) & ~1u;
}

static inline size_t count_bytes(size_t key, uint32_t buckets) { return cells_bytes(key) + (size_t)buckets * 2 + 16; }

/* Whether one launch sorts them. */
static inline bool is_one(uint64_t n) { return n <= LARGE_MOST; }

/* --- the programs (partition_program.c) ------------------------------------------------------------------------------ */

/* By the number of keys: one launch sorts them, one deal is enough, or there are two. */
typedef enum partition_size { SIZE_ONE, SIZE_FEW, SIZE_MANY } partition_size;

/* Finds the program for this job's keys. */
oplus_status opi_partition_program(const opi_job *job, partition_size size, opi_program **program);
/* Once for each program: allows its kernels their memory, and asks how many groups of `rest` run at the same time. */
oplus_status opi_partition_allow(const opi_job *job, partition_size size, opi_program *program);

#endif
