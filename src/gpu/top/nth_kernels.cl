/* The kernels of an nth: see nth.cl.  If keys are dealt out, each accelerator sifts its own; all else is done as if they were
 * not, by accelerator 0. */

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

/* One work-group.  The bounds become samples number `low` and `high` of OPI_SAMPLES in the order, from 0 on; there is no
 * bound where the number is OPI_SAMPLES or more. */
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

/* Whether a key is between the bounds, and neither of them. */
#define OPI_BETWEEN(key) ((key) > low && (key) < high)

OPI_WHOLE_KERNEL void opi_nth_sift(OPI_PARAM(in), const uint64_t n, const uint64_t negative, const uint64_t flip,
                                   OPI_PARAM(keys), const uint64_t room, OPI_TOLD_ONLY OPI_SHARE_PARAM)
{
    OPI_LOCAL_MEMORY uint32_t total[3];
    OPI_LOCAL_MEMORY uint32_t seen[3]; /* below, the lower bound, the upper one */
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD_ONLY
    const opi_key low = (opi_key)OPI_BOUNDS[OPI_LOW_AT], high = (opi_key)OPI_BOUNDS[OPI_HIGH_AT];
    const opi_rounds rounds = OPI_ROUNDS(n);
    const uint64_t end = rounds.end;
    uint64_t full = 0;
    uint32_t below = 0, lows = 0, highs = 0;
    if (OPI_SELF == 0) total[0] = total[1] = seen[0] = seen[1] = seen[2] = 0;
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t r = 0; r < rounds.count; r++)
    {
        const uint64_t first = opi_round_at(&rounds, r) + OPI_SELF;
        opi_key own[OPI_E];
        uint32_t hits = 0, slot = 0;
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        {
            const uint64_t i = first + e * OPI_W;
            own[e] = OPI_MAPPED_AT(i < end ? i : end - 1);
        }
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        {
            if (first + e * OPI_W < end) {
                below += own[e] < low;
                lows += own[e] == low;
                highs += own[e] == high;
                hits += OPI_BETWEEN(own[e]);
            }
        }
        if (hits > 0) slot = OPI_ADD(&total[r & 1], hits);
        OPI_BARRIER();
        if (OPI_SELF == 0) {
            const uint32_t all = total[r & 1];
            total[2] = all > 0 && !full ? OPI_ADD(&OPI_TALLY(OPI_BETWEEN_AT)->low, all) : 0;
            full |= total[2] >= room; /* the count does not wrap around */
            total[~r & 1] = 0;
        }
        OPI_BARRIER();
        if (hits > 0) {
            uint64_t to = (uint64_t)total[2] + slot;
            OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
            {
                if (first + e * OPI_W < end && OPI_BETWEEN(own[e])) {
                    if (to < room) OPI_AT(opi_key, keys)[to] = own[e];
                    to++;
                }
            }
        }
    }
    if (below > 0) OPI_ADD(&seen[0], below);
    if (lows > 0) OPI_ADD(&seen[1], lows);
    if (highs > 0 && low < high) OPI_ADD(&seen[2], highs);
    OPI_BARRIER();
    for (uint32_t s = OPI_SELF; s < 3; s += OPI_W)
        if (seen[s] > 0) opi_tally_add(OPI_TALLY(OPI_BELOW_AT + s), seen[s]);
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
    const opi_traced traced = opi_trace(told, &sifted, digit, count, sum);
    uint64_t begin;
    uint64_t end = opi_part_of(sifted.listed ? OPI_TALLY(OPI_BETWEEN_AT)->low : n, &begin);
    if (sifted.found) end = begin; /* nothing more need be known */
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
