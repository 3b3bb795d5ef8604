/* Transpose of any shape, in tiles whose results are whole sectors of memory: out[c * out_pitch + r] = in[r * in_pitch + c],
 * r < rows, c < cols.
 *
 * A tile has OPI_ACROSS columns, and OPI_DOWN results of each, which are moved as words (moved.cl).  The results of a column
 * begin up to OPI_EXTRA rows before row `row` of the tile, where their address is a multiple of OPI_EXTRA + 1 units: so no two
 * tiles write to one sector.  The tile reads OPI_EXTRA rows more for this. */

#define OPI_W      (1u << OPI_LOG_W)
#define OPI_LANES  32u
#define OPI_WARPS  (OPI_W / OPI_LANES)
#define OPI_HEIGHT (OPI_DOWN + OPI_EXTRA)

/* Words of a row of the stage, and from row to row: so that neighbouring words of a column's results are in different banks. */
#define OPI_ROW_WORDS (OPI_ACROSS * OPI_UNITS / OPI_PER_WORD)
#define OPI_PITCH     (OPI_PER_WORD > 1 ? (OPI_ROW_WORDS | 1) : OPI_ROW_WORDS + OPI_UNITS)
#define OPI_STAGE     (OPI_HEIGHT * OPI_PITCH)

typedef struct opi_place {
    uint64_t row, col; /* of the first result that is not extra */
    bool whole;        /* all that the tile reads and writes, and a row before and behind, lies within the matrix */
} opi_place;

OPI_FUNCTION opi_place opi_place_of(uint32_t down, uint32_t across, uint64_t rows, uint64_t cols)
{
    opi_place tile;
    tile.row = (uint64_t)down * OPI_DOWN;
    tile.col = (uint64_t)across * OPI_ACROSS;
    tile.whole = tile.row > OPI_EXTRA && tile.row + OPI_DOWN < rows && tile.col + OPI_ACROSS <= cols;
    return tile;
}

/* --- read ---------------------------------------------------------------------------------------------------------- */

#define OPI_MOVES  ((OPI_ROW_WORDS + OPI_LANES - 1) / OPI_LANES) /* of a work-item, for one row */
#define OPI_ROUNDS ((OPI_HEIGHT + OPI_WARPS - 1) / OPI_WARPS)    /* rows of a warp */
/* Word m of row `round` of a work-item, if there is one. */
#define OPI_HAS(round, m) ((round) * OPI_WARPS + warp < OPI_HEIGHT && (m) * OPI_LANES + lane < OPI_ROW_WORDS)

/* Copies a tile into the stage, OPI_BATCH rows of a warp at a time, so that several words are under way at once. */
OPI_FUNCTION void opi_read_tile(OPI_LOCAL opi_word *stage, const opi_source *matrix, uint64_t pitch, uint64_t rows,
                                uint64_t cols, const opi_place *tile)
{
    const uint32_t lane = OPI_SELF % OPI_LANES, warp = OPI_SELF / OPI_LANES;
    const uint32_t width = cols - tile->col < OPI_ACROSS ? (uint32_t)(cols - tile->col) : OPI_ACROSS;
    const ulong line = pitch * OPI_SIZE;
    /* of row `warp`, which may lie before the matrix */
    ulong at = matrix->begin + (tile->row + warp - OPI_EXTRA) * line + tile->col * OPI_SIZE + lane * OPI_WORD_BYTES;
    opi_word x[OPI_BATCH][OPI_MOVES], y[OPI_BATCH][OPI_MOVES];
    uint32_t by[OPI_BATCH];
    for (uint32_t round = 0; round < OPI_ROUNDS; round += OPI_BATCH) {
        _Pragma("unroll") for (uint32_t b = 0; b < OPI_BATCH; b++)
        {
            const uint64_t row = tile->row + (round + b) * OPI_WARPS + warp; /* and OPI_EXTRA */
            const bool is_there = row >= OPI_EXTRA && row - OPI_EXTRA < rows;
            const ulong begin = at + b * OPI_WARPS * line;
            OPI_GLOBAL const opi_word *const from = OPI_ALIGNED_WORD(begin);
            by[b] = tile->whole ? OPI_BITS_BEYOND(begin) : 0;
            _Pragma("unroll") for (uint32_t m = 0; m < OPI_MOVES; m++)
            {
                if (!OPI_HAS(round + b, m)) continue;
                if (tile->whole) {
                    x[b][m] = from[m * OPI_LANES];
                    if (OPI_PER_WORD > 1) y[b][m] = from[m * OPI_LANES + 1];
                } else if (is_there && (m * OPI_LANES + lane) * OPI_PER_WORD < width * OPI_UNITS) {
                    x[b][m] = opi_read_word(matrix, begin + m * (OPI_LANES * OPI_WORD_BYTES));
                }
            }
        }
        _Pragma("unroll") for (uint32_t b = 0; b < OPI_BATCH; b++)
            _Pragma("unroll") for (uint32_t m = 0; m < OPI_MOVES; m++)
                if (OPI_HAS(round + b, m))
                    stage[((round + b) * OPI_WARPS + warp) * OPI_PITCH + m * OPI_LANES + lane] =
                        OPI_JOINED(x[b][m], y[b][m], by[b]);
        at += OPI_BATCH * OPI_WARPS * line;
    }
}

/* --- write --------------------------------------------------------------------------------------------------------- */

/* A warp writes the results of OPI_SPREAD columns at once, which are a word apart: so they are in different banks. */
#define OPI_LINE_WORDS (OPI_DOWN * OPI_UNITS / OPI_PER_WORD)
#define OPI_LINE_LANES (OPI_LANES / OPI_SPREAD)
#define OPI_LINE_MOVES ((OPI_LINE_WORDS + OPI_LINE_LANES - 1) / OPI_LINE_LANES)
/* Where unit q of a column's results is, from its first one. */
#define OPI_AHEAD(q) ((q) / OPI_UNITS * (OPI_PITCH * OPI_PER_WORD) + (q) % OPI_UNITS)

/* Writes the results of a column, which begin at `to` with the one that is at `from`.  Result i is there if
 * first <= i < end. */
OPI_FUNCTION void opi_write_line(ulong to, OPI_LOCAL const opi_unit *from, uint32_t first, uint32_t end)
{
    const uint32_t lane = OPI_SELF % OPI_LINE_LANES;
    _Pragma("unroll") for (uint32_t m = 0; m < OPI_LINE_MOVES; m++)
    {
        const uint32_t word = m * OPI_LINE_LANES + lane, q = word * OPI_PER_WORD;
        if (OPI_LINE_WORDS % OPI_LINE_LANES && word >= OPI_LINE_WORDS) continue;
#if OPI_PER_WORD > 1
        if (q / OPI_UNITS >= first && (q + OPI_PER_WORD - 1) / OPI_UNITS < end) {
            opi_word x = 0;
            _Pragma("unroll") for (uint32_t i = 0; i < OPI_PER_WORD; i++)
                x |= (opi_word)from[OPI_AHEAD(q + i)] << 8 * OPI_UNIT * i;
            ((OPI_GLOBAL opi_word *)to)[word] = x;
            continue;
        }
        for (uint32_t i = q; i < q + OPI_PER_WORD; i++)
            if (i / OPI_UNITS >= first && i / OPI_UNITS < end) ((OPI_GLOBAL opi_unit *)to)[i] = from[OPI_AHEAD(i)];
#else
        if (q / OPI_UNITS >= first && q / OPI_UNITS < end) ((OPI_GLOBAL opi_word *)to)[word] = from[OPI_AHEAD(q)];
#endif
    }
}

OPI_FUNCTION void opi_write_tile(OPI_GLOBAL opi_unit *out, uint64_t pitch, OPI_LOCAL const opi_word *stage,
                                 uint64_t rows, uint64_t cols, const opi_place *tile)
{
    const uint32_t beside = OPI_SELF % OPI_LANES / OPI_LINE_LANES;
    for (uint32_t k = OPI_SELF / OPI_LANES; k < OPI_ACROSS / OPI_SPREAD; k += OPI_WARPS) {
        const uint32_t c = (k / OPI_PER_WORD * OPI_SPREAD + beside) * OPI_PER_WORD + k % OPI_PER_WORD;
        const ulong line = (ulong)out + ((tile->col + c) * pitch + tile->row) * OPI_SIZE;
        const uint32_t before = (uint32_t)(line / OPI_UNIT) * OPI_INVERSE & OPI_EXTRA; /* rows that the line begins earlier */
        OPI_LOCAL const opi_unit *const from =
            (OPI_LOCAL const opi_unit *)(stage + (OPI_EXTRA - before) * OPI_PITCH) + c * OPI_UNITS;
        uint32_t first = 0, end = OPI_DOWN;
        if (!tile->whole) {
            const uint64_t behind = rows + before > tile->row ? rows + before - tile->row : 0;
            if (tile->col + c >= cols) continue;
            first = tile->row < before ? before - (uint32_t)tile->row : 0;
            if (behind < end) end = (uint32_t)behind;
        }
        opi_write_line(line - before * OPI_SIZE, from, first, end);
    }
}

/* --- kernels -------------------------------------------------------------------------------------------------------- */

#if !OPI_SQUARE
/* One work-group for each tile.  Tiles are numbered in bands of OPI_BAND rows of tiles, from column to column within a band. */
OPI_WHOLE_KERNEL void opi_transpose_lines(OPI_PARAM(in), const uint64_t in_pitch, OPI_PARAM(out),
                                          const uint64_t out_pitch, const uint64_t rows, const uint64_t cols)
{
    OPI_LOCAL_MEMORY opi_word stage[OPI_STAGE];
    const uint32_t down = (uint32_t)((rows + OPI_EXTRA - 1) / OPI_DOWN) + 1, across = (uint32_t)((cols - 1) / OPI_ACROSS) + 1;
    const uint64_t band = OPI_GROUP / ((uint64_t)OPI_BAND * across);
    const uint32_t in_band = (uint32_t)(OPI_GROUP - band * OPI_BAND * across), above = (uint32_t)band * OPI_BAND;
    const uint32_t height = down - above < OPI_BAND ? down - above : OPI_BAND;
    const opi_place tile = opi_place_of(above + in_band % height, in_band / height, rows, cols);
    opi_source matrix;
    matrix.begin = (ulong)OPI_AT(opi_unit, in);
    matrix.end = matrix.begin + ((rows - 1) * in_pitch + cols) * OPI_SIZE;
    opi_read_tile(stage, &matrix, in_pitch, rows, cols, &tile);
    OPI_BARRIER();
    opi_write_tile(OPI_AT(opi_unit, out), out_pitch, stage, rows, cols, &tile);
}
#else
/* n x n in place: one work-group for each pair of tiles that change places; they are numbered as in transpose.cl. */
OPI_WHOLE_KERNEL void opi_transpose_lines(OPI_PARAM(matrix), const uint64_t n)
{
    OPI_LOCAL_MEMORY opi_word stage[2 * OPI_STAGE];
    const uint64_t t = (n - 1) / OPI_DOWN + 1, even = 1 - (t & 1), width = t + even;
    const uint64_t a = OPI_GROUP / width, b = OPI_GROUP % width;
    const bool is_long = b >= a + even;
    const uint32_t down = (uint32_t)(is_long ? a : t - even - a), across = (uint32_t)(is_long ? b - even : t - 1 - b);
    const opi_place tile = opi_place_of(down, across, n, n), image = opi_place_of(across, down, n, n);
    OPI_GLOBAL opi_unit *const all = OPI_AT(opi_unit, matrix);
    opi_source source;
    source.begin = (ulong)all;
    source.end = source.begin + n * n * OPI_SIZE;
    opi_read_tile(stage, &source, n, n, n, &tile);
    if (down != across) opi_read_tile(stage + OPI_STAGE, &source, n, n, n, &image);
    OPI_BARRIER();
    opi_write_tile(all, n, stage, n, n, &tile);
    if (down != across) opi_write_tile(all, n, stage + OPI_STAGE, n, n, &image);
}
#endif
