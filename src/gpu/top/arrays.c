/* The k first keys in an order, or the one at a place, on an accelerator: where the task's arrays are, and copies of those
 * of the host. */
#include "base/error.h"
#include "cores/cores.h"
#include "gpu/canon/tree.h"
#include "gpu/memory.h"
#include "gpu/top/top.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"

static bool is_copied(const opi_job *job, const opi_top_sides *s, int k)
{
    return job->task->array[k].mem && s->side[k] != OPI_SIDE_DEVICE;
}

static size_t bytes_of(const opi_array *array) { return array->items * array->size; }

oplus_status opi_top_look(opi_top_job *t, opi_top_sides *s)
{
    static const char *const names[] = {"keys", "out", "indices"};
    const opi_job *const job = &t->job;
    *s = (opi_top_sides){.side = {OPI_SIDE_HOST, OPI_SIDE_HOST, OPI_SIDE_HOST}, .is_host = true, .is_device = true};
    for (int k = 0; k < 3; k++) {
        const opi_array *const array = &job->task->array[k];
        if (!array->mem) continue;
        OPI_TRY(opi_gpu_side_of(job->g, job->call, names[k], array->mem, bytes_of(array), &s->side[k]));
        const bool copied = is_copied(job, s, k);
        s->is_host &= copied;
        s->is_device &= !copied;
        if (copied) s->place[k] = opi_top_place(&t->copied, array->items, array->size);
    }
    return OPLUS_OK;
}

opi_part opi_top_part(const opi_job *job, const opi_top_sides *s)
{
    opi_part part = {.n = job->task->n, .last = true};
    char *const copies = job->g->top.mem; /* NULL: a call that is dealt out has no memory for them yet */
    for (int k = 0; k < 3; k++) {
        const char *const copy = copies ? copies + s->place[k] : NULL;
        part.address[k] = is_copied(job, s, k) ? copy : job->task->array[k].mem;
    }
    return part;
}

void opi_top_write_source(opi_gpu_source *source, const opi_job *job, size_t spot, bool lists_spots)
{
    opi_gpu_write_shape(source, job->shape, opi_top_key_bytes(job));
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_HAS_WARPS", opi_gpu_has_warps(source, job->shape));
    opi_gpu_define(source, "OPI_RESIDENTS", OPI_TOP_RESIDENTS);
    opi_gpu_define(source, "OPI_KEY_SIZE", opi_top_key_bytes(job));
    opi_gpu_define(source, "OPI_SPOT_SIZE", spot);
    opi_gpu_define(source, "OPI_LISTS_SPOTS", lists_spots);
    opi_gpu_define(source, "OPI_SAMPLES", opi_top_samples(job));
    opi_deal_write(job->deal, source);
    opi_gpu_write_kernels(source, "top");
    opi_gpu_write_kernels(source, "list");
}

oplus_status opi_top_begin_dealt(const opi_job *job, oplus_status (*get)(opi_job *job), opi_top_dealt *d)
{
    d->of = (opi_top_job){.job = *job};
    OPI_TRY(opi_top_look(&d->of, &d->sides));
    d->alone = d->of;
    d->alone.job.deal = NULL;
    d->part = opi_top_part(job, &d->sides);
    OPI_TRY(get(&d->of.job));
    return get(&d->alone.job);
}

oplus_status opi_top_take_results(const opi_job *job, const opi_top_sides *s, const opi_part *part)
{
    const opi_array *const array = job->task->array;
    for (int k = OPI_TOP_OUT; k <= OPI_TOP_INDICES; k++)
        if (is_copied(job, s, k))
            OPI_TRY(opi_transfer_down(job->g, job->call, s->side[k], (char *)array[k].mem, part->address[k],
                                      bytes_of(&array[k])));
    return OPLUS_OK;
}

static oplus_status run(opi_job *job, const opi_top_sides *s)
{
    const opi_array *const in = &job->task->array[OPI_IN];
    const opi_part part = opi_top_part(job, s);
    if (is_copied(job, s, OPI_IN))
        OPI_TRY(
            opi_transfer_up(job->g, job->call, s->side[OPI_IN], (char *)part.address[OPI_IN], in->mem, bytes_of(in)));
    OPI_TRY(opi_way_run(job, &part));
    return opi_top_take_results(job, s, &part);
}

/* The cores do what does not fit the device.  The key that an nth gives may belong there all the same. */
static oplus_status run_on_cores(const opi_job *job, const opi_top_sides *s)
{
    uint64_t key;
    opi_task task = *job->task;
    opi_array *const out = &task.array[OPI_NTH_OUT];
    void *const there = s->side[OPI_NTH_OUT] == OPI_SIDE_DEVICE ? (void *)out->mem : NULL;
    if (job->g->rehearsal) return OPLUS_OK;
    if (there) out->mem = &key;
    OPI_TRY(opi_cores_run(job->g->dev.cores, job->call, &task, NULL));
    if (!there) return OPLUS_OK;
    return opi_gpu_settle(job->g, job->call, opi_transfer_up(job->g, job->call, OPI_SIDE_HOST, there, &key, out->size));
}

oplus_status opi_gpu_top(opi_job *job)
{
    opi_top_job t = {.job = *job};
    opi_top_sides s;
    OPI_TRY(opi_top_look(&t, &s));
    const bool cores_can = s.is_host || (job->task->what == OPI_NTH && is_copied(job, &s, OPI_IN));
    if (cores_can && t.copied > opi_smaller(job->g->memory_bytes, job->g->gpu->facts.largest))
        return run_on_cores(job, &s);
    OPI_TRY(opi_way_prepare(&t.job, job->task->n));
    const oplus_status status = run(&t.job, &s);
    return s.is_device ? status : opi_gpu_settle(job->g, job->call, status);
}
