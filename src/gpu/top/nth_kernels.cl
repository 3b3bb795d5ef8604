/* The kernels of an nth: see nth.cl.  If keys are dealt out, each accelerator sifts its own; all else is done as if
 * they were not, by accelerator 0. */

#define OPI_TOLD_ONLY OPI_PARAM(told_words)
#define OPI_READ_TOLD_ONLY OPI_GLOBAL uint64_t *const told = OPI_AT(uint64_t, told_words);
#define OPI_MAPPED_AT(i) opi_mapped(OPI_AT(const opi_word, in)[i], negative, flip)

#if !OPI_DEALT

/* --- begin, sample ------------------------------------------------------------------------------------------------ */

/* One work-group. */
OPI_WHOLE_KERNEL void opi_nth_begin(OPI_TOLD_ONLY)
{
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    for (uint32_t b = OPI_SELF; b < OPI_TOLD_WORDS; b += OPI_W) told[b] = 0;
}

/* Where sample s is: somewhere in its stride. */
OPI_FUNCTION uint64_t opi_drawn_at(uint32_t s, uint64_t stride)
{
    const uint64_t mixed = ((uint64_t)s + 1) * 0x9e3779b97f4a7c15ul;
    return s * stride + (mixed ^ (mixed >> 29)) % stride;
}

/* One work-group.  The bounds become samples number `low` and `high` of OPI_SAMPLES in the order, from 0 on; there is
 * no bound where the number is OPI_SAMPLES or more. */
OPI_WHOLE_KERNEL void opi_nth_sample(OPI_PARAM(in), const uint64_t stride, const uint64_t negative, const uint64_t flip,
                                     const uint64_t low, const uint64_t high, OPI_TOLD_ONLY)
{
    OPI_LOCAL_MEMORY opi_key sample[OPI_SAMPLES];
    OPI_LOCAL_MEMORY uint64_t count[256];
    OPI_LOCAL_MEMORY uint64_t sum[16];
    OPI_LOCAL_MEMORY uint32_t tally[256];
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    OPI_ROLLED for (uint32_t first = OPI_SELF; first < OPI_SAMPLES; first += OPI_LOADS * OPI_W)
    {
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LOADS; l++)
        {
            const uint32_t s = first + l * OPI_W;
            if (s < OPI_SAMPLES) sample[s] = OPI_MAPPED_AT(opi_drawn_at(s, stride));
        }
    }
    OPI_ROLLED for (uint32_t side = 0; side < 2; side++)
    {
        opi_traced traced;
        traced.key = 0;
        traced.left = side == 0 ? low : high;
        const bool bounded = traced.left < OPI_SAMPLES;
        OPI_ROLLED for (uint32_t digit = 0; digit < OPI_KEY_SIZE; digit++)
        {
            OPI_BARRIER();
            for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) tally[b] = 0;
            OPI_BARRIER();
            for (uint32_t s = OPI_SELF; s < OPI_SAMPLES; s += OPI_W)
                if (opi_is_traced(sample[s], traced.key, digit)) OPI_ADD(&tally[opi_key_digit(sample[s], digit)], 1u);
            OPI_BARRIER();
            for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) count[b] = tally[b];
            traced = opi_traced_on(traced, digit, count, sum);
        }
        if (!bounded) traced.key = side == 0 ? 0 : opi_front(OPI_KEY_SIZE, OPI_KEY_SIZE);
        if (OPI_SELF == 0) told[side == 0 ? OPI_LOW_AT : OPI_HIGH_AT] = traced.key;
    }
}

#endif

/* --- sift --------------------------------------------------------------------------------------------------------- */

/* Of keys that have been seen: how many are below the bounds, are the lower one, are the upper one. */
typedef struct opi_seen {
    uint32_t below, lows, highs;
} opi_seen;

/* What keys are compared with.  Between the bounds, and neither of them, are those of which key - above < width. */
typedef struct opi_bounds {
    opi_key low, high, above, width;
} opi_bounds;
#define OPI_BETWEEN(key) ((opi_key)((key) - at.above) < at.width)

OPI_FUNCTION opi_bounds opi_bounds_of(OPI_GLOBAL const uint64_t *told)
{
    opi_bounds at;
    at.low = (opi_key)told[OPI_LOW_AT];
    at.high = (opi_key)told[OPI_HIGH_AT];
    at.above = at.low + 1;
    at.width = at.high > at.low ? at.high - at.above : 0;
    return at;
}

/* Sifts the keys of a round, mapped.  Those that are a bound are few, unless many keys are equal. */
OPI_FUNCTION void opi_sift_whole(const opi_key *own, opi_bounds at, opi_list *list, opi_seen *seen)
{
    bool any = false;
    uint32_t hits = 0;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        seen->below += own[e] < at.low;
        hits += OPI_BETWEEN(own[e]);
        any |= own[e] == at.low || own[e] == at.high;
    }
    if (any) {
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        {
            seen->lows += own[e] == at.low;
            seen->highs += own[e] == at.high;
        }
    }
    uint32_t place = opi_places(list->taken, hits);
    if (OPI_FITS_BUCKET(place, hits)) {
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
            if (OPI_BETWEEN(own[e])) list->bucket_keys[place++] = own[e];
    } else {
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
            if (OPI_BETWEEN(own[e])) opi_write_down(list, place++, own[e]);
    }
}

/* The same of the last round. */
OPI_FUNCTION void opi_sift_rest(OPI_GLOBAL const opi_word *in, uint64_t first, uint64_t end, uint64_t negative,
                                uint64_t flip, opi_bounds at, opi_list *list, opi_seen *seen)
{
    OPI_ROLLED for (uint64_t i = first; i < end; i += OPI_W)
    {
        const opi_key own = opi_mapped(in[i], negative, flip);
        seen->below += own < at.low;
        seen->lows += own == at.low;
        seen->highs += own == at.high;
        if (OPI_BETWEEN(own)) opi_write_down(list, OPI_ADD(list->taken, 1u), own);
    }
}

OPI_FUNCTION void opi_fetch(OPI_GLOBAL const opi_word *in, opi_word *to)
{
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) to[e] = in[e * OPI_W];
}

OPI_FUNCTION void opi_sift_rounds(OPI_GLOBAL const opi_word *in, opi_rounds rounds, uint64_t negative, uint64_t flip,
                                  opi_bounds at, opi_list *list, opi_seen *seen)
{
    uint32_t each = 1;
    uint64_t round = rounds.count > 0 ? opi_round_at(&rounds, 0) : rounds.end;
    opi_word next[OPI_E]; /* of the next round: on their way while one is sifted */
    if (round + OPI_ROUND <= rounds.end) opi_fetch(in + round + OPI_SELF, next);
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t r = 0; r < rounds.count;)
    {
        const uint32_t until = rounds.count - r < each ? rounds.count : r + each;
        OPI_ROLLED for (; r < until; r++)
        {
            if (round + OPI_ROUND > rounds.end) {
                opi_sift_rest(in, round + OPI_SELF, rounds.end, negative, flip, at, list, seen);
                continue; /* it is the last one */
            }
            opi_key own[OPI_E];
            OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) own[e] = opi_mapped(next[e], negative, flip);
            round = r + 1 < rounds.count ? opi_round_at(&rounds, r + 1) : rounds.end;
            if (round + OPI_ROUND <= rounds.end) opi_fetch(in + round + OPI_SELF, next);
            opi_sift_whole(own, at, list, seen);
        }
        each = opi_next_each(each, opi_empty(list));
    }
}

OPI_RESIDENT_KERNEL void opi_nth_sift(OPI_PARAM(in), const uint64_t n, const uint64_t negative, const uint64_t flip,
                                      OPI_PARAM(keys), const uint64_t room, OPI_TOLD_ONLY OPI_SHARE_PARAM)
{
    OPI_BUCKET_MEMORY
    OPI_LOCAL_MEMORY uint32_t sums[3];
    opi_list list;
    opi_seen seen;
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    const opi_bounds at = opi_bounds_of(OPI_BOUNDS);
    if (OPI_SELF == 0) sums[0] = sums[1] = sums[2] = 0;
    seen.below = seen.lows = seen.highs = 0;
    OPI_LIST_BEGINS(&OPI_TALLY(OPI_BETWEEN_AT)->low, OPI_AT(opi_key, keys), 0, room)
    opi_sift_rounds(OPI_AT(const opi_word, in), OPI_ROUNDS(n), negative, flip, at, &list, &seen);
    if (seen.below > 0) OPI_ADD(&sums[0], seen.below);
    if (seen.lows > 0) OPI_ADD(&sums[1], seen.lows);
    if (seen.highs > 0 && at.low < at.high) OPI_ADD(&sums[2], seen.highs);
    OPI_BARRIER();
    for (uint32_t s = OPI_SELF; s < 3; s += OPI_W)
        if (sums[s] > 0) opi_tally_add(OPI_TALLY(OPI_BELOW_AT + s), sums[s]);
}

#if OPI_DEALT
#define OPI_TALLY_OF(words, at) ((OPI_GLOBAL opi_tally *)((words) + (at)))

/* Appends the keys that another accelerator has found between the bounds, unless there are too many of them. */
OPI_WHOLE_KERNEL void opi_nth_append(OPI_PARAM(from_keys), OPI_PARAM(from_told), OPI_PARAM(keys), const uint64_t room,
                                     OPI_TOLD_ONLY)
{
    OPI_READ_TOLD_ONLY
    const uint64_t count = OPI_TALLY_OF(OPI_AT(uint64_t, from_told), OPI_BETWEEN_AT)->low,
                   before = OPI_TALLY(OPI_BETWEEN_AT)->low;
    if (before + count > room) return;
    for (uint64_t i = OPI_GROUP * OPI_W + OPI_SELF; i < count; i += OPI_GROUPS * OPI_W)
        OPI_AT(opi_key, keys)[before + i] = OPI_AT(const opi_key, from_keys)[i];
}

/* One work-group.  Then adds what it has counted: room + 1 keys between the bounds stand for too many. */
OPI_WHOLE_KERNEL void opi_nth_add(OPI_PARAM(from_told), const uint64_t room, OPI_TOLD_ONLY)
{
    OPI_READ_TOLD_ONLY
    OPI_GLOBAL uint64_t *const from = OPI_AT(uint64_t, from_told);
    if (OPI_SELF > 0) return;
    for (uint32_t at = OPI_BELOW_AT; at <= OPI_HIGHS_AT; at++) {
        const uint64_t sum = opi_tallied(OPI_TALLY(at)) + opi_tallied(OPI_TALLY_OF(from, at));
        OPI_TALLY(at)->low = (uint32_t)sum;
        OPI_TALLY(at)->high = (uint32_t)(sum >> 32);
    }
    const uint64_t between = (uint64_t)OPI_TALLY(OPI_BETWEEN_AT)->low + OPI_TALLY_OF(from, OPI_BETWEEN_AT)->low;
    OPI_TALLY(OPI_BETWEEN_AT)->low = (uint32_t)(between > room ? room + 1 : between);
}
#else

/* --- count, give -------------------------------------------------------------------------------------------------- */

/* Counts digit `digit` of those keys that have all digits before it in common with the one that is looked for. */
OPI_WHOLE_KERNEL void opi_nth_count(OPI_PARAM(in), const uint64_t n, const uint64_t negative, const uint64_t flip,
                                    OPI_PARAM(keys), const uint64_t room, const uint64_t k, const uint32_t digit,
                                    OPI_TOLD_ONLY)
{
    OPI_LOCAL_MEMORY uint64_t count[256];
    OPI_LOCAL_MEMORY uint64_t sum[16];
    OPI_LOCAL_MEMORY uint32_t tally[256];
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    const opi_sifted sifted = opi_sifted_out(told, room, k);
    /* If the key has been found, nothing more need be known. */
    const uint64_t keys_left = sifted.found ? 0 : sifted.listed ? OPI_TALLY(OPI_BETWEEN_AT)->low : n;
    if (opi_is_idle(keys_left)) return; /* group 0 tells what is traced */
    const opi_traced traced = opi_trace(told, &sifted, digit, count, sum);
    uint64_t begin;
    const uint64_t end = opi_part_of(keys_left, &begin);
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) tally[b] = 0;
    OPI_BARRIER();
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W) {
        const opi_key key = sifted.listed ? OPI_AT(const opi_key, keys)[i] : OPI_MAPPED_AT(i);
        if (opi_is_traced(key, traced.key, digit)) OPI_ADD(&tally[opi_key_digit(key, digit)], 1u);
    }
    OPI_BARRIER();
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W)
        if (tally[b] > 0) opi_tally_add(OPI_TALLY(OPI_COUNTED_AT + 256 * digit + b), tally[b]);
}

/* One work-group. */
OPI_WHOLE_KERNEL void opi_nth_give(const uint64_t negative, const uint64_t flip, const uint64_t room, const uint64_t k,
                                   OPI_PARAM(out), OPI_TOLD_ONLY)
{
    OPI_LOCAL_MEMORY uint64_t count[256];
    OPI_LOCAL_MEMORY uint64_t sum[16];
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    const opi_sifted sifted = opi_sifted_out(told, room, k);
    const opi_traced traced = opi_trace(told, &sifted, OPI_KEY_SIZE, count, sum);
    /* The highest bit of a key says whether its others are inverted, and is not itself one of them. */
    if (OPI_SELF == 0) *OPI_AT(opi_word, out) = opi_mapped((opi_word)(traced.key ^ (opi_word)flip), negative, 0);
}
#endif
