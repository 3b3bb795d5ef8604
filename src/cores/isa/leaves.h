/* What every instruction set compiles: see cores/isa.h for what each does.  Included once for each instruction set. */
#ifndef OPI_ISA_LEAVES_H
#define OPI_ISA_LEAVES_H

#include "cores/isa.h"
#include "cores/merge.h"
#include "cores/sort.h"

extern const opi_builtin OPI_ISA_NAME(opi_builtins)[OPI_BUILTINS];
extern void (*const OPI_ISA_NAME(opi_moments)[OPI_MOMENTS])(const void *in, unsigned level, void *node);
void OPI_ISA_NAME(opi_stream)(void *to, const void *from, size_t bytes, const void *next);
void OPI_ISA_NAME(opi_fence)(void);
void OPI_ISA_NAME(opi_quiet_f32)(float *x, size_t n);
void OPI_ISA_NAME(opi_quiet_f64)(double *x, size_t n);
bool OPI_ISA_NAME(opi_falls_u32)(const uint32_t *offsets, size_t n, uint64_t gap);
bool OPI_ISA_NAME(opi_falls_u64)(const uint64_t *offsets, size_t n, uint64_t gap);
bool OPI_ISA_NAME(opi_exceed_u32)(const uint32_t *indices, size_t n, uint64_t largest);
bool OPI_ISA_NAME(opi_exceed_u64)(const uint64_t *indices, size_t n, uint64_t largest);
size_t OPI_ISA_NAME(opi_below_8)(const void *keys, size_t n, const opi_key_order *order, uint64_t bound,
                                 uint32_t *place);
size_t OPI_ISA_NAME(opi_below_16)(const void *keys, size_t n, const opi_key_order *order, uint64_t bound,
                                  uint32_t *place);
size_t OPI_ISA_NAME(opi_below_32)(const void *keys, size_t n, const opi_key_order *order, uint64_t bound,
                                  uint32_t *place);
size_t OPI_ISA_NAME(opi_below_64)(const void *keys, size_t n, const opi_key_order *order, uint64_t bound,
                                  uint32_t *place);
size_t OPI_ISA_NAME(opi_between_16)(const void *keys, size_t n, const opi_key_order *order, opi_bounded *seen,
                                    void *to);
size_t OPI_ISA_NAME(opi_between_32)(const void *keys, size_t n, const opi_key_order *order, opi_bounded *seen,
                                    void *to);
size_t OPI_ISA_NAME(opi_between_64)(const void *keys, size_t n, const opi_key_order *order, opi_bounded *seen,
                                    void *to);
size_t OPI_ISA_NAME(opi_compact)(const void *in, const uint8_t *keep, size_t n, size_t size, void *out);
void OPI_ISA_NAME(opi_least_8)(const void *in, size_t stride, size_t rows, size_t width, const opi_key_order *order,
                               uint64_t infinity, void *keys, void *places);
void OPI_ISA_NAME(opi_least_16)(const void *in, size_t stride, size_t rows, size_t width, const opi_key_order *order,
                                uint64_t infinity, void *keys, void *places);
void OPI_ISA_NAME(opi_least_32)(const void *in, size_t stride, size_t rows, size_t width, const opi_key_order *order,
                                uint64_t infinity, void *keys, void *places);
void OPI_ISA_NAME(opi_least_64)(const void *in, size_t stride, size_t rows, size_t width, const opi_key_order *order,
                                uint64_t infinity, void *keys, void *places);
void OPI_ISA_NAME(opi_differ_8)(const void *in, size_t n, uint8_t *flags);
void OPI_ISA_NAME(opi_differ_16)(const void *in, size_t n, uint8_t *flags);
void OPI_ISA_NAME(opi_differ_32)(const void *in, size_t n, uint8_t *flags);
void OPI_ISA_NAME(opi_differ_64)(const void *in, size_t n, uint8_t *flags);
#define OPI_EVEN(suffix)                                                                                               \
    void OPI_ISA_NAME(opi_even_##suffix)(const void *in, size_t n, double low, double high, double scale,              \
                                         uint32_t bins, uint32_t *bin);
OPI_EVEN(i8)
OPI_EVEN(i16)
OPI_EVEN(i32)
OPI_EVEN(i64)
OPI_EVEN(u8)
OPI_EVEN(u16)
OPI_EVEN(u32)
OPI_EVEN(u64)
OPI_EVEN(f32)
OPI_EVEN(f64)
#undef OPI_EVEN
#define OPI_IOTA(suffix)                                                                                               \
    void OPI_ISA_NAME(opi_iota_##suffix)(const void *const *in, const void *param, size_t n, void *to);
OPI_IOTA(i8)
OPI_IOTA(i16)
OPI_IOTA(i32)
OPI_IOTA(i64)
OPI_IOTA(u8)
OPI_IOTA(u16)
OPI_IOTA(u32)
OPI_IOTA(u64)
OPI_IOTA(f32)
OPI_IOTA(f64)
#undef OPI_IOTA
void OPI_ISA_NAME(opi_reverse)(const void *in, size_t n, size_t size, void *out);
extern const opi_sort_format OPI_ISA_NAME(opi_sort_formats)[OPI_SORT_FORMATS];
void OPI_ISA_NAME(opi_sort_words_32)(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts);
void OPI_ISA_NAME(opi_sort_words_64)(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts);
void OPI_ISA_NAME(opi_transpose)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows,
                                 size_t cols, size_t size);
void OPI_ISA_NAME(opi_transpose_lines)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows,
                                       size_t cols, size_t size, void *scratch);

#endif
