/* oplus_unique_all: each rank looks for the runs that begin on it, and then numbers are made those of the whole array. */
#include "cores/iota.h"
#include "front/indices.h"
#include "front/runs.h"
#include "ranks/ranks.h"
#include "task/explain.h"
#include "task/make.h"

#include <oplus/op.h>

#include <stdio.h>
#include <string.h>

/* cppcheck-suppress unknownMacro */
OPLUS_MAP_WITH(add_u32, uint32_t, uint32_t, uint32_t, { return a + p; })
OPLUS_MAP_WITH(add_u64, uint64_t, uint64_t, uint64_t, { return a + p; })

/* Outputs with an item for each run. */
enum { OUT, COUNTS, FIRSTS, OUTPUTS };
static const char *const name_of[OUTPUTS] = {"out", "counts", "firsts"};

typedef struct unique_all {
    opi_ranks *ranks;
    const oplus_type *type, *index; /* index NULL: no numbers are wanted */
    const oplus_fn *same;
    oplus_layout layout;
    const char *in;
    size_t n;
    char *output[OUTPUTS]; /* the caller's; NULL: not wanted, or there is no room for any */
    char *made[OUTPUTS];   /* where this rank makes its own: there, or in memory apart */
    bool wanted[OUTPUTS];
    char *inverse;
    size_t capacity, *count;
    bool device; /* an array lies in the device's memory */
    opi_runs runs;
    opi_blocks blocks;
    size_t own, gets; /* runs that begin on this rank, and those that it has at the end */
} unique_all;

static size_t index_bytes(const unique_all *u) { return u->index ? u->index->size : sizeof(uint32_t); }

/* Bytes of an item of an output. */
static size_t size_of(const unique_all *u, int k) { return k == OUT ? u->type->size : index_bytes(u); }

static const opi_part *own_part(const unique_all *u) { return &u->runs.part[u->ranks->comm->rank]; }

static bool is_dealt_out(const unique_all *u) { return u->layout == OPLUS_EVEN && u->ranks->comm->size > 1; }

static oplus_status copy(const unique_all *u, void *to, const void *from, size_t bytes)
{
    return u->ranks->dev->machine->copy(u->ranks->dev, u->ranks->call, to, from, bytes);
}

/* --- checks -------------------------------------------------------------------------------------------------------- */

static bool wants_runs(const unique_all *u) { return u->output[OUT] || u->output[COUNTS] || u->output[FIRSTS]; }

static bool wants_numbers(const unique_all *u) { return u->output[COUNTS] || u->output[FIRSTS] || u->inverse; }

static oplus_status check_apart(const unique_all *u)
{
    const size_t bytes = index_bytes(u);
    const opi_given given[] = {{"in", u->in, u->n * u->type->size},
                               {"out", u->output[OUT], u->capacity * u->type->size},
                               {"counts", u->output[COUNTS], u->capacity * bytes},
                               {"firsts", u->output[FIRSTS], u->capacity * bytes},
                               {"inverse", u->inverse, u->n * bytes}};
    return opi_check_apart(u->ranks->call, given, sizeof given / sizeof *given);
}

/* Checks everything that this rank can check alone, and names what must be the same on all. */
static oplus_status check(const unique_all *u)
{
    const char *const call = u->ranks->call;
    char options[64];
    OPI_TRY(opi_check_device(call, u->ranks->dev));
    OPI_TRY(opi_check_same(call, "type", u->type, u->same));
    OPI_TRY(opi_check_ranks_layout(call, u->layout));
    OPI_TRY(opi_check_pointer(call, "in", u->in, u->n));
    OPI_TRY(opi_check_count(call, "runs", u->count));
    if (wants_numbers(u) || u->index) OPI_TRY(opi_check_index_type(call, u->index));
    const size_t wider = opi_larger(u->type->size, index_bytes(u));
    OPI_TRY(opi_check_bytes(call, "n", u->n, wider));
    if (wants_runs(u)) /* else it is ignored */
        OPI_TRY(opi_check_bytes(call, "capacity", u->capacity, u->type->size + 2 * index_bytes(u) + OPI_CACHE_LINE));
    OPI_TRY(check_apart(u));
    snprintf(options, sizeof options, "%s%s%s", u->layout == OPLUS_EVEN ? "even" : "as given",
             u->index ? ", numbers are " : "", u->index ? opi_name(u->index->name) : "");
    opi_ranks_name_types(u->ranks, u->type, NULL, options);
    opi_ranks_name_keys(u->ranks, u->type, u->same);
    return OPLUS_OK;
}

static oplus_status look(unique_all *u)
{
    bool there[OUTPUTS], inverse;
    OPI_TRY(opi_ranks_look(u->ranks, "in", u->in, u->n * u->type->size, &u->runs.device));
    for (int k = 0; k < OUTPUTS; k++)
        OPI_TRY(opi_ranks_look(u->ranks, name_of[k], u->output[k], u->capacity * size_of(u, k), &there[k]));
    OPI_TRY(opi_ranks_look(u->ranks, "inverse", u->inverse, u->n * index_bytes(u), &inverse));
    u->device = u->runs.device || there[OUT] || there[COUNTS] || there[FIRSTS] || inverse;
    return OPLUS_OK;
}

static oplus_status reserve(unique_all *u)
{
    OPI_TRY(look(u));
    if (is_dealt_out(u)) OPI_TRY(opi_blocks_reserve(u->ranks, &u->blocks));
    return opi_runs_reserve(u->ranks, &u->runs, 0);
}

/* --- what the ranks want -------------------------------------------------------------------------------------------- */

/* Finds out what all ranks want.  Fails on all of them alike. */
static oplus_status agree_what(unique_all *u, bool *inverse)
{
    opi_ranks *const ranks = u->ranks;
    for (int k = 0; k < OUTPUTS; k++) OPI_TRY(opi_ranks_wanted(ranks, (unsigned)k, name_of[k], &u->wanted[k]));
    OPI_TRY(opi_ranks_wanted(ranks, OUTPUTS, "inverse", inverse));
    if (u->index) OPI_TRY(opi_check_index_room(ranks->call, u->index, (size_t)ranks->total));
    if (u->wanted[OUT] || u->wanted[COUNTS] || u->wanted[FIRSTS]) return OPLUS_OK;
    for (int q = 0; q < ranks->comm->size; q++) ranks->note[q].m = UINT64_MAX; /* nothing needs room */
    return OPLUS_OK;
}

static uint32_t flags_of(const unique_all *u)
{
    uint32_t flags = u->device ? OPI_NOTE_DEVICE : 0;
    for (int k = 0; k < OUTPUTS; k++) flags |= opi_ranks_wants((unsigned)k, u->output[k], u->capacity);
    return flags | opi_ranks_wants(OUTPUTS, u->inverse, u->n);
}

/* --- on this rank -------------------------------------------------------------------------------------------------- */

static size_t apart_bytes(const unique_all *u, int k)
{
    return u->wanted[k] ? opi_round_up(u->own * size_of(u, k), OPI_CACHE_LINE) : 0;
}

/* Takes memory for results that go to other ranks. */
static oplus_status reserve_apart(unique_all *u)
{
    size_t bytes = 0;
    void *mem;
    memcpy(u->made, u->output, sizeof u->made);
    if (!is_dealt_out(u)) return OPLUS_OK;
    for (int k = 0; k < OUTPUTS; k++) bytes += apart_bytes(u, k);
    OPI_TRY(opi_ranks_lend(u->ranks, u->device, bytes, &mem));
    bytes = 0;
    for (int k = 0; k < OUTPUTS; bytes += apart_bytes(u, k++))
        u->made[k] = u->wanted[k] && mem ? (char *)mem + bytes : NULL;
    return OPLUS_OK;
}

/* Adds a number to each of n numbers. */
static oplus_status add(const unique_all *u, char *numbers, size_t n, uint64_t more)
{
    const uint32_t narrow = (uint32_t)more;
    const bool is_narrow = index_bytes(u) == sizeof narrow;
    const oplus_fn fn = oplus_with(is_narrow ? &add_u32_fn : &add_u64_fn, is_narrow ? (const void *)&narrow : &more);
    const void *const in[] = {numbers};
    opi_task task;
    if (!numbers || n == 0 || more == 0) return OPLUS_OK;
    opi_task_map(&task, &fn, in, n, numbers);
    return opi_run(u->ranks->dev, u->ranks->call, &task, NULL);
}

/* Sets each of n numbers to a number. */
static oplus_status fill(const unique_all *u, char *numbers, size_t n, uint64_t number)
{
    static const void *const no_inputs[1];
    const uint32_t narrow[] = {(uint32_t)number, 0};
    const uint64_t wide[] = {number, 0};
    const bool is_narrow = index_bytes(u) == sizeof *narrow;
    const oplus_fn fn =
        oplus_with(opi_iota_of(is_narrow ? OPLUS_U32 : OPLUS_U64), is_narrow ? (const void *)narrow : wide);
    opi_task task;
    if (!numbers || n == 0) return OPLUS_OK;
    opi_task_map(&task, &fn, no_inputs, n, numbers);
    return opi_run(u->ranks->dev, u->ranks->call, &task, NULL);
}

/* Writes the length of the run that goes on on later ranks. */
static oplus_status count_last(const unique_all *u)
{
    const opi_ranks *const ranks = u->ranks;
    uint64_t length = u->n - own_part(u)->last;
    if (!u->made[COUNTS]) return OPLUS_OK;
    for (int q = ranks->comm->rank + 1; q < ranks->comm->size; q++) {
        const opi_part *const part = &u->runs.part[q];
        if (ranks->note[q].n == 0) continue;
        if (!part->continues) break;
        length += part->lead;
        if (part->lead < ranks->note[q].n) break;
    }
    const uint32_t narrow = (uint32_t)length;
    const bool is_narrow = index_bytes(u) == sizeof narrow;
    return copy(u, u->made[COUNTS] + (u->own - 1) * index_bytes(u), is_narrow ? (const void *)&narrow : &length,
                index_bytes(u));
}

/* Looks for the runs that begin on this rank, from index `begin` on. */
static oplus_status find_own(unique_all *u, size_t begin)
{
    opi_task task;
    size_t found;
    const opi_selected to = {.picked = u->made[OUT],
                             .index = u->made[FIRSTS],
                             .run = u->inverse ? u->inverse + begin * index_bytes(u) : NULL,
                             .count = u->made[COUNTS],
                             .index_bytes = index_bytes(u)};
    u->own = 0;
    if (begin == u->n) return OPLUS_OK;
    opi_task_select(&task, OPI_PICKS_HEADS, u->same, u->type, u->in + begin * u->type->size, NULL, u->n - begin, &to,
                    &found);
    OPI_TRY(opi_run(u->ranks->dev, u->ranks->call, &task, NULL));
    u->own = found;
    if (opi_runs_goes_on(u->ranks, &u->runs, u->ranks->comm->rank)) OPI_TRY(count_last(u));
    return add(u, u->made[FIRSTS], u->own, u->ranks->first + begin);
}

/* Makes the numbers of runs those of the whole array. */
static oplus_status number(const unique_all *u, size_t begin)
{
    uint64_t before = 0;
    if (!u->inverse) return OPLUS_OK;
    for (int q = 0; q < u->ranks->comm->rank; q++) before += opi_runs_begin(&u->runs, q);
    OPI_TRY(fill(u, u->inverse, begin, before - 1));
    return add(u, u->inverse + begin * index_bytes(u), u->n - begin, before);
}

static oplus_status make_own(unique_all *u)
{
    const opi_part *const part = own_part(u);
    const size_t begin = part->continues ? (size_t)part->lead : 0;
    OPI_TRY(reserve_apart(u));
    OPI_TRY(find_own(u, begin));
    return number(u, begin);
}

/* --- the call ------------------------------------------------------------------------------------------------------ */

static oplus_status deal_out(const unique_all *u)
{
    oplus_status status = OPLUS_OK;
    if (!is_dealt_out(u)) return OPLUS_OK;
    for (int k = 0; k < OUTPUTS; k++) {
        if (!u->wanted[k]) continue;
        const oplus_status moved = opi_blocks_move(u->ranks, &u->blocks, size_of(u, k), u->made[k], u->output[k]);
        if (status == OPLUS_OK) status = moved;
    }
    return status;
}

static oplus_status run(unique_all *u, oplus_status status)
{
    opi_ranks *const ranks = u->ranks;
    bool inverse;
    if (status == OPLUS_OK) status = reserve(u);
    OPI_TRY(opi_ranks_index(ranks, status, u->n, u->capacity, status == OPLUS_OK ? flags_of(u) : 0));
    OPI_TRY(agree_what(u, &inverse));
    const bool count = inverse || opi_runs_must_count(ranks, u->layout);
    OPI_TRY(opi_runs_find(ranks, &u->runs, count ? OPI_FIND_COUNT : OPI_FIND_ENDS));
    if (count) OPI_TRY(opi_runs_place(ranks, &u->runs, u->layout, "runs", &u->blocks, &u->gets));
    u->own = count ? (size_t)opi_runs_begin(&u->runs, ranks->comm->rank) : 0;
    OPI_TRY(opi_ranks_agree(ranks, make_own(u)));
    if (is_dealt_out(u)) OPI_TRY(opi_ranks_agree(ranks, deal_out(u)));
    *u->count = is_dealt_out(u) ? u->gets : u->own;
    return OPLUS_OK;
}

static oplus_status explain(const unique_all *u, oplus_status status)
{
    opi_task task;
    if (status == OPLUS_OK)
        opi_task_select(&task, OPI_PICKS_HEADS, u->same, u->type, u->in, NULL, u->n,
                        &(opi_selected){.picked = u->output[OUT],
                                        .index = u->output[FIRSTS],
                                        .run = u->inverse,
                                        .count = u->output[COUNTS],
                                        .index_bytes = index_bytes(u)},
                        NULL);
    OPI_TRY(opi_ranks_explain(u->ranks, status, &task));
    opi_say(&u->ranks->dev->explained, "  results: only where the layout is even, those that change their rank\n");
    return OPLUS_OK;
}

oplus_status oplus_unique_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const oplus_fn *same,
                              oplus_layout layout, const void *in, size_t n, void *out, const oplus_type *index,
                              void *counts, void *firsts, size_t capacity, void *inverse, size_t *runs)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    unique_all u = {.ranks = &ranks,
                    .type = type,
                    .index = index,
                    .same = same,
                    .layout = layout,
                    .in = in,
                    .n = n,
                    .output = {out, counts, firsts},
                    .inverse = inverse,
                    .capacity = capacity,
                    .count = runs,
                    .runs = {.key = type, .same = same, .keys = in, .n = n}};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    oplus_status status = check(&u);
    status = opi_ranks_explained(&ranks) ? explain(&u, status) : run(&u, status);
    opi_runs_release(&u.runs);
    return opi_ranks_close(&ranks, status);
}
