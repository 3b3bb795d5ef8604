/* Transpose on an accelerator: matrices of the host are copied in bands. */
#include "base/error.h"
#include "cores/cores.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"
#include "gpu/transpose/turns.h"

#include <assert.h>

/* A matrix of the task, and its transpose. */
typedef struct turner {
    opi_turning t; /* must be first */
    const char *in;
    char *out;
    size_t rows, cols;
    opi_gpu_side from, to; /* where the matrices lie */
} turner;

/* Transposes rows x cols from one matrix on the device to another; pitches are in elements. */
static oplus_status turn(turner *all, const char *in, size_t in_pitch, size_t rows, size_t cols, char *out,
                         size_t out_pitch)
{
    opi_turning *const t = &all->t;
    t->in = in;
    t->in_pitch = in_pitch;
    t->rows = rows;
    t->cols = cols;
    t->out = out;
    t->out_pitch = out_pitch;
    return opi_turn(t);
}

static oplus_status upload(const turner *all, char *to, const char *from, size_t bytes)
{
    return opi_transfer_up(all->t.job.g, all->t.job.call, all->from, to, from, bytes);
}

static oplus_status download(const turner *all, char *to, const char *from, size_t bytes)
{
    return opi_transfer_down(all->t.job.g, all->t.job.call, all->to, to, from, bytes);
}

/* Then no copy is under way. */
static oplus_status settle(const turner *all, oplus_status status)
{
    return opi_gpu_settle(all->t.job.g, all->t.job.call, status);
}

static oplus_status reserve(const turner *all, size_t bytes, char **mem)
{
    opi_gpu_buffer *const work = &all->t.job.g->work;
    OPI_TRY(opi_gpu_reserve(all->t.job.g, all->t.job.call, work, bytes));
    *mem = work->mem;
    return OPLUS_OK;
}

/* --- matrices of the host ----------------------------------------------------------------------------------------- */

static size_t room_of(const turner *all) { return OPI_SLOTS * all->t.job.g->piece_bytes; }

static size_t lines_in(const turner *all, size_t line_bytes)
{
    return line_bytes < room_of(all) ? room_of(all) / line_bytes : 1;
}

/* Copies bands of rows from the host, which become columns of a matrix on the device. */
static oplus_status turn_from_host(turner *all)
{
    const size_t size = all->t.size, line = all->cols * size;
    const size_t most = opi_smaller(all->rows, lines_in(all, line));
    char *mem;
    OPI_TRY(reserve(all, most * line, &mem));
    for (size_t row = 0; row < all->rows; row += most) {
        const size_t band = opi_smaller(most, all->rows - row);
        OPI_TRY(upload(all, mem, all->in + row * line, band * line));
        OPI_TRY(turn(all, mem, all->cols, band, all->cols, all->out + row * size, all->rows));
    }
    return OPLUS_OK;
}

/* Copies bands of columns of a matrix on the device to the host, where they become rows. */
static oplus_status turn_to_host(turner *all)
{
    const size_t size = all->t.size, line = all->rows * size;
    const size_t most = opi_smaller(all->cols, lines_in(all, line));
    char *mem;
    OPI_TRY(reserve(all, most * line, &mem));
    for (size_t col = 0; col < all->cols; col += most) {
        const size_t band = opi_smaller(most, all->cols - col);
        OPI_TRY(turn(all, all->in + col * size, all->cols, all->rows, band, mem, all->rows));
        OPI_TRY(download(all, all->out + col * line, mem, band * line));
    }
    return OPLUS_OK;
}

/* Copies the whole matrix to the device and back. */
static oplus_status turn_whole(turner *all)
{
    const size_t bytes = all->rows * all->cols * all->t.size, second = opi_round_up(bytes, OPI_CACHE_LINE);
    char *came;
    OPI_TRY(reserve(all, second + bytes, &came));
    char *const turned = came + second;
    oplus_status status = upload(all, came, all->in, bytes);
    if (status == OPLUS_OK) status = turn(all, came, all->cols, all->rows, all->cols, turned, all->rows);
    if (status == OPLUS_OK) status = download(all, all->out, turned, bytes);
    return status;
}

/* If the matrix does not fit, the host would have to scatter each band that comes back over all of out.  In that time
 * its own loops can turn the whole matrix, in place too. */
static oplus_status turn_on_host(const turner *all)
{
    const opi_job *const job = &all->t.job;
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
}

/* --- the choice --------------------------------------------------------------------------------------------------- */

/* From the first element to the last one. */
static size_t bytes_of(const turner *all, size_t rows, size_t pitch, size_t cols)
{
    return ((rows - 1) * pitch + cols) * all->t.size;
}

oplus_status opi_gpu_transpose(opi_job *job)
{
    const opi_task *const task = job->task;
    turner all = {.t = {.job = *job, .size = task->array[OPI_IN].size},
                  .in = task->array[OPI_IN].mem,
                  .out = (char *)task->array[OPI_TURNED_OUT].mem,
                  .rows = task->matrix.rows,
                  .cols = task->matrix.cols};
    const size_t bytes = task->n * all.t.size, in_pitch = task->matrix.in_pitch, out_pitch = task->matrix.out_pitch;
    const bool is_part = in_pitch > all.cols || out_pitch > all.rows;
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "in", all.in, bytes_of(&all, all.rows, in_pitch, all.cols), &all.from));
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "out", all.out, bytes_of(&all, all.cols, out_pitch, all.rows), &all.to));
    if (is_part) {
        assert(all.from == OPI_SIDE_DEVICE && all.to == OPI_SIDE_DEVICE && all.in != all.out);
        return turn(&all, all.in, in_pitch, all.rows, all.cols, all.out, out_pitch);
    }
    if (all.rows == 1 || all.cols == 1) return opi_gpu_copy(job->g, job->call, all.out, all.in, bytes);
    const bool brings = all.from != OPI_SIDE_DEVICE, takes = all.to != OPI_SIDE_DEVICE;
    if (brings && takes) return bytes <= room_of(&all) / 2 ? settle(&all, turn_whole(&all)) : turn_on_host(&all);
    if (brings) return settle(&all, turn_from_host(&all));
    if (takes) return settle(&all, turn_to_host(&all));
    return turn(&all, all.in, all.cols, all.rows, all.cols, all.out, all.rows);
}
