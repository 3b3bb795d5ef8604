/* A compact range: the summary of the elements [first, end) as their maximal aligned nodes.
 *
 * Node (k,i) covers [i 2^k, (i+1) 2^k):  N(0,i) = x[i],  N(k+1,i) = N(k,2i) (+) N(k,2i+1).  A range holds at most
 * 2 log2(n) of them.  Joining neighbours is exactly associative, so any schedule gives the same nodes; the left fold
 * of the nodes of [0, m) is the canonical prefix P(m) of docs/tree-v1.md.  (The structure is known as a compact range
 * in certificate-transparency logs.)
 *
 * For an OPLUS_EXACT operator all nodes merge into one value, as every order of joins gives the same bits.
 * With heads, an element is (value, flag), and the operator is the lifted one of the segmented scan. */
#ifndef OPI_RANGE_H
#define OPI_RANGE_H

#include <oplus/oplus.h>

#include "base/memory.h"

#include <stdbool.h>

/* The most nodes of a range: 64 of growing levels, 64 of shrinking levels, the init of a fold, and one while it
 * merges. */
enum { OPI_RANGE_NODES = 130 };

/* The level of a value in front of everything, which merges with nothing: the init of a fold, say. */
enum { OPI_INIT_LEVEL = 255 };

typedef struct opi_range {
    const oplus_op *op;
    uint64_t first, end;
    bool lifted; /* true: elements have heads */
    int count;   /* number of nodes; the init of a fold counts as one */
    int folded;  /* number of prefixes known: prefix[j] is the left fold of value[0..j] */
    uint8_t level[OPI_RANGE_NODES];
    uint8_t flag[OPI_RANGE_NODES];       /* if lifted: whether a head lies in this node */
    _Alignas(64) unsigned char values[]; /* OPI_RANGE_NODES values, then as many prefixes */
} opi_range;

/* A range as bytes for a device: this struct, then OPI_IMAGE_NODES nodes, then as many left folds, of each node with
 * all nodes before it.  Little-endian. */
enum { OPI_IMAGE_NODES = 136 };
typedef struct opi_range_image {
    uint64_t end;
    uint32_t count, began;
    uint8_t level[OPI_IMAGE_NODES], flag[OPI_IMAGE_NODES];
    uint8_t padding[32];
} opi_range_image;

static inline size_t opi_image_bytes(size_t node) { return sizeof(opi_range_image) + 2 * OPI_IMAGE_NODES * node; }
/* Writes a range as an image.  node: size of a node in the image, in bytes.  A node is an element; in a lifted range
 * it is an element, then a flag of 32 bits at the next multiple of 4, then padding. */
void opi_range_pack(opi_range *range, size_t node, void *image);
/* Reads an image back into a range that has the same operator and the same `first`. */
void opi_range_unpack(opi_range *range, size_t node, const void *image);

/* The size in bytes of a record: a range as bytes for another rank of a cluster, with room for `nodes` nodes. */
static inline size_t opi_range_record_bytes(const oplus_op *op, size_t nodes)
{
    return 1 + nodes * (op->type->size + 2);
}
/* How many nodes a record of [first, end) needs if it has no init. */
size_t opi_range_nodes(const oplus_op *op, uint64_t first, uint64_t end);
/* Writes a range as a record. */
void opi_range_write(opi_range *range, void *record);
/* Appends the nodes of a record of [left->end, end). */
void opi_range_read(opi_range *left, uint64_t end, const void *record);

/* The size of a range in bytes, with its values. */
size_t opi_range_bytes(const oplus_op *op);
/* Makes an empty range that begins at index `first`. */
void opi_range_start(opi_range *range, const oplus_op *op, uint64_t first, bool lifted);
/* Puts the init of a fold in front of all elements: P(0) = init.  The range must be empty. */
void opi_range_init(opi_range *range, const void *init);
void opi_range_copy(opi_range *to, const opi_range *from);
/* Appends a node of 2^level elements at range->end, which must be a multiple of 2^level.  flag: if lifted, whether a
 * head lies in the node. */
void opi_range_push(opi_range *range, unsigned level, const void *value, uint8_t flag);
/* Appends any number of elements, already combined to one value; for an OPLUS_EXACT operator only. */
void opi_range_push_exact(opi_range *range, uint64_t elements, const void *value, uint8_t flag);
/* Makes the range [first, end) with one node, the value of all its elements; for an OPLUS_EXACT operator only. */
void opi_range_set_exact(opi_range *range, uint64_t end, const void *value, uint8_t flag);
/* Appends the nodes of right to left; right must begin where left ends. */
void opi_range_join(opi_range *left, const opi_range *right);
/* The left fold of the nodes, which is P(end) if first is 0; NULL if there are no nodes.  The range keeps it, and the
 * pointer is valid until the range changes. */
const void *opi_range_fold(opi_range *range);
/* Writes the left fold of the nodes to out.  The range does not change, and must have nodes. */
void opi_range_value(const opi_range *range, void *out);

#endif
