/* Patterns that compute addresses, and map: drawn. */
#include "lab/patterns/patterns.h"

#include <string.h>

enum { N = 8, LABEL = 18, CELL = 6 };

static const unsigned numbers[N] = {12, 7, 31, 4, 25, 18, 9, 22};

static unsigned square(unsigned x) { return x * x; }

/* out[i] = the sum of x before i; returns the sum of all. */
static unsigned exclusive(const unsigned *x, unsigned *out)
{
    unsigned sum = 0;
    for (int i = 0; i < N; i++) {
        out[i] = sum;
        sum += x[i];
    }
    return sum;
}

/* Draws x[i], the address, if wanted[i] is `want`; else a point. */
static void draw_chosen(lab_drawing *d, const char *name, const unsigned *x, const unsigned *wanted, unsigned want)
{
    char chosen[N][LETTERS];
    for (int i = 0; i < N; i++) snprintf(chosen[i], LETTERS, wanted[i] == want ? "%u" : ".", x[i]);
    draw_texts(d, name, chosen, N);
}

static void draw_indices(lab_drawing *d)
{
    unsigned index[N];
    for (unsigned i = 0; i < N; i++) index[i] = i;
    draw_numbers(d, "i", index, N);
}

/* --- 1. map ------------------------------------------------------------------------------------------------------- */

void draw_map(lab *l)
{
    unsigned out[N];
    char arrow[N][LETTERS];
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    for (int i = 0; i < N; i++) {
        out[i] = square(numbers[i]);
        strcpy(arrow[i], "|");
    }
    draw_numbers(&d, "in", numbers, N);
    draw_texts(&d, "x -> x * x", arrow, N);
    draw_numbers(&d, "out", out, N);
    lab_picture(&d, "Each by itself", N);
    picture_numbers(&d, "in", numbers, N);
    picture_numbers(&d, "x * x", out, N);
    for (int i = 0; i < N; i++) lab_picture_link(&d, i, i, true);
    lab_drawing_end(
        &d, l, "Map, drawn",
        "Each element becomes a function of itself. No result waits for another: one round, in any order, by "
        "as many as there are.");
}

/* --- 2. filter ---------------------------------------------------------------------------------------------------- */

/* The elements, the scan of their flags, and where the kept ones go. */
static void picture_scatter(lab_drawing *d, const unsigned *keep, const unsigned *address, const unsigned *out,
                            unsigned kept)
{
    lab_picture(d, "Framed: kept; each goes to the number of those kept before it", N);
    picture_numbers(d, "place", address, N);
    picture_numbers(d, "in", numbers, N);
    for (int i = 0; i < N; i++)
        if (keep[i]) lab_picture_mark(d, i);
    picture_numbers(d, "out", out, (int)kept);
    for (int i = 0; i < N; i++)
        if (keep[i]) lab_picture_link(d, i, (int)address[i], true);
}

void draw_filter(lab *l)
{
    unsigned keep[N], address[N], out[N] = {0}, loop[N] = {0}, looped = 0;
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    for (int i = 0; i < N; i++) {
        keep[i] = numbers[i] & 1;
        if (keep[i]) loop[looped++] = numbers[i];
    }
    const unsigned kept = exclusive(keep, address);
    for (int i = 0; i < N; i++)
        if (keep[i]) out[address[i]] = numbers[i];

    draw_indices(&d);
    draw_numbers(&d, "in", numbers, N);
    draw_gap(&d);
    draw_numbers(&d, "1 map: is odd", keep, N);
    draw_numbers(&d, "2 exclusive scan", address, N);
    draw_chosen(&d, "3 scatter to", address, keep, 1);
    draw_gap(&d);
    draw_numbers(&d, "out", out, (int)kept);
    picture_scatter(&d, keep, address, out, kept);
    draw_gap(&d);
    draw_line(&d, "kept: the last address and the last flag, %u + %u = %u", address[N - 1], keep[N - 1], kept);
    if (kept != looped || memcmp(out, loop, kept * sizeof *out) != 0) lab_wrong(l);
    lab_drawing_end(&d, l, "Filter, drawn: map, scan, scatter",
                    "A loop appends what it keeps, one after another. In parallel each element has to know its place "
                    "without asking the others: it is the number of kept elements before it, and that is the exclusive "
                    "scan of the flags. Order is kept.");
}

/* --- 3. radix sort ------------------------------------------------------------------------------------------------ */

enum { BITS = 3 };

static void draw_keys(lab_drawing *d, const unsigned *key, const char *from)
{
    char text[N][LETTERS];
    for (int i = 0; i < N; i++) snprintf(text[i], LETTERS, "%u%c", key[i], from[i]);
    draw_texts(d, "key", text, N);
    for (int i = 0; i < N; i++) snprintf(text[i], LETTERS, "%u%u%u", key[i] >> 2 & 1, key[i] >> 1 & 1, key[i] & 1);
    draw_texts(d, "in binary", text, N);
}

/* The keys of a pass; framed: those whose bit is 1.  one NULL: the keys after the pass. */
static void picture_keys(lab_drawing *d, int bit, const unsigned *key, const char *from, const unsigned *one)
{
    if (one) lab_picture(d, bit == 0 ? "Framed: the lowest bit is 1" : "Framed: the next bit is 1", N);
    lab_picture_row(d, one ? "bit %d" : "after bit %d", bit);
    for (int i = 0; i < N; i++) {
        lab_picture_cell(d, "%u%c", key[i], from[i]);
        if (one && one[i]) lab_picture_mark(d, i);
    }
}

/* A pass: the keys whose bit is 0 first, those whose bit is 1 behind them. */
static void draw_pass(lab_drawing *d, int bit, unsigned *key, char *from)
{
    unsigned zero[N], one[N], zeros_before[N], ones_before[N], address[N], old[N];
    char old_from[N], name[32];
    memcpy(old, key, sizeof old);
    memcpy(old_from, from, sizeof old_from);
    for (int i = 0; i < N; i++) {
        one[i] = key[i] >> bit & 1;
        zero[i] = !one[i];
    }
    const unsigned zeros = exclusive(zero, zeros_before);
    exclusive(one, ones_before);
    picture_keys(d, bit, key, from, one);
    for (int i = 0; i < N; i++) {
        address[i] = one[i] ? zeros + ones_before[i] : zeros_before[i];
        key[address[i]] = old[i];
        from[address[i]] = old_from[i];
    }
    snprintf(name, sizeof name, "bit %d", bit);
    draw_numbers(d, name, one, N);
    draw_chosen(d, "zeros before", zeros_before, one, 0);
    snprintf(name, sizeof name, "%u + ones before", zeros);
    for (int i = 0; i < N; i++) ones_before[i] += zeros;
    draw_chosen(d, name, ones_before, one, 1);
    draw_numbers(d, "scatter to", address, N);
    draw_gap(d);
    picture_keys(d, bit, key, from, NULL);
    for (int i = 0; i < N; i++) lab_picture_link(d, i, (int)address[i], one[i]);
}

void draw_sort(lab *l)
{
    unsigned key[N] = {5, 2, 7, 0, 2, 5, 1, 4};
    char from[N];
    bool right = true;
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    for (int i = 0; i < N; i++) from[i] = (char)('a' + i);
    draw_indices(&d);
    for (int bit = 0; bit < BITS; bit++) {
        draw_keys(&d, key, from);
        draw_gap(&d);
        draw_pass(&d, bit, key, from);
    }
    draw_keys(&d, key, from);
    for (int i = 1; i < N; i++) right &= key[i - 1] < key[i] || (key[i - 1] == key[i] && from[i - 1] < from[i]);
    if (!right) lab_wrong(l);
    lab_drawing_end(
        &d, l, "Radix sort, drawn: one bit a pass",
        "From the lowest bit to the highest, each pass brings the keys whose bit is 0 to the front and those "
        "whose bit is 1 behind them, both in the order in which they stood. The letter tells where a key "
        "began: equal keys never pass each other, which is why the order by the lower bits survives the later "
        "passes. One scan suffices: of the ones before i there are i - zeros before i.");
}
