/* Put of many small elements into an output that no cache holds, in two passes over a chunk of the elements: the first
 * sorts them, block by block, into buckets of neighbouring places; the second puts bucket after bucket, each of which fits
 * a cache.  A put by itself would wait for memory with almost every element. */
#ifndef OPI_PUT_BUCKETS_H
#define OPI_PUT_BUCKETS_H

#include "cores/cores.h"

/* Whether it is the faster way. */
bool opi_put_suits_buckets(const opi_task *task);
/* Bytes of memory that it needs in cores->array. */
size_t opi_put_bucket_bytes(const opi_task *task);
/* Puts all elements.  cores->array has the memory.  *wrong: the first index out of range, of which the caller tells, or SIZE_MAX. */
oplus_status opi_put_by_buckets(opi_cores *cores, const char *call, const opi_task *task, size_t *wrong);

#endif
