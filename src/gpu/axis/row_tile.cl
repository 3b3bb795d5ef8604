/* Short rows of neighbours in local memory.  A work-group copies a tile, which is whole rows, by loads of 16 bytes, and then
 * each work-item finds the elements of its own rows there.
 *
 * The tile is words of 4 bytes in `stage`, as they lie in memory from a multiple of 16 bytes on; `skew` bytes are before its first
 * element.  After every 32 words there is a gap of one, so that elements which are a power of two apart lie in different
 * banks.  An element, an opi_t, is OPI_UNITS units (unit.cl) of at most 4 bytes.  OPI_ROW_TILE: the most bytes of a tile. */

#define OPI_GAPPED(word) ((word) + ((word) >> 5))
#define OPI_PLACE(unit)  ((unit) + (unit) / (128 / OPI_UNIT) * (4 / OPI_UNIT))
#define OPI_ROW_STAGE    (OPI_GAPPED(OPI_ROW_TILE / 4 + 8) + 1)
#define OPI_ROW_MOVES    4 /* loads of a work-item that are under way at the same time */

/* What is moved at once. */
typedef struct __attribute__((aligned(OPI_VECTOR_BYTES))) opi_moved {
    uint32_t word[4];
} opi_moved;

/* The tile's bytes [begin, end) in whole vectors of memory, counted from the first vector that has some of them: vectors
 * [first, last), and units before and behind them. */
typedef struct opi_row_cut {
    uint32_t first, last;           /* vectors */
    uint32_t begin, before;         /* units [begin, before) */
    uint32_t behind, end;           /* units [behind, end) */
} opi_row_cut;

OPI_FUNCTION opi_row_cut opi_row_cut_of(uint32_t skew, uint32_t bytes)
{
    const uint32_t end = skew + bytes;
    opi_row_cut cut;
    cut.first = skew > 0;
    cut.last = end / 16;
    cut.begin = skew / OPI_UNIT;
    cut.before = (cut.first * 16 < end ? cut.first * 16 : end) / OPI_UNIT;
    cut.behind = (cut.last >= cut.first ? cut.last * 16 : end) / OPI_UNIT;
    cut.end = end / OPI_UNIT;
    return cut;
}

#define OPI_SKEW(p) ((uint32_t)((ulong)(p) & 15))

/* Copies `bytes` bytes at `from` into the stage; a barrier must follow. */
OPI_INLINED void opi_rows_in(OPI_LOCAL uint32_t *stage, OPI_GLOBAL const uint8_t *from, uint32_t bytes)
{
    const uint32_t skew = OPI_SKEW(from);
    const opi_row_cut cut = opi_row_cut_of(skew, bytes);
    OPI_GLOBAL const opi_moved *const vectors = (OPI_GLOBAL const opi_moved *)(from - skew);
    OPI_GLOBAL const opi_unit *const units = (OPI_GLOBAL const opi_unit *)(from - skew);
    OPI_LOCAL opi_unit *const to = (OPI_LOCAL opi_unit *)stage;
    OPI_ROLLED for (uint32_t v = cut.first + OPI_SELF; v < cut.last; v += OPI_ROW_MOVES * OPI_W)
    {
        opi_moved some[OPI_ROW_MOVES];
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_ROW_MOVES; k++)
            some[k] = vectors[v + k * OPI_W < cut.last ? v + k * OPI_W : v];
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_ROW_MOVES; k++)
            if (v + k * OPI_W < cut.last)
                _Pragma("unroll") for (uint32_t w = 0; w < 4; w++)
                    stage[OPI_GAPPED(4 * (v + k * OPI_W)) + w] = some[k].word[w];
    }
    for (uint32_t u = cut.begin + OPI_SELF; u < cut.before; u += OPI_W) to[OPI_PLACE(u)] = units[u];
    for (uint32_t u = cut.behind + OPI_SELF; u < cut.end; u += OPI_W) to[OPI_PLACE(u)] = units[u];
}

/* The 4 bytes of the stage from a multiple of OPI_UNIT bytes on, which is not one of 4 if elements come from and go to addresses
 * that lie differently. */
OPI_INLINED uint32_t opi_word_at(OPI_LOCAL const uint32_t *stage, uint32_t byte)
{
#if OPI_UNIT < 4
    OPI_LOCAL const opi_unit *const from = (OPI_LOCAL const opi_unit *)stage;
    if (byte % 4 > 0) {
        uint32_t word = 0;
        _Pragma("unroll") for (uint32_t u = 0; u < 4 / OPI_UNIT; u++)
            word |= (uint32_t)from[OPI_PLACE(byte / OPI_UNIT + u)] << 8 * OPI_UNIT * u;
        return word;
    }
#endif
    return stage[OPI_GAPPED(byte / 4)];
}

/* Copies so many bytes of the stage, from byte `skew` on, to `to`. */
OPI_INLINED void opi_rows_out(OPI_LOCAL const uint32_t *stage, uint32_t skew, OPI_GLOBAL uint8_t *to, uint32_t bytes)
{
    const uint32_t there = OPI_SKEW(to), by = skew - there; /* from a byte there to the byte in the stage; may be below 0 */
    const opi_row_cut cut = opi_row_cut_of(there, bytes);
    OPI_GLOBAL opi_moved *const vectors = (OPI_GLOBAL opi_moved *)(to - there);
    OPI_GLOBAL opi_unit *const units = (OPI_GLOBAL opi_unit *)(to - there);
    OPI_LOCAL const opi_unit *const from = (OPI_LOCAL const opi_unit *)stage;
    OPI_ROLLED for (uint32_t v = cut.first + OPI_SELF; v < cut.last; v += OPI_W)
    {
        opi_moved one;
        _Pragma("unroll") for (uint32_t w = 0; w < 4; w++) one.word[w] = opi_word_at(stage, 16 * v + 4 * w + by);
        vectors[v] = one;
    }
    for (uint32_t u = cut.begin + OPI_SELF; u < cut.before; u += OPI_W) units[u] = from[OPI_PLACE((u * OPI_UNIT + by) / OPI_UNIT)];
    for (uint32_t u = cut.behind + OPI_SELF; u < cut.end; u += OPI_W) units[u] = from[OPI_PLACE((u * OPI_UNIT + by) / OPI_UNIT)];
}

/* --- elements ------------------------------------------------------------------------------------------------------ */

/* Rows in the stage. */
typedef struct opi_rows {
    OPI_LOCAL uint32_t *stage;
    uint32_t skew;
} opi_rows;

typedef union opi_element_of_row {
    opi_t x;
    opi_unit unit[OPI_UNITS];
} opi_element_of_row;

/* Element i of the tile. */
OPI_INLINED opi_t opi_get(const opi_rows *rows, uint32_t i)
{
    OPI_LOCAL const opi_unit *const from = (OPI_LOCAL const opi_unit *)rows->stage;
    const uint32_t first = rows->skew / OPI_UNIT + i * OPI_UNITS;
    opi_element_of_row one;
    _Pragma("unroll") for (uint32_t u = 0; u < OPI_UNITS; u++) one.unit[u] = from[OPI_PLACE(first + u)];
    return one.x;
}

OPI_INLINED void opi_put(const opi_rows *rows, uint32_t i, opi_t x)
{
    OPI_LOCAL opi_unit *const to = (OPI_LOCAL opi_unit *)rows->stage;
    const uint32_t first = rows->skew / OPI_UNIT + i * OPI_UNITS;
    opi_element_of_row one;
    one.x = x;
    _Pragma("unroll") for (uint32_t u = 0; u < OPI_UNITS; u++) to[OPI_PLACE(first + u)] = one.unit[u];
}

/* The tile of a work-group.  None of its rows may be there. */
typedef struct opi_row_tile {
    uint64_t first; /* row */
    uint32_t rows;
} opi_row_tile;

OPI_FUNCTION opi_row_tile opi_row_tile_of(uint64_t item, uint64_t outer, uint32_t rows)
{
    const uint64_t first = item * rows;
    opi_row_tile tile;
    tile.first = first < outer ? first : outer;
    tile.rows = (uint32_t)(outer - tile.first < rows ? outer - tile.first : rows);
    return tile;
}
