/* Transpose: out[c * out_pitch + r] = in[r * in_pitch + c], r < rows, c < cols; pitches are in elements.
 *
 * A work-group turns a tile of 2^log_down rows and 2^log_across columns, at most 2^(2 OPI_LOG_E) elements.
 *
 * If OPI_SQUARE is set, an n x n matrix is turned in place, in tiles of 2^OPI_LOG_E rows and columns. */

#define OPI_E (1u << OPI_LOG_E)
#define OPI_W (1u << OPI_LOG_W)

/* The part of a matrix that a tile covers. */
typedef struct opi_part {
    uint64_t row, col;
    uint32_t rows, cols;
    uint32_t log_down, log_across;
    uint32_t units; /* units of all places of the tile, even if there are no elements for some places */
} opi_part;

OPI_FUNCTION opi_part opi_part_at(uint64_t down, uint64_t across, uint64_t rows, uint64_t cols, uint32_t log_down,
                                  uint32_t log_across)
{
    opi_part part;
    part.row = down << log_down;
    part.col = across << log_across;
    part.rows = (rows - part.row) >> log_down ? 1u << log_down : (uint32_t)(rows - part.row);
    part.cols = (cols - part.col) >> log_across ? 1u << log_across : (uint32_t)(cols - part.col);
    part.log_down = log_down;
    part.log_across = log_across;
    part.units = OPI_UNITS << (log_down + log_across);
    return part;
}

#if OPI_STAGED

/* --- through local memory: neighbours read neighbouring units, and write neighbouring units ----------------------- */

/* Units between two rows, so that units of one column are in different banks. */
#define OPI_GAP           (OPI_GAP_BYTES(OPI_UNIT) / OPI_UNIT)
#define OPI_STAGE         (OPI_E * (OPI_E * OPI_UNITS + OPI_GAP))
#define OPI_STAGES        (1 + OPI_SQUARE) /* two tiles change places */
#if OPI_BLOCK > 1 /* a tile is also moved as words */
#define OPI_SHARED(stage)                                                                                              \
    OPI_LOCAL_MEMORY opi_vector stage##_words[OPI_STAGES * OPI_STAGE * OPI_UNIT / 16];                                 \
    OPI_LOCAL opi_unit *const stage = (OPI_LOCAL opi_unit *)stage##_words;
#else
#define OPI_SHARED(stage) OPI_LOCAL_MEMORY opi_unit stage[OPI_STAGES * OPI_STAGE];
#endif

/* Unit q of a matrix that is `2^log_cols` elements wide. */
typedef struct opi_spot {
    uint32_t row, col, unit;
} opi_spot;

OPI_FUNCTION opi_spot opi_spot_at(uint32_t q, uint32_t log_cols)
{
    opi_spot spot;
    const uint32_t element = q / OPI_UNITS;
    spot.unit = q % OPI_UNITS;
    spot.row = element >> log_cols;
    spot.col = element & ((1u << log_cols) - 1);
    return spot;
}

/* Pointer to the first unit of a tile of the matrix. */
#define OPI_TILE_AT(matrix, row, col, pitch) ((matrix) + ((row) * (pitch) + (col)) * OPI_UNITS)
/* A unit of the matrix, and a unit of the stage, where the tile is upright or turned. */
#define OPI_THERE(tile, s, pitch)  (tile)[((s).row * (pitch) + (s).col) * OPI_UNITS + (s).unit]
#define OPI_HERE(s, across)        stage[(s).row * (((across) * OPI_UNITS) + OPI_GAP) + (s).col * OPI_UNITS + (s).unit]
#define OPI_HERE_TURNED(s, across) stage[(s).col * (((across) * OPI_UNITS) + OPI_GAP) + (s).row * OPI_UNITS + (s).unit]

/* Whole square tiles are moved in a constant number of steps, so that several units are under way at once. */
#define OPI_STEPS (OPI_E * OPI_E * OPI_UNITS / OPI_W)
#define OPI_BATCH (OPI_STEPS <= 16 ? OPI_STEPS : OPI_STEPS % 16 == 0 ? 16 : 4)
#define OPI_EVEN  (OPI_STEPS > 0 && OPI_STEPS * OPI_W == OPI_E * OPI_E * OPI_UNITS && OPI_STEPS % OPI_BATCH == 0)
#define OPI_EACH_BATCH(j0) for (uint32_t j0 = 0; j0 < OPI_STEPS; j0 += OPI_BATCH)
#define OPI_EACH_STEP(j)   _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++)

/* Returns the unit that the work-item moves in step j. */
OPI_FUNCTION opi_spot opi_spot_of(uint32_t j)
{
#if OPI_UNITS == 1 && OPI_LOG_W >= OPI_LOG_E
    opi_spot spot; /* the column is the same in all steps */
    spot.row = (OPI_SELF >> OPI_LOG_E) + (j << (OPI_LOG_W - OPI_LOG_E));
    spot.col = OPI_SELF & (OPI_E - 1);
    spot.unit = 0;
    return spot;
#else
    return opi_spot_at((j << OPI_LOG_W) + OPI_SELF, OPI_LOG_E);
#endif
}

#if OPI_BLOCK == 1

/* Copies a whole square tile into the stage. */
OPI_FUNCTION void opi_bring_even(OPI_LOCAL opi_unit *stage, OPI_GLOBAL const opi_unit *tile, uint64_t pitch)
{
    opi_unit x[OPI_BATCH];
    OPI_EACH_BATCH(j0)
    {
        OPI_EACH_STEP(j) { x[j] = OPI_THERE(tile, opi_spot_of(j0 + j), pitch); }
        OPI_EACH_STEP(j) { OPI_HERE(opi_spot_of(j0 + j), OPI_E) = x[j]; }
    }
}

/* Writes the transpose of the tile in the stage. */
OPI_FUNCTION void opi_write_even(OPI_GLOBAL opi_unit *tile, uint64_t pitch, OPI_LOCAL const opi_unit *stage)
{
    OPI_EACH_BATCH(j0)
    OPI_EACH_STEP(j)
    {
        const opi_spot s = opi_spot_of(j0 + j);
        OPI_THERE(tile, s, pitch) = OPI_HERE_TURNED(s, OPI_E);
    }
}

#else

/* Small elements are moved as words of OPI_BLOCK elements.  A work-item turns blocks of OPI_BLOCK words in its registers;
 * OPI_ROW blocks are the width of a tile.  The words of a row of the stage are rotated, so that neighbours are in different
 * banks whether they write a column or read a row. */
#define OPI_ROW          (OPI_E / OPI_BLOCK)
#define OPI_ROWS_AT_ONCE (OPI_W / OPI_ROW)
#define OPI_ROTATED(stage, row, word) (stage)[(row) * OPI_ROW + (((word) + (row) / OPI_BLOCK) & (OPI_ROW - 1))]

#if OPI_SIZE <= 2
typedef uint32_t opi_word;
#else
typedef opi_vector opi_word;
#endif

OPI_FUNCTION void opi_turn_block(opi_word *w)
{
    const opi_word a = w[0], b = w[1];
#if OPI_SIZE == 1
    const opi_word c = w[2], d = w[3];
    const uint32_t ab02 = (a & 0x00ff00ffu) | (b & 0x00ff00ffu) << 8, ab13 = (a >> 8 & 0x00ff00ffu) | (b & 0xff00ff00u);
    const uint32_t cd02 = (c & 0x00ff00ffu) | (d & 0x00ff00ffu) << 8, cd13 = (c >> 8 & 0x00ff00ffu) | (d & 0xff00ff00u);
    w[0] = (ab02 & 0xffffu) | cd02 << 16;
    w[1] = (ab13 & 0xffffu) | cd13 << 16;
    w[2] = ab02 >> 16 | (cd02 & 0xffff0000u);
    w[3] = ab13 >> 16 | (cd13 & 0xffff0000u);
#elif OPI_SIZE == 2
    w[0] = (a & 0xffffu) | b << 16;
    w[1] = a >> 16 | (b & 0xffff0000u);
#elif OPI_SIZE == 4
    const opi_word c = w[2], d = w[3];
    w[0].y = b.x, w[0].z = c.x, w[0].w = d.x;
    w[1].x = a.y, w[1].z = c.y, w[1].w = d.y;
    w[2].x = a.z, w[2].y = b.z, w[2].w = d.z;
    w[3].x = a.w, w[3].y = b.w, w[3].z = c.w;
#else
    w[0].z = b.x, w[0].w = b.y;
    w[1].x = a.z, w[1].y = a.w;
#endif
}

/* Copies the transpose of a whole square tile into the stage. */
OPI_FUNCTION void opi_bring_even(OPI_LOCAL opi_unit *stage, OPI_GLOBAL const opi_unit *tile, uint64_t pitch)
{
    OPI_GLOBAL const opi_word *const from = (OPI_GLOBAL const opi_word *)tile;
    const uint32_t across = OPI_SELF % OPI_ROW, down = OPI_SELF / OPI_ROW;
    opi_word x[OPI_ROW / OPI_ROWS_AT_ONCE][OPI_BLOCK];
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_ROW / OPI_ROWS_AT_ONCE; j++)
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_BLOCK; k++)
            x[j][k] = from[((down + j * OPI_ROWS_AT_ONCE) * OPI_BLOCK + k) * (pitch / OPI_BLOCK) + across];
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_ROW / OPI_ROWS_AT_ONCE; j++) {
        opi_turn_block(x[j]);
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_BLOCK; k++)
            OPI_ROTATED((OPI_LOCAL opi_word *)stage, across * OPI_BLOCK + k, down + j * OPI_ROWS_AT_ONCE) = x[j][k];
    }
}

/* Writes the tile in the stage, which is turned already. */
OPI_FUNCTION void opi_write_even(OPI_GLOBAL opi_unit *tile, uint64_t pitch, OPI_LOCAL const opi_unit *stage)
{
    OPI_GLOBAL opi_word *const to = (OPI_GLOBAL opi_word *)tile;
    const uint32_t across = OPI_SELF % OPI_ROW, down = OPI_SELF / OPI_ROW;
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_E / OPI_ROWS_AT_ONCE; j++) {
        const uint32_t row = down + j * OPI_ROWS_AT_ONCE;
        to[row * (pitch / OPI_BLOCK) + across] = OPI_ROTATED((OPI_LOCAL const opi_word *)stage, row, across);
    }
}

#endif

OPI_FUNCTION void opi_bring(OPI_LOCAL opi_unit *stage, OPI_GLOBAL const opi_unit *tile, uint64_t pitch,
                            const opi_part *part)
{
    for (uint32_t q = OPI_SELF; q < part->units; q += OPI_W) {
        const opi_spot s = opi_spot_at(q, part->log_across);
        if (s.row < part->rows && s.col < part->cols) OPI_HERE(s, 1u << part->log_across) = OPI_THERE(tile, s, pitch);
    }
}

#if !OPI_SQUARE

OPI_FUNCTION void opi_turn(OPI_GLOBAL const opi_unit *in, uint64_t in_pitch, OPI_GLOBAL opi_unit *out,
                           uint64_t out_pitch, const opi_part *part, OPI_LOCAL opi_unit *stage)
{
    OPI_GLOBAL const opi_unit *const from = OPI_TILE_AT(in, part->row, part->col, in_pitch);
    OPI_GLOBAL opi_unit *const to = OPI_TILE_AT(out, part->col, part->row, out_pitch);
    if (OPI_EVEN && part->rows == OPI_E && part->cols == OPI_E) {
        opi_bring_even(stage, from, in_pitch);
        OPI_BARRIER();
        opi_write_even(to, out_pitch, stage);
        return;
    }
    opi_bring(stage, from, in_pitch, part);
    OPI_BARRIER();
    for (uint32_t q = OPI_SELF; q < part->units; q += OPI_W) {
        const opi_spot s = opi_spot_at(q, part->log_down);
        if (s.row < part->cols && s.col < part->rows)
            OPI_THERE(to, s, out_pitch) = OPI_HERE_TURNED(s, 1u << part->log_across);
    }
}

#else

/* Exchanges a tile and its mirror image. */
OPI_FUNCTION void opi_exchange_even(OPI_GLOBAL opi_unit *tile, OPI_GLOBAL opi_unit *image, uint64_t n,
                                    OPI_LOCAL opi_unit *stage)
{
    opi_bring_even(stage, tile, n);
    if (tile != image) opi_bring_even(stage + OPI_STAGE, image, n);
    OPI_BARRIER();
    opi_write_even(image, n, stage);
    if (tile != image) opi_write_even(tile, n, stage + OPI_STAGE);
}

/* The same at the edge: first the tile waits in `stage`, then the image; both are turned on the way. */
OPI_FUNCTION void opi_exchange(OPI_GLOBAL opi_unit *matrix, uint64_t n, const opi_part *part, OPI_LOCAL opi_unit *stage)
{
    OPI_GLOBAL opi_unit *const tile = OPI_TILE_AT(matrix, part->row, part->col, n);
    OPI_GLOBAL opi_unit *const image = OPI_TILE_AT(matrix, part->col, part->row, n);
    if (OPI_EVEN && part->rows == OPI_E && part->cols == OPI_E) {
        opi_exchange_even(tile, image, n, stage);
        return;
    }
    opi_bring(stage, tile, n, part);
    OPI_BARRIER();
    for (uint32_t q = OPI_SELF; q < part->units; q += OPI_W) {
        const opi_spot s = opi_spot_at(q, OPI_LOG_E);
        if (s.row < part->cols && s.col < part->rows) {
            const opi_unit x = OPI_THERE(image, s, n);
            OPI_THERE(image, s, n) = OPI_HERE_TURNED(s, OPI_E);
            OPI_HERE_TURNED(s, OPI_E) = x;
        }
    }
    if (tile == image) return;
    OPI_BARRIER();
    for (uint32_t q = OPI_SELF; q < part->units; q += OPI_W) {
        const opi_spot s = opi_spot_at(q, OPI_LOG_E);
        if (s.row < part->rows && s.col < part->cols) OPI_THERE(tile, s, n) = OPI_HERE(s, OPI_E);
    }
}

#endif

#else

/* --- one work-item, or elements too large for local memory: the work-group shares the units of each element ------- */

#define OPI_SHARED(stage) OPI_LOCAL opi_unit *const stage = 0;

#if !OPI_SQUARE
OPI_FUNCTION void opi_turn(OPI_GLOBAL const opi_unit *in, uint64_t in_pitch, OPI_GLOBAL opi_unit *out,
                           uint64_t out_pitch, const opi_part *part, OPI_LOCAL opi_unit *stage)
{
    for (uint32_t c = 0; c < part->cols; c++) {
        OPI_GLOBAL const opi_unit *const from = in + (part->row * in_pitch + part->col + c) * OPI_UNITS;
        OPI_GLOBAL opi_unit *const to = out + ((part->col + c) * out_pitch + part->row) * OPI_UNITS;
        for (uint32_t r = 0; r < part->rows; r++)
            for (uint32_t k = OPI_SELF; k < OPI_UNITS; k += OPI_W)
                to[r * OPI_UNITS + k] = from[r * in_pitch * OPI_UNITS + k];
    }
}
#else
OPI_FUNCTION void opi_exchange(OPI_GLOBAL opi_unit *matrix, uint64_t n, const opi_part *part, OPI_LOCAL opi_unit *stage)
{
    for (uint32_t r = 0; r < part->rows; r++)
        for (uint32_t c = part->row == part->col ? r + 1 : 0; c < part->cols; c++) {
            OPI_GLOBAL opi_unit *const own = matrix + ((part->row + r) * n + part->col + c) * OPI_UNITS;
            OPI_GLOBAL opi_unit *const image = matrix + ((part->col + c) * n + part->row + r) * OPI_UNITS;
            for (uint32_t k = OPI_SELF; k < OPI_UNITS; k += OPI_W) {
                const opi_unit x = own[k];
                own[k] = image[k];
                image[k] = x;
            }
        }
}
#endif

#endif

/* --- kernels ---------------------------------------------------------------------------------------------------- */

#if !OPI_SQUARE
/* One work-group for each tile; tiles are numbered row by row.  OPI_DEALT: each accelerator does those of its own pages
 * (canon/pages.cl). */
OPI_KERNEL void opi_transpose(OPI_PARAM(in), const uint64_t in_pitch, OPI_PARAM(out), const uint64_t out_pitch,
                              const uint64_t rows, const uint64_t cols, const uint32_t log_down,
                              const uint32_t log_across OPI_PAGES_PARAM)
{
    OPI_SHARED(stage)
    const uint64_t tiles = ((cols - 1) >> log_across) + 1; /* tiles in a row */
    const opi_part part = opi_part_at(OPI_GROUP / tiles, OPI_GROUP % tiles, rows, cols, log_down, log_across);
#if OPI_DEALT
    if (!opi_is_in_own_page(&pages, part.row * in_pitch + part.col)) return; /* another accelerator's tile */
#endif
    opi_turn(OPI_AT(const opi_unit, in), in_pitch, OPI_AT(opi_unit, out), out_pitch, &part, stage);
}
#else
/* n x n in place: one work-group for each pair of tiles, that is for each tile on or above the diagonal of the t x t
 * tiles.  This triangle is packed into a rectangle: each row of the rectangle has a long row of the triangle and a short
 * one, together t or t + 1 tiles, whichever is odd. */
OPI_KERNEL void opi_transpose(OPI_PARAM(matrix), const uint64_t n)
{
    OPI_SHARED(stage)
    const uint64_t t = ((n - 1) >> OPI_LOG_E) + 1, even = 1 - (t & 1), width = t + even;
    const uint64_t a = OPI_GROUP / width, b = OPI_GROUP % width;
    const bool is_long = b >= a + even;
    const opi_part part = opi_part_at(is_long ? a : t - even - a, is_long ? b - even : t - 1 - b, n, n, OPI_LOG_E,
                                      OPI_LOG_E);
    opi_exchange(OPI_AT(opi_unit, matrix), n, &part, stage);
}
#endif
