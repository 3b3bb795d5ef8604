/* Extremes: the least and the greatest of some elements, and where they are.
 *
 * Elements are compared by keys: unsigned numbers of which the least is the one that is looked for.  A NaN has the key 0, so
 * that it is the least and the greatest, as it is the result of the minimum and the maximum; -0 is less than +0.  Of equal
 * keys the earlier one counts.  gpu/extreme/extreme_key.cl has the same in the words of kernels. */
#ifndef OPI_TASK_EXTREME_H
#define OPI_TASK_EXTREME_H

#include "task/task.h"
#include "type/scalars.h"

#include <stdbool.h>
#include <string.h>

/* Of each side: [0] the least, [1] the greatest.  The kernels write it as four words. */
typedef struct opi_extreme {
    struct {
        uint64_t key, at;
    } side[2];
} opi_extreme;

/* The place of nothing: it is behind all others. */
#define OPI_NOWHERE UINT64_MAX

static inline opi_extreme opi_extreme_of_nothing(void)
{
    return (opi_extreme){{{UINT64_MAX, OPI_NOWHERE}, {UINT64_MAX, OPI_NOWHERE}}};
}

/* x becomes what is known of the elements of x and of y. */
static inline void opi_extreme_join(opi_extreme *x, const opi_extreme *y)
{
    for (int s = 0; s < 2; s++)
        if (y->side[s].key < x->side[s].key || (y->side[s].key == x->side[s].key && y->side[s].at < x->side[s].at))
            x->side[s] = y->side[s];
}

/* All bits of a scalar of so many bytes, and its highest bit. */
static inline uint64_t opi_scalar_mask(size_t size) { return UINT64_MAX >> (64 - 8 * size); }
static inline uint64_t opi_scalar_top(size_t size) { return (uint64_t)1 << (8 * size - 1); }

/* The bits of infinity, above which there are only NaNs. */
static inline uint64_t opi_infinity_bits(size_t size) { return size == 4 ? 0x7f800000u : 0x7ff0000000000000u; }

static inline uint64_t opi_scalar_bits(const void *element, size_t size)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        return memcpy(&u8, element, sizeof u8), u8;
    case 2:
        return memcpy(&u16, element, sizeof u16), u16;
    case 4:
        return memcpy(&u32, element, sizeof u32), u32;
    default:
        return memcpy(&u64, element, sizeof u64), u64;
    }
}

static inline uint64_t opi_extreme_key(const oplus_type *type, const void *element, bool greatest)
{
    const uint64_t mask = opi_scalar_mask(type->size), top = opi_scalar_top(type->size);
    uint64_t key = opi_scalar_bits(element, type->size);
    if (opi_is_floating(type->scalar)) {
        if ((key & ~top) > opi_infinity_bits(type->size)) return 0;
        key = key & top ? ~key & mask : key | top;
    } else if (opi_is_signed(type->scalar)) {
        key ^= top;
    }
    return greatest ? ~key & mask : key;
}

/* Writes the element that has a key; of NaNs, the canonical one. */
static inline void opi_extreme_value(const oplus_type *type, uint64_t key, bool greatest, void *out)
{
    const uint64_t mask = opi_scalar_mask(type->size), top = opi_scalar_top(type->size);
    uint64_t bits = greatest ? ~key & mask : key;
    if (opi_is_floating(type->scalar)) {
        bits = bits & top ? bits ^ top : ~bits & mask;
        if (key == 0) bits = type->size == 4 ? 0x7fc00000u : 0x7ff8000000000000u;
    } else if (opi_is_signed(type->scalar)) {
        bits ^= top;
    }
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    const void *const from = type->size == 1   ? (const void *)&u8
                             : type->size == 2 ? (const void *)&u16
                             : type->size == 4 ? (const void *)&u32
                                               : (const void *)&bits;
    memcpy(out, from, type->size);
}

/* Writes the result of a task, which lies in host memory. */
static inline void opi_extreme_give(const opi_task *task, const opi_extreme *found)
{
    const oplus_type *const type = task->extreme.type;
    const size_t at = (size_t)found->side[task->extreme.sides == OPI_GREATEST].at;
    char *const out = task->result;
    switch (task->extreme.gives) {
    case OPI_GIVES_PLACE:
        memcpy(out, &at, sizeof at);
        break;
    case OPI_GIVES_VALUES:
        opi_extreme_value(type, found->side[0].key, false, out);
        opi_extreme_value(type, found->side[1].key, true, out + type->size);
        break;
    case OPI_GIVES_RECORD:
        memcpy(out, found, sizeof *found);
    }
}

#endif
