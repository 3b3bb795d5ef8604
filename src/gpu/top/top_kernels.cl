/* The kernels of a top: see top.cl.  If keys are dealt out, each accelerator sifts its own; all else is done as if they
 * were not, by accelerator 0. */

#if !OPI_DEALT

/* --- begin -------------------------------------------------------------------------------------------------------- */

/* One work-group. */
OPI_WHOLE_KERNEL void opi_top_begin(const uint64_t k, OPI_TOLD)
{
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD
    for (uint32_t b = OPI_SELF; b < 256 * digits; b += OPI_W) counted[b] = 0;
    if (OPI_SELF > 0) return;
    opi_known known;
    known.key = known.spot = known.ends = 0;
    known.left = k;
    told[OPI_COUNTS_AT] = 0;
    opi_tell_known(told, 0, known);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* Where draw d of sample s is: somewhere in its own part of the stride. */
OPI_FUNCTION uint64_t opi_draw_at(uint64_t d, uint64_t stride)
{
    const uint64_t mixed = (d + 1) * 0x9e3779b97f4a7c15ul;
    return d * stride + (mixed ^ (mixed >> 29)) % stride;
}

/* drawn[s] becomes the first, in the order, of some keys of stride s of OPI_SAMPLES: of `each` that each of `mates`
 * work-items looks at, both powers of two.  `stride` is that of one of these keys. */
OPI_WHOLE_KERNEL void opi_top_draw(OPI_PARAM(in), const uint64_t stride, const uint64_t negative, const uint64_t flip,
                                   const uint32_t each, const uint32_t mates, OPI_PARAM(drawn))
{
    OPI_LOCAL_MEMORY opi_key best[OPI_W];
    OPI_AFTER_LAUNCHES();
    const uint64_t self = OPI_GROUP * OPI_W + OPI_SELF;
    const bool draws = self / mates < OPI_SAMPLES;
    opi_key own = ~(opi_key)0;
    OPI_ROLLED for (uint32_t first = 0; draws && first < each; first += OPI_LOADS)
    {
        OPI_UNROLL for (uint32_t l = first; l < first + OPI_LOADS; l++)
        {
            const uint64_t at = opi_draw_at(self * each + (l < each ? l : each - 1), stride);
            const opi_key key = opi_mapped(OPI_AT(const opi_word, in)[at], negative, flip);
            own = key < own ? key : own;
        }
    }
    best[OPI_SELF] = own;
    OPI_BARRIER();
    if (!draws || OPI_SELF % mates != 0) return;
    for (uint32_t m = 1; m < mates; m++) own = best[OPI_SELF + m] < own ? best[OPI_SELF + m] : own;
    OPI_AT(opi_key, drawn)[self / mates] = own;
}

/* One work-group.  The bound becomes sample number `wanted` of OPI_SAMPLES in the order, from 1 on; `stride` is that of
 * a sample. */
OPI_WHOLE_KERNEL void opi_top_sample(OPI_PARAM(drawn), const uint64_t stride, const uint64_t wanted, OPI_TOLD)
{
    OPI_LOCAL_MEMORY opi_key sample[OPI_SAMPLES];
    OPI_LOCAL_MEMORY uint32_t count[256];
    OPI_LOCAL_MEMORY uint32_t sum[16];
    OPI_AFTER_LAUNCHES();
    opi_known known;
    OPI_ROLLED for (uint32_t first = OPI_SELF; first < OPI_SAMPLES; first += OPI_LOADS * OPI_W)
    {
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LOADS; l++)
        {
            const uint32_t s = first + l * OPI_W;
            sample[s] = OPI_AT(const opi_key, drawn)[s];
        }
    }
    known.key = known.spot = known.ends = 0;
    known.left = wanted;
    OPI_ROLLED for (uint32_t digit = 0; digit < OPI_KEY_SIZE + OPI_SAMPLE_BYTES; digit++)
    {
        for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) count[b] = 0;
        OPI_BARRIER();
        for (uint32_t s = OPI_SELF; s < OPI_SAMPLES; s += OPI_W)
            if (opi_agrees(sample[s], s, known, digit, OPI_SAMPLE_BYTES))
                OPI_ADD(&count[opi_digit_of(sample[s], s, digit, OPI_SAMPLE_BYTES)], 1u);
        known = opi_narrowed(known, digit, OPI_SAMPLE_BYTES, count, sum);
    }
    if (OPI_SELF > 0) return;
    OPI_GLOBAL uint64_t *const told = OPI_AT(uint64_t, told_words);
    told[OPI_BOUND_AT] = known.key;
    told[OPI_BOUND_AT + 1] = known.spot >= OPI_SAMPLES - 1 ? ~(uint64_t)0 : (known.spot + 1) * stride - 1;
}

#endif

/* --- sift, count, pick -------------------------------------------------------------------------------------------- */

#define OPI_KEPT(x, i) ((x) < key || ((x) == key && opi_spot_of(from, i) <= spot))

/* Writes those elements of a round down that are not behind (key, spot). */
OPI_FUNCTION void opi_keep_whole(const opi_source *from, uint64_t first, opi_key key, opi_spot spot, opi_list *list)
{
    opi_key own[OPI_E];
    bool any = false;
    uint32_t hits = 0;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) own[e] = opi_key_of(from, first + e * OPI_W);
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) any |= own[e] <= key; /* mostly none, and nothing else to do */
    if (any) OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) hits += OPI_KEPT(own[e], first + e * OPI_W);
    uint32_t place = opi_places(list->taken, hits);
    if (hits > 0) {
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        {
            const uint64_t i = first + e * OPI_W;
            if (OPI_KEPT(own[e], i)) opi_write_down(list, place++, own[e], opi_spot_of(from, i));
        }
    }
}

/* The same of the last round. */
OPI_FUNCTION void opi_keep_rest(const opi_source *from, uint64_t first, uint64_t end, opi_key key, opi_spot spot,
                                opi_list *list)
{
    OPI_ROLLED for (uint64_t i = first; i < end; i += OPI_W)
    {
        const opi_key own = opi_key_of(from, i);
        if (OPI_KEPT(own, i)) opi_write_down(list, OPI_ADD(list->taken, 1u), own, opi_spot_of(from, i));
    }
}

/* Writes all elements of these rounds down that are not behind (key, spot). */
OPI_FUNCTION void opi_keep(const opi_source *from, opi_rounds rounds, opi_key key, opi_spot spot, opi_list *list)
{
    uint32_t each = 2;
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t r = 0; r < rounds.count;)
    {
        const uint32_t until = rounds.count - r < each ? rounds.count : r + each;
        OPI_ROLLED for (; r < until; r++)
        {
            const uint64_t round = opi_round_at(&rounds, r);
            if (round + OPI_ROUND <= rounds.end)
                opi_keep_whole(from, round + OPI_SELF, key, spot, list);
            else
                opi_keep_rest(from, round + OPI_SELF, rounds.end, key, spot, list);
        }
        each = opi_next_each(each, opi_empty(list));
    }
}

OPI_RESIDENT_KERNEL void opi_top_sift(OPI_PARAM(in), const uint64_t n, const uint64_t negative, const uint64_t flip,
                                   OPI_PARAM(keys), OPI_PARAM(spots), const uint64_t room, OPI_TOLD OPI_SHARE_PARAM)
{
    OPI_BUCKET_MEMORY
    opi_list list;
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD
    opi_source from;
    from.listed = false;
    from.n = n;
    from.negative = negative;
    from.flip = flip;
    from.in = OPI_AT(const opi_word, in);
    from.keys = 0;
    from.spots = 0;
    (void)counted;
    OPI_LIST_BEGINS((OPI_GLOBAL uint32_t *)(told + OPI_COUNTS_AT), OPI_AT(opi_key, keys), OPI_AT(opi_spot, spots), room)
    opi_keep(&from, OPI_ROUNDS(n), (opi_key)OPI_BOUNDS[OPI_BOUND_AT], (opi_spot)OPI_BOUNDS[OPI_BOUND_AT + 1], &list);
}

#if OPI_DEALT
/* Appends the candidates of another accelerator, unless there are too many of them. */
OPI_WHOLE_KERNEL void opi_top_append(OPI_PARAM(from_keys), OPI_PARAM(from_spots), OPI_PARAM(from_told), OPI_PARAM(keys),
                                     OPI_PARAM(spots), const uint64_t room, OPI_PARAM(told_words))
{
    const uint64_t count = *(OPI_GLOBAL const uint32_t *)(OPI_AT(const uint64_t, from_told) + OPI_COUNTS_AT);
    const uint64_t before = *(OPI_GLOBAL const uint32_t *)(OPI_AT(const uint64_t, told_words) + OPI_COUNTS_AT);
    if (before + count > room) return;
    for (uint64_t i = OPI_GROUP * OPI_W + OPI_SELF; i < count; i += OPI_GROUPS * OPI_W) {
        OPI_AT(opi_key, keys)[before + i] = OPI_AT(const opi_key, from_keys)[i];
        OPI_AT(opi_spot, spots)[before + i] = OPI_AT(const opi_spot, from_spots)[i];
    }
}

/* One work-group.  Then counts them, too: room + 1 stands for too many. */
OPI_WHOLE_KERNEL void opi_top_add(OPI_PARAM(from_told), const uint64_t room, OPI_PARAM(told_words))
{
    OPI_GLOBAL uint32_t *const count = (OPI_GLOBAL uint32_t *)(OPI_AT(uint64_t, told_words) + OPI_COUNTS_AT);
    const uint64_t more = *(OPI_GLOBAL const uint32_t *)(OPI_AT(const uint64_t, from_told) + OPI_COUNTS_AT);
    if (OPI_SELF == 0) *count = (uint32_t)(*count + more > room ? room + 1 : *count + more);
}
#else
/* Counts digit `digit` of those elements that have all digits before it in common with the one that is looked for. */
OPI_WHOLE_KERNEL void opi_top_count(OPI_ARRAYS, const uint32_t digit, OPI_TOLD)
{
    OPI_LOCAL_MEMORY uint32_t count[256];
    OPI_LOCAL_MEMORY uint32_t sum[16];
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD
    OPI_READ_SOURCE
    if (opi_is_idle(from.n)) return; /* group 0 tells what is known */
    uint64_t begin;
    uint64_t end = opi_part_of(from.n, &begin);
    const opi_known known = opi_know(told, counted, digit, spot_bytes, count, sum);
    if (known.ends) end = begin; /* nothing more need be known */
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W) count[b] = 0;
    OPI_BARRIER();
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W) {
        const opi_key key = opi_key_of(&from, i);
        const opi_spot spot = opi_spot_of(&from, i);
        if (opi_agrees(key, spot, known, digit, spot_bytes))
            OPI_ADD(&count[opi_digit_of(key, spot, digit, spot_bytes)], 1u);
    }
    OPI_BARRIER();
    for (uint32_t b = OPI_SELF; b < 256; b += OPI_W)
        if (count[b] > 0) OPI_ADD(&counted[256 * digit + b], count[b] < OPI_MANY ? count[b] : OPI_MANY);
}

OPI_WHOLE_KERNEL void opi_top_pick(OPI_ARRAYS, OPI_PARAM(picked_keys), OPI_PARAM(picked_spots), OPI_TOLD)
{
    OPI_LOCAL_MEMORY uint32_t count[256];
    OPI_LOCAL_MEMORY uint32_t sum[16];
    OPI_BUCKET_MEMORY
    opi_list list;
    OPI_AFTER_LAUNCHES();
    OPI_READ_TOLD
    OPI_READ_SOURCE
    const opi_known last = opi_know(told, counted, digits, spot_bytes, count, sum);
    OPI_LIST_BEGINS((OPI_GLOBAL uint32_t *)(told + OPI_COUNTS_AT) + 1, OPI_AT(opi_key, picked_keys),
                    OPI_AT(opi_spot, picked_spots), k)
    opi_keep(&from, OPI_ROUNDS(from.n), (opi_key)last.key, (opi_spot)last.spot, &list);
}

/* --- rank, give --------------------------------------------------------------------------------------------------- */

/* Writes result i: the key at a place, and the place. */
#define OPI_RESULTS OPI_PARAM(in), OPI_PARAM(out), OPI_PARAM(indices), const uint32_t index_bytes
#define OPI_WRITE_RESULT(i, spot)                                                                                      \
    do {                                                                                                               \
        if (OPI_GIVEN(out)) OPI_AT(opi_word, out)[i] = OPI_AT(const opi_word, in)[spot];                               \
        if (OPI_GIVEN(indices) && index_bytes == 4) OPI_AT(uint32_t, indices)[i] = (uint32_t)(spot);                   \
        if (OPI_GIVEN(indices) && index_bytes == 8) OPI_AT(uint64_t, indices)[i] = spot;                               \
    } while (0)

OPI_WHOLE_KERNEL void opi_top_rank(OPI_PARAM(picked_keys), OPI_PARAM(picked_spots), const uint64_t k, OPI_RESULTS)
{
    OPI_LOCAL_MEMORY opi_key keys[OPI_W];
    OPI_LOCAL_MEMORY opi_spot spots[OPI_W];
    OPI_AFTER_LAUNCHES();
    OPI_GLOBAL const opi_key *const from = OPI_AT(const opi_key, picked_keys);
    OPI_GLOBAL const opi_spot *const places = OPI_AT(const opi_spot, picked_spots);
    const uint32_t count = (uint32_t)k, self = (uint32_t)OPI_GROUP * OPI_W + OPI_SELF;
    const opi_key key = from[self < count ? self : 0];
    const opi_spot spot = places[self < count ? self : 0];
    uint32_t rank = 0;
    for (uint32_t first = 0; first < count; first += OPI_W) {
        const uint32_t some = count - first < OPI_W ? count - first : OPI_W;
        OPI_BARRIER();
        if (OPI_SELF < some) {
            keys[OPI_SELF] = from[first + OPI_SELF];
            spots[OPI_SELF] = places[first + OPI_SELF];
        }
        OPI_BARRIER();
        for (uint32_t q = 0; q < some; q++) rank += keys[q] < key || (keys[q] == key && spots[q] < spot);
    }
    if (self < count) OPI_WRITE_RESULT(rank, spot);
}

/* The same where all places are sorted. */
OPI_WHOLE_KERNEL void opi_top_give(OPI_PARAM(sorted), const uint64_t k, OPI_RESULTS)
{
    OPI_AFTER_LAUNCHES();
    const uint64_t first = OPI_GROUP * OPI_ROUND + OPI_SELF;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        const uint64_t i = first + e * OPI_W;
        if (i < k) {
            const opi_spot spot = OPI_AT(const opi_spot, sorted)[i];
            OPI_WRITE_RESULT(i, spot);
        }
    }
}
#endif
