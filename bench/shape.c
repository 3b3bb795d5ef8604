#include "shape.h"

#include <math.h>
#include <stdio.h>

#include "data.h"
#include "random.h"

static const char *const pattern_names[] = {
#define BENCH_NAME(id, name) name,
    BENCH_PATTERNS(BENCH_NAME)
#undef BENCH_NAME
};

const char *bench_pattern_name(bench_pattern pattern) { return pattern_names[pattern]; }

static void print_lengths(char text[BENCH_SHAPE_TEXT], double length)
{
    if (length == BENCH_LENGTHS_EMPTY)
        snprintf(text, BENCH_SHAPE_TEXT, "empty segments");
    else if (length == BENCH_LENGTHS_MIXED)
        snprintf(text, BENCH_SHAPE_TEXT, "long segments among short ones");
    else if (length == BENCH_LENGTHS_POWER)
        snprintf(text, BENCH_SHAPE_TEXT, "segments by a power law");
    else
        snprintf(text, BENCH_SHAPE_TEXT, "segments of %g", length);
}

void bench_shape_print(char text[BENCH_SHAPE_TEXT], bench_primitive primitive, const bench_shape *shape)
{
    text[0] = '\0';
    if (bench_is_sort(primitive) && shape->pattern != BENCH_PATTERN_RANDOM)
        snprintf(text, BENCH_SHAPE_TEXT, "%s", bench_pattern_name(shape->pattern));
    if (bench_is_cut(primitive) && shape->length != 0) print_lengths(text, shape->length);
    if (bench_is_matrix(primitive) && shape->rows > 0)
        snprintf(text, BENCH_SHAPE_TEXT, "%zu x %zu", shape->rows, shape->cols);
}

static double random_unit(uint64_t *state) { return (double)(bench_random_u64(state) >> 11) * 0x1p-53; }

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Numbers of 64 bits become keys of any type in the same order; random ones become random bits or floats that are
 * uniform in [-1, 1). */
static void put_key(void *mem, bench_type type, size_t i, uint64_t rank)
{
    const int64_t centred = (int64_t)(rank ^ UINT64_C(1) << 63);
    const int32_t high = (int32_t)((uint32_t)(rank >> 32) ^ UINT32_C(1) << 31);
    switch (type) {
    case BENCH_F32:
        ((float *)mem)[i] = (float)high * 0x1p-31f;
        break;
    case BENCH_F64:
        ((double *)mem)[i] = (double)centred * 0x1p-63;
        break;
    case BENCH_I32:
        ((int32_t *)mem)[i] = high;
        break;
    case BENCH_U32:
        ((uint32_t *)mem)[i] = (uint32_t)(rank >> 32);
        break;
    case BENCH_I64:
        ((int64_t *)mem)[i] = centred;
        break;
    default:
        ((uint64_t *)mem)[i] = rank;
        break;
    }
}

/* Number i of n that rise from 0 to the largest one by random steps. */
static uint64_t rising(size_t i, size_t n, uint64_t random)
{
    const uint64_t step = UINT64_MAX / n;
    return i * step + random % step;
}

static uint64_t rank_of(bench_pattern pattern, size_t i, size_t n, uint64_t *state)
{
    const uint64_t random = bench_random_u64(state);
    switch (pattern) {
    case BENCH_PATTERN_SORTED:
        return rising(i, n, random);
    case BENCH_PATTERN_REVERSED:
        return rising(n - 1 - i, n, random);
    case BENCH_PATTERN_EQUAL:
        return UINT64_C(3) << 60;
    case BENCH_PATTERN_FEW:
        return random >> 60 << 60;
    case BENCH_PATTERN_PIPE:
        return rising(i < n / 2 ? 2 * i : 2 * (n - 1 - i), 2 * n, random);
    case BENCH_PATTERN_NEARLY:
        return random % 100 == 0 ? bench_random_u64(state) : rising(i, n, random);
    case BENCH_PATTERN_POWER: { /* steps of 2^40, which a float of 4 bytes tells apart */
        const double u = random_unit(state);
        return (uint64_t)(1 / (u * u + 0x1p-23)) << 40;
    }
    default:
        return random;
    }
}

void bench_fill_keys(void *mem, bench_type type, size_t n, bench_pattern pattern, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) put_key(mem, type, i, rank_of(pattern, i, n, state));
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

enum { SHORT_MEAN = 10, LONG_ONES = 1000, LONG = SHORT_MEAN * LONG_ONES };

double bench_mean_length(double length)
{
    if (length == BENCH_LENGTHS_MIXED) return 2 * SHORT_MEAN;
    return length == BENCH_LENGTHS_POWER ? 62 : length;
}

size_t bench_random_length(double length, uint64_t *state)
{
    const double u = random_unit(state);
    if (length == BENCH_LENGTHS_MIXED) {
        const bool is_long = bench_random_u64(state) % LONG_ONES == 0;
        return is_long ? LONG : (size_t)(u * (2 * SHORT_MEAN + 1));
    }
    if (length == BENCH_LENGTHS_POWER) return (size_t)fmin(1 / (u * u + 1e-9) - 0.99, 1000);
    return length < 1 ? u < length : (size_t)(u * (2 * length + 1));
}
