/* oplus_filter, and over ranks. */
#include "cores/filter.h"
#include "front/check.h"
#include "front/fn.h"
#include "ranks/ranks.h"

#include <assert.h>
#include <string.h>

static oplus_status check(const char *call, const oplus_device *dev, const oplus_fn *keep, const void *in, size_t n,
                          const void *out, const size_t *kept)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_fn(call, "keep", keep));
    if (keep->arity != 1 || keep->result->scalar != OPLUS_U8)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: keep is function \"%s\" of %u inputs with a result of type %s; give a predicate, one input and "
            "a result 0 or 1 of type uint8_t, made by OPLUS_PREDICATE",
            call, opi_name(keep->name), keep->arity, opi_name(keep->result->name));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    if (!kept)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kept is NULL; give a size_t for the number of kept elements", call);
    const size_t size = keep->input[0]->size;
    OPI_TRY(opi_check_bytes(call, "n", n, size));
    /* How far out reaches is not known yet.  Where it begins before `in` even an overlap would give right results: the
     * kept elements of a block never go beyond the end of that block. */
    if ((uintptr_t)out <= (uintptr_t)in) return OPLUS_OK;
    return opi_check_overlap(call, "in", in, n * size, "out", out, size, false);
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out,
                        size_t *kept)
{
    opi_filter_sweep plan;
    opi_filter_plan(&plan, keep, dev->isa, in, n, out, kept);
    return opi_sweep_run(dev, call, &plan.sweep, NULL);
}

oplus_status oplus_filter(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out, size_t *kept)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, keep, in, n, out, kept));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    return run(__func__, dev, keep, in, n, out, kept);
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

/* A call under way on this rank. */
typedef struct filterer {
    opi_ranks *ranks;
    const oplus_fn *keep;
    oplus_layout layout;
    const char *in;
    size_t n;
    char *out;
    size_t capacity;
    bool device;     /* in is in its memory */
    char *apart;     /* what is kept, where it cannot be put into out at once */
    uint64_t kept;   /* of in */
    uint64_t *first; /* index of each rank's first kept element among those of all, and how many there are */
    size_t *send_count, *send_at, *recv_count, *recv_at; /* to and from each rank */
} filterer;

/* --- arguments --- */

static oplus_status check_all(filterer *f, const size_t *kept)
{
    const char *const call = f->ranks->call;
    OPI_TRY(check(call, f->ranks->dev, f->keep, f->in, f->n, f->out, kept));
    OPI_TRY(opi_check_ranks_layout(call, f->layout));
    OPI_TRY(opi_check_bytes(call, "capacity", f->capacity, f->keep->input[0]->size));
    if (f->out || f->capacity == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: out is NULL though capacity is %zu; give memory for %zu elements", call,
                    f->capacity, f->capacity);
}

/* All that this rank can find wrong by itself, and memory for what follows. */
static oplus_status prepare(filterer *f, const size_t *kept, bool *device)
{
    opi_ranks *const ranks = f->ranks;
    bool out_device;
    OPI_TRY(check_all(f, kept));
    const size_t size = f->keep->input[0]->size;
    OPI_TRY(opi_ranks_look(ranks, "in", f->in, f->n * size, &f->device));
    OPI_TRY(opi_ranks_look(ranks, "out", f->out, f->capacity * size, &out_device));
    *device = f->device || out_device;
    opi_ranks_name_fn(ranks, f->keep, f->layout == OPLUS_EVEN ? "even" : "as given");
    return opi_ranks_room(ranks, sizeof f->kept);
}

/* --- where they are kept --- */

/* Whether what is kept fits on every rank, whatever it is: then nobody has to wait with writing. */
static bool has_room_everywhere(const opi_ranks *ranks)
{
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].m < ranks->note[q].n) return false;
    return true;
}

static oplus_status too_small(const filterer *f, int rank, uint64_t capacity, uint64_t takes)
{
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: capacity on rank %d is %llu, but it gets %llu elements; give room for %llu", f->ranks->call,
                    rank, (unsigned long long)capacity, (unsigned long long)takes, (unsigned long long)takes);
}

/* Filters into `to`, or into memory of its own (NULL). */
static oplus_status filter_own(filterer *f, char *to)
{
    opi_ranks *const ranks = f->ranks;
    size_t kept = 0;
    if (!to) {
        void *mem;
        OPI_TRY(opi_ranks_alloc(ranks, f->device, f->n * f->keep->input[0]->size, &mem));
        to = f->apart = mem;
    }
    const oplus_status status = run(ranks->call, ranks->dev, f->keep, f->in, f->n, to, &kept);
    f->kept = kept;
    return status;
}

static oplus_status filter_tightly(filterer *f)
{
    OPI_TRY(filter_own(f, NULL));
    return f->kept <= f->capacity ? OPLUS_OK : too_small(f, f->ranks->comm->rank, f->capacity, f->kept);
}

static oplus_status copy_own(const filterer *f, size_t to, size_t from, size_t count)
{
    const size_t size = f->keep->input[0]->size;
    const opi_ranks *const ranks = f->ranks;
    if (count == 0) return OPLUS_OK;
    return ranks->dev->tree->copy(ranks->dev, ranks->call, f->out + to * size, f->apart + from * size, count * size);
}

static oplus_status run_as_given(filterer *f)
{
    if (has_room_everywhere(f->ranks)) return opi_ranks_agree(f->ranks, filter_own(f, f->out));
    OPI_TRY(opi_ranks_agree(f->ranks, filter_tightly(f)));
    return opi_ranks_agree(f->ranks, copy_own(f, 0, 0, (size_t)f->kept));
}

/* --- in equal blocks --- */

static oplus_status filter_apart(filterer *f)
{
    const size_t p = (size_t)f->ranks->comm->size;
    void *mem;
    OPI_TRY(opi_ranks_alloc(f->ranks, false, (p + 1) * sizeof(uint64_t) + 4 * p * sizeof(size_t), &mem));
    f->first = mem;
    f->send_count = (size_t *)(f->first + p + 1);
    f->send_at = f->send_count + p;
    f->recv_count = f->send_at + p;
    f->recv_at = f->recv_count + p;
    return filter_own(f, NULL);
}

/* Where each rank's kept elements are among those of all, and whether they all fit. */
static oplus_status place_kept(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int p = ranks->comm->size;
    assert(f->first); /* or the ranks would not have agreed */
    f->first[0] = 0;
    for (int q = 0; q < p; q++) {
        uint64_t kept;
        memcpy(&kept, opi_ranks_record(ranks, q, sizeof kept), sizeof kept);
        f->first[q + 1] = f->first[q] + kept;
    }
    for (int q = 0; q < p; q++) {
        const uint64_t block = opi_ranks_block(ranks, f->first[p], q + 1) - opi_ranks_block(ranks, f->first[p], q);
        if (ranks->note[q].m < block) return too_small(f, q, ranks->note[q].m, block);
    }
    return OPLUS_OK;
}

/* Of the elements [begin, end), those of [from, to): from which one on, counted from begin, and how many. */
static size_t common(uint64_t begin, uint64_t end, uint64_t from, uint64_t to, size_t *at)
{
    const uint64_t first = begin > from ? begin : from, last = end < to ? end : to;
    *at = first < last ? (size_t)(first - begin) : 0;
    return first < last ? (size_t)(last - first) : 0;
}

/* What goes to and comes from each rank; whether any element changes its rank, here or elsewhere. */
static bool list_moves(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int p = ranks->comm->size, own = ranks->comm->rank;
    const uint64_t total = f->first[p];
    const uint64_t begin = opi_ranks_block(ranks, total, own), end = opi_ranks_block(ranks, total, own + 1);
    bool moves = false;
    for (int q = 0; q < p; q++) {
        const uint64_t theirs = opi_ranks_block(ranks, total, q), next = opi_ranks_block(ranks, total, q + 1);
        f->send_count[q] = common(f->first[own], f->first[own + 1], theirs, next, &f->send_at[q]);
        f->recv_count[q] = common(begin, end, f->first[q], f->first[q + 1], &f->recv_at[q]);
        moves |= f->first[q] != theirs;
    }
    return moves;
}

/* What fails here is told after the exchange, for which the others wait. */
static oplus_status move(filterer *f)
{
    const int own = f->ranks->comm->rank;
    const bool moves = list_moves(f);
    const oplus_status stays = copy_own(f, f->recv_at[own], f->send_at[own], f->send_count[own]);
    if (!moves) return stays;
    f->send_count[own] = f->recv_count[own] = 0;
    const opi_parcel parcel = {.size = f->keep->input[0]->size,
                               .send = f->apart,
                               .recv = f->out,
                               .send_count = f->send_count,
                               .send_at = f->send_at,
                               .recv_count = f->recv_count,
                               .recv_at = f->recv_at};
    const oplus_status moved = opi_ranks_exchange(f->ranks, &parcel);
    return stays != OPLUS_OK ? stays : moved;
}

static oplus_status run_even(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int own = ranks->comm->rank;
    OPI_TRY(opi_ranks_gather(f->ranks, filter_apart(f), &f->kept, sizeof f->kept));
    OPI_TRY(place_kept(f));
    OPI_TRY(opi_ranks_agree(f->ranks, move(f)));
    const uint64_t total = f->first[ranks->comm->size];
    f->kept = opi_ranks_block(ranks, total, own + 1) - opi_ranks_block(ranks, total, own);
    return OPLUS_OK;
}

/* --- the call --- */

static oplus_status run_all(filterer *f, size_t *kept)
{
    opi_ranks *const ranks = f->ranks;
    bool device = false;
    const oplus_status prepared = prepare(f, kept, &device);
    OPI_TRY(opi_ranks_index(ranks, prepared, f->n, f->capacity, device ? OPI_NOTE_DEVICE : 0));
    OPI_TRY(f->layout == OPLUS_AS_GIVEN || ranks->comm->size == 1 ? run_as_given(f) : run_even(f));
    *kept = (size_t)f->kept;
    return OPLUS_OK;
}

oplus_status oplus_filter_all(oplus_device *dev, const oplus_comm *comm, const oplus_fn *keep, oplus_layout layout,
                              const void *in, size_t n, void *out, size_t capacity, size_t *kept)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    filterer f = {.ranks = &ranks, .keep = keep, .layout = layout, .in = in, .n = n, .out = out, .capacity = capacity};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, run_all(&f, kept));
}
