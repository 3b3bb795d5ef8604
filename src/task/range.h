/* A compact range: the summary of the elements [first, end) as their maximal aligned nodes.
 *
 * Node (k,i) covers [i 2^k, (i+1) 2^k):  N(0,i) = x[i],  N(k+1,i) = N(k,2i) (+) N(k,2i+1).  A range holds at most
 * 2 log2(n) of them.  Joining neighbours is exactly associative, so any schedule gives the same nodes; the left fold
 * of the nodes of [0, m) is the canonical prefix P(m) of docs/tree-v1.md.  (The structure is known as a compact range
 * in certificate-transparency logs.)
 *
 * For an OPLUS_EXACT operator everything merges into one value: any schedule serves.
 * With heads, an element is (value, flag) and the operator the lifted one of the segmented scan. */
#ifndef OPI_RANGE_H
#define OPI_RANGE_H

#include <oplus/oplus.h>

#include "base/memory.h"

#include <stdbool.h>

enum { OPI_RANGE_NODES = 130 }; /* 64 up, 64 down, one value in front, one in passing */

typedef struct opi_range {
    const oplus_op *op;
    uint64_t first, end;
    bool lifted; /* with heads */
    int count;   /* nodes; the value of a fold's init counts as one */
    int folded;  /* prefixes known: prefix[j] is the left fold of value[0..j] */
    uint8_t level[OPI_RANGE_NODES];
    uint8_t flag[OPI_RANGE_NODES];       /* lifted: a head lies in this node */
    _Alignas(64) unsigned char values[]; /* OPI_RANGE_NODES values, then as many prefixes */
} opi_range;

/* A range as bytes for another machine, where its nodes may be of another place, but not of another size: the image,
 * then OPI_IMAGE_NODES nodes, then as many left folds of each with those before it.  Little-endian. */
enum { OPI_IMAGE_NODES = 136 };
typedef struct opi_range_image {
    uint64_t end;
    uint32_t count, began;
    uint8_t level[OPI_IMAGE_NODES], flag[OPI_IMAGE_NODES];
    uint8_t padding[32];
} opi_range_image;

static inline size_t opi_image_bytes(size_t node) { return sizeof(opi_range_image) + 2 * OPI_IMAGE_NODES * node; }
/* node: bytes of one there: an element; of a lifted range an element, then a flag of 32 bits at the next multiple of 4,
 * then padding. */
void opi_range_pack(opi_range *range, size_t node, void *image);
/* Of the same operator and first. */
void opi_range_unpack(opi_range *range, size_t node, const void *image);

/* A range as bytes for another rank of a cluster: a record with room for so many nodes, and no larger than need be. */
static inline size_t opi_range_record_bytes(const oplus_op *op, size_t nodes)
{
    return 1 + nodes * (op->type->size + 2);
}
/* How many nodes a record of [first, end) needs, where it has no init. */
size_t opi_range_nodes(const oplus_op *op, uint64_t first, uint64_t end);
void opi_range_write(opi_range *range, void *record);
/* Appends what a record of [left->end, end) holds. */
void opi_range_read(opi_range *left, uint64_t end, const void *record);

size_t opi_range_bytes(const oplus_op *op);
void opi_range_start(opi_range *range, const oplus_op *op, uint64_t first, bool lifted);
/* Puts a value in front of everything, as the fold's init: P(0) = init.  Only into an empty range. */
void opi_range_init(opi_range *range, const void *init);
void opi_range_copy(opi_range *to, const opi_range *from);
/* Appends the node of level k at `end`, which must be aligned to it.  flag: a head lies in it (lifted). */
void opi_range_push(opi_range *range, unsigned level, const void *value, uint8_t flag);
/* The same for an OPLUS_EXACT operator and any number of elements, already combined. */
void opi_range_push_exact(opi_range *range, uint64_t elements, const void *value, uint8_t flag);
/* Makes the value of all of [first, end) together the only node (exact operators). */
void opi_range_set_exact(opi_range *range, uint64_t end, const void *value, uint8_t flag);
/* left then right; right must begin where left ends. */
void opi_range_join(opi_range *left, const opi_range *right);
/* The left fold of the nodes: P(end) where first is 0; NULL if there are none.  Keeps it for the next time. */
const void *opi_range_fold(opi_range *range);
/* The same of a range that stays as it is, and has nodes. */
void opi_range_value(const opi_range *range, void *out);

#endif
