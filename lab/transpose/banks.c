#include "lab/transpose/banks.h"

#include "lab/drawing.h"
#include "lab/show.h"
#include "lab/transpose/sizes.h"

#include <stdio.h>

enum { BANKS = 32, WARP = 32 };

/* A tile of tile x tile words in rows of `width` words. */
typedef struct layout {
    unsigned tile, width;
} layout;

static unsigned bank_of(const layout *t, unsigned y, unsigned x) { return (y * t->width + x) % BANKS; }

/* --- the drawing -------------------------------------------------------------------------------------------------- */

enum { SHOWN = 6 }; /* rows and columns, and the last one */

/* Draws rows 0 to SHOWN - 1 and the last one of a tile, and the same columns; column 0 is in brackets. */
static void draw_tile(FILE *to, const layout *t)
{
    fprintf(to, "tile[%u][%u], the bank of each word:\n\n     x =", t->tile, t->width);
    for (unsigned x = 0; x < SHOWN; x++) fprintf(to, "  %2u ", x);
    fprintf(to, " ..  %2u\n", t->tile - 1);
    for (unsigned k = 0; k <= SHOWN; k++) {
        const unsigned y = k < SHOWN ? k : t->tile - 1;
        if (k == SHOWN) fputs("     ..\n", to);
        fprintf(to, "  y = %2u", y);
        for (unsigned x = 0; x < SHOWN; x++) fprintf(to, x ? "  %2u " : " [%2u]", bank_of(t, y, x));
        fprintf(to, " ..  %2u\n", bank_of(t, y, t->tile - 1));
    }
}

/* Draws how many words of column 0 each bank has. */
static void draw_column(FILE *to, const layout *t)
{
    unsigned words[BANKS] = {0}, most = 0;
    for (unsigned y = 0; y < t->tile; y++) words[bank_of(t, y, 0)]++;
    fputs("\n  Words of column 0 in each of the banks 0 to 31:\n\n ", to);
    for (unsigned b = 0; b < BANKS; b++) {
        if (words[b] > most) most = words[b];
        if (words[b])
            fprintf(to, " %2u", words[b]);
        else
            fputs("  .", to);
    }
    fprintf(to, "\n\n  A warp that reads the column takes %u pass%s.\n\n", most, most == 1 ? "" : "es");
}

/* The first rows and columns; the tint shows the bank, and column 0 is highlighted. */
static void picture_tile(lab_drawing *drawing, const layout *t)
{
    enum { SIDE = 8 };
    lab_picture(drawing,
                t->width > t->tile ? "tile[32][33]: the words of column 0 lie in different banks"
                                   : "tile[32][32]: the words of column 0 lie in one bank",
                SIDE);
    for (unsigned y = 0; y < SIDE; y++) {
        lab_picture_row(drawing, "y = %u", y);
        for (unsigned x = 0; x < SIDE; x++) {
            lab_picture_tint(drawing, bank_of(t, y, x) / (2. * BANKS));
            lab_picture_cell(drawing, "%u", bank_of(t, y, x));
        }
        lab_picture_mark(drawing, 0);
    }
}

static void draw(lab *l)
{
    lab_drawing drawing;
    lab_drawing_begin(&drawing, 0, 0);
    for (unsigned padding = 0; padding < 2; padding++) {
        const layout t = {32, 32 + padding};
        draw_tile(drawing.to, &t);
        draw_column(drawing.to, &t);
        picture_tile(&drawing, &t);
    }
    lab_drawing_end(
        &drawing, l, "A column, and the banks that it lies in",
        "Shared memory has 32 banks, and each gives one word of 4 bytes at a time: words w and w + 32 lie in the same "
        "bank. A warp that writes a row of the tile meets every bank once, and is served in one pass. A warp that "
        "reads a column meets what the drawing shows, which is computed from the kernels' subscripts. (A GTX 280 had "
        "16 banks and served half a warp at a time; an odd number of words helped there too.)");
}

/* --- all tiles ---------------------------------------------------------------------------------------------------- */

/* Passes that a warp needs when its lanes access words of the tile as the kernels do: by rows or by columns. */
static unsigned passes(const layout *t, unsigned warp, bool columns)
{
    unsigned words[BANKS] = {0}, most = 0;
    for (unsigned lane = 0; lane < WARP; lane++) {
        const unsigned x = (warp * WARP + lane) % t->tile, y = (warp * WARP + lane) / t->tile;
        const unsigned bank = columns ? bank_of(t, x, y) : bank_of(t, y, x);
        if (++words[bank] > most) most = words[bank];
    }
    return most;
}

static double mean_passes(const layout *t, bool columns)
{
    const unsigned warps = t->tile * ROWS / WARP;
    unsigned sum = 0;
    for (unsigned w = 0; w < warps; w++) sum += passes(t, w, columns);
    return (double)sum / warps;
}

static void compare(lab *l)
{
    cJSON *const table = lab_table(
        l->experiment, "Passes of a warp",
        "The same for all tiles of the ladders, with warps as their work-groups have them: those of 16 lie in two rows "
        "(or columns) each, of 48 every third does. What is above 1, over all warps, is the column of bank conflicts "
        "of the ladders.",
        "tile|words in a row|writing rows:mean passes|reading columns:mean passes");
    static const unsigned tiles[] = {16, 32, 48};
    for (unsigned padding = 0; padding < 2; padding++)
        for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
            const layout t = {tiles[i], tiles[i] + padding};
            lab_add_row(table, lab_is(t.tile), lab_is(t.width), lab_is(mean_passes(&t, false)),
                        lab_is(mean_passes(&t, true)));
        }
    lab_show_section(l, table);
}

void lab_transpose_banks(lab *l)
{
    draw(l);
    compare(l);
}
