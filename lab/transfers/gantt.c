#include "lab/transfers/gantt.h"

enum { WIDTH = 72, MOST_PIECES = 16 };

typedef struct span {
    double begin, end;
} span;

static double later(double a, double b) { return a > b ? a : b; }
static double earlier(double a, double b) { return a < b ? a : b; }

/* When each piece is in each stage: as soon as it has left the stage before and the stage is free. */
static double schedule(unsigned pieces, const double each[LAB_STAGES], span at[MOST_PIECES][LAB_STAGES])
{
    double free_from[LAB_STAGES] = {0}, ready = 0;
    for (unsigned p = 0; p < pieces; p++) {
        ready = 0;
        for (int s = 0; s < LAB_STAGES; s++) {
            at[p][s].begin = later(ready, free_from[s]);
            at[p][s].end = ready = free_from[s] = at[p][s].begin + each[s];
        }
    }
    return ready;
}

/* The piece that covers most of a cell of the drawing, as a character; less than half of a cell counts only if the
 * piece is no longer than that. */
static char piece_in(unsigned pieces, span at[MOST_PIECES][LAB_STAGES], int stage, span cell)
{
    const double width = cell.end - cell.begin;
    double most = 0;
    char found = ' ';
    for (unsigned p = 0; p < pieces; p++) {
        const span *const own = &at[p][stage];
        const double common = earlier(own->end, cell.end) - later(own->begin, cell.begin);
        if (common <= most || (common < width / 2 && own->end - own->begin >= width)) continue;
        most = common;
        found = "0123456789abcdef"[p];
    }
    return found;
}

double lab_gantt(FILE *to, unsigned pieces, const double each[LAB_STAGES], double scale)
{
    static const char *const names[LAB_STAGES] = {"up", "kernel", "down"};
    span at[MOST_PIECES][LAB_STAGES];
    if (pieces > MOST_PIECES) pieces = MOST_PIECES;
    const double all = schedule(pieces, each, at);
    for (int s = 0; s < LAB_STAGES; s++) {
        fprintf(to, "  %-6s |", names[s]);
        for (int c = 0; c < WIDTH; c++)
            fputc(piece_in(pieces, at, s, (span){c * scale / WIDTH, (c + 1) * scale / WIDTH}), to);
        fputs("|\n", to);
    }
    return all;
}
