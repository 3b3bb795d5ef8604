/* Problems: their random data, their size in bytes, their names. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench.h"
#include "shape.h"

const char *bench_primitive_name(bench_primitive primitive);
const char *bench_type_name(bench_type type);
size_t bench_type_size(bench_type type);
bool bench_primitive_find(const char *name, bench_primitive *primitive);
bool bench_type_find(const char *name, bench_type *type);
bool bench_primitive_has(bench_primitive primitive, bench_type type); /* is there such a case? */

/* Whether its elements are a matrix, of which a shape may be given. */
bool bench_is_matrix(bench_primitive primitive);

/* Makes the data of a problem, or ends the command for lack of memory.  n: of a transpose, only where shape has
 * no rows.  huge: ask for 2 MiB pages. */
void bench_problem_open(bench_problem *problem, bench_primitive primitive, bench_type type, size_t n, bench_shape shape,
                        bool huge);
void bench_problem_close(bench_problem *problem);

/* The following calls are for arrays in the host's memory; device.h has similar ones for others. */

/* Restores the data that a sort has sorted. */
void bench_problem_restore(bench_problem *problem);
/* Overwrites an earlier result, which could be taken for the next contender's. */
void bench_problem_spoil(bench_problem *problem);

/* Elements of the result. */
size_t bench_result_count(const bench_problem *problem);
/* A hash that tells one result from another: of all of it, or of the keys alone. */
uint64_t bench_result_hash(const bench_problem *problem);
uint64_t bench_keys_hash(const bench_problem *problem);
/* For pairs: splits sorted records into keys and values; and, after an unstable sort, is every value still beside
 * its key? */
void bench_pairs_unzip(const bench_problem *problem);
bool bench_pairs_belong(const bench_problem *problem);

/* Bytes of the input read + bytes of the output written, each once. */
double bench_problem_bytes(const bench_problem *problem);
bool bench_reads_only(bench_primitive primitive);
bool bench_is_sort(bench_primitive primitive);
bool bench_has_runs(bench_primitive primitive); /* whose result is also kept numbers of 4 bytes at out2 */
bool bench_is_cut(bench_primitive primitive);   /* into segments of lengths that can be chosen */

#endif
