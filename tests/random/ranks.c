#include "random/ranks.h"
#include "random/kinds.h"

#include <oplus/ranks.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RANKS = 8 };

typedef struct team {
    spread *s;
    size_t cut[MOST_RANKS + 1]; /* rank r has [cut[r], cut[r + 1]) */
    size_t got[MOST_RANKS + 1]; /* and gets as many elements of a transpose */
    atomic_int status;
    atomic_size_t made; /* results of all ranks, where their number depends on the data */
} team;

bool has_ranks(primitive p) { return p != SEGREDUCE && p != CARRY && p != MAP && !(p > FILTER && p < SORT); }

/* Cuts n anywhere; some parts are empty. */
static void cut_up(rng *r, size_t n, int ranks, size_t *cut)
{
    cut[0] = 0;
    for (int k = 1; k < ranks; k++) cut[k] = rng_below(r, n + 1);
    cut[ranks] = n;
    for (int k = 2; k < ranks; k++)
        for (int i = k; i > 1 && cut[i - 1] > cut[i]; i--) {
            const size_t swap = cut[i];
            cut[i] = cut[i - 1];
            cut[i - 1] = swap;
        }
}

static const void *slice(const void *x, size_t at, size_t size) { return x ? (const char *)x + at * size : NULL; }
static void *room(void *x, size_t at, size_t size) { return x ? (char *)x + at * size : NULL; }

/* Where a rank's block begins if n is divided evenly. */
static size_t even(size_t n, int rank, int ranks)
{
    const size_t each = n / (size_t)ranks, more = n % (size_t)ranks;
    return each * (size_t)rank + ((size_t)rank < more ? (size_t)rank : more);
}

static oplus_status filter(oplus_device *dev, const oplus_comm *comm, const spread *s, size_t at, size_t n)
{
    const function *const f = &predicates[s->c->what];
    const size_t size = f->input[0]->type->size;
    const void *const in = slice(s->in, at, size);
    size_t kept = 0;
    const size_t begin = even(s->kept, comm->rank, comm->size), end = even(s->kept, comm->rank + 1, comm->size);
    return oplus_filter_all(dev, comm, f->fn, OPLUS_EVEN, in, n, room(s->out, begin, size), end - begin, &kept);
}

/* Results stay with the rank where their runs begin, or are dealt out evenly. */
static oplus_status reduce_by_key(oplus_device *dev, const oplus_comm *comm, team *t)
{
    const spread *const s = t->s;
    const bool even_blocks = s->c->order == OPLUS_DESCENDING;
    const operation *const o = &operations[s->c->what];
    const size_t at = t->cut[comm->rank], to = t->cut[comm->rank + 1], size = o->of->type->size;
    const size_t begin = even_blocks ? even(s->kept, comm->rank, comm->size) : s->begun[at],
                 end = even_blocks ? even(s->kept, comm->rank + 1, comm->size) : s->begun[to];
    size_t runs = 0;
    const oplus_status status = oplus_reduce_by_key_all(
        dev, comm, o->op, &oplus_u32, NULL, even_blocks ? OPLUS_EVEN : OPLUS_AS_GIVEN,
        slice(s->keys, at, oplus_u32.size), slice(s->in, at, size), to - at, room(s->out_keys, begin, oplus_u32.size),
        room(s->out, begin, size), end - begin, &runs);
    t->made += runs;
    return status;
}

static oplus_status call(oplus_device *dev, const oplus_comm *comm, team *t)
{
    const spread *const s = t->s;
    const random_case *const c = s->c;
    const size_t at = t->cut[comm->rank], n = t->cut[comm->rank + 1] - at;
    const oplus_op *const op = c->primitive < MAP ? operations[c->what].op : NULL;
    const oplus_type *const type = op ? op->type : kinds[c->what].type;
    const oplus_type *const value = kinds[c->value].type;
    size_t held = n;
    switch (c->primitive) {
    case REDUCE:
        return oplus_reduce_all(dev, comm, op, slice(s->in, at, type->size), n,
                                room(s->out, (size_t)comm->rank, type->size));
    case FOLD:
        return oplus_fold_all(dev, comm, op, comm->rank ? NULL : s->init, slice(s->in, at, type->size), n,
                              room(s->out, (size_t)comm->rank, type->size));
    case SCAN:
        return oplus_scan_all(dev, comm, op, c->kind, slice(s->in, at, type->size), n, room(s->out, at, type->size));
    case SEGSCAN:
        return oplus_segscan_all(dev, comm, op, c->kind, slice(s->in, at, type->size), slice(s->heads, at, 1), n,
                                 room(s->out, at, type->size));
    case REDUCE_BY_KEY:
        return reduce_by_key(dev, comm, t);
    case SCAN_BY_KEY:
        return oplus_scan_by_key_all(dev, comm, op, c->kind, &oplus_u32, NULL, slice(s->keys, at, oplus_u32.size),
                                     slice(s->in, at, type->size), n, room(s->out, at, type->size));
    case FILTER:
        return filter(dev, comm, s, at, n);
    case SORT:
        return oplus_sort_all(dev, comm, type, c->order, OPLUS_AS_GIVEN, room(s->out, at, type->size), &held, n);
    case SORT_PAIRS:
        return oplus_sort_pairs_all(dev, comm, type, c->order, OPLUS_AS_GIVEN, room(s->out, at, type->size), value,
                                    room(s->values, at, value->size), &held, n);
    default: /* a transpose */
        return oplus_transpose_all(dev, comm, type, slice(s->in, at, type->size), n, c->rows, c->n / c->rows,
                                   room(s->out, t->got[comm->rank], type->size),
                                   t->got[comm->rank + 1] - t->got[comm->rank]);
    }
}

static void one_rank(const oplus_comm *comm, void *context)
{
    team *const t = context;
    oplus_device *dev;
    int none = OPLUS_OK;
    oplus_status status = oplus_open(comm->rank % 2 ? "serial" : "threads:2", &dev);
    if (status == OPLUS_OK) {
        status = call(dev, comm, t);
        oplus_close(dev);
    }
    if (status != OPLUS_OK && atomic_compare_exchange_strong(&t->status, &none, (int)status))
        snprintf(t->s->error, sizeof t->s->error, "rank %d of %d: %s", comm->rank, comm->size, oplus_last_error());
}

oplus_status call_over_ranks(spread *s)
{
    const random_case *const c = s->c;
    team t = {.s = s};
    rng r = {c->seed + 1};
    const size_t n = c->primitive == TRANSPOSE ? c->n / c->rows * c->rows : c->n;
    cut_up(&r, n, c->ranks, t.cut);
    cut_up(&r, n, c->ranks, t.got);
    const oplus_status status = oplus_run_ranks(c->ranks, one_rank, &t);
    if (status != OPLUS_OK) snprintf(s->error, sizeof s->error, "%s", oplus_last_error());
    if (status != OPLUS_OK || t.status != OPLUS_OK) return status != OPLUS_OK ? status : (oplus_status)t.status;
    if (c->primitive != REDUCE_BY_KEY || t.made == s->kept) return OPLUS_OK;
    snprintf(s->error, sizeof s->error, "all ranks have made %zu results, not %zu", (size_t)t.made, s->kept);
    return OPLUS_ERR_INTERNAL;
}
