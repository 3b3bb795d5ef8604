/* samples: small numbers, fractions, extremes, and random ones, the same every time. */
#include "samples.h"

#include "die.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* splitmix64 */
static uint64_t any(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* --- scalars ------------------------------------------------------------------------------------------------------ */

static const int small[] = {0, 1, 2, -1, 3, 5, -2, 7, 11, -3, 13, 100};
static const double fractions[] = {0, 1, 2, -1, 0.5, 3, -0.25, 5, 7, -2, 1.0 / 3, 0.1, -11, 1e-3, 1000.5, -1e6};
static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0};
enum {
    SMALL = sizeof small / sizeof *small,
    FRACTIONS = sizeof fractions / sizeof *fractions,
    SPECIALS = sizeof specials / sizeof *specials
};

/* Extremes come after the small ones, then every size of number. */
static uint64_t integer_sample(size_t i, bool is_signed, unsigned bits, uint64_t *random)
{
    const uint64_t largest = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
    const uint64_t extremes[] = {largest, is_signed ? ~largest : largest - 1};
    if (i < SMALL) return is_signed || small[i] >= 0 ? (uint64_t)(int64_t)small[i] : (uint64_t)(17 - small[i]);
    if (i < SMALL + 2) return extremes[i - SMALL];
    const uint64_t zeros = any(random) % 64, value = any(random) >> zeros;
    return is_signed && any(random) % 2 ? 0 - value : value;
}

static double float_sample(size_t i, bool special, uint64_t *random)
{
    if (i < FRACTIONS) return fractions[i];
    i -= FRACTIONS;
    if (special && i < SPECIALS) return specials[i];
    const double fraction = (double)(any(random) >> 11) * 0x1p-53 + 0.5;
    const int exponent = (int)(any(random) % 24) - 12;
    return ldexp(any(random) % 2 ? -fraction : fraction, exponent);
}

static void put_sample(oplus_scalar scalar, size_t i, bool special, uint64_t *random, void *to)
{
    const size_t size = tool_scalar_size(scalar);
    if (scalar == OPLUS_F32) {
        memcpy(to, &(float){(float)float_sample(i, special, random)}, size);
    } else if (scalar == OPLUS_F64) {
        memcpy(to, &(double){float_sample(i, special, random)}, size);
    } else {
        const uint64_t value = integer_sample(i, scalar <= OPLUS_I64, 8 * (unsigned)size, random);
        memcpy(to, &value, size); /* little-endian: see type.h */
    }
}

/* --- elements: of a struct, all members alike at first, then mixed ------------------------------------------------ */

void *tool_samples(const oplus_type *type, bool special)
{
    tool_layout layout;
    if (!tool_layout_of(type, &layout)) return NULL;
    uint64_t random = 1;
    char *const samples = tool_alloc(TOOL_SAMPLES * type->size);
    memset(samples, 0, TOOL_SAMPLES * type->size); /* padding included */
    for (size_t i = 0; i < TOOL_SAMPLES; i++)
        for (int m = 0; m < layout.members; m++)
            for (size_t k = 0; k < layout.member[m].count; k++) {
                const oplus_member *const member = &layout.member[m];
                const size_t reach = 2 + i < TOOL_SAMPLES ? 2 + i : TOOL_SAMPLES; /* simple ones first */
                const size_t choice = layout.scalars == 1 || i < 2 ? i : (size_t)(any(&random) % reach);
                put_sample(member->scalar, choice, special, &random,
                           samples + i * type->size + member->offset + k * tool_scalar_size(member->scalar));
            }
    return samples;
}
