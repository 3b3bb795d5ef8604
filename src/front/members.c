/* oplus_sort_members, oplus_argsort_members: members are packed into numbers of up to 64 bits that are in their order.
 *
 * Members that do not fit one number together are in several groups.  The elements' indices are sorted by the last group, then,
 * stably, by each one before it.  A sort then takes the elements in this order. */
#include "base/memory.h"
#include "cores/merge.h"
#include "front/check.h"
#include "front/indices.h"
#include "front/scratch.h"
#include "task/explain.h"
#include "task/make.h"
#include "type/scalars.h"

#include <oplus/sorts.h>

#include <assert.h>
#include <stdio.h>

enum { KEY_BITS = 64, KEY_MOST = KEY_BITS / 8 /* members of a group, of one byte each */ };

/* What the calls are given, and their scratch memory. */
typedef struct by_members {
    oplus_device *dev;
    const char *call;
    const oplus_type *type;
    const oplus_sort_member *members;
    size_t count, n;
    const char *elements;
    const oplus_type *index;
    void *indices;
    char *keys, *taken; /* room for n numbers of the widest group, each; taken NULL: there is one group */
} by_members;

/* Members begin ... begin + count - 1. */
typedef struct group {
    size_t begin, count;
    unsigned bits;
} group;

/* --- checks ------------------------------------------------------------------------------------------------------- */

static oplus_status check_member(const by_members *by, size_t k)
{
    const oplus_sort_member *const m = &by->members[k];
    char name[40];
    snprintf(name, sizeof name, "members[%zu].type", k);
    OPI_TRY(opi_check_type(by->call, name, m->type));
    if (!opi_is_scalar(m->type->scalar))
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is \"%s\", which is not a scalar; give one for each of its members",
                        by->call, name, opi_name(m->type->name));
    if (m->order != OPLUS_ASCENDING && m->order != OPLUS_DESCENDING)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: members[%zu].order is %d; give OPLUS_ASCENDING (0) or OPLUS_DESCENDING (1)", by->call, k,
                        (int)m->order);
    if (m->offset <= by->type->size && m->type->size <= by->type->size - m->offset) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: members[%zu] has %zu bytes at offset %zu, but an element \"%s\" has %zu bytes; give its offset "
        "with OPLUS_MEMBER or offsetof",
        by->call, k, m->type->size, m->offset, opi_name(by->type->name), by->type->size);
}

static oplus_status check(const by_members *by)
{
    OPI_TRY(opi_check_device(by->call, by->dev));
    OPI_TRY(opi_check_type(by->call, "type", by->type));
    if (by->count == 0) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: count is 0; give at least one member", by->call);
    OPI_TRY(opi_check_pointer(by->call, "members", by->members, by->count));
    for (size_t k = 0; k < by->count; k++) OPI_TRY(check_member(by, k));
    OPI_TRY(opi_check_pointer(by->call, "elements", by->elements, by->n));
    return opi_check_bytes(by->call, "n", by->n, 2 * by->type->size + 8 * sizeof(uint64_t));
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

/* The group that ends before member `end` > 0: as many members as fit. */
static group group_before(const by_members *by, size_t end)
{
    group g = {end, 0, 0};
    while (g.begin > 0 && g.bits + 8 * by->members[g.begin - 1].type->size <= KEY_BITS) {
        g.bits += 8 * (unsigned)by->members[--g.begin].type->size;
        g.count++;
    }
    return g;
}

static size_t groups_of(const by_members *by)
{
    size_t groups = 0;
    for (size_t end = by->count; end > 0; groups++) end = group_before(by, end).begin;
    return groups;
}

/* The narrowest type of a number. */
static const oplus_type *number_of(const group *g)
{
    return g->bits <= 8 ? &oplus_u8 : g->bits <= 16 ? &oplus_u16 : g->bits <= 32 ? &oplus_u32 : &oplus_u64;
}

static oplus_status pack(const by_members *by, const group *g)
{
    opi_packed packed[KEY_MOST];
    opi_task task;
    for (size_t k = 0; k < g->count; k++) {
        const oplus_sort_member *const m = &by->members[g->begin + k];
        const opi_key_order order = opi_key_order_of(m->type, m->order);
        packed[k] = (opi_packed){m->offset, 8 * (unsigned)m->type->size, order.float_mask, order.flip};
    }
    opi_task_pack(&task, by->type->size, by->elements, by->n, packed, g->count, number_of(g)->size, by->keys);
    return opi_run(by->dev, by->call, &task, NULL);
}

/* --- the order ---------------------------------------------------------------------------------------------------- */

/* Sorts the indices by a group, of which some are in order already. */
static oplus_status sort_by_group(const by_members *by, const group *g)
{
    opi_task take, sort;
    const opi_indices so_far = {by->indices, by->n, by->index, by->n, false};
    const oplus_type *const key = number_of(g);
    OPI_TRY(pack(by, g));
    opi_task_take(&take, key->size, by->keys, &so_far, by->taken);
    OPI_TRY(opi_run(by->dev, by->call, &take, NULL));
    opi_task_sort(&sort, key, OPLUS_ASCENDING, by->taken, by->index, by->indices, by->n);
    return opi_run(by->dev, by->call, &sort, NULL);
}

static oplus_status argsort(const by_members *by)
{
    opi_task last;
    group g = group_before(by, by->count);
    OPI_TRY(pack(by, &g));
    opi_task_argsort(&last, number_of(&g), OPLUS_ASCENDING, by->keys, by->n, by->index, by->indices);
    OPI_TRY(opi_run(by->dev, by->call, &last, NULL));
    while (g.begin > 0) {
        g = group_before(by, g.begin);
        OPI_TRY(sort_by_group(by, &g));
    }
    return OPLUS_OK;
}

/* Takes the elements in their order, and copies them back. */
static oplus_status put_in_order(const by_members *by, char *scratch)
{
    opi_task take;
    const size_t size = by->type->size;
    const opi_indices order = {by->indices, by->n, by->index, by->n, false};
    opi_task_take(&take, size, by->elements, &order, scratch);
    OPI_TRY(opi_run(by->dev, by->call, &take, NULL));
    return by->dev->machine->copy(by->dev, by->call, (void *)by->elements, scratch, by->n * size);
}

/* Explains the sort by the last group; scratch: of the call, in bytes. */
static oplus_status explain(const by_members *by, bool sorts, size_t scratch)
{
    opi_task last;
    const size_t groups = groups_of(by);
    const group g = group_before(by, by->count);
    opi_saying *const to = &by->dev->explained;
    opi_task_argsort(&last, number_of(&g), OPLUS_ASCENDING, by->keys, by->n, by->index, by->indices);
    OPI_TRY(opi_run(by->dev, by->call, &last, NULL));
    opi_say(to, "before it: the last %zu of %zu members become numbers of %zu bytes\n", g.count, by->count,
            number_of(&g)->size);
    if (groups > 1)
        opi_say(to, "then, %zu times: members before become numbers, a take, and a sort of pairs\n", groups - 1);
    if (sorts) opi_say(to, "then: a take of the elements, and a copy of them back\n");
    opi_say(to, "scratch memory: %zu bytes\n", scratch);
    return OPLUS_OK;
}

/* Bytes of the numbers, of which a copy is taken if there are several groups. */
static size_t keys_bytes(const by_members *by) { return opi_round_up(by->n * sizeof(uint64_t), OPI_CACHE_LINE); }

static void place_keys(by_members *by, char *scratch)
{
    by->keys = scratch;
    by->taken = groups_of(by) > 1 ? scratch + keys_bytes(by) : NULL;
}

/* Borrows scratch memory: the host's if the elements lie there and the device has not enough of it, also for what a sort needs
 * and for copies. */
static oplus_status borrow(const by_members *by, size_t bytes, opi_scratch *scratch, void **mem)
{
    const size_t elements = by->n * by->type->size, of_sorts = by->n * (4 * sizeof(uint64_t));
    OPI_TRY(opi_scratch_find(by->dev, by->call, "elements", by->elements, elements, scratch));
    if (!opi_scratch_fits(scratch, bytes + elements + of_sorts)) opi_scratch_on_host(scratch, by->dev);
    const oplus_status status = opi_borrow(scratch->home, by->call, bytes, mem);
    if (status != OPLUS_ERR_MEMORY || !scratch->is_apart) return status;
    opi_scratch_on_host(scratch, by->dev);
    return opi_borrow(scratch->home, by->call, bytes, mem);
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

oplus_status oplus_argsort_members(oplus_device *dev, const oplus_type *type, const oplus_sort_member *members,
                                   size_t count, const void *elements, size_t n, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    opi_scratch home;
    void *scratch;
    by_members by = {dev, __func__, type, members, count, n, elements, index, indices, NULL, NULL};
    OPI_TRY(check(&by));
    OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    OPI_TRY(opi_check_pointer(__func__, "indices", indices, n));
    OPI_TRY(
        opi_check_overlap(__func__, "elements", elements, n * type->size, "indices", indices, n * index->size, false));
    if (n == 0) return OPLUS_OK;
    const size_t bytes = keys_bytes(&by) * (groups_of(&by) > 1 ? 2 : 1);
    OPI_TRY(borrow(&by, bytes, &home, &scratch));
    place_keys(&by, scratch);
    const oplus_status status = dev->explained.text ? explain(&by, false, bytes) : argsort(&by);
    opi_give_back(home.home, scratch);
    return status;
}

oplus_status oplus_sort_members(oplus_device *dev, const oplus_type *type, const oplus_sort_member *members,
                                size_t count, void *elements, size_t n)
{
    OPI_OWN_MODE;
    opi_scratch home;
    void *scratch;
    by_members by = {dev, __func__, type, members, count, n, elements, NULL, NULL, NULL, NULL};
    OPI_TRY(check(&by));
    if (n < 2) return OPLUS_OK;
    by.index = n - 1 > UINT32_MAX ? &oplus_u64 : &oplus_u32;
    /* --- indices, then numbers, or in their place the elements in order --- */
    const size_t indices = opi_round_up(n * by.index->size, OPI_CACHE_LINE);
    const size_t bytes = indices + opi_larger(keys_bytes(&by) * (groups_of(&by) > 1 ? 2 : 1), n * type->size);
    OPI_TRY(borrow(&by, bytes, &home, &scratch));
    by.indices = scratch;
    place_keys(&by, (char *)scratch + indices);
    oplus_status status = dev->explained.text ? explain(&by, true, bytes) : argsort(&by);
    if (status == OPLUS_OK && !dev->explained.text) status = put_in_order(&by, (char *)scratch + indices);
    opi_give_back(home.home, scratch);
    return status;
}
