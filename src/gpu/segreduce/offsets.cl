/* The offsets of segments: are they in order, and which segment gets which work-groups?  This text comes behind sums.cl
 * and offset.cl.
 *
 * Each work-group looks at a part of the segments.  opi_offsets_look -> opi_rows says how many offsets are wrong, and how
 * many segments are long.
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
    uint64_t wrong = 0, are_long = 0, all_wrong, all_long;
    for (uint64_t s = begin + OPI_SELF; s < end; s += OPI_W) {
        wrong += at[s + 1] > largest || at[s + 1] < at[s] || (at[s + 1] == at[s] && !empty_allowed);
        are_long += opi_length(at, s) >= least;
    }
    opi_wide_sums(sum, wrong, &all_wrong);
    opi_wide_sums(sum, are_long, &all_long);
    if (OPI_SELF == 0) {
        count[OPI_GROUP] = all_wrong;
        count[OPI_GROUPS + OPI_GROUP] = all_long;
    }
    if (OPI_SELF == 0 && OPI_GROUP == 0) { /* behind the totals */
        count[2 * OPI_GROUPS + 2] = at[0];
        count[2 * OPI_GROUPS + 3] = at[segments];
    }
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
