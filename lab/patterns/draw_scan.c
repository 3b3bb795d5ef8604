/* Scan and segmented scan, drawn. */
#include "lab/patterns/patterns.h"

#include <string.h>

enum { N = 8, LABEL = 16, CELL = 6 };

static const unsigned numbers[N] = {3, 1, 7, 0, 4, 1, 6, 3};

/* --- 1. scan in log n rounds -------------------------------------------------------------------------------------- */

/* Draws the range of elements that each value is the sum of, after the rounds up to stride / 2. */
static void draw_covered(lab_drawing *d, int stride)
{
    char covered[N][LETTERS];
    for (int i = 0; i < N; i++) {
        const int first = i - stride + 1 > 0 ? i - stride + 1 : 0;
        if (first == i)
            snprintf(covered[i], LETTERS, "%d", i);
        else
            snprintf(covered[i], LETTERS, "%d-%d", first, i);
    }
    draw_texts(d, "sum of", covered, N);
}

static void draw_hillis_steele(lab_drawing *d, unsigned *x)
{
    unsigned old[N];
    char added[N][LETTERS];
    for (int stride = 1; stride < N; stride *= 2) {
        char name[32];
        memcpy(old, x, sizeof old);
        for (int i = 0; i < N; i++) {
            *added[i] = '\0';
            if (i < stride) continue;
            snprintf(added[i], LETTERS, "+%u", old[i - stride]);
            x[i] = old[i - stride] + old[i];
        }
        snprintf(name, sizeof name, "add x[i-%d]", stride);
        draw_texts(d, name, added, N);
        draw_numbers(d, "x", x, N);
        picture_numbers(d, name, x, N);
        picture_kept(d, N);
        for (int i = stride; i < N; i++) lab_picture_link(d, i - stride, i, true);
        draw_covered(d, 2 * stride);
        draw_gap(d);
    }
}

/* --- 2. scan up and down a tree ----------------------------------------------------------------------------------- */

/* A row with only the nodes of one level: the last of each `every` elements. */
static void draw_level(lab_drawing *d, const char *what, int stride, const unsigned *x, int every)
{
    char name[32], level[N][LETTERS] = {{0}};
    for (int i = every - 1; i < N; i += every) snprintf(level[i], LETTERS, "%u", x[i]);
    snprintf(name, sizeof name, stride ? "%s, stride %d" : "%s", what, stride);
    draw_texts(d, name, level, N);
    picture_texts(d, name, level, N);
}

static void draw_up_and_down(lab_drawing *d, unsigned *x)
{
    draw_numbers(d, "x", x, N);
    picture_numbers(d, "x", x, N);
    for (int stride = 1; stride < N; stride *= 2) {
        for (int i = 2 * stride - 1; i < N; i += 2 * stride) x[i] = x[i - stride] + x[i];
        draw_level(d, "up", stride, x, 2 * stride);
        for (int i = 2 * stride - 1; i < N; i += 2 * stride) {
            lab_picture_link(d, i - stride, i, true);
            lab_picture_link(d, i, i, true);
        }
    }
    x[N - 1] = 0;
    draw_level(d, "root := 0", 0, x, N);
    lab_picture_mark(d, N - 1);
    for (int stride = N / 2; stride > 0; stride /= 2) {
        for (int i = 2 * stride - 1; i < N; i += 2 * stride) {
            const unsigned left = x[i - stride];
            x[i - stride] = x[i];
            x[i] = x[i] + left;
        }
        draw_level(d, "down", stride, x, stride);
        for (int i = 2 * stride - 1; i < N; i += 2 * stride) {
            lab_picture_link(d, i, i - stride, false);
            lab_picture_link(d, i, i, true);
        }
    }
}

void draw_scan(lab *l)
{
    unsigned x[N], inclusive[N], sum = 0;
    bool right = true;
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    for (int i = 0; i < N; i++) inclusive[i] = sum += numbers[i];

    memcpy(x, numbers, sizeof x);
    draw_line(&d, "In log n rounds (Hillis and Steele)");
    draw_gap(&d);
    draw_numbers(&d, "x", x, N);
    lab_picture(&d, "In log n rounds (Hillis and Steele): thick lines are added to what stays", N);
    picture_numbers(&d, "x", x, N);
    draw_covered(&d, 1);
    draw_gap(&d);
    draw_hillis_steele(&d, x);
    right &= memcmp(x, inclusive, sizeof x) == 0;

    memcpy(x, numbers, sizeof x);
    draw_line(&d, "Up the tree and down again (Blelloch): the exclusive scan");
    draw_gap(&d);
    lab_picture(
        &d,
        "Up the tree and down again (Blelloch): a node hands its value to the left child; the right one adds to it "
        "what the left one had on the way up",
        N);
    draw_up_and_down(&d, x);
    for (int i = 0; i < N; i++) right &= x[i] == inclusive[i] - numbers[i];
    if (!right) lab_wrong(l);
    lab_drawing_end(
        &d, l, "Scan, drawn",
        "Element i of a scan is the sum of all up to i (inclusive) or of all before it (exclusive).\n\n"
        "Every round of the first form lets a value cover twice as many elements: log2 n rounds, each with up "
        "to n additions, n log n in all. The second goes up as a reduction does, in which the last of each "
        "group of 2, 4, 8 takes the sum; then the root becomes 0, and on the way down each node hands its "
        "value to the left child, and that value and the left child's old one, joined in this order, to the "
        "right child: 2 log2 n rounds, but only about 2n additions. (The experiment scan has a form that "
        "leaves the root as it is and gives the inclusive scan: a round less.)");
}

/* --- 3. segmented scan -------------------------------------------------------------------------------------------- */

static const unsigned starts[N] = {1, 0, 0, 1, 0, 1, 0, 0};

static void mark_heads(lab_drawing *d, const unsigned *heads)
{
    for (int i = 0; i < N; i++)
        if (heads[i]) lab_picture_mark(d, i);
}

static void draw_lifted(lab_drawing *d, unsigned *x, unsigned *heads)
{
    unsigned old[N], flag[N];
    char added[N][LETTERS];
    for (int stride = 1; stride < N; stride *= 2) {
        char name[32];
        memcpy(old, x, sizeof old);
        memcpy(flag, heads, sizeof flag);
        for (int i = 0; i < N; i++) {
            *added[i] = '\0';
            if (i < stride) continue;
            if (flag[i])
                strcpy(added[i], "|");
            else
                snprintf(added[i], LETTERS, "+%u", old[i - stride]);
            x[i] = flag[i] ? old[i] : old[i - stride] + old[i];
            heads[i] = flag[i - stride] | flag[i];
        }
        snprintf(name, sizeof name, "with [i-%d]", stride);
        draw_texts(d, name, added, N);
        draw_numbers(d, "x", x, N);
        picture_numbers(d, name, x, N);
        picture_kept(d, N);
        for (int i = stride; i < N; i++)
            if (!flag[i]) lab_picture_link(d, i - stride, i, true);
        mark_heads(d, heads);
        draw_numbers(d, "head", heads, N);
        draw_gap(d);
    }
}

void draw_segscan(lab *l)
{
    unsigned x[N], heads[N], loop[N] = {0};
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    memcpy(x, numbers, sizeof x);
    memcpy(heads, starts, sizeof heads);
    for (int i = 0; i < N; i++) loop[i] = i > 0 && !starts[i] ? loop[i - 1] + numbers[i] : numbers[i];

    draw_line(&d, "(f, s) + (g, t)  =  (f | g,  g ? t : s + t)");
    draw_gap(&d);
    draw_numbers(&d, "x", x, N);
    draw_numbers(&d, "head", heads, N);
    draw_gap(&d);
    lab_picture(&d, "Framed: what the value covers has a head, and takes nothing more from the left", N);
    picture_numbers(&d, "x", x, N);
    mark_heads(&d, heads);
    draw_lifted(&d, x, heads);
    draw_numbers(&d, "by one loop", loop, N);
    if (memcmp(x, loop, sizeof x) != 0) lab_wrong(l);
    lab_drawing_end(
        &d, l, "Segmented scan, drawn",
        "A scan that starts anew at each head. A head is no branch of the algorithm but a part of the element: "
        "pairs of a flag and a value are scanned by the lifted operator, which forgets what is left of a head. "
        "Where | stands, the element has a head between itself and its partner, or is one, and takes nothing "
        "from there. The flag of an element turns 1 as soon as what it covers contains a head.");
}
