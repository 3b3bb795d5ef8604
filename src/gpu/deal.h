/* A task of several accelerators: the pages of its arrays are dealt out to them in turn, and each does what lies in pages of
 * its own.  Together they make one pass over the arrays: what one of them finds is told to all others by stores into their
 * memory.  CUDA; what waits inside of a launch takes compute capability 9.0. */
#ifndef OPI_GPU_DEAL_H
#define OPI_GPU_DEAL_H

#include "gpu/gpu.h"

enum { OPI_MOST_WORKERS = 8 };

typedef struct opi_deal {
    unsigned workers, own;       /* how many accelerators there are, and which one this is */
    unsigned share;              /* how many of them are the same GPU: each may have 1/share of its multiprocessors */
    size_t page;                 /* bytes; page k is memory of accelerator k % workers */
    uint64_t beyond;             /* bytes from the beginning of a page of accelerator 0 to the array of opi_deal_by */
    opi_accelerator *const *all; /* the accelerators */
} opi_deal;

/* Which of a task's arrays has the pages by which it is dealt out: one that has an element for each item, or the output of
 * a put. */
int opi_deal_by(const opi_task *task);
/* Whether a task can be dealt out.  Arrays need not lie in pages that are dealt out so: each accelerator must only reach
 * them.  Launches nothing; deal->own is 0. */
bool opi_deal_can(const opi_deal *deal, const opi_task *task);
/* Whether a task's outputs are written by accelerator 0 alone, in `finish`, of what all have found: only the array of
 * opi_deal_by need be reached by all. */
bool opi_deal_is_joined(const opi_task *task);
/* A task is done in four steps, each for all accelerators before the next step begins.  Between two steps every accelerator's
 * queue must wait for those of all others; before `finish`, that of one alone.
 *
 * prepare: compiles and allocates; accelerator 0 is prepared first.  look: enqueues what all must have done before one
 * writes; for most tasks nothing.  run: enqueues, and does not wait, because the accelerators wait for each other.
 * finish: enqueues what joins results on the accelerator that opi_deal_ends_at names, and waits if a result is in host
 * memory; nothing on others. */
oplus_status opi_deal_prepare(const opi_deal *deal, const char *call, const opi_task *task);
oplus_status opi_deal_look(const opi_deal *deal, const char *call, const opi_task *task);
oplus_status opi_deal_run(const opi_deal *deal, const char *call, const opi_task *task);
oplus_status opi_deal_finish(const opi_deal *deal, const char *call, const opi_task *task);

/* Whether `finish` itself waits for what others have done in `run`, and its queue need not. */
bool opi_deal_awaits(const opi_task *task);
/* Which accelerator does something in `finish`: 0, or the one that has the last element.  deal: of any. */
unsigned opi_deal_ends_at(const opi_deal *deal, const opi_task *task);

/* Enqueues a copy of what this accelerator has of `bytes` bytes at `from`, one page behind the other, to `to` in its own
 * memory.  deal->beyond: where `from` begins. */
oplus_status opi_deal_gather(const opi_deal *deal, const char *call, void *to, const void *from, uint64_t bytes);

/* Enqueues a sort of the keys that this accelerator has of n keys at `from`.  own: a sort of so many keys in its own memory,
 * where the result will be. */
oplus_status opi_deal_sort(const opi_deal *deal, const char *call, const opi_task *own, const void *from, uint64_t n);

/* Sorted runs of keys, and of values that go with them, one of each accelerator, which all reach; and the array
 * that they are merged into: its keys begin where deal->beyond says, and each accelerator writes the keys that lie
 * in pages of its own, and their values.  Of equal keys those of earlier runs come first. */
typedef struct opi_deal_runs {
    const oplus_type *key, *value; /* value NULL: there are only keys */
    oplus_order order;
    const void *keys[OPI_MOST_WORKERS], *values[OPI_MOST_WORKERS];
    size_t n[OPI_MOST_WORKERS];
    void *memory[OPI_MOST_WORKERS]; /* scratch memory of each accelerator, of opi_deal_merge_bytes */
    void *out, *out_values;
} opi_deal_runs;

/* Whether such runs can be merged so: values may have up to 16 bytes. */
bool opi_deal_merge_can(const opi_deal_runs *runs);
/* Bytes of scratch memory of this accelerator, for runs of so many keys. */
size_t opi_deal_merge_bytes(const opi_deal *deal, const opi_deal_runs *runs);
/* A merge has three steps, each for all accelerators before the next step begins; before the last step every
 * accelerator's queue must wait for those of all others.
 *
 * prepare: compiles.  sample: enqueues what tells all accelerators samples of this one's run.  run: enqueues the
 * merge. */
oplus_status opi_deal_merge_prepare(const opi_deal *deal, const char *call, const opi_deal_runs *runs);
oplus_status opi_deal_merge_sample(const opi_deal *deal, const char *call, const opi_deal_runs *runs);
oplus_status opi_deal_merge_run(const opi_deal *deal, const char *call, const opi_deal_runs *runs);

/* --- for the ways that deal ----------------------------------------------------------------------------------------- */

/* The same for kernels: opi_dealt of canon/dealt.cl. */
typedef struct opi_dealt {
    uint64_t state[OPI_MOST_WORKERS]; /* addresses of what the groups of each accelerator look at */
    uint32_t workers, own;
    uint32_t log_run; /* 2^log_run neighbouring items are one accelerator's, those behind them the next one's */
    uint32_t first;   /* items of this accelerator that would lie before item 0 */
    uint32_t lead;    /* items of all accelerators that would lie before item 0 */
    uint32_t epoch;   /* number of the launch */
} opi_dealt;

/* Reserves memory that all accelerators use: nobody uses what is freed for it. */
oplus_status opi_deal_reserve(const opi_deal *deal, const char *call, opi_gpu_buffer *buffer, size_t bytes);
/* Deals out `items` items of `bytes` bytes each, and returns how many this accelerator has.  Sets all but state. */
uint64_t opi_deal_items(const opi_deal *deal, uint64_t items, size_t bytes, opi_dealt *dealt);
/* Bytes of items of an array of `bytes` bytes, if they may have any number of elements whose size is a power of two: at
 * least `least`, if a page has so many, and more where there are enough items for all work-groups. */
size_t opi_deal_item_bytes(const opi_deal *deal, uint64_t bytes, size_t least);
/* Defines OPI_DEALT, and writes canon/dealt.cl.  deal: NULL: nothing is dealt out. */
void opi_deal_write(const opi_deal *deal, opi_gpu_source *source);
/* Where items are of different sizes: the pages themselves, as opi_pages of canon/pages.cl.  deal: NULL: nothing is dealt out. */
typedef struct opi_dealt_pages {
    uint64_t beyond;
    uint32_t log_page, workers, own, none;
} opi_dealt_pages;
opi_dealt_pages opi_deal_pages(const opi_deal *deal);
/* Defines OPI_DEALT, and writes canon/pages.cl. */
void opi_deal_write_pages(const opi_deal *deal, opi_gpu_source *source);
/* Items of any size, which lie side by side in the array of opi_deal_by: each is the accelerator's in whose page it begins, and
 * if they are larger than pages, they are dealt out in turn.  The same for kernels: opi_shares of canon/shares.cl. */
typedef struct opi_shares {
    uint64_t beyond, page, bytes, items;
    uint64_t slots; /* this accelerator has as many items at most, and some of its slots may be empty */
    uint32_t each;  /* slots for a page */
    uint32_t workers, own;
    uint32_t by_parts; /* of a grid of work-groups, parts by strips: 1: items are parts; 0: they are strips */
} opi_shares;
/* deal: NULL: all items are in slots of their own number. */
opi_shares opi_deal_shares(const opi_deal *deal, uint64_t items, uint64_t bytes);
/* Defines OPI_DEALT, and writes canon/shares.cl.  deal: NULL: nothing is dealt out. */
void opi_deal_write_shares(const opi_deal *deal, opi_gpu_source *source);
/* Which accelerator has item i. */
unsigned opi_deal_owner(const opi_dealt *dealt, uint64_t i);

#endif
