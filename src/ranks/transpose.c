/* A transpose over ranks.
 *
 * A rank brings its elements into the order of columns, which is the order of the result, so that the elements for
 * another rank are one run.  After the exchange it puts the runs of all ranks together.  All ranks can compute the
 * lengths of the runs: they know how many elements every rank gives and gets. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "cores/cores.h"
#include "cores/regroup.h"
#include "task/make.h"

#include <assert.h>
#include <stdio.h>

/* An array of elements, and the memory that it is in. */
typedef struct array {
    char *mem;
    bool device;
} array;

/* The state of a call on this rank.  Elements go from in to by_columns, received and out; some of these may be the same
 * array. */
typedef struct transposer {
    opi_ranks *ranks;
    size_t size;           /* bytes of an element */
    size_t rows, cols;     /* extents of the matrix */
    size_t n, m;           /* elements of in and of out */
    array in;              /* the caller's */
    array by_columns;      /* what this rank gives, column by column */
    array received;        /* what this rank gets: the run of each rank is column by column */
    array out;             /* the caller's */
    opi_slice own;         /* what this rank gives, as a part of the matrix */
    size_t first;          /* index of out[0] in the transposed matrix */
    char *spare;           /* host memory for elements before they are regrouped, then for received elements; or NULL */
    char *staged;          /* host memory for the result, if out is in the memory of a device; or NULL */
    opi_matrix_part *part; /* what each rank gives */
    size_t *send_count, *send_at; /* elements that go to each rank, and where they are in by_columns */
    size_t *recv_count, *recv_at; /* elements that come from each rank, and where they go in received */
} transposer;

static size_t ranks_of(const transposer *t) { return (size_t)t->ranks->comm->size; }

/* --- what the ranks hold together --------------------------------------------------------------------------------- */

/* Names everything that must be the same on all ranks. */
static oplus_status prepare(transposer *t, const opi_task *task, const oplus_type *type)
{
    char options[80];
    t->size = type->size;
    t->rows = task->matrix.rows;
    t->cols = task->matrix.cols;
    t->in.mem = (char *)task->array[OPI_IN].mem; /* never written */
    t->out.mem = (char *)task->array[OPI_TURNED_OUT].mem;
    OPI_TRY(opi_ranks_look(t->ranks, "in", t->in.mem, t->n * t->size, &t->in.device));
    OPI_TRY(opi_ranks_look(t->ranks, "out", t->out.mem, t->m * t->size, &t->out.device));
    snprintf(options, sizeof options, "%zu rows, %zu cols", t->rows, t->cols);
    opi_ranks_name_types(t->ranks, type, NULL, options);
    return OPLUS_OK;
}

/* Fails if the numbers of elements are wrong, on all ranks alike.  Each m is compared with what is left, because the
 * sum may be beyond 2^64. */
static oplus_status check_sums(const transposer *t)
{
    const opi_ranks *const ranks = t->ranks;
    const uint64_t all = (uint64_t)t->rows * t->cols;
    uint64_t left = all;
    if (ranks->total != all)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the ranks' n are %llu elements together, but %zu rows of %zu are %llu; give each element "
                        "on one rank",
                        ranks->call, (unsigned long long)ranks->total, t->rows, t->cols, (unsigned long long)all);
    for (int q = 0; q < ranks->comm->size; q++) {
        if (ranks->note[q].m > left)
            return opi_fail(OPLUS_ERR_ARGUMENT,
                            "%s: the ranks' m are more than the %llu elements of %zu rows of %zu: up to rank %d they "
                            "leave %llu, and that rank wants %llu; want each element on one rank",
                            ranks->call, (unsigned long long)all, t->rows, t->cols, q, (unsigned long long)left,
                            (unsigned long long)ranks->note[q].m);
        left -= ranks->note[q].m;
    }
    if (left == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: the ranks' m are %llu elements together, but %zu rows of %zu are %llu; want each element on "
                    "one rank",
                    ranks->call, (unsigned long long)(all - left), t->rows, t->cols, (unsigned long long)all);
}

/* --- who gives what to whom --------------------------------------------------------------------------------------- */

/* The place of out[index - first] in the matrix.  For the index behind the last element, the column is the one behind
 * the last column. */
static opi_place place_of(const transposer *t, size_t index) { return (opi_place){index % t->rows, index / t->rows}; }

/* Reserves memory for the lists. */
static oplus_status reserve_lists(transposer *t)
{
    void *mem;
    const size_t p = ranks_of(t);
    OPI_TRY(opi_ranks_lend(t->ranks, false, p * (sizeof(opi_matrix_part) + 4 * sizeof(size_t)), &mem));
    t->part = mem;
    t->send_count = (size_t *)(t->part + p);
    t->send_at = t->send_count + p;
    t->recv_count = t->send_at + p;
    t->recv_at = t->recv_count + p;
    return OPLUS_OK;
}

/* The parts of all ranks, and how many elements of each part this rank gets. */
static void list_received(transposer *t)
{
    const size_t p = ranks_of(t);
    const opi_place begin = place_of(t, t->first), end = place_of(t, t->first + t->m);
    size_t index = 0, received = 0;
    for (size_t q = 0; q < p; q++) {
        opi_matrix_part *const part = &t->part[q];
        const size_t next = index + (size_t)t->ranks->note[q].n;
        part->slice = opi_slice_of(index, next, t->cols);
        part->first = opi_slice_before(&part->slice, begin);
        t->recv_count[q] = opi_slice_before(&part->slice, end) - part->first;
        t->recv_at[q] = received;
        received += t->recv_count[q];
        index = next;
    }
    assert(received == t->m);
}

/* How many of this rank's elements each rank gets. */
static void list_sent(transposer *t)
{
    const size_t p = ranks_of(t);
    size_t index = 0, sent = 0;
    for (size_t q = 0; q < p; q++) {
        index += (size_t)t->ranks->note[q].m;
        t->send_at[q] = sent;
        sent = opi_slice_before(&t->own, place_of(t, index));
        t->send_count[q] = sent - t->send_at[q];
    }
    assert(sent == t->n);
}

static void find_own(transposer *t)
{
    const size_t first = (size_t)t->ranks->first;
    t->own = opi_slice_of(first, first + t->n, t->cols);
    t->first = 0;
    for (int q = 0; q < t->ranks->comm->rank; q++) t->first += (size_t)t->ranks->note[q].m;
}

/* --- where the elements lie --------------------------------------------------------------------------------------- */

/* Whether a range of a matrix is the same by rows and by columns: it lies in one row, or in one column. */
static bool is_line(size_t begin, size_t n, size_t cols)
{
    return n == 0 || cols == 1 || begin / cols == (begin + n - 1) / cols;
}

static bool comes_from_one(const transposer *t)
{
    for (size_t q = 0; q < ranks_of(t); q++)
        if (t->recv_count[q] > 0) return t->recv_count[q] == t->m;
    return true;
}

static bool is_ragged(const transposer *t) { return t->own.begin.col > 0 || t->own.end.col > 0; }

/* Whole rows are turned on the device where they are.  The host regroups a part that begins or ends inside a row. */
static oplus_status reserve_by_columns(transposer *t)
{
    if (is_line((size_t)t->ranks->first, t->n, t->cols)) {
        t->by_columns = t->in;
        return OPLUS_OK;
    }
    void *mem;
    t->by_columns.device = t->in.device && !is_ragged(t);
    OPI_TRY(opi_ranks_lend(t->ranks, t->by_columns.device, t->n * t->size, &mem));
    t->by_columns.mem = mem;
    return OPLUS_OK;
}

static oplus_status reserve(transposer *t)
{
    OPI_TRY(reserve_by_columns(t));
    const bool turns_apart = t->by_columns.mem != t->in.mem && is_ragged(t);
    const bool direct = is_line(t->first, t->m, t->rows) || comes_from_one(t);
    size_t spare = turns_apart ? t->n : 0;
    if (!direct && spare < t->m) spare = t->m;
    void *mem;
    OPI_TRY(opi_ranks_lend(t->ranks, false, spare * t->size, &mem));
    t->spare = mem;
    t->received = direct ? t->out : (array){t->spare, false};
    OPI_TRY(opi_ranks_lend(t->ranks, false, t->out.device && !direct ? t->m * t->size : 0, &mem));
    t->staged = mem;
    return OPLUS_OK;
}

/* --- turning and regrouping --------------------------------------------------------------------------------------- */

/* Transposes `rows` rows on this rank's machine; the arrays do not overlap. */
static oplus_status turn(const transposer *t, const char *in, size_t rows, char *out)
{
    opi_task task;
    opi_task_transpose(&task, t->size, in, rows, t->cols, out);
    return task.n == 0 ? OPLUS_OK : opi_run(t->ranks->dev, t->ranks->call, &task, NULL);
}

/* For host memory only. */
static oplus_status regroup(const transposer *t, const opi_regroup_sweep *plan)
{
    return opi_cores_sweep(opi_cores_of(t->ranks->dev), t->ranks->call, &plan->sweep, NULL);
}

/* Transposes the end of a row, whole rows, and the beginning of a row: the machine turns the whole rows, and the host
 * puts the three together. */
static oplus_status regroup_ragged(transposer *t)
{
    const char *const call = t->ranks->call;
    oplus_device *const dev = t->ranks->dev;
    const opi_slice own = t->own;
    const size_t size = t->size, cols = t->cols;
    const size_t first_whole = own.begin.row + (own.begin.col > 0), whole_rows = own.end.row - first_whole;
    const size_t head = own.begin.col > 0 ? cols - own.begin.col : 0, whole = whole_rows * cols, tail = own.end.col;
    const char *const from_head = t->in.mem, *const from_tail = t->in.mem + (head + whole) * size;
    char *const turned = t->spare + head * size, *const last = turned + whole * size;
    OPI_TRY(turn(t, from_head + head * size, whole_rows, turned));
    if (t->in.device) {
        if (head > 0) OPI_TRY(dev->machine->copy(dev, call, t->spare, from_head, head * size));
        if (tail > 0) OPI_TRY(dev->machine->copy(dev, call, last, from_tail, tail * size));
    }
    const opi_place below_head = {first_whole, 0}, above_tail = {own.end.row, 0};
    const opi_matrix_part part[] = {{{own.begin, below_head}, t->in.device ? t->spare : from_head, 0},
                                    {{below_head, above_tail}, turned, 0},
                                    {{above_tail, own.end}, t->in.device ? last : from_tail, 0}};
    opi_regroup_sweep plan;
    opi_regroup_plan(&plan, size, cols, &own, part, 3, t->by_columns.mem, 0, t->n);
    return regroup(t, &plan);
}

static oplus_status order_by_columns(transposer *t)
{
    OPI_TRY(reserve_lists(t));
    list_received(t);
    list_sent(t);
    OPI_TRY(reserve(t));
    if (t->by_columns.mem == t->in.mem) return OPLUS_OK;
    if (is_ragged(t)) return regroup_ragged(t);
    return turn(t, t->in.mem, t->n / t->cols, t->by_columns.mem);
}

static oplus_status put_together(transposer *t)
{
    const opi_ranks *const ranks = t->ranks;
    if (t->received.mem == t->out.mem) return OPLUS_OK;
    assert(t->recv_at != NULL); /* all ranks have agreed that their numbers are right */
    for (size_t q = 0; q < ranks_of(t); q++) t->part[q].from = t->received.mem + t->recv_at[q] * t->size;
    const opi_slice whole = opi_slice_of(0, t->rows * t->cols, t->cols);
    void *const out = t->out.device ? t->staged : t->out.mem;
    opi_regroup_sweep plan;
    opi_regroup_plan(&plan, t->size, t->cols, &whole, t->part, ranks->comm->size, out, t->first, t->m);
    OPI_TRY(regroup(t, &plan));
    return t->out.device ? ranks->dev->machine->copy(ranks->dev, ranks->call, t->out.mem, out, t->m * t->size)
                         : OPLUS_OK;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static oplus_status exchange(const transposer *t)
{
    const opi_parcel parcel = {.size = t->size,
                               .send = t->by_columns.mem,
                               .recv = t->received.mem,
                               .send_count = t->send_count,
                               .send_at = t->send_at,
                               .recv_count = t->recv_count,
                               .recv_at = t->recv_at};
    return opi_ranks_exchange(t->ranks, &parcel);
}

oplus_status opi_ranks_transpose(opi_ranks *ranks, oplus_status status, const opi_task *task, const oplus_type *type,
                                 size_t n, size_t m)
{
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    transposer t = {.ranks = ranks, .n = n, .m = m};
    if (status == OPLUS_OK) status = prepare(&t, task, type);
    OPI_TRY(opi_ranks_index(ranks, status, n, m, t.in.device || t.out.device ? OPI_NOTE_DEVICE : 0));
    OPI_TRY(check_sums(&t));
    if (ranks->total == 0) return OPLUS_OK;
    assert(t.rows > 0 && t.cols > 0); /* all ranks have agreed on that, and there are elements */
    if (ranks->comm->size == 1) return opi_run(ranks->dev, ranks->call, task, NULL);
    find_own(&t);
    OPI_TRY(opi_ranks_agree(ranks, order_by_columns(&t)));
    status = exchange(&t);
    if (status == OPLUS_OK) status = put_together(&t);
    return opi_ranks_agree(ranks, status);
}
