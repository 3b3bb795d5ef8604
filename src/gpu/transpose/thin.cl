/* Transpose of a matrix with few columns (opi_transpose_narrow) or few rows (opi_transpose_low):
 * out[c * out_pitch + r] = in[r * in_pitch + c], r < rows, c < cols.
 *
 * A tile has all of the few columns (rows) and 2^log_run of the many rows (columns).  So it is one run of units in the narrow
 * matrix, and a run in each line of the wide one.  Units are moved as words
 * (moved.cl).  Only the first and the last word of a run in the output may be partly another tile's. */

#define OPI_W (1u << OPI_LOG_W)

/* The stage has a gap of a word after each 128 bytes, so that steps of powers of two are in different banks. */
#define OPI_WORD_PLACE(word) ((word) + (word) / (128 / OPI_WORD_BYTES))
#define OPI_UNIT_PLACE(unit) ((unit) + (unit) / (128 / OPI_UNIT) * OPI_PER_WORD)
#define OPI_STAGED(stage, unit) (((OPI_LOCAL const opi_unit *)(stage))[OPI_UNIT_PLACE(unit)])

/* --- read ---------------------------------------------------------------------------------------------------------- */

/* Copies a run of units, which begins at `at`, into the stage from word `line` on.  Member `self` of a team of `team`
 * work-items copies OPI_BATCH words at a time, so that several are under way at once. */
OPI_FUNCTION void opi_read_run(OPI_LOCAL opi_word *stage, uint32_t line, const opi_source *matrix, ulong at,
                               uint32_t units, uint32_t self, uint32_t team)
{
    const uint32_t words = (units + OPI_PER_WORD - 1) / OPI_PER_WORD;
    const uint32_t by = OPI_BITS_BEYOND(at);
    OPI_GLOBAL const opi_word *const from = OPI_ALIGNED_WORD(at);
    const bool is_inside = (ulong)from >= matrix->begin && at + ((ulong)words + 1) * OPI_WORD_BYTES <= matrix->end;
    opi_word x[OPI_BATCH], y[OPI_BATCH];
    for (uint32_t first = self; first < words; first += OPI_BATCH * team) {
        _Pragma("unroll") for (uint32_t b = 0; b < OPI_BATCH; b++)
        {
            const uint32_t word = first + b * team;
            if (word >= words) continue;
            x[b] = is_inside || OPI_PER_WORD == 1 ? from[word] : opi_read_word(matrix, at + (ulong)word * OPI_WORD_BYTES);
            if (OPI_PER_WORD > 1 && is_inside && by) y[b] = from[word + 1];
        }
        _Pragma("unroll") for (uint32_t b = 0; b < OPI_BATCH; b++)
            if (first + b * team < words)
                stage[OPI_WORD_PLACE(line + first + b * team)] = is_inside ? OPI_JOINED(x[b], y[b], by) : x[b];
    }
}

/* --- write --------------------------------------------------------------------------------------------------------- */

/* Where units go: a run in the output, in aligned words. */
typedef struct opi_run {
    ulong aligned;  /* of the word in which it begins */
    uint32_t units; /* of the run, */
    uint32_t skew;  /* and before it in that word */
    uint32_t words; /* that have units of the run */
} opi_run;

OPI_FUNCTION opi_run opi_run_of(ulong at, uint32_t units)
{
    opi_run run;
    run.aligned = at & ~(ulong)(OPI_WORD_BYTES - 1);
    run.units = units;
    run.skew = (uint32_t)(at - run.aligned) / OPI_UNIT;
    run.words = (units + run.skew + OPI_PER_WORD - 1) / OPI_PER_WORD;
    return run;
}

/* Where a unit of a run is in the stage, and how to get to the next one. */
typedef struct opi_walk {
    uint32_t place;     /* of the unit, */
    uint32_t unit;      /* which is this one of its element, */
    uint32_t line;      /* and its element is in this line */
    uint32_t lines;     /* after so many lines */
    uint32_t next, back; /* places: from line to line, and from the last line back to the first one, an element further */
} opi_walk;

OPI_FUNCTION void opi_walk_on(opi_walk *walk)
{
    walk->place++;
    if (++walk->unit < OPI_UNITS) return;
    walk->unit = 0;
    walk->place += walk->next - OPI_UNITS;
    if (++walk->line < walk->lines) return;
    walk->line = 0;
    walk->place -= walk->back;
}

/* Writes word w of a run; its first unit that is in the run is where the walk begins. */
OPI_FUNCTION void opi_write_word(const opi_run *run, uint32_t w, OPI_LOCAL const opi_word *stage, opi_walk walk)
{
    const ulong at = run->aligned + (ulong)w * OPI_WORD_BYTES;
#if OPI_PER_WORD > 1
    const uint32_t first = w * OPI_PER_WORD, before = w == 0 ? run->skew : 0, end = run->units + run->skew - first;
    if (before == 0 && end >= OPI_PER_WORD) {
        opi_word x = 0;
        _Pragma("unroll") for (uint32_t i = 0; i < OPI_PER_WORD; i++)
        {
            x |= (opi_word)OPI_STAGED(stage, walk.place) << 8 * OPI_UNIT * i;
            opi_walk_on(&walk);
        }
        *(OPI_GLOBAL opi_word *)at = x;
        return;
    }
    for (uint32_t i = before; i < OPI_PER_WORD && i < end; i++) {
        *(OPI_GLOBAL opi_unit *)(at + i * OPI_UNIT) = OPI_STAGED(stage, walk.place);
        opi_walk_on(&walk);
    }
#else
    *(OPI_GLOBAL opi_word *)at = OPI_STAGED(stage, walk.place);
#endif
}

/* Number of the first unit of word w that is in the run. */
OPI_FUNCTION uint32_t opi_first_of(const opi_run *run, uint32_t w) { return w == 0 ? 0 : w * OPI_PER_WORD - run->skew; }

/* --- kernels -------------------------------------------------------------------------------------------------------- */

/* One work-group for each 2^log_run rows of a matrix whose rows follow one another; 2^log_team work-items write the results
 * of a column. */
OPI_WHOLE_KERNEL void opi_transpose_narrow(OPI_PARAM(in), OPI_PARAM(out), const uint64_t out_pitch, const uint64_t rows,
                                           const uint32_t cols, const uint32_t log_run, const uint32_t log_team)
{
    OPI_LOCAL_MEMORY opi_word stage[OPI_STAGE];
    const uint64_t row = OPI_GROUP << log_run;
    const uint32_t count = (rows - row) >> log_run ? 1u << log_run : (uint32_t)(rows - row), team = 1u << log_team;
    opi_source matrix;
    matrix.begin = (ulong)OPI_AT(opi_unit, in);
    matrix.end = matrix.begin + rows * cols * OPI_SIZE;
    opi_read_run(stage, 0, &matrix, matrix.begin + row * cols * OPI_SIZE, count * cols * OPI_UNITS, OPI_SELF, OPI_W);
    OPI_BARRIER();
    opi_walk walk;
    walk.line = 0;
    walk.lines = 0xffffffffu; /* the walk goes down a column */
    walk.next = cols * OPI_UNITS;
    walk.back = 0;
    for (uint32_t c = OPI_SELF >> log_team; c < cols; c += OPI_W >> log_team) {
        const opi_run run = opi_run_of((ulong)OPI_AT(opi_unit, out) + (c * out_pitch + row) * OPI_SIZE, count * OPI_UNITS);
        for (uint32_t w = OPI_SELF & (team - 1); w < run.words; w += team) {
            const uint32_t q = opi_first_of(&run, w);
            walk.unit = q % OPI_UNITS;
            walk.place = (q / OPI_UNITS * cols + c) * OPI_UNITS + walk.unit;
            opi_write_word(&run, w, stage, walk);
        }
    }
}

/* One work-group for each 2^log_run columns; the rows of the output follow one another.  A line of the stage has `line` words.
 * 2^log_team work-items read a row.  reciprocal: 2^32 divided by the number of rows, rounded up; there are up to 2^16
 * elements in a tile, so that a product with it gives a quotient. */
OPI_WHOLE_KERNEL void opi_transpose_low(OPI_PARAM(in), const uint64_t in_pitch, OPI_PARAM(out), const uint32_t rows,
                                        const uint64_t cols, const uint32_t log_run, const uint32_t line,
                                        const uint32_t reciprocal, const uint32_t log_team)
{
    OPI_LOCAL_MEMORY opi_word stage[OPI_STAGE];
    const uint64_t col = OPI_GROUP << log_run;
    const uint32_t count = (cols - col) >> log_run ? 1u << log_run : (uint32_t)(cols - col), team = 1u << log_team;
    opi_source matrix;
    matrix.begin = (ulong)OPI_AT(opi_unit, in);
    matrix.end = matrix.begin + ((rows - 1) * in_pitch + cols) * OPI_SIZE;
    for (uint32_t r = OPI_SELF >> log_team; r < rows; r += OPI_W >> log_team)
        opi_read_run(stage, r * line, &matrix, matrix.begin + (r * in_pitch + col) * OPI_SIZE, count * OPI_UNITS,
                     OPI_SELF & (team - 1), team);
    OPI_BARRIER();
    const opi_run run = opi_run_of((ulong)OPI_AT(opi_unit, out) + col * rows * OPI_SIZE, count * rows * OPI_UNITS);
    opi_walk walk;
    walk.lines = rows;
    walk.next = line * OPI_PER_WORD;
    walk.back = rows * line * OPI_PER_WORD - OPI_UNITS;
    for (uint32_t w = OPI_SELF; w < run.words; w += OPI_W) {
        const uint32_t q = opi_first_of(&run, w), element = q / OPI_UNITS;
        const uint32_t c = (uint32_t)((uint64_t)element * reciprocal >> 32);
        walk.unit = q % OPI_UNITS;
        walk.line = element - c * rows;
        walk.place = walk.line * walk.next + c * OPI_UNITS + walk.unit;
        opi_write_word(&run, w, stage, walk);
    }
}
