/* Repeat: element s of the input stands in the output from ends[s - 1] to ends[s] - 1 (from 0, if s is 0).  Elements have
 * OPI_UNITS units.  This text comes behind unit.cl.
 *
 * OPI_BLOCK: so many elements have one end together.  If they are more than one, what each of them adds to the block is in
 * counts[s], and this text comes behind block_counts.cl, too.
 *
 * A work-group has a tile of the output.  opi_repeat_cuts finds the first element of each tile.  OPI_PACKED is 1 if elements
 * are smaller than a word and the output begins at one.  OPI_DEALT: tiles are dealt out to several accelerators
 * (gpu/deal.h), each of which has cuts of its own. */

#define OPI_E    (1u << OPI_LOG_E)
#if OPI_BLOCK == 1
#define OPI_W    (1u << OPI_LOG_W)
#endif
#define OPI_TILE (1u << OPI_LOG_TILE)
/* Units that a work-item has under way at once: all of its elements, or one of each if they are large. */
#define OPI_BATCH (OPI_E * OPI_UNITS <= 16 ? OPI_E * OPI_UNITS : OPI_E)
#define OPI_MOST_UNITS (1u << 20) /* of an element: then 32 bits count the units of a tile */
#define OPI_FEW   4u /* steps to the next element that has a repetition, before it is searched for */
#define OPI_SPAN  (4 * OPI_TILE) /* more elements of a tile than this have few repetitions: most have none */

/* The first block from `low` to `high` that ends behind index k of the output. */
OPI_FUNCTION uint64_t opi_repeated_at(OPI_GLOBAL const uint64_t *ends, uint64_t k, uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ends[middle] <= k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Tiles that are dealt out are no neighbours: each has two cuts. */
#if OPI_DEALT
#define OPI_CUTS_OF(tiles) (2 * (tiles))
#define OPI_CUT_TILE(c)    (OPI_DEALT_ITEM((c) / 2) + (c) % 2)
#define OPI_CUT(group)     (2 * (group))
#else
#define OPI_CUTS_OF(tiles) ((tiles) + 1)
#define OPI_CUT_TILE(c)    (c)
#define OPI_CUT(group)     (group)
#endif

/* cuts[t] = the block with which tile t begins; behind the last tile, the block with which it ends.  There are n blocks.  The
 * output here has `count` elements from index `first` on. */
OPI_WHOLE_KERNEL void opi_repeat_cuts(OPI_PARAM(ends), const uint64_t n, const uint64_t first, const uint64_t count,
                                const uint64_t tiles, OPI_PARAM(cuts) OPI_DEALT_PARAM)
{
    const uint64_t c = OPI_GROUP * OPI_W + OPI_SELF;
    if (c >= OPI_CUTS_OF(tiles)) return;
    const uint64_t at = OPI_CUT_TILE(c) * OPI_TILE, k = first + (at < count ? at : count - 1);
    OPI_AT(uint64_t, cuts)[c] = opi_repeated_at(OPI_AT(const uint64_t, ends), k, 0, n - 1);
}

/* The units of one element after the other, by one work-item. */
OPI_FUNCTION void opi_write_units(OPI_GLOBAL opi_unit *to, OPI_GLOBAL const opi_unit *from)
{
    for (uint32_t unit = 0; unit < OPI_UNITS; unit++) to[unit] = from[unit];
}

#if OPI_LOG_W > 0
/* Neighbours in local memory lie in different banks, also those that have OPI_E elements between them. */
#define OPI_SPREAD(k)   ((k) + (k) / 32)
#define OPI_SPREAD_TILE (OPI_TILE + OPI_TILE / 32)

#if OPI_BLOCK > 1
/* Where counts are: n of them. */
typedef struct opi_times {
    OPI_GLOBAL const opi_count *of;
    uint64_t n;
} opi_times;

/* Reads the counts of elements s .. s + 3; 0 of those that there are not. */
OPI_FUNCTION void opi_read_counts(const opi_times *times, uint64_t s, opi_count count[OPI_COUNTS_EACH])
{
#if OPI_COUNT_BYTES == 4
    if (s + OPI_COUNTS_EACH <= times->n && ((ulong)(times->of + s) & 15) == 0) {
        const opi_vector v = *(OPI_GLOBAL const opi_vector *)(times->of + s);
        count[0] = v.x;
        count[1] = v.y;
        count[2] = v.z;
        count[3] = v.w;
        return;
    }
#endif
    for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++) count[e] = s + e < times->n ? times->of[s + e] : 0;
}

/* Where in the output a block begins. */
OPI_FUNCTION uint64_t opi_block_begin(OPI_GLOBAL const uint64_t *ends, uint64_t block) { return block > 0 ? ends[block - 1] : 0; }

/* The element that is at index k of the output; it is of one of the blocks `low` to `high`. */
OPI_FUNCTION uint64_t opi_element_at(OPI_GLOBAL const uint64_t *ends, const opi_times *times, uint64_t k, uint64_t low,
                                     uint64_t high)
{
    const uint64_t block = opi_repeated_at(ends, k, low, high), left = times->n - block * OPI_BLOCK;
    const uint64_t last = block * OPI_BLOCK + (left < OPI_BLOCK ? left : OPI_BLOCK) - 1;
    uint64_t s = block * OPI_BLOCK, end = opi_block_begin(ends, block);
    for (; s < last; s += OPI_COUNTS_EACH) {
        opi_count count[OPI_COUNTS_EACH];
        uint64_t sum = end;
        opi_read_counts(times, s, count);
        for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++) sum += count[e];
        if (sum > k) break;
        end = sum;
    }
    while (s < last && (end += times->of[s]) <= k) s++;
    return s;
}

/* The greatest number of the work-items before this one; 0: there is none. */
OPI_FUNCTION uint32_t opi_greatest_before(opi_places place, uint32_t own)
{
    uint32_t greatest = own;
    for (uint32_t by = 1; by < OPI_BLOCK_ITEMS; by *= 2) {
        const uint32_t left = (uint32_t)opi_from_left(place, greatest, by);
        greatest = left > greatest ? left : greatest;
    }
    uint32_t before = (uint32_t)opi_from_left(place, greatest, 1);
    OPI_BARRIER();
    if (OPI_BLOCK_SELF == OPI_BLOCK_ITEMS - 1) place[OPI_SELF / OPI_BLOCK_ITEMS] = greatest;
    OPI_BARRIER();
    for (uint32_t w = 0; w < OPI_SELF / OPI_BLOCK_ITEMS; w++) {
        const uint32_t left = (uint32_t)place[w];
        before = left > before ? left : before;
    }
    return before;
}

/* Some counts of a work-item, and where in the output its block begins. */
typedef struct opi_share {
    opi_count count[OPI_COUNTS_EACH];
    uint64_t begin;
} opi_share;

OPI_FUNCTION opi_share opi_read_share(OPI_GLOBAL const uint64_t *ends, const opi_times *times, uint64_t block, uint64_t high)
{
    opi_share own;
    for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++) own.count[e] = 0;
    own.begin = 0;
    if (block > high) return own;
    opi_read_counts(times, block * OPI_BLOCK + OPI_BLOCK_SELF * OPI_COUNTS_EACH, own.count);
    own.begin = opi_block_begin(ends, block);
    return own;
}

/* As below, where ends are those of blocks `low` to `high`: notes where each element begins, counted from the first of
 * `low`. */
OPI_FUNCTION void opi_note_begins(OPI_GLOBAL const uint64_t *ends, const opi_times *times, uint64_t at, uint32_t own,
                                  uint64_t low, uint64_t high, opi_places place, OPI_LOCAL uint16_t *owner)
{
    const uint32_t each = OPI_W / OPI_BLOCK_ITEMS; /* blocks at a time */
    const uint64_t first = low + OPI_SELF / OPI_BLOCK_ITEMS;
    opi_share next = opi_read_share(ends, times, first, high);
    for (uint32_t done = 0; done <= (uint32_t)(high - low); done += each) {
        const opi_share now = next; /* the next counts are under way meanwhile */
        const uint32_t s = done * OPI_BLOCK + OPI_SELF * OPI_COUNTS_EACH;
        uint64_t sum = 0, begin = now.begin - at;
        next = opi_read_share(ends, times, first + done + each, high);
        for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++) sum += now.count[e];
        begin -= sum;
        for (uint32_t by = 1; by < OPI_BLOCK_ITEMS; by *= 2) sum += opi_from_left(place, sum, by);
        begin += sum;
        for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++) { /* `begin` may be before the tile: then it is negative */
            const uint64_t end = begin + now.count[e];
            if (now.count[e] > 0 && (int64_t)begin < (int64_t)own && (int64_t)end > 0)
                owner[OPI_SPREAD((int64_t)begin > 0 ? (uint32_t)begin : 0)] = (uint16_t)(s + e);
            begin = end;
        }
    }
}

/* owner[k] = which element, counted from the first of block `low`, output k of a tile is.  The tile begins at index `at` of
 * the output and has `own` elements, of blocks `low` to `high`. */
OPI_FUNCTION void opi_find_owners(OPI_GLOBAL const uint64_t *ends, const opi_times *times, uint64_t at, uint32_t own, uint64_t low,
                                  uint64_t high, opi_places place, OPI_LOCAL uint16_t *owner)
{
    for (uint32_t k = OPI_SELF; k < OPI_SPREAD_TILE; k += OPI_W) owner[k] = 0;
    OPI_BARRIER();
    opi_note_begins(ends, times, at, own, low, high, place, owner);
    OPI_BARRIER();
    const uint32_t k0 = OPI_SELF * OPI_E;
    uint16_t begins[OPI_E];
    uint32_t last = 0;
    _Pragma("unroll") for (uint32_t e = 0; e < OPI_E; e++) {
        begins[e] = owner[OPI_SPREAD(k0 + e)];
        last = begins[e] > last ? begins[e] : last;
    }
    last = opi_greatest_before(place, last);
    _Pragma("unroll") for (uint32_t e = 0; e < OPI_E; e++) {
        last = begins[e] > last ? begins[e] : last;
        owner[OPI_SPREAD(k0 + e)] = (uint16_t)last;
    }
    OPI_BARRIER();
}
#else
/* owner[k] = which element, counted from `low`, output k of a tile is.  The tile begins at index `at` of the output and has
 * `own` elements, of `low` to `high`. */
OPI_FUNCTION void opi_find_owners(OPI_GLOBAL const uint64_t *ends, uint64_t at, uint32_t own, uint64_t low, uint64_t high,
                                  OPI_LOCAL uint16_t *owner)
{
    for (uint32_t k = OPI_SELF; k < OPI_SPREAD_TILE; k += OPI_W) owner[k] = 0;
    OPI_BARRIER();
    /* Where elements begin; but those that have no repetitions do not. */
    for (uint32_t s = OPI_SELF + 1; s <= (uint32_t)(high - low); s += OPI_W) {
        const uint64_t begin = ends[low + s - 1] - at;
        if (begin < own && ends[low + s] - at > begin) owner[OPI_SPREAD((uint32_t)begin)] = (uint16_t)s;
    }
    OPI_BARRIER();
    const uint32_t k0 = OPI_SELF * OPI_E;
    if (k0 < own) {
        uint16_t last = (uint16_t)(opi_repeated_at(ends, at + k0, low, high) - low);
        for (uint32_t e = 0; e < OPI_E; e++) {
            const uint16_t begins = owner[OPI_SPREAD(k0 + e)];
            last = begins > last ? begins : last;
            owner[OPI_SPREAD(k0 + e)] = last;
        }
    }
    OPI_BARRIER();
}
#endif

/* Writes a whole tile, by owners: several units of a work-item are under way before the first one is written. */
OPI_FUNCTION void opi_write_tile(OPI_GLOBAL const opi_unit *from, OPI_LOCAL const uint16_t *owner, OPI_GLOBAL opi_unit *to)
{
    for (uint32_t q0 = OPI_SELF; q0 < OPI_TILE * OPI_UNITS; q0 += OPI_BATCH << OPI_LOG_W) {
        opi_unit x[OPI_BATCH];
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++) {
            const uint32_t q = q0 + (j << OPI_LOG_W);
            x[j] = from[(uint64_t)owner[OPI_SPREAD(q / OPI_UNITS)] * OPI_UNITS + q % OPI_UNITS];
        }
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++) to[q0 + (j << OPI_LOG_W)] = x[j];
    }
}

#if OPI_PACKED
#define OPI_PER_WORD (4 / OPI_SIZE)
/* The same of elements that are smaller than a word. */
OPI_FUNCTION void opi_write_words(OPI_GLOBAL const opi_unit *from, OPI_LOCAL const uint16_t *owner, OPI_GLOBAL opi_unit *to)
{
    for (uint32_t w = OPI_SELF; w < OPI_TILE / OPI_PER_WORD; w += OPI_W) {
        opi_unit x[OPI_PER_WORD];
        uint32_t word = 0;
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_PER_WORD; j++) x[j] = from[owner[OPI_SPREAD(w * OPI_PER_WORD + j)]];
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_PER_WORD; j++) word |= (uint32_t)x[j] << (8 * OPI_SIZE * j);
        ((OPI_GLOBAL uint32_t *)to)[w] = word;
    }
}
#endif
#endif

#if OPI_BLOCK > 1
#define OPI_TIMES_PARAM , OPI_PARAM(counts), const uint64_t n
#else
#define OPI_TIMES_PARAM
#endif

OPI_RESIDENT_KERNEL void opi_repeat(OPI_PARAM(in), OPI_PARAM(ends), const uint64_t first, const uint64_t count, OPI_PARAM(cuts),
                              OPI_PARAM(out) OPI_TIMES_PARAM OPI_DEALT_PARAM)
{
    const uint64_t begin = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE, cut = OPI_CUT(OPI_GROUP);
    const uint32_t own = count - begin < OPI_TILE ? (uint32_t)(count - begin) : OPI_TILE;
    const uint64_t at = first + begin;
    const uint64_t low = OPI_AT(const uint64_t, cuts)[cut], high = OPI_AT(const uint64_t, cuts)[cut + 1];
    OPI_GLOBAL const uint64_t *const ends = OPI_AT(const uint64_t, ends);
    OPI_GLOBAL const opi_unit *const from = OPI_AT(const opi_unit, in) + low * OPI_BLOCK * OPI_UNITS;
    OPI_GLOBAL opi_unit *const to = OPI_AT(opi_unit, out) + begin * OPI_UNITS;
#if OPI_LOG_W == 0
    uint64_t s = low;
    for (uint32_t k = 0; k < own; k++) {
        for (uint32_t j = 0; j < OPI_FEW && ends[s] <= at + k; j++) s++;
        if (ends[s] <= at + k) s = opi_repeated_at(ends, at + k, s + 1, high);
        opi_write_units(to + (uint64_t)k * OPI_UNITS, from + (s - low) * OPI_UNITS);
    }
#else
    OPI_LOCAL_MEMORY uint16_t owner[OPI_SPREAD_TILE];
#if OPI_BLOCK > 1
    OPI_LOCAL_MEMORY uint64_t place[OPI_PLACES];
    opi_times times;
    times.of = OPI_AT(const opi_count, counts);
    times.n = n;
#define OPI_FIND_ELEMENT(k) (opi_element_at(ends, &times, k, low, high) - low * OPI_BLOCK)
#define OPI_FIND_OWNERS()   opi_find_owners(ends, &times, at, own, low, high, place, owner)
#else
#define OPI_FIND_ELEMENT(k) (opi_repeated_at(ends, k, low, high) - low)
#define OPI_FIND_OWNERS()   opi_find_owners(ends, at, own, low, high, owner)
#endif
    if ((high - low) * OPI_BLOCK >= OPI_SPAN) { /* each element of the output is searched for by itself */
        for (uint32_t q = OPI_SELF; q < own; q += OPI_W)
            opi_write_units(to + (uint64_t)q * OPI_UNITS, from + OPI_FIND_ELEMENT(at + q) * OPI_UNITS);
        return;
    }
    OPI_FIND_OWNERS();
    if (own == OPI_TILE && OPI_UNITS <= OPI_MOST_UNITS) {
#if OPI_PACKED
        opi_write_words(from, owner, to);
#else
        opi_write_tile(from, owner, to);
#endif
        return;
    }
    /* Neighbours move neighbouring units. */
    for (uint64_t q = OPI_SELF; q < (uint64_t)own * OPI_UNITS; q += OPI_W)
        to[q] = from[(uint64_t)owner[OPI_SPREAD((uint32_t)(q / OPI_UNITS))] * OPI_UNITS + q % OPI_UNITS];
#endif
}
