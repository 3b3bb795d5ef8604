#include "gpu/whole.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"

#include <string.h>

static size_t bytes_of(const opi_array *array) { return array->items * array->size; }

/* Whether the task does not have the array, or nothing in it. */
static bool is_empty(const opi_array *array) { return !array->mem || bytes_of(array) == 0; }

oplus_status opi_whole_look(const opi_job *job, const char *const *names, opi_whole *whole)
{
    const opi_task *const task = job->task;
    memset(whole, 0, sizeof *whole);
    whole->part.n = task->n;
    whole->part.last = whole->is_host = true;
    for (int k = 0; k < task->arrays; k++) {
        const opi_array *const array = &task->array[k];
        if (is_empty(array)) continue;
        const size_t bytes =
            array->access == OPI_APPENDS ? 1 : bytes_of(array); /* it need not have room for all items */
        OPI_TRY(opi_gpu_side_of(job->g, job->call, names[k], array->mem, bytes, &whole->side[k]));
        if (whole->side[k] == OPI_SIDE_DEVICE) {
            whole->part.address[k] = array->mem;
            whole->is_host = false;
            continue;
        }
        whole->place[k] = whole->bytes;
        whole->bytes += opi_round_up(bytes_of(array), OPI_CACHE_LINE);
    }
    return OPLUS_OK;
}

bool opi_whole_is_too_large(const opi_job *job, const opi_whole *whole, size_t room)
{
    return whole->is_host && whole->bytes > opi_smaller(room, job->g->gpu->facts.largest);
}

/* Whether an array has a copy on the device. */
static bool is_copied(const opi_job *job, const opi_whole *whole, int k)
{
    return !is_empty(&job->task->array[k]) && whole->side[k] != OPI_SIDE_DEVICE;
}

oplus_status opi_whole_place(const opi_job *job, opi_whole *whole)
{
    opi_gpu_buffer *const copies = &job->g->array[0];
    if (whole->bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, copies, whole->bytes));
    for (int k = 0; k < job->task->arrays; k++)
        if (is_copied(job, whole, k)) whole->part.address[k] = (char *)copies->mem + whole->place[k];
    return OPLUS_OK;
}

oplus_status opi_whole_bring(const opi_job *job, const opi_whole *whole)
{
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        if (is_copied(job, whole, k) && (array->access == OPI_READS || array->access == OPI_CHANGES))
            OPI_TRY(opi_transfer_up(job->g, job->call, whole->side[k], (char *)whole->part.address[k], array->mem,
                                    bytes_of(array)));
    }
    return OPLUS_OK;
}

oplus_status opi_whole_take(const opi_job *job, const opi_whole *whole, int k, size_t items)
{
    const opi_array *const array = &job->task->array[k];
    if (!is_copied(job, whole, k)) return OPLUS_OK;
    return opi_transfer_down(job->g, job->call, whole->side[k], (char *)array->mem, whole->part.address[k],
                             items * array->size);
}

static oplus_status run(opi_job *job, const opi_whole *whole)
{
    const opi_task *const task = job->task;
    OPI_TRY(opi_whole_bring(job, whole));
    OPI_TRY(opi_way_run(job, &whole->part));
    for (int k = 0; k < task->arrays; k++)
        if (task->array[k].access == OPI_WRITES || task->array[k].access == OPI_CHANGES)
            OPI_TRY(opi_whole_take(job, whole, k, task->array[k].items));
    return OPLUS_OK;
}

oplus_status opi_whole_run(opi_job *job, opi_whole *whole)
{
    OPI_TRY(opi_way_prepare(job, whole->part.n));
    OPI_TRY(opi_whole_place(job, whole));
    if (whole->bytes == 0) return opi_way_run(job, &whole->part);
    return opi_gpu_settle(job->g, job->call, run(job, whole));
}
