/* The k first keys in an order, or the one at a place, on an accelerator. */
#ifndef OPI_GPU_TOP_H
#define OPI_GPU_TOP_H

#include "base/memory.h"
#include "gpu/job.h"
#include "gpu/source.h"

/* A top, or an nth, under way. */
typedef struct opi_top_job {
    opi_job job;   /* must be first */
    size_t copied; /* bytes of copies of the host's arrays, which come first in g->top */
} opi_top_job;

/* Makes room for items behind so many bytes, and returns where they begin. */
static inline size_t opi_top_place(size_t *bytes, uint64_t items, size_t size)
{
    const size_t at = *bytes;
    *bytes += opi_round_up(items * size, OPI_CACHE_LINE);
    return at;
}

/* --- where the task's arrays are ------------------------------------------------------------------------------------ */

typedef struct opi_top_sides {
    opi_gpu_side side[3];
    size_t place[3];         /* where the copy of an array of the host begins in g->top */
    bool is_host, is_device; /* all of them */
} opi_top_sides;

/* Looks where they lie, and makes room for copies of those of the host. */
oplus_status opi_top_look(opi_top_job *t, opi_top_sides *s);
/* All of them, or their copies. */
opi_part opi_top_part(const opi_job *job, const opi_top_sides *s);
/* Copies to the host what belongs there. */
oplus_status opi_top_take_results(const opi_job *job, const opi_top_sides *s, const opi_part *part);

/* What the texts of a top and of an nth have in common; lists_spots: they write down where a key was. */
void opi_top_write_source(opi_gpu_source *source, const opi_job *job, size_t spot, bool lists_spots);

/* --- keys and samples --------------------------------------------------------------------------------------------- */

static inline size_t opi_top_key_bytes(const opi_job *job) { return job->task->top.key->size; }

/* Of a key as kernels keep it. */
static inline size_t opi_top_word_bytes(const opi_job *job) { return opi_top_key_bytes(job) == 8 ? 8 : 4; }

/* How many work-groups of the kernels that read all keys run at the same time on a multiprocessor. */
enum { OPI_TOP_RESIDENTS = 4 };

/* How many samples one work-group looks at: a power of two.  They are in half of local memory at most. */
static inline uint64_t opi_top_samples(const opi_job *job)
{
    enum { MOST = 1 << 12, LEAST_LOCAL = 48 << 10 };
    return opi_top_word_bytes(job) == 8 && job->g->gpu->facts.local < LEAST_LOCAL ? MOST / 2 : MOST;
}

static inline uint64_t opi_square_root(uint64_t x)
{
    uint64_t root = 0;
    while ((root + 1) * (root + 1) <= x) root++;
    return root;
}

/* --- ways (gpu/ways.h) -------------------------------------------------------------------------------------------- */

bool opi_top_sift_can(const opi_job *job, uint64_t n);
oplus_status opi_top_sift_prepare(opi_job *job, uint64_t n);
oplus_status opi_top_sift_run(opi_job *job, const opi_part *part);
bool opi_top_digits_can(const opi_job *job, uint64_t n);
oplus_status opi_top_digits_prepare(opi_job *job, uint64_t n);
oplus_status opi_top_digits_run(opi_job *job, const opi_part *part);
oplus_status opi_top_argsort_prepare(opi_job *job, uint64_t n);
oplus_status opi_top_argsort_run(opi_job *job, const opi_part *part);
bool opi_nth_sift_can(const opi_job *job, uint64_t n);
oplus_status opi_nth_sift_prepare(opi_job *job, uint64_t n);
oplus_status opi_nth_sift_run(opi_job *job, const opi_part *part);
oplus_status opi_nth_digits_prepare(opi_job *job, uint64_t n);
oplus_status opi_nth_digits_run(opi_job *job, const opi_part *part);

/* --- tasks that are dealt out (gpu/deals.h) -------------------------------------------------------------------------- */

/* Accelerator 0 looks at samples; each sifts what it has, by the bounds that accelerator 0 has found, into a list of its own;
 * accelerator 0 appends the lists of all to its own, and finds in it what is wanted, or, if it is not there, in the whole
 * array. */
typedef struct opi_top_dealt {
    opi_top_job of,
        alone; /* the job of an accelerator, and its job in the steps that one accelerator does: with their programs */
    opi_top_sides sides;
    opi_part part;
} opi_top_dealt;

/* get: gets the program of a job. */
oplus_status opi_top_begin_dealt(const opi_job *job, oplus_status (*get)(opi_job *job), opi_top_dealt *d);
bool opi_top_deals(opi_job *job);
oplus_status opi_top_prepare_dealt(opi_job *job);
oplus_status opi_top_sample_dealt(opi_job *job);
oplus_status opi_top_sift_dealt(opi_job *job);
oplus_status opi_top_join_dealt(opi_job *job);
bool opi_nth_deals(opi_job *job);
oplus_status opi_nth_prepare_dealt(opi_job *job);
oplus_status opi_nth_sample_dealt(opi_job *job);
oplus_status opi_nth_sift_dealt(opi_job *job);
oplus_status opi_nth_join_dealt(opi_job *job);

#endif
