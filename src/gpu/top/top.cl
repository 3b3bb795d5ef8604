/* The k first keys in an order.  Keys have OPI_KEY_SIZE bytes; they compare as unsigned integers, once the bits in `flip`,
 * and those in `negative` if the highest is set, are inverted.  Equal keys compare by their places, so that any two
 * elements differ, and it does not matter in which order candidates are written down.
 *
 *   begin   clears what the others count
 *   draw    draws samples: of each stride of the keys the first, in the order, of some of them
 *   sample  looks at these: which bound leaves a little more than k candidates?
 *   sift    reads all keys once, and writes those down that are not behind the bound
 *   count   finds the last one of the first k, digit by digit: of the candidates, or, if there are too few or too many of
 *           them, of all keys
 *   pick    writes the first k down
 *   rank    how many of the k come before each of them?  There it goes */

#define OPI_SAMPLE_BYTES 2       /* of the number of a sample */
#define OPI_LOADS        8       /* samples that a work-item waits for at the same time */
#define OPI_MANY         (1u << 14) /* more than k elements: a part that has so many need not say how many more */
#define OPI_E     (1u << OPI_LOG_E)
#define OPI_W     (1u << OPI_LOG_W)
#define OPI_ROUND (1u << OPI_LOG_TILE)
#if OPI_HOST_CORES || OPI_LOG_W == 0 /* PoCL 3.1 has miscompiled such loops; NVRTC needs many minutes for a chunk's */
#define OPI_UNROLL
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

#if OPI_KEY_SIZE == 1
typedef uint8_t opi_word;
#elif OPI_KEY_SIZE == 2
typedef uint16_t opi_word;
#elif OPI_KEY_SIZE == 4
typedef uint32_t opi_word;
#else
typedef uint64_t opi_word;
#endif
#if OPI_KEY_SIZE == 8
typedef uint64_t opi_key;
#else
typedef uint32_t opi_key;
#endif
#if OPI_SPOT_SIZE == 8
typedef uint64_t opi_spot;
#else
typedef uint32_t opi_spot;
#endif

OPI_FUNCTION opi_key opi_mapped(opi_word key, uint64_t negative, uint64_t flip)
{
    const opi_word inverted = key >> (8 * OPI_KEY_SIZE - 1) ? (opi_word)negative : (opi_word)0;
    return (opi_word)(key ^ inverted ^ (opi_word)flip);
}

/* --- digits ------------------------------------------------------------------------------------------------------- */

/* What is known of the element that is looked for: the digits in front, of its key and of its place; that it is number
 * `left` of those that have them; and whether it is the last of those.  If so, all other bits are set, and nothing more
 * need be known: elements that are not behind this one are those that are wanted. */
typedef struct opi_known {
    uint64_t key, spot, left, ends;
} opi_known;

/* The bits of the first `digits` of so many bytes. */
OPI_FUNCTION uint64_t opi_front(uint32_t digits, uint32_t bytes)
{
    const uint64_t all = ~(uint64_t)0 >> (64 - 8 * bytes);
    return digits == 0 ? 0 : digits >= bytes ? all : all & (~(uint64_t)0 << (8 * (bytes - digits)));
}

/* Where digit `digit` of an element is, and whether the digits before it are those that are known. */
OPI_FUNCTION uint32_t opi_digit_of(uint64_t key, uint64_t spot, uint32_t digit, uint32_t spot_bytes)
{
    return digit < OPI_KEY_SIZE ? (uint32_t)(key >> (8 * (OPI_KEY_SIZE - 1 - digit))) & 255u
                                : (uint32_t)(spot >> (8 * (spot_bytes - 1 - (digit - OPI_KEY_SIZE)))) & 255u;
}

OPI_FUNCTION bool opi_agrees(uint64_t key, uint64_t spot, opi_known known, uint32_t digit, uint32_t spot_bytes)
{
    const uint32_t of_spot = digit < OPI_KEY_SIZE ? 0u : digit - OPI_KEY_SIZE;
    return ((key ^ known.key) & opi_front(digit < OPI_KEY_SIZE ? digit : OPI_KEY_SIZE, OPI_KEY_SIZE)) == 0 &&
           ((spot ^ known.spot) & opi_front(of_spot, spot_bytes)) == 0;
}

/* One more digit, from how many elements have each: count, in local memory, 256 of them, and room for 16 sums. */
OPI_FUNCTION opi_known opi_narrowed(opi_known known, uint32_t digit, uint32_t spot_bytes, OPI_LOCAL uint32_t *count,
                                    OPI_LOCAL uint32_t *sum)
{
    OPI_BARRIER();
    for (uint32_t b = OPI_SELF; b < 16; b += OPI_W) {
        uint32_t of_block = 0;
        for (uint32_t q = 0; q < 16; q++) of_block += count[16 * b + q];
        sum[b] = of_block;
    }
    OPI_BARRIER();
    uint32_t block = 0;
    if (!known.ends) { /* all work-items find the same */
        while (block < 15 && known.left > sum[block]) known.left -= sum[block++];
        uint32_t own = 16 * block;
        while (own < 16 * block + 15 && known.left > count[own]) known.left -= count[own++];
        const uint32_t of_spot = digit < OPI_KEY_SIZE ? 0u : digit - OPI_KEY_SIZE;
        if (digit < OPI_KEY_SIZE)
            known.key |= (uint64_t)own << (8 * (OPI_KEY_SIZE - 1 - digit));
        else
            known.spot |= (uint64_t)own << (8 * (spot_bytes - 1 - of_spot));
        known.ends = known.left == count[own];
        if (known.ends) {
            const uint32_t of_key = digit < OPI_KEY_SIZE ? digit + 1 : OPI_KEY_SIZE;
            known.key |= opi_front(OPI_KEY_SIZE, OPI_KEY_SIZE) & ~opi_front(of_key, OPI_KEY_SIZE);
            known.spot |= opi_front(spot_bytes, spot_bytes) &
                          ~opi_front(digit < OPI_KEY_SIZE ? 0u : of_spot + 1, spot_bytes);
        }
    }
    OPI_BARRIER();
    return known;
}

/* --- what launches tell each other -------------------------------------------------------------------------------- */

/* Words of 64 bits: the bound of the candidates, how many candidates and how many of the first k were written down,
 * then what is known after each digit; behind them, how many elements have each digit. */
#define OPI_BOUND_AT  0
#define OPI_COUNTS_AT 2
#define OPI_KNOWN_AT  4
#define OPI_KNOWN_WORDS 4
#define OPI_TOLD      const uint32_t digits, OPI_PARAM(told_words)
#define OPI_READ_TOLD                                                                                                  \
    OPI_GLOBAL uint64_t *const told = OPI_AT(uint64_t, told_words);                                                    \
    OPI_GLOBAL uint32_t *const counted = (OPI_GLOBAL uint32_t *)(told + OPI_KNOWN_AT + OPI_KNOWN_WORDS * (digits + 1));

OPI_FUNCTION opi_known opi_known_before(OPI_GLOBAL const uint64_t *told, uint32_t digit)
{
    OPI_GLOBAL const uint64_t *const word = told + OPI_KNOWN_AT + OPI_KNOWN_WORDS * digit;
    opi_known known;
    known.key = word[0];
    known.spot = word[1];
    known.left = word[2];
    known.ends = word[3];
    return known;
}

OPI_FUNCTION void opi_tell_known(OPI_GLOBAL uint64_t *told, uint32_t digit, opi_known known)
{
    OPI_GLOBAL uint64_t *const word = told + OPI_KNOWN_AT + OPI_KNOWN_WORDS * digit;
    word[0] = known.key;
    word[1] = known.spot;
    word[2] = known.left;
    word[3] = known.ends;
}

/* What is known before a digit, made of what was known before the one in front of it, and of its counts. */
OPI_FUNCTION opi_known opi_know(OPI_GLOBAL uint64_t *told, OPI_GLOBAL const uint32_t *counted, uint32_t digit,
                                uint32_t spot_bytes, OPI_LOCAL uint32_t *count, OPI_LOCAL uint32_t *sum)
{
    if (digit == 0) return opi_known_before(told, 0);
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) count[b] = counted[256 * (digit - 1) + b];
    const opi_known known =
        opi_narrowed(opi_known_before(told, digit - 1), digit - 1, spot_bytes, count, sum);
    if (OPI_GROUP == 0 && OPI_SELF == 0) opi_tell_known(told, digit, known);
    return known;
}

/* --- the elements ------------------------------------------------------------------------------------------------- */

/* Where elements are found: among the candidates, or in the array. */
typedef struct opi_source {
    bool listed;
    uint64_t n, negative, flip;
    OPI_GLOBAL const opi_word *in;
    OPI_GLOBAL const opi_key *keys;
    OPI_GLOBAL const opi_spot *spots;
} opi_source;

#define OPI_ARRAYS                                                                                                     \
    OPI_PARAM(in), const uint64_t n, const uint64_t negative, const uint64_t flip, OPI_PARAM(keys), OPI_PARAM(spots),  \
        const uint64_t room, const uint64_t k, const uint32_t spot_bytes

/* room: how many candidates may have been written down; 0: nobody looked for them. */
#define OPI_READ_SOURCE                                                                                                \
    opi_source from;                                                                                                   \
    const uint32_t candidates = ((OPI_GLOBAL const uint32_t *)(told + OPI_COUNTS_AT))[0];                              \
    from.listed = candidates >= k && candidates <= room;                                                               \
    from.n = from.listed ? candidates : n;                                                                             \
    from.negative = negative;                                                                                          \
    from.flip = flip;                                                                                                  \
    from.in = OPI_AT(const opi_word, in);                                                                              \
    from.keys = OPI_AT(const opi_key, keys);                                                                           \
    from.spots = OPI_AT(const opi_spot, spots);

OPI_FUNCTION opi_key opi_key_of(const opi_source *from, uint64_t i)
{
    return from->listed ? from->keys[i] : opi_mapped(from->in[i], from->negative, from->flip);
}

OPI_FUNCTION opi_spot opi_spot_of(const opi_source *from, uint64_t i)
{
    return from->listed ? from->spots[i] : (opi_spot)i;
}

/* Each work-group has so many of the elements, whole rounds. */
OPI_FUNCTION uint64_t opi_part(uint64_t n)
{
    const uint64_t share = (n + OPI_GROUPS - 1) / OPI_GROUPS;
    return (share + OPI_ROUND - 1) / OPI_ROUND * OPI_ROUND;
}

/* Whether a work-group other than the first has none of n elements. */
OPI_FUNCTION bool opi_is_idle(uint64_t n)
{
#if OPI_HOST_CORES /* PoCL has miscompiled barriers behind such a return */
    (void)n;
    return false;
#else
    return OPI_GROUP > 0 && OPI_GROUP * opi_part(n) >= n;
#endif
}

/* Those of this work-group: [*begin, return value). */
OPI_FUNCTION uint64_t opi_part_of(uint64_t n, uint64_t *begin)
{
    const uint64_t part = opi_part(n);
    *begin = OPI_GROUP * part;
    if (*begin > n) *begin = n;
    return n - *begin < part ? n : *begin + part;
}

/* The rounds of a work-group: those of its part; if rounds are dealt out, those of the accelerator are divided. */
typedef struct opi_rounds {
#if OPI_DEALT
    const opi_dealt *dealt;
#endif
    uint64_t begin, end; /* begin: an element, or, if rounds are dealt out, a round; end: an element */
    uint32_t count;
} opi_rounds;

#if OPI_DEALT
/* bounds: what accelerator 0 has told; own_rounds: how many rounds this one has. */
#define OPI_SHARE_PARAM , OPI_PARAM(bounds), const uint64_t own_rounds, const opi_dealt dealt
#define OPI_BOUNDS      OPI_AT(const uint64_t, bounds)
#define OPI_ROUNDS(n)   opi_rounds_of(n, own_rounds, &dealt)

OPI_FUNCTION opi_rounds opi_rounds_of(uint64_t n, uint64_t own, const opi_dealt *dealt)
{
    const uint64_t share = (own + OPI_GROUPS - 1) / OPI_GROUPS;
    opi_rounds rounds;
    rounds.dealt = dealt;
    rounds.begin = OPI_GROUP * share < own ? OPI_GROUP * share : own;
    rounds.end = n;
    rounds.count = (uint32_t)(own - rounds.begin < share ? own - rounds.begin : share);
    return rounds;
}

OPI_FUNCTION uint64_t opi_round_at(const opi_rounds *rounds, uint32_t r)
{
    return opi_dealt_item(rounds->dealt, rounds->begin + r) * OPI_ROUND;
}
#else
#define OPI_SHARE_PARAM
#define OPI_BOUNDS    told
#define OPI_ROUNDS(n) opi_rounds_of(n)

OPI_FUNCTION opi_rounds opi_rounds_of(uint64_t n)
{
    opi_rounds rounds;
    rounds.end = opi_part_of(n, &rounds.begin);
    rounds.count = (uint32_t)((rounds.end - rounds.begin + OPI_ROUND - 1) / OPI_ROUND);
    return rounds;
}

OPI_FUNCTION uint64_t opi_round_at(const opi_rounds *rounds, uint32_t r)
{
    return rounds->begin + (uint64_t)r * OPI_ROUND;
}
#endif
