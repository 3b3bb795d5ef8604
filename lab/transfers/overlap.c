/* An array up, a kernel, the array down: in one piece, and in pieces, so that one is uploaded, one computed and one
 * downloaded at the same time. */
#include "lab/transfers/gantt.h"
#include "lab/transfers/transfers.h"

#include "die.h"
#include "lab/drawing.h"
#include "lab/show.h"
#include "lab/transfers/sizes.h"

#include <oplus/op.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel does, for oplus and for the host. */
/* cppcheck-suppress unknownMacro */
OPLUS_MAP_WITH(rounds, uint32_t, uint32_t, uint32_t, {
    uint32_t x = a;
    for (uint32_t k = 0; k < p; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
})

enum { VALUES = 1 << 16 };

/* One way to do it. */
typedef struct overlapping {
    lab_traffic *t;
    void *kernel;
    uint32_t rounds;
    size_t bytes, piece;
    lab_kept kept;
    uint32_t *expected; /* for each value in the array */
} overlapping;

/* The times of the three steps, each alone. */
typedef struct alone {
    double up, kernel, down;
} alone;

/* NAN if one of them is not known. */
static double sum_of(const alone *a) { return a->up + a->kernel + a->down; }
static double limit_of(const alone *a) { return isfinite(sum_of(a)) ? fmax(a->kernel, fmax(a->up, a->down)) : NAN; }

/* --- 1. the work -------------------------------------------------------------------------------------------------- */

/* Work enqueued on the later queue from now on waits for the work that the earlier queue has so far. */
static void follow(const lab_traffic *t, opi_gpu_queue earlier, opi_gpu_queue later)
{
    opi_gpu *const gpu = t->dev->gpu;
    void *mark;
    lab_must(gpu->driver->mark(gpu, "oplus lab", earlier, &mark));
    const oplus_status status = gpu->driver->after(gpu, "oplus lab", later, mark);
    gpu->driver->drop(gpu, mark);
    lab_must(status);
}

static void compute(const overlapping *o, size_t at, size_t bytes)
{
    const uint32_t begin = (uint32_t)(at / sizeof(uint32_t)), end = begin + (uint32_t)(bytes / sizeof(uint32_t));
    lab_launch(o->t->dev, o->kernel, lab_ceiling(end - begin, ITEMS), ITEMS, opi_memory(o->t->there), opi_value(begin),
               opi_value(end), opi_value(o->rounds));
}

static void run_kernel(void *context)
{
    const overlapping *const o = context;
    compute(o, 0, o->bytes);
    lab_wait(o->t->dev);
}

static void run_pieces(void *context)
{
    const overlapping *const o = context;
    for (size_t at = 0; at < o->bytes; at += o->piece) {
        const size_t bytes = o->piece < o->bytes - at ? o->piece : o->bytes - at;
        lab_move(o->t, LAB_UP, o->kept, at, bytes);
        follow(o->t, OPI_QUEUE_UP, OPI_QUEUE_COMPUTE);
        compute(o, at, bytes);
        follow(o->t, OPI_QUEUE_COMPUTE, OPI_QUEUE_DOWN);
        lab_move(o->t, LAB_DOWN, o->kept, at, bytes);
    }
    lab_finish(o->t, OPI_QUEUE_DOWN); /* its work waits for everything else */
}

static void run_oplus(void *context)
{
    const overlapping *const o = context;
    const oplus_fn fn = oplus_with(&rounds_fn, &o->rounds);
    const void *const in[] = {o->t->host[o->kept]};
    lab_must(oplus_map(o->t->dev->oplus, &fn, in, o->bytes / sizeof(uint32_t), o->t->back[o->kept]));
}

static bool is_right(overlapping *o, void (*run)(void *context))
{
    const uint32_t *const host = o->t->host[o->kept];
    uint32_t *const back = o->t->back[o->kept];
    bool right = true;
    lab_spoil(o->t->dev, o->t->there, back, o->bytes);
    run(o);
    for (size_t i = 0; i < o->bytes / sizeof *back; i++) right &= back[i] == o->expected[host[i]];
    return right;
}

/* Seconds; NAN if the result is wrong. */
static double seconds_of(overlapping *o, void (*run)(void *context), const char *what)
{
    if (is_right(o, run)) return lab_seconds(o->t->dev, run, o);
    tool_warn("%s with %u rounds in pieces of %zu bytes gave a wrong result", what, o->rounds, o->piece);
    lab_wrong(o->t->l);
    return NAN;
}

/* --- 2. how much work --------------------------------------------------------------------------------------------- */

static void set_rounds(overlapping *o, uint32_t count)
{
    o->rounds = count;
    for (uint32_t v = 0; v < VALUES; v++) o->expected[v] = rounds(v, count);
}

/* The rounds, `from` or more, for which the kernel takes about this long: doubled until they take longer, then
 * interpolated between the last two. */
static uint32_t rounds_for(overlapping *o, double seconds, uint32_t from)
{
    enum { MOST = 1 << 16 };
    double before = 0, now = 0;
    if (!isfinite(seconds)) return from;
    for (o->rounds = from;; o->rounds *= 2) {
        before = now;
        now = lab_seconds(o->t->dev, run_kernel, o);
        if (now >= seconds || o->rounds >= MOST) break;
    }
    if (o->rounds == from || now < seconds) return o->rounds;
    const double part = (seconds - before) / (now - before); /* of the way from half of the rounds */
    const uint32_t half = o->rounds / 2;
    return half + (uint32_t)(part * half);
}

static alone times_alone(overlapping *o)
{
    lab_transfer up = {o->t, LAB_UP, LAB_PINNED, o->bytes, o->bytes},
                 down = {o->t, LAB_DOWN, LAB_PINNED, o->bytes, o->bytes};
    return (alone){.up = lab_transfer_seconds(&up),
                   .down = lab_transfer_seconds(&down),
                   .kernel = lab_seconds(o->t->dev, run_kernel, o)};
}

/* --- 3. by the size of pieces ------------------------------------------------------------------------------------- */

/* The best size of pieces, and the time with it. */
typedef struct best {
    size_t piece, least;   /* least: the smallest that was tried */
    double seconds, whole; /* whole: in one piece */
} best;

static best time_pieces(overlapping *o, cJSON *series)
{
    enum { LEAST = 256 << 10 };
    const size_t factor = o->t->l->options.quick ? 4 : 2;
    best b = {0, o->bytes, NAN, NAN};
    for (size_t piece = o->bytes;; piece = piece / factor / sizeof(uint32_t) * sizeof(uint32_t)) {
        if (piece < LEAST && piece < o->bytes) break;
        o->piece = b.least = piece;
        const double seconds = seconds_of(o, run_pieces, lab_kepts[o->kept]);
        lab_point(series, (double)piece, seconds * 1e3);
        if (piece == o->bytes) b.whole = seconds;
        if (fmin(seconds, b.seconds) == seconds) b.seconds = seconds, b.piece = piece;
    }
    return b;
}

static void add_level(cJSON *curves, const char *name, double seconds, size_t from, size_t to)
{
    cJSON *const series = lab_series(curves, name, "dashed");
    lab_point(series, (double)from, seconds * 1e3);
    lab_point(series, (double)to, seconds * 1e3);
}

/* Shows the time by size of the pieces, for one amount of work; returns the best with pinned memory. */
static best show_pieces(overlapping *o, const alone *a)
{
    char title[64];
    snprintf(title, sizeof title, "In pieces: %u round%s for each element", o->rounds, o->rounds == 1 ? "" : "s");
    static const char about[] =
        "The largest piece is the whole array: up, kernel, down, one after another. \"One after another\" is the sum "
        "of "
        "the three, each measured alone; \"the longest alone\" is the limit (on the page, both dashed). Smaller pieces "
        "can come "
        "closer to the limit, until each is so small that starting it costs more than it hides. With pageable memory "
        "the host is held while it copies, and enqueues the next piece only then.\n\n"
        "The work is one round of six operations for each element here. It follows with more of them: with rounds for "
        "about the time of what takes longest here, if that is a transfer, and for three times that.";
    cJSON *const curves = lab_curves(o->t->l->experiment, title, o->rounds == 1 ? about : NULL, "piece", "bytes", true,
                                     "time", "ms", false);
    best b[LAB_KEPTS];
    for (lab_kept kept = LAB_PAGEABLE; kept < LAB_KEPTS; kept++) {
        lab_show_step(title, lab_kepts[kept], (int)kept, LAB_KEPTS);
        o->kept = kept;
        b[kept] = time_pieces(o, lab_series(curves, lab_kepts[kept], "line"));
    }
    add_level(curves, "one after another", sum_of(a), b[LAB_PINNED].least, o->bytes);
    add_level(curves, "the longest alone", limit_of(a), b[LAB_PINNED].least, o->bytes);
    lab_show_section(o->t->l, curves);
    return b[LAB_PINNED];
}

/* --- 4. all amounts of work --------------------------------------------------------------------------------------- */

static double by_oplus(overlapping *o, lab_kept kept)
{
    o->kept = kept;
    o->piece = o->bytes;
    return seconds_of(o, run_oplus, "oplus_map");
}

static void add_work(cJSON *table, overlapping *o, const alone *a, const best *b)
{
    char text[32];
    const double pinned = by_oplus(o, LAB_PINNED), pageable = by_oplus(o, LAB_PAGEABLE);
    lab_add_row(table, lab_is(o->rounds), lab_is(a->up * 1e3), lab_is(a->kernel * 1e3), lab_is(a->down * 1e3),
                lab_is_measured(b->whole * 1e3), lab_is_text(b->piece ? lab_bytes_text(text, b->piece) : "WRONG"),
                lab_is(b->seconds * 1e3), lab_is(100 * limit_of(a) / b->seconds), lab_is_measured(pinned * 1e3),
                lab_is_measured(pageable * 1e3));
}

/* Draws what the queues would do with this many pieces without any disturbance; and tells what they did. */
static void draw_pieces(FILE *to, overlapping *o, const alone *a, unsigned pieces)
{
    const double each[LAB_STAGES] = {a->up / pieces, a->kernel / pieces, a->down / pieces};
    fprintf(to, pieces == 1 ? "in one piece\n\n" : "in %u pieces\n\n", pieces);
    if (!isfinite(sum_of(a))) {
        fputs("  not drawn: a transfer was WRONG\n\n", to);
        return;
    }
    const double drawn = lab_gantt(to, pieces, each, sum_of(a));
    o->kept = LAB_PINNED;
    o->piece = (o->bytes / sizeof(uint32_t) + pieces - 1) / pieces * sizeof(uint32_t);
    const double measured = seconds_of(o, run_pieces, "pinned");
    fprintf(to, "\n  %.3g ms as drawn, ", drawn * 1e3);
    fprintf(to, isfinite(measured) ? "%.3g ms measured\n\n" : "WRONG\n\n", measured * 1e3);
}

static void draw(overlapping *o, const alone *a)
{
    static const unsigned drawn[] = {1, 4, 8};
    lab_drawing drawing;
    lab_drawing_begin(&drawing, 0, 0);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) draw_pieces(drawing.to, o, a, drawn[i]);
    lab_drawing_end(
        &drawing, o->t->l, "Pieces on three queues",
        "Time goes to the right; a digit is the number of the piece that a queue has in hand. It is computed, not "
        "recorded: from the times of the whole array up, through the kernel and down, each measured alone on this "
        "device, shared out evenly to the pieces. Below it, how long that would take, and how long the same took in "
        "truth: pieces have their own costs, and queues share what they run on.");
}

/* --- 5. all of it ------------------------------------------------------------------------------------------------- */

enum { WORKS = 3 };

/* Rounds for little work, for the time of a transfer, and for three times that; only different ones.  Returns how
 * many. */
static int choose_rounds(overlapping *o, uint32_t count[WORKS])
{
    static const double times[WORKS] = {0, 1, 3};
    int works = 0;
    o->rounds = 1;
    const alone one = times_alone(o);
    for (int i = 0; i < WORKS; i++) {
        const uint32_t rounds = rounds_for(o, times[i] * limit_of(&one), works ? count[works - 1] : 1);
        if (works == 0 || rounds > count[works - 1]) count[works++] = rounds;
    }
    return works;
}

static void tell(overlapping *o, const uint32_t *count, const alone *a, const best *b, int works)
{
    char about[1024], text[32];
    snprintf(about, sizeof about,
             "%s up, a kernel of so many rounds (of six operations) for each element, and down, in pinned memory. Up, "
             "kernel and down are each measured alone. No order of things can be faster than the longest of the three, "
             "the limit, which is reached if the others hide behind it entirely. oplus itself: oplus_map of the same "
             "function over arrays of the host, pinned and pageable; it cuts them into pieces of its own choice, and "
             "on a device with memory of its own brings pageable ones through pinned memory, by several threads. Every "
             "result is compared with the host's.",
             lab_bytes_text(text, o->bytes));
    cJSON *const table =
        lab_table(o->t->l->experiment, "Overlap", about,
                  "rounds|up:ms|kernel:ms|down:ms|in one piece:ms|best piece|takes:ms|limit / takes:%|oplus, "
                  "pinned:ms|oplus, pageable:ms");
    for (int i = 0; i < works; i++) {
        lab_show_step("Overlap", "oplus", i, works);
        set_rounds(o, count[i]);
        add_work(table, o, &a[i], &b[i]);
    }
    lab_show_section(o->t->l, table);
}

void lab_transfers_overlap(lab_traffic *t)
{
    overlapping o = {.t = t,
                     .bytes = t->bytes / 4 / sizeof(uint32_t) * sizeof(uint32_t),
                     .expected = tool_alloc(VALUES * sizeof(uint32_t))};
    alone a[WORKS];
    best b[WORKS];
    uint32_t count[WORKS] = {0};
    o.kernel = lab_kernel(t->dev, "transfers/rounds.cl", "rounds", NULL);
    const int works = choose_rounds(&o, count), drawn = works > 1 ? 1 : 0;
    for (int i = 0; i < works; i++) {
        set_rounds(&o, count[i]);
        a[i] = times_alone(&o);
        b[i] = show_pieces(&o, &a[i]);
    }
    tell(&o, count, a, b, works);
    set_rounds(&o, count[drawn]);
    draw(&o, &a[drawn]);
    lab_show_section(t->l, lab_code(t->l->experiment, "The kernel", NULL, "transfers/rounds.cl"));
    free(o.expected);
}
