/* Scans of a few elements, round by round: the rounds of the rung "work-efficient" are computed and printed. */
#include "lab/patterns/patterns.h"
#include "lab/scan/scan.h"

#include <stdio.h>

enum { N = 8, NONE = -1 };

static const int input[N] = {3, 1, 7, 0, 4, 1, 6, 3};

static void print_row(lab_drawing *d, const char *name, const int *x)
{
    char text[N][LETTERS];
    for (int i = 0; i < N; i++) snprintf(text[i], LETTERS, x[i] == NONE ? "." : "%d", x[i]);
    draw_texts(d, name, text, N);
}

static void print_elements(lab_drawing *d)
{
    int element[N];
    for (int i = 0; i < N; i++) element[i] = i;
    print_row(d, "  element", element);
}

/* Each is the sum of the elements from `from` to its own. */
typedef struct sums {
    int value[N], from[N];
    int added[N], left[N]; /* what this round added, and which element; NONE: nothing */
    int additions, rounds;
} sums;

/* Finished sums, those from element 0 on, are highlighted. */
static void picture_round(const sums *s, lab_drawing *d)
{
    lab_picture_row(d, s->rounds ? "round %d" : "x", s->rounds);
    for (int i = 0; i < N; i++) {
        lab_picture_cell(d, "%d", s->value[i]);
        if (s->from[i] == 0) lab_picture_mark(d, i);
        if (s->rounds) lab_picture_link(d, i, i, false);
        if (s->rounds && s->left[i] != NONE) lab_picture_link(d, s->left[i], i, true);
    }
}

static sums first_sums(lab_drawing *d)
{
    sums s = {.additions = 0};
    for (int i = 0; i < N; i++) {
        s.value[i] = input[i];
        s.from[i] = i;
    }
    print_elements(d);
    print_row(d, "  sum", s.value);
    lab_picture(d, "Thick lines are added to what stays; framed: the sum of all up to there", N);
    picture_round(&s, d);
    return s;
}

static void begin_round(sums *s, lab_drawing *d, const char *name, int stride)
{
    s->rounds++;
    for (int i = 0; i < N; i++) s->added[i] = s->left[i] = NONE;
    fprintf(d->to, "\nround %d, %s %d\n", s->rounds, name, stride);
}

/* Adds the sum at `left` to the one at `right`, both as they were before the round. */
static void add(sums *s, const sums *before, int left, int right)
{
    s->value[right] = before->value[left] + before->value[right];
    s->from[right] = before->from[left];
    s->added[right] = before->value[left];
    s->left[right] = left;
    s->additions++;
}

static void end_round(const sums *s, lab_drawing *d)
{
    picture_round(s, d);
    print_row(d, "  added", s->added);
    print_row(d, "  sum", s->value);
    print_row(d, "  from", s->from);
}

/* Are they the sums that a loop gives? */
static void close_sums(const sums *s, lab_drawing *d, lab *l)
{
    int sum = 0;
    for (int i = 0; i < N; i++)
        if (s->value[i] != (sum += input[i])) lab_wrong(l);
    fprintf(d->to, "\n%d additions in %d rounds; a loop: %d additions, each after the one before\n", s->additions,
            s->rounds, N - 1);
}

static void draw_work_efficient(lab *l)
{
    lab_drawing d;
    lab_drawing_begin(&d, 10, 5);
    sums s = first_sums(&d);
    for (int stride = 1; stride < N; stride *= 2) {
        const sums before = s;
        begin_round(&s, &d, "up, stride", stride);
        for (int right = 2 * stride - 1; right < N; right += 2 * stride) add(&s, &before, right - stride, right);
        end_round(&s, &d);
    }
    for (int stride = N / 4; stride > 0; stride /= 2) {
        const sums before = s;
        begin_round(&s, &d, "down, stride", stride);
        for (int left = 2 * stride - 1; left + stride < N; left += 2 * stride) add(&s, &before, left, left + stride);
        end_round(&s, &d);
    }
    close_sums(&s, &d, l);
    lab_drawing_end(
        &d, l, "The rung work-efficient, drawn",
        "Up: pairs, then pairs of pairs; the last element then has the sum of all. Down: a finished sum is added to "
        "what stands in the middle of the elements behind it. Additions grow as 2n, those of Hillis-Steele as n log n; "
        "rounds are 2 log n - 1 instead of log n. (Blelloch's form, drawn above, gives the exclusive scan, in 2 "
        "log n rounds.)");
}

/* The other forms are drawn as in the experiment "patterns". */
void scan_draw(lab *l)
{
    draw_scan(l);
    draw_work_efficient(l);
    draw_segscan(l);
}
