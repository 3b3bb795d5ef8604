/* oplus_samples: small numbers, fractions, extremes, and random numbers that are the same every time. */
#include "front/check.h"
#include "type/layout.h"

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

/* A limit: the product of three signed numbers below it, and the sum of two such products, are in range. */
static int64_t modest(unsigned bits) { return (int64_t)1 << (bits - 2) / 3; }

static uint64_t modest_sample(size_t i, unsigned bits, uint64_t *random)
{
    const int64_t span = 2 * modest(bits) - 1;
    const int64_t value = i < SMALL ? small[i] : (int64_t)(any(random) % (uint64_t)span) - modest(bits) + 1;
    return (uint64_t)(value % modest(bits));
}

/* Extremes come after the small numbers, then numbers of every size.  Signed numbers that must be modest do not
 * overflow in the usual sums and products: an overflow would make an operator look wrong that is right for all data
 * that fit. */
static uint64_t integer_sample(size_t i, bool is_signed, bool is_modest, unsigned bits, uint64_t *random)
{
    if (is_signed && is_modest) return modest_sample(i, bits, random);
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

static void put_sample(oplus_scalar scalar, size_t i, unsigned which, uint64_t *random, void *to)
{
    const size_t size = opi_scalars[scalar].size;
    if (opi_is_floating(scalar)) {
        opi_scalars[scalar].put(to, float_sample(i, which & OPLUS_SAMPLES_SPECIAL, random));
    } else {
        const bool negative = opi_scalars[scalar].number == OPI_SIGNED;
        const uint64_t value = integer_sample(i, negative, which & OPLUS_SAMPLES_MODEST, 8 * (unsigned)size, random);
        const unsigned char *const lowest = (const unsigned char *)&value;
        memcpy(to, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? lowest : lowest + sizeof value - size, size);
    }
}

/* --- elements: in a struct first all members are alike, then they are mixed --------------------------------------- */

static void put_samples(const oplus_type *type, const oplus_member *member, int members, unsigned which, size_t n,
                        char *samples)
{
    uint64_t random = 1;
    const bool scalar = members == 1 && member[0].count == 1;
    for (size_t i = 0; i < n; i++)
        for (int m = 0; m < members; m++)
            for (size_t k = 0; k < member[m].count; k++) {
                const size_t reach = 2 + i < n ? 2 + i : n; /* simple numbers first */
                const size_t choice = scalar || i < 2 ? i : (size_t)(any(&random) % reach);
                put_sample(member[m].scalar, choice, which, &random,
                           samples + i * type->size + member[m].offset + k * opi_scalars[member[m].scalar].size);
            }
}

oplus_status oplus_samples(const oplus_type *type, unsigned which, size_t n, void *out)
{
    OPI_OWN_MODE;
    oplus_member member[OPI_MAX_MEMBERS];
    OPI_TRY(opi_check_type(__func__, "type", type));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    if (which & ~(unsigned)(OPLUS_SAMPLES_SPECIAL | OPLUS_SAMPLES_MODEST))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: which is %u; it is 0, or OPLUS_SAMPLES_SPECIAL, OPLUS_SAMPLES_MODEST joined by |",
                        __func__, which);
    OPI_TRY(opi_check_bytes(__func__, "n", n, type->size));
    const int members = opi_layout(type, member, OPI_MAX_MEMBERS);
    if (members < 0)
        return opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: the members of type \"%s\" are not known; give samples of your own",
                        __func__, opi_name(type->name));
    if (n > 0) memset(out, 0, n * type->size); /* and their padding */
    put_samples(type, member, members, which, n, out);
    return OPLUS_OK;
}
