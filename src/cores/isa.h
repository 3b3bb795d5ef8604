/* The leaves that are compiled once for each instruction set (src/cores/isa/) and chosen when a device is opened. */
#ifndef OPI_ISA_H
#define OPI_ISA_H

#include <oplus/oplus.h>

#include "type/scalars.h"

#include <stdbool.h>

/* Appends the instruction set to a name: OPI_ISA_NAME(opi_stream) is opi_stream_avx2 where OPI_ISA is avx2. */
#define OPI_PASTE_(a, b)   a##_##b
#define OPI_PASTE(a, b)    OPI_PASTE_(a, b)
#define OPI_ISA_NAME(name) OPI_PASTE(name, OPI_ISA)

/* Bytes that `compact` may write beyond the kept elements. */
enum { OPI_COMPACT_OVERRUN = 64 };

/* Two bounds, low <= high, as mapped keys (cores/merge.h), and how many keys were seen below both, how many that are `low`,
 * and how many that are `high`. */
typedef struct opi_bounded {
    uint64_t low, high;
    size_t below, lows, highs;
} opi_bounded;

/* oplus_op::builtin of oplus_sum_i8 is OPI_BUILTIN_sum_i8 + 1, and so on. */
enum {
#define OPI_BUILTIN_NUMBER(op, suffix, T) OPI_BUILTIN_##op##_##suffix,
    OPLUS_FOR_BUILTINS(OPI_BUILTIN_NUMBER)
#undef OPI_BUILTIN_NUMBER
        OPI_BUILTINS
};

/* The loops of one built-in operator. */
typedef struct opi_builtin {
    oplus_leaves tree; /* blocks of the canonical tree, for operators that round; see oplus/leaf.h */
    /* Exact operators: any n at any place, in any association (NULL otherwise).  carry: the value that precedes in[0],
     * always present; on return the value that precedes in[n].  in == out is allowed. */
    void (*reduce)(const void *in, size_t n, void *carry);
    void (*scan)(const void *in, size_t n, int exclusive, void *carry, void *out);
    void (*segscan)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out);
    /* The same where in and out are in memory and out is aligned to a cache line, with non-temporal stores (fence after
     * them) if `streams`. */
    bool streams;
    void (*scan_far)(const void *in, size_t n, int exclusive, void *carry, void *out);
    void (*segscan_far)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out);
    /* table[bin[i]] is joined with in[i], for each i in order.  There are OPI_TABLES tables, `apart` elements apart, that take
     * turns, so that neighbouring elements of one bin do not wait for each other; or one, if apart is 0. */
    void (*by_bin)(const void *in, const uint32_t *bin, size_t n, size_t apart, void *tables);
    unsigned node_level; /* of the largest block that tree.node takes; 0: as the others */
    void (*node_far)(const void *in, unsigned level, void *node); /* tree.node for what is not in a cache, or NULL */
    /* tree.scan of a whole largest block with non-temporal stores (fence after them) and canonical NaNs, out aligned to
     * a cache line; or NULL.  Of an inclusive scan the results of the last cache line go to tail instead, because the
     * last one is the caller's. */
    void (*block_far)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node,
                      void *tail);
    /* tree.scan of up to 2^OPI_BLOCKS_LEVEL whole largest blocks with canonical NaNs, all but the last result of an
     * inclusive scan; or NULL. */
    void (*scan_blocks)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node);
} opi_builtin;

enum { OPI_BLOCKS_LEVEL = 4, OPI_TABLES = 4 };

enum { OPI_TRANSPOSE_FEW = 4 };

/* Rows that are looked through at a time for the least of each column: their numbers fit a byte. */
enum { OPI_LEAST_ROWS = 256 };

/* Types of elements that moments are made of, and the largest block whose node is computed at a time. */
enum { OPI_MOMENTS = 10, OPI_MOMENTS_LEVEL = 10 };

struct opi_sort_format;
struct opi_key_order;

typedef struct opi_isa {
    const char *name;           /* "baseline", "avx2", "avx512", "neon" */
    const opi_builtin *builtin; /* OPI_BUILTINS of them */
    /* The node, an oplus_moments, of 2^level elements; by their type, in the order of OPLUS_FOR_MOMENTS. */
    void (*const *moments)(const void *in, unsigned level, void *node);

    /* Copies with non-temporal stores where there are any; `to` and `from` do not overlap.  next: what will be read
     * after this, or NULL; it is prefetched line by line, so that memory is read while it is written.  `fence`
     * orders the stores, once at the end. */
    void (*stream)(void *to, const void *from, size_t bytes, const void *next);
    void (*fence)(void);
    /* Replaces every NaN by the canonical one (positive, quiet, no payload). */
    void (*quiet_f32)(float *x, size_t n);
    void (*quiet_f64)(double *x, size_t n);
    /* Whether one of n offsets may be less than the one before it plus gap (offsets[-1] comes before the first), or may
     * be 2^63 or more.  Never false if one is, unless offsets[-1] is 2^63 or more itself. */
    bool (*falls_u32)(const uint32_t *offsets, size_t n, uint64_t gap);
    bool (*falls_u64)(const uint64_t *offsets, size_t n, uint64_t gap);
    /* Whether one of n indices is larger than `largest`, which is less than 2^63. */
    bool (*exceed_u32)(const uint32_t *indices, size_t n, uint64_t largest);
    bool (*exceed_u64)(const uint64_t *indices, size_t n, uint64_t largest);
    /* Which of n keys, whose mapped integers (cores/merge.h) are below the bound: writes their places in order, and returns
     * how many there are; n is less than 2^32, and `place` has room for n.  By the logarithm of the size of a key. */
    size_t (*below[4])(const void *keys, size_t n, const struct opi_key_order *order, uint64_t bound, uint32_t *place);
    /* Which of n keys are between two bounds, where mapped: writes them so, as integers of their size, in order, and returns
     * how many there are; adds up how many are below, and how many are the bounds.  `to` has room for n + 1.  By the
     * logarithm of the size of a key; NULL for 1 byte. */
    size_t (*between[4])(const void *keys, size_t n, const struct opi_key_order *order, opi_bounded *seen, void *to);
    /* flags[i] becomes whether in[i] differs from in[i - 1], also for i = 0.  By the logarithm of the size of an element, to
     * which `in` is aligned. */
    void (*differ[4])(const void *in, size_t n, uint8_t *flags);
    /* Copies the elements with keep[i] != 0 (0 or 1) to out, in order, branch-free, and returns their number.  out has
     * room for n elements and OPI_COMPACT_OVERRUN bytes; it does not overlap in. */
    size_t (*compact)(const void *in, const uint8_t *keep, size_t n, size_t size, void *out);
    /* The least mapped key (cores/merge.h) of each of `width` columns, and the first row that has it: of rows from `in` on,
     * which are `stride` bytes apart.  Rows are at most OPI_LEAST_ROWS.  A NaN, whose bits but the highest are above
     * `infinity`, has the key 0.  keys and places have the type of an element.  By the logarithm of its size. */
    void (*least[4])(const void *in, size_t stride, size_t rows, size_t width, const struct opi_key_order *order,
                     uint64_t infinity, void *keys, void *places);
    /* The even bin of each of n numbers, and `bins` for one that is not from low to high: see oplus_histogram.  bins is less
     * than 2^31.  By scalar type. */
    void (*even[OPI_SCALARS])(const void *in, size_t n, double low, double high, double scale, uint32_t bins,
                              uint32_t *bin);
    /* The loops of the functions of cores/iota.h, by scalar type. */
    void (*iota[OPI_SCALARS])(const void *const *in, const void *param, size_t n, void *out);
    /* Copies n elements in the opposite order; in and out do not overlap. */
    void (*reverse)(const void *in, size_t n, size_t size, void *out);
    const struct opi_sort_format *sort; /* OPI_SORT_FORMATS of them; see cores/sort.h */
    /* Transposes a tile: out[c * out_stride + r] = in[r * in_stride + c], strides in elements, r < rows, c < cols.
     * in and out do not overlap.  It is also fast where one of them has no gaps, and at most OPI_TRANSPOSE_FEW columns
     * or rows. */
    void (*transpose)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows, size_t cols,
                      size_t size);
    /* The same with non-temporal stores of whole cache lines, for a tall tile.  scratch: see cores/transpose.h. */
    void (*transpose_lines)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows, size_t cols,
                            size_t size, void *scratch);
} opi_isa;

/* The best instruction set for this processor, or the one that OPLUS_ISA names; fails, in the name of `call`, if the
 * processor does not have that one. */
oplus_status opi_isa_choose(const char *call, const opi_isa **isa);
/* All instruction sets that this processor has, best last; returns how many (at most 4). */
int opi_isa_list(const opi_isa *list[4]);

#endif
