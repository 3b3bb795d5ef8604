/* The key at a place of the order: of what top.cl has, keys, how they compare, and parts of work-groups.  Equal keys need no
 * places here.
 *
 *   begin   clears what the others count
 *   sample  looks at samples: which two bounds is the key between, hardly ever not?
 *   sift    reads all keys once: counts those below and those that are the bounds, and writes down those between
 *   count   finds the key digit by digit: of those between, or, if it is not one of them or they are too many, of all
 *   give    writes the key */

/* --- counts ------------------------------------------------------------------------------------------------------- */

/* A count of 64 bits is two words: atomics of 64 bits are not everywhere. */
typedef struct opi_tally {
    uint32_t low, high;
} opi_tally;

OPI_FUNCTION void opi_tally_add(OPI_GLOBAL opi_tally *tally, uint32_t amount)
{
    const uint32_t before = OPI_ADD(&tally->low, amount);
    if (before + amount < before) OPI_ADD(&tally->high, 1u);
}

OPI_FUNCTION uint64_t opi_tallied(OPI_GLOBAL const opi_tally *tally)
{
    return (uint64_t)tally->high << 32 | tally->low;
}

/* What is known of the key: the digits in front, and its place among the keys that have them. */
typedef struct opi_traced {
    uint64_t key, left;
} opi_traced;

/* One more digit, from how many keys have each: count, in local memory, 256 of them, and room for 16 sums. */
OPI_FUNCTION opi_traced opi_traced_on(opi_traced traced, uint32_t digit, OPI_LOCAL uint64_t *count,
                                      OPI_LOCAL uint64_t *sum)
{
    OPI_BARRIER();
    for (uint32_t b = OPI_SELF; b < 16; b += OPI_W) {
        uint64_t of_block = 0;
        for (uint32_t q = 0; q < 16; q++) of_block += count[16 * b + q];
        sum[b] = of_block;
    }
    OPI_BARRIER();
    uint32_t block = 0;
    while (block < 15 && traced.left >= sum[block]) traced.left -= sum[block++];
    uint32_t own = 16 * block;
    while (own < 16 * block + 15 && traced.left >= count[own]) traced.left -= count[own++];
    traced.key |= (uint64_t)own << (8 * (OPI_KEY_SIZE - 1 - digit));
    OPI_BARRIER();
    return traced;
}

OPI_FUNCTION bool opi_is_traced(uint64_t key, uint64_t traced, uint32_t digit)
{
    return ((key ^ traced) & opi_front(digit, OPI_KEY_SIZE)) == 0;
}

OPI_FUNCTION uint32_t opi_key_digit(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> (8 * (OPI_KEY_SIZE - 1 - digit))) & 255u;
}

/* --- what launches tell each other -------------------------------------------------------------------------------- */

/* Words of 64 bits: the bounds; how many keys are below, are the lower bound, are the upper one (apart from the lower one),
 * and, in 32 bits, are between; then what is traced after each digit; behind them, how many keys have each digit. */
#define OPI_LOW_AT     0
#define OPI_HIGH_AT    1
#define OPI_BELOW_AT   2
#define OPI_LOWS_AT    3
#define OPI_HIGHS_AT   4
#define OPI_BETWEEN_AT 5
#define OPI_TRACED_AT  6
#define OPI_COUNTED_AT (OPI_TRACED_AT + 2 * (OPI_KEY_SIZE + 1))
#define OPI_TOLD_WORDS (OPI_COUNTED_AT + 256 * OPI_KEY_SIZE)
#define OPI_TALLY(at)  ((OPI_GLOBAL opi_tally *)(told + (at)))

/* What a sift has found: the key itself, or where to look for it, and its place there. */
typedef struct opi_sifted {
    bool found, listed;
    opi_traced traced;
} opi_sifted;

/* room: how many keys between the bounds may have been written down; 0: nobody has sifted. */
OPI_FUNCTION opi_sifted opi_sifted_out(OPI_GLOBAL uint64_t *told, uint64_t room, uint64_t k)
{
    const uint64_t below = opi_tallied(OPI_TALLY(OPI_BELOW_AT)), lows = opi_tallied(OPI_TALLY(OPI_LOWS_AT)),
                   highs = opi_tallied(OPI_TALLY(OPI_HIGHS_AT)), between = OPI_TALLY(OPI_BETWEEN_AT)->low;
    opi_sifted sifted;
    sifted.found = sifted.listed = false;
    sifted.traced.key = 0;
    sifted.traced.left = k;
    if (room == 0 || k < below) return sifted;
    if (k - below < lows) {
        sifted.found = true;
        sifted.traced.key = told[OPI_LOW_AT];
        return sifted;
    }
    if (between > room) return sifted;
    const uint64_t left = k - below - lows;
    if (left < between) {
        sifted.listed = true;
        sifted.traced.left = left;
    } else if (left - between < highs) {
        sifted.found = true;
        sifted.traced.key = told[OPI_HIGH_AT];
    }
    return sifted;
}

/* What is traced before a digit, made of what was traced before the one in front of it, and of its counts. */
OPI_FUNCTION opi_traced opi_trace(OPI_GLOBAL uint64_t *told, const opi_sifted *sifted, uint32_t digit,
                                  OPI_LOCAL uint64_t *count, OPI_LOCAL uint64_t *sum)
{
    if (digit == 0 || sifted->found) return sifted->traced;
    opi_traced traced = sifted->traced;
    if (digit > 1) {
        traced.key = told[OPI_TRACED_AT + 2 * (digit - 1)];
        traced.left = told[OPI_TRACED_AT + 2 * (digit - 1) + 1];
    }
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W)
        count[b] = opi_tallied(OPI_TALLY(OPI_COUNTED_AT + 256 * (digit - 1) + b));
    traced = opi_traced_on(traced, digit - 1, count, sum);
    if (OPI_GROUP == 0 && OPI_SELF == 0) {
        told[OPI_TRACED_AT + 2 * digit] = traced.key;
        told[OPI_TRACED_AT + 2 * digit + 1] = traced.left;
    }
    return traced;
}
