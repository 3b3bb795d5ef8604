/* Reduction, drawn in both pairing orders. */
#include "lab/patterns/patterns.h"

#include <string.h>

enum { N = 8, LABEL = 10, CELL = 8, WIDTH = LABEL + N * CELL };

/* What is reduced: a number, by addition; letters, by joining them; a map x -> a x + b, by "this one, then that one".
 * Only the first operator commutes. */
typedef struct element {
    unsigned sum;
    char letters[LETTERS];
    int a, b;
} element;

static element combine(const element *first, const element *second)
{
    element r = {.sum = first->sum + second->sum, .a = first->a * second->a, .b = second->a * first->b + second->b};
    snprintf(r.letters, sizeof r.letters, "%.*s%.*s", N, first->letters, N, second->letters);
    return r;
}

static void print_map(char *text, size_t bytes, const element *x)
{
    int at = snprintf(text, bytes, x->a == 1 ? "x" : "%dx", x->a);
    if (x->b > 0 && at < (int)bytes) snprintf(text + at, bytes - (size_t)at, "+%d", x->b);
}

/* --- 1. arrows ---------------------------------------------------------------------------------------------------- */

/* A line of arrows, each from an element to an earlier one; it is drawn when the next would cross another. */
typedef struct arrows {
    char line[WIDTH + 1];
    int end; /* of the last */
} arrows;

static void flush(arrows *a, lab_drawing *d)
{
    if (a->end > 0) draw_line(d, "%s", a->line);
    memset(a->line, ' ', WIDTH);
    a->line[WIDTH] = '\0';
    a->end = 0;
}

static void draw_arrow(arrows *a, lab_drawing *d, int to, int from)
{
    const int left = LABEL + (to + 1) * CELL - 1, right = LABEL + (from + 1) * CELL - 1;
    if (left <= a->end) flush(a, d);
    memset(a->line + left, '-', (size_t)(right - left));
    a->line[left] = a->line[right] = '+';
    a->line[left + 1] = '<';
    a->end = right;
}

/* --- 2. rounds ---------------------------------------------------------------------------------------------------- */

/* A row of the remaining elements: each `every`-th of the first `live`. */
static void draw_left(lab_drawing *d, const element *x, int live, int every)
{
    char sums[N][LETTERS] = {{0}}, letters[N][LETTERS] = {{0}};
    for (int i = 0; i < live; i += every) {
        snprintf(sums[i], LETTERS, "%u", x[i].sum);
        memcpy(letters[i], x[i].letters, LETTERS);
    }
    draw_texts(d, "sum", sums, N);
    draw_texts(d, "order", letters, N);
    picture_texts(d, "order", letters, N);
}

/* Reduces in place, as kernels do in the memory of a work-group: neighbours with strides 1, 2, 4, or halves with
 * strides 4, 2, 1. */
static element draw_rounds(lab_drawing *d, element *x, bool halves)
{
    arrows a = {.end = 0};
    flush(&a, d);
    lab_picture(d, halves ? "Halves: strides 4, 2, 1" : "Neighbours: strides 1, 2, 4", N);
    draw_left(d, x, N, 1);
    for (int round = 1; round < N; round *= 2) {
        const int stride = halves ? N / 2 / round : round;
        const int live = halves ? stride : N, every = halves ? 1 : 2 * stride;
        for (int i = 0; i < live; i += every) {
            draw_arrow(&a, d, i, i + stride);
            if (i == 0) {
                char name[32];
                const int length = snprintf(name, sizeof name, "stride %d", stride);
                memcpy(a.line, name, (size_t)length);
            }
            x[i] = combine(&x[i], &x[i + stride]);
        }
        flush(&a, d);
        draw_left(d, x, live, every);
        for (int i = 0; i < live; i += every) {
            lab_picture_link(d, i, i, true);
            lab_picture_link(d, i + stride, i, true);
        }
    }
    draw_gap(d);
    return x[0];
}

/* --- 3. both orders ----------------------------------------------------------------------------------------------- */

static void draw_result(lab_drawing *d, const char *how, const element *x, const element *loop)
{
    char map[32];
    print_map(map, sizeof map, x);
    const bool same = x->a == loop->a && x->b == loop->b;
    draw_line(d, "%-24s%3u  %-8s  x -> %-12s%s", how, x->sum, x->letters, map, same ? "" : "another map!");
}

static void make(element *x)
{
    static const unsigned value[N] = {3, 1, 7, 0, 4, 1, 6, 3};
    static const int a[N] = {2, 1, 3, 1, 1, 2, 1, 1}, b[N] = {1, 2, 0, 1, 3, 0, 2, 1};
    for (int i = 0; i < N; i++) x[i] = (element){value[i], {(char)('a' + i)}, a[i], b[i]};
}

void draw_reduce(lab *l)
{
    element x[N], loop;
    char map[N][LETTERS];
    lab_drawing d;
    lab_drawing_begin(&d, LABEL, CELL);
    make(x);
    loop = x[0];
    for (int i = 1; i < N; i++) loop = combine(&loop, &x[i]);

    draw_line(&d, "Neighbours: strides 1, 2, 4");
    draw_gap(&d);
    const element by_neighbours = draw_rounds(&d, x, false);
    make(x);
    draw_line(&d, "Halves: strides 4, 2, 1");
    draw_gap(&d);
    const element by_halves = draw_rounds(&d, x, true);

    make(x);
    draw_line(&d, "The same rounds with maps, joined by \"this one, then that one\":");
    draw_gap(&d);
    for (int i = 0; i < N; i++) print_map(map[i], sizeof map[i], &x[i]);
    draw_texts(&d, "x ->", map, N);
    draw_gap(&d);
    draw_result(&d, "one after another", &loop, &loop);
    draw_result(&d, "in pairs of neighbours", &by_neighbours, &loop);
    draw_result(&d, "in halves", &by_halves, &loop);
    if (by_neighbours.sum != loop.sum || by_halves.sum != loop.sum || by_neighbours.b != loop.b) lab_wrong(l);
    lab_drawing_end(
        &d, l, "Reduce, drawn: two orders of pairs",
        "A tree of additions: log2 n rounds, n - 1 additions in all. An arrow leads from the later partner "
        "to the one that keeps the result; \"order\" tells which elements that holds, in which order.\n\n"
        "Neighbours keep the order: abcdefgh. Halves mix it up: that is allowed if the operator commutes, as a "
        "sum of integers does, and wrong if it only is associative: joining texts, multiplying matrices, "
        "applying maps one after another. Halves have another merit: in each round the elements that are read, "
        "and the work-items that are busy, stand side by side. oplus assumes of an operator only that it is "
        "associative.");
}
