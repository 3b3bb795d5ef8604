#include "cores/bins.h"

#include "base/error.h"
#include "cores/even.h"
#include "type/scalars.h"

#include <inttypes.h>
#include <stdio.h>

/* Bins of n elements of one type. */
typedef void find(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin);

#define IS_BELOW_0_i(x) ((x) < 0)
#define IS_BELOW_0_u(x) false

/* Elements that are numbers of bins.  A negative one, read without its sign, is behind all bins. */
#define NUMBER(suffix, T, sign)                                                                                        \
    static void number_##suffix(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin)      \
    {                                                                                                                  \
        const T *const x = in;                                                                                         \
        const uint64_t count = bins->n, beyond = bins->bounds == OPLUS_CLIP ? count - 1 : count;                       \
        const uint64_t below = bins->bounds == OPLUS_CLIP ? 0 : count;                                                 \
        (void)edges, (void)below;                                                                                      \
        for (size_t i = 0; i < n; i++)                                                                                 \
            bin[i] = IS_BELOW_0_##sign(x[i]) ? below : (uint64_t)x[i] < count ? (uint64_t)x[i] : beyond;               \
    }
NUMBER(i8, int8_t, i)
NUMBER(i16, int16_t, i)
NUMBER(i32, int32_t, i)
NUMBER(i64, int64_t, i)
NUMBER(u8, uint8_t, u)
NUMBER(u16, uint16_t, u)
NUMBER(u32, uint32_t, u)
NUMBER(u64, uint64_t, u)

/* Numbers in even bins, and between edges.  A NaN is neither in range nor out of it: it is in no bin. */
#define VALUE(suffix, T)                                                                                               \
    static void even_##suffix(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin)        \
    {                                                                                                                  \
        const T *const x = in;                                                                                         \
        const double low = bins->low, high = bins->high, scale = bins->scale, last = (double)(bins->n - 1);            \
        const uint64_t none = bins->n;                                                                                 \
        (void)edges;                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const double value = (double)x[i];                                                                         \
            const bool inside = opi_is_in_bins(value, low, high);                                                      \
            const double place = opi_even_place(value, inside, low, scale, last);                                      \
            bin[i] = inside ? (uint64_t)(int64_t)place : none;                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void edges_##suffix(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin)       \
    {                                                                                                                  \
        const T *const x = in, *const edge = edges;                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const bool inside = x[i] >= edge[0] && x[i] <= edge[bins->n];                                              \
            uint64_t at = 0; /* the last edge that is not above x[i] lies in [at, at + left) */                        \
            for (uint64_t left = bins->n + 1, half; left > 1; left -= half) {                                          \
                half = left / 2;                                                                                       \
                at += edge[at + half] <= x[i] ? half : 0;                                                              \
            }                                                                                                          \
            bin[i] = !inside ? bins->n : at < bins->n ? at : bins->n - 1;                                              \
        }                                                                                                              \
    }
VALUE(i8, int8_t)
VALUE(i16, int16_t)
VALUE(i32, int32_t)
VALUE(i64, int64_t)
VALUE(u8, uint8_t)
VALUE(u16, uint16_t)
VALUE(u32, uint32_t)
VALUE(u64, uint64_t)
VALUE(f32, float)
VALUE(f64, double)

#define ROW(id, suffix) [OPLUS_##id] = {number_##suffix, even_##suffix, edges_##suffix}
static find *const finds[OPI_SCALARS][3] = {ROW(I8, i8),
                                            ROW(I16, i16),
                                            ROW(I32, i32),
                                            ROW(I64, i64),
                                            ROW(U8, u8),
                                            ROW(U16, u16),
                                            ROW(U32, u32),
                                            ROW(U64, u64),
                                            [OPLUS_F32] = {NULL, even_f32, edges_f32},
                                            [OPLUS_F64] = {NULL, even_f64, edges_f64}};

void opi_bins_find(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin)
{
    finds[bins->type->scalar][bins->binning](bins, edges, in, n, bin);
}

/* Whether all of n numbers of 4 or 8 bytes are in range.  A negative one, read without its sign, is beyond all bins. */
static bool are_in_range(const opi_isa *isa, const opi_bins *bins, const void *in, size_t n)
{
    if (bins->n > INT32_MAX) return false;
    if (bins->type->size == sizeof(uint32_t)) return !isa->exceed_u32(in, n, bins->n - 1);
    return bins->type->size == sizeof(uint64_t) && !isa->exceed_u64(in, n, bins->n - 1);
}

const uint32_t *opi_bins_find_words(const opi_isa *isa, const opi_bins *bins, const void *in, size_t n,
                                    uint32_t room[OPI_BINS_PIECE], bool *beyond)
{
    uint64_t found[OPI_BINS_PIECE];
    const bool in_range = are_in_range(isa, bins, in, n);
    const uint64_t *const bin = in_range ? in : found;
    if (in_range && bins->type->size == sizeof(uint32_t)) return in;
    if (!in_range) opi_bins_find(bins, NULL, in, n, found);
    for (size_t k = 0; k < n; k++) room[k] = (uint32_t)bin[k];
    if (!in_range) *beyond |= isa->exceed_u32(room, n, bins->n - 1);
    return room;
}

/* An index in words, with its sign. */
static void say(const oplus_type *type, const char *at, char text[24])
{
    const uint64_t value = type->size == 1   ? *(const uint8_t *)at
                           : type->size == 2 ? *(const uint16_t *)(const void *)at
                           : type->size == 4 ? *(const uint32_t *)(const void *)at
                                             : *(const uint64_t *)(const void *)at;
    const unsigned shift = 64 - 8 * (unsigned)type->size;
    if (opi_is_signed(type->scalar))
        snprintf(text, 24, "%" PRId64, (int64_t)(value << shift) >> shift);
    else
        snprintf(text, 24, "%" PRIu64, value);
}

oplus_status opi_bins_refuse(const char *call, const opi_bins *bins, const void *indices, size_t n)
{
    const size_t size = bins->type->size;
    char text[24];
    for (size_t k = 0; k < n; k++) {
        uint64_t bin;
        const char *const at = (const char *)indices + k * size;
        opi_bins_find(bins, NULL, at, 1, &bin);
        if (bin < bins->n) continue;
        say(bins->type, at, text);
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: indices[%zu] is %s and n is %" PRIu64 "; give indices from 0 to %" PRIu64
                        ", or OPLUS_CLIP or OPLUS_IGNORE",
                        call, k, text, bins->n, bins->n - 1);
    }
    return OPLUS_OK;
}
