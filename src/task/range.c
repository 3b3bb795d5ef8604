#include "task/range.h"
#include "task/combine.h"

#include <assert.h>
#include <string.h>

static unsigned char *value_at(opi_range *range, int j) { return range->values + (size_t)j * range->op->type->size; }

static unsigned char *prefix_at(opi_range *range, int j) { return value_at(range, OPI_RANGE_NODES + j); }

/* *to becomes *to joined with *b, by the lifted operator where there are heads. */
static void append(const opi_range *range, void *to, uint8_t *to_flag, const void *b, uint8_t b_flag)
{
    if (range->lifted && b_flag)
        memcpy(to, b, range->op->type->size);
    else
        opi_combine(range->op, to, to, b);
    *to_flag |= b_flag;
}

size_t opi_range_bytes(const oplus_op *op)
{
    return opi_round_up(sizeof(opi_range) + 2 * (size_t)OPI_RANGE_NODES * op->type->size, OPI_CACHE_LINE);
}

void opi_range_start(opi_range *range, const oplus_op *op, uint64_t first, bool lifted)
{
    range->op = op;
    range->first = range->end = first;
    range->lifted = lifted;
    range->count = range->folded = 0;
}

void opi_range_init(opi_range *range, const void *init)
{
    assert(range->count == 0);
    range->level[0] = OPI_INIT_LEVEL;
    range->flag[0] = 0;
    range->count = 1;
    memcpy(value_at(range, 0), init, range->op->type->size);
}

void opi_range_copy(opi_range *to, const opi_range *from)
{
    const size_t size = from->op->type->size;
    memcpy(to, from, sizeof *from);
    memcpy(to->values, from->values, (size_t)from->count * size);
    memcpy(to->values + OPI_RANGE_NODES * size, from->values + OPI_RANGE_NODES * size, (size_t)from->folded * size);
}

/* Whether a new node of level k at index i 2^k merges with the last node: it does if the two are halves of one node.
 * For an exact operator any two neighbours merge. */
static bool merges(const opi_range *range, unsigned k, uint64_t i)
{
    if (range->count == 0) return false;
    if (range->op->flags & OPLUS_EXACT) return true;
    return (i & 1) && range->level[range->count - 1] == k;
}

void opi_range_push(opi_range *range, unsigned level, const void *value, uint8_t flag)
{
    const size_t size = range->op->type->size;
    unsigned k = level;
    uint64_t i = range->end >> level;
    int top = range->count;
    assert(top < OPI_RANGE_NODES && (range->op->flags & OPLUS_EXACT || range->end == i << level));
    memcpy(value_at(range, top), value, size);
    range->level[top] = (uint8_t)k;
    range->flag[top] = flag;
    range->count = top + 1;
    range->end += (uint64_t)1 << level;
    for (range->count = top; merges(range, k, i); range->count = top, k++, i >>= 1) {
        append(range, value_at(range, top - 1), &range->flag[top - 1], value_at(range, top), range->flag[top]);
        top--;
        /* An exact node has no level: it may stand for any number of elements. */
        if (range->level[top] != OPI_INIT_LEVEL)
            range->level[top] = range->op->flags & OPLUS_EXACT ? 0 : (uint8_t)(k + 1);
    }
    range->count = top + 1;
    if (range->folded > top) range->folded = top;
}

void opi_range_push_exact(opi_range *range, uint64_t elements, const void *value, uint8_t flag)
{
    assert(range->op->flags & OPLUS_EXACT);
    const uint64_t end = range->end + elements;
    opi_range_push(range, 0, value, flag);
    range->end = end;
}

void opi_range_set_exact(opi_range *range, uint64_t end, const void *value, uint8_t flag)
{
    memcpy(value_at(range, 0), value, range->op->type->size);
    range->level[0] = 0;
    range->flag[0] = flag;
    range->count = 1;
    range->folded = 0;
    range->end = end;
}

void opi_range_join(opi_range *left, const opi_range *right)
{
    assert(left->end == right->first);
    const size_t size = right->op->type->size;
    for (int j = 0; j < right->count; j++)
        opi_range_push(left, right->level[j], right->values + (size_t)j * size, right->flag[j]);
    left->end = right->end; /* nodes of an exact operator do not say how many elements they have */
}

const void *opi_range_fold(opi_range *range)
{
    if (range->count == 0) return NULL;
    const size_t size = range->op->type->size;
    uint8_t flag = 0;
    for (int j = range->folded; j < range->count; j++) {
        memcpy(prefix_at(range, j), j ? prefix_at(range, j - 1) : value_at(range, 0), size);
        if (j) append(range, prefix_at(range, j), &flag, value_at(range, j), range->flag[j]);
    }
    range->folded = range->count;
    return prefix_at(range, range->count - 1);
}

void opi_range_value(const opi_range *range, void *out)
{
    const size_t size = range->op->type->size;
    assert(range->count > 0 && !range->lifted);
    memcpy(out, range->values, size);
    for (int j = 1; j < range->count; j++) opi_combine(range->op, out, out, range->values + (size_t)j * size);
}

/* --- as bytes ----------------------------------------------------------------------------------------------------- */

/* A node of an exact operator may stand for any number of elements: of such a range only the fold is written. */

/* Whether a head lies in the range. */
static uint8_t any_flag(const opi_range *range)
{
    uint8_t flag = 0;
    for (int j = 0; j < range->count; j++) flag |= range->flag[j];
    return flag;
}

static size_t flag_offset(const opi_range *range) { return opi_round_up(range->op->type->size, sizeof(uint32_t)); }

static void put_node(const opi_range *range, unsigned char *node, const void *value, uint32_t flag)
{
    memcpy(node, value, range->op->type->size);
    if (range->lifted) memcpy(node + flag_offset(range), &flag, sizeof flag);
}

static uint8_t flag_of_node(const opi_range *range, const unsigned char *node)
{
    uint32_t flag = 0;
    if (range->lifted) memcpy(&flag, node + flag_offset(range), sizeof flag);
    return flag != 0;
}

void opi_range_pack(opi_range *range, size_t node, void *image)
{
    const void *const fold = opi_range_fold(range);
    opi_range_image *const head = image;
    unsigned char *const nodes = (unsigned char *)image + sizeof *head, *const folds = nodes + OPI_IMAGE_NODES * node;
    memset(head, 0, sizeof *head);
    head->end = range->end;
    if (!fold) return;
    if (range->op->flags & OPLUS_EXACT) {
        head->count = 1;
        head->level[0] = OPI_INIT_LEVEL;
        put_node(range, nodes, fold, any_flag(range));
        put_node(range, folds, fold, any_flag(range));
        return;
    }
    head->count = (uint32_t)range->count;
    memcpy(head->level, range->level, (size_t)range->count);
    uint8_t flag = 0;
    for (int j = 0; j < range->count; j++) {
        flag |= range->flag[j];
        put_node(range, nodes + (size_t)j * node, value_at(range, j), range->flag[j]);
        put_node(range, folds + (size_t)j * node, prefix_at(range, j), flag);
    }
}

void opi_range_unpack(opi_range *range, size_t node, const void *image)
{
    const size_t size = range->op->type->size;
    const opi_range_image *const head = image;
    const unsigned char *const nodes = (const unsigned char *)image + sizeof *head;
    assert(head->count <= OPI_RANGE_NODES);
    if (head->count > 0 && range->op->flags & OPLUS_EXACT) {
        const unsigned char *const fold = nodes + (OPI_IMAGE_NODES + head->count - 1) * node;
        opi_range_set_exact(range, head->end, fold, flag_of_node(range, fold));
        return;
    }
    range->end = head->end;
    range->count = (int)head->count;
    range->folded = 0;
    memcpy(range->level, head->level, head->count);
    for (int j = 0; j < range->count; j++) {
        memcpy(range->values + (size_t)j * size, nodes + (size_t)j * node, size);
        range->flag[j] = flag_of_node(range, nodes + (size_t)j * node);
    }
}

size_t opi_range_nodes(const oplus_op *op, uint64_t first, uint64_t end)
{
    size_t nodes = 0;
    if (op->flags & OPLUS_EXACT) return first < end;
    for (; first < end; nodes++) {
        uint64_t node = 1;
        while (!(first & node) && 2 * node <= end - first) node *= 2;
        first += node;
    }
    return nodes;
}

/* Writes a node of a record: its level, its flag and its value.  A record is the number of nodes, then the nodes. */
static unsigned char *write_node(const opi_range *range, unsigned char *to, uint8_t level, uint8_t flag,
                                 const void *value)
{
    to[0] = level;
    to[1] = flag;
    memcpy(to + 2, value, range->op->type->size);
    return to + 2 + range->op->type->size;
}

void opi_range_write(opi_range *range, void *record)
{
    const void *const fold = range->op->flags & OPLUS_EXACT ? opi_range_fold(range) : NULL;
    unsigned char *to = record;
    *to++ = (unsigned char)(fold ? 1 : range->count);
    if (fold) {
        write_node(range, to, range->level[0], any_flag(range), fold);
        return;
    }
    for (int j = 0; j < range->count; j++)
        to = write_node(range, to, range->level[j], range->flag[j], value_at(range, j));
}

void opi_range_read(opi_range *left, uint64_t end, const void *record)
{
    const size_t size = left->op->type->size;
    const unsigned char *from = record;
    const int count = *from++;
    for (int j = 0; j < count; j++, from += 2 + size) {
        if (left->op->flags & OPLUS_EXACT)
            opi_range_push_exact(left, 0, from + 2, from[1]);
        else if (from[0] == OPI_INIT_LEVEL)
            opi_range_init(left, from + 2);
        else
            opi_range_push(left, from[0], from + 2, from[1]);
    }
    left->end = end;
}
