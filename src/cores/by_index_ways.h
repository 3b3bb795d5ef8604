/* The ways of a reduce by index on cores: tables of results, blocks of each bin, all elements dealt out by bin. */
#ifndef OPI_BY_INDEX_WAYS_H
#define OPI_BY_INDEX_WAYS_H

#include "cores/cores.h"
#include "cores/loops.h"

/* What all of them begin with: elements with the numbers of their bins, in parts. */
typedef struct opi_binned {
    opi_sweep sweep; /* over the parts, at first */
    const opi_isa *isa;
    const opi_bins *bins;
    const char *indices, *in;
    size_t n, size; /* elements; bytes of one */
    size_t parts, part;
    /* For each part a word for each bin, and one for the elements that are in none: how many elements of the part it has, and
     * then as each way wants it. */
    uint64_t *next;
} opi_binned;

static inline size_t opi_binned_slots(const opi_binned *b) { return (size_t)b->bins->n + 1; }
static inline size_t opi_binned_end(const opi_binned *b, size_t p) { return opi_smaller((p + 1) * b->part, b->n); }
static inline const char *opi_binned_index(const opi_binned *b, size_t i)
{
    return b->indices + i * b->bins->type->size;
}
static inline uint64_t *opi_binned_next(const opi_binned *b, size_t p) { return b->next + p * opi_binned_slots(b); }

/* Says how many parts there are, and how much scratch memory. */
void opi_binned_explain(const opi_binned *b, size_t scratch, opi_saying *to);

/* per_bin: how many elements of a part there are for each bin, at least. */
void opi_binned_make(opi_binned *b, opi_cores *cores, const opi_task *task, size_t per_bin);
/* Sets b->next to how many elements of each part are in each bin. */
oplus_status opi_binned_count(opi_cores *cores, const char *call, opi_binned *b);

typedef struct opi_by_index_way {
    const char *name;
    bool (*suits)(opi_cores *cores, const opi_task *task);
    oplus_status (*run)(opi_cores *cores, const char *call, const opi_task *task);
    void (*explain)(opi_cores *cores, const opi_task *task, opi_saying *to); /* says what follows the table of ways */
    const char *words; /* what it does, and when: for an explanation */
} opi_by_index_way;

/* An exact built-in operator joins each element to the result of its bin, in tables of each worker's own. */
bool opi_by_index_tables_suits(opi_cores *cores, const opi_task *task);
oplus_status opi_by_index_tables(opi_cores *cores, const char *call, const opi_task *task);
void opi_by_index_tables_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

/* A bin's elements are collected, and joined as soon as they are a block of the canonical tree. */
bool opi_by_index_blocks_suits(opi_cores *cores, const opi_task *task);
oplus_status opi_by_index_blocks(opi_cores *cores, const char *call, const opi_task *task);
void opi_by_index_blocks_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

/* All elements are copied bin by bin, and bins are then segments. */
bool opi_by_index_deal_suits(opi_cores *cores, const opi_task *task);
oplus_status opi_by_index_deal(opi_cores *cores, const char *call, const opi_task *task);
void opi_by_index_deal_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
