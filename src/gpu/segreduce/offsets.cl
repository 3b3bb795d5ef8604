/* The offsets of segments: are they in order, and which segment gets which work-groups?  This text comes behind sums.cl
 * and offset.cl.
 *
 * Each work-group looks at a part of the segments.  opi_offsets_look -> opi_rows says how many offsets are wrong, how
 * many segments are long, and how many elements these have together; then opi_offsets_list lists them.
 * opi_offsets_want -> opi_rows -> opi_offsets_place gives each long segment as many consecutive work-groups as it
 * needs. */

OPI_WHOLE_KERNEL void opi_offsets_look(OPI_PARAM(offsets), const uint64_t segments, const uint64_t part,
                                 const uint64_t largest, const uint32_t empty_allowed, const uint64_t least,
                                 OPI_PARAM(counts))
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL uint64_t *const count = OPI_AT(uint64_t, counts);
    const uint64_t begin = OPI_GROUP * part, end = begin + part < segments ? begin + part : segments;
    uint64_t wrong = 0, are_long = 0, in_long = 0, all_wrong, all_long, all_in_long;
    for (uint64_t s = begin + OPI_SELF; s < end; s += OPI_W) {
        wrong += at[s + 1] > largest || at[s + 1] < at[s] || (at[s + 1] == at[s] && !empty_allowed);
        are_long += opi_length(at, s) >= least;
        in_long += opi_length(at, s) >= least ? opi_length(at, s) : 0;
    }
    opi_wide_sums(sum, wrong, &all_wrong);
    opi_wide_sums(sum, are_long, &all_long);
    opi_wide_sums(sum, in_long, &all_in_long);
    if (OPI_SELF == 0) {
        count[OPI_GROUP] = all_wrong;
        count[OPI_GROUPS + OPI_GROUP] = all_long;
        count[2 * OPI_GROUPS + OPI_GROUP] = all_in_long;
    }
    if (OPI_SELF == 0 && OPI_GROUP == 0) { /* behind the totals */
        count[3 * OPI_GROUPS + 3] = at[0];
        count[3 * OPI_GROUPS + 4] = at[segments];
    }
}

/* counts: what opi_offsets_look -> opi_rows has made of them.  Of long segment j of all, start[j] becomes how many elements
 * the long ones before it have, and begins[j] where it begins; start[long_ones] becomes how many they all have. */
OPI_WHOLE_KERNEL void opi_offsets_list(OPI_PARAM(offsets), const uint64_t segments, const uint64_t part,
                                 const uint64_t least, OPI_PARAM(counts), const uint64_t long_ones, OPI_PARAM(list))
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL const uint64_t *const of_kind = OPI_AT(const uint64_t, counts) + OPI_GROUPS;
    OPI_GLOBAL uint64_t *const start = OPI_AT(uint64_t, list), *const begins = start + long_ones + 1;
    const uint64_t begin = OPI_GROUP * part, end = begin + part < segments ? begin + part : segments;
    const bool is_last = OPI_GROUP + 1 == OPI_GROUPS;
    uint64_t before = of_kind[OPI_GROUP], elements = of_kind[OPI_GROUPS + OPI_GROUP], all, all_elements;
    const uint64_t behind = is_last ? long_ones : of_kind[OPI_GROUP + 1];
    for (uint64_t first = begin; first < end && before < behind; first += OPI_W) {
        const uint64_t s = first + OPI_SELF;
        const uint64_t n = s < end ? opi_length(at, s) : 0, own = n >= least ? n : 0;
        const uint64_t place = before + opi_wide_sums(sum, own > 0 ? 1 : 0, &all) - 1;
        const uint64_t up_to = elements + opi_wide_sums(sum, own, &all_elements);
        if (own > 0) {
            start[place] = up_to - own;
            begins[place] = at[s];
        }
        before += all;
        elements += all_elements;
    }
    if (OPI_SELF == 0 && is_last) start[long_ones] = elements;
}

/* Returns how many work-groups a segment of n elements gets: none if n < least; else one for each whole tile, and at
 * least one. */
OPI_FUNCTION uint64_t opi_wanted(uint64_t n, uint64_t least, uint32_t log_tile)
{
    if (n < least) return 0;
    return n >> log_tile ? n >> log_tile : 1;
}

OPI_WHOLE_KERNEL void opi_offsets_want(OPI_PARAM(offsets), const uint64_t segments, const uint64_t part,
                                 const uint64_t least, const uint32_t log_tile, OPI_PARAM(counts))
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t begin = OPI_GROUP * part, end = begin + part < segments ? begin + part : segments;
    uint64_t own = 0, all;
    for (uint64_t s = begin + OPI_SELF; s < end; s += OPI_W) own += opi_wanted(opi_length(at, s), least, log_tile);
    opi_wide_sums(sum, own, &all);
    if (OPI_SELF == 0) OPI_AT(uint64_t, counts)[OPI_GROUP] = all;
}

/* start[s] becomes the first work-group of segment s; start[segments] becomes the number of work-groups. */
OPI_WHOLE_KERNEL void opi_offsets_place(OPI_PARAM(offsets), const uint64_t segments, const uint64_t part,
                                  const uint64_t least, const uint32_t log_tile, OPI_PARAM(counts), OPI_PARAM(start))
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL uint64_t *const start = OPI_AT(uint64_t, start);
    const uint64_t begin = OPI_GROUP * part, end = begin + part < segments ? begin + part : segments;
    uint64_t before = OPI_AT(const uint64_t, counts)[OPI_GROUP], all;
    for (uint64_t first = begin; first < end; first += OPI_W) {
        const uint64_t s = first + OPI_SELF;
        const uint64_t own = s < end ? opi_wanted(opi_length(at, s), least, log_tile) : 0;
        const uint64_t up_to = opi_wide_sums(sum, own, &all);
        if (s < end) start[s] = before + up_to - own;
        before += all;
    }
    if (OPI_SELF == 0 && end == segments) start[segments] = before;
}
