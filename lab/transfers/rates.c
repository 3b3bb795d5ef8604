/* How long transfers take: by size, by memory of the host, in chunks, and both ways at once. */
#include "lab/transfers/transfers.h"

#include "die.h"
#include "lab/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST = 4 << 10, MOST_SIZES = 32 };

static size_t factor(const lab_traffic *t) { return t->l->options.quick ? 4 : 2; }

/* "up, pinned" */
static const char *name_of(char text[32], lab_way way, lab_kept kept)
{
    snprintf(text, 32, "%s, %s", lab_ways[way], lab_kepts[kept]);
    return text;
}

/* --- 1. by size --------------------------------------------------------------------------------------------------- */

typedef struct timed {
    size_t count;
    double bytes[MOST_SIZES], seconds[MOST_SIZES];
} timed;

static timed time_sizes(lab_traffic *t, lab_way way, lab_kept kept, cJSON *series)
{
    timed all = {.count = 0};
    for (size_t bytes = SMALLEST; bytes <= t->bytes && all.count < MOST_SIZES; bytes *= factor(t)) {
        lab_transfer transfer = {t, way, kept, bytes, bytes};
        const double seconds = lab_transfer_seconds(&transfer);
        if (!isfinite(seconds)) continue;
        all.bytes[all.count] = (double)bytes;
        all.seconds[all.count++] = seconds;
        lab_point(series, (double)bytes, (double)bytes / seconds * 1e-9);
    }
    return all;
}

/* The line with the least sum of squares of relative errors; with absolute errors the largest transfers alone would
 * decide. */
static lab_line fit(const timed *all)
{
    double w = 0, ws = 0, wss = 0, wt = 0, wst = 0;
    for (size_t i = 0; i < all->count; i++) {
        const double s = all->bytes[i], t = all->seconds[i], weight = 1 / (t * t);
        w += weight, ws += weight * s, wss += weight * s * s, wt += weight * t, wst += weight * s * t;
    }
    const double d = w * wss - ws * ws;
    if (all->count < 2 || d <= 0) return (lab_line){NAN, NAN};
    return (lab_line){(wt * wss - wst * ws) / d, (w * wst - ws * wt) / d};
}

static double worst_error(const timed *all, lab_line line)
{
    double worst = 0;
    for (size_t i = 0; i < all->count; i++) {
        const double error = fabs(line.a + line.b * all->bytes[i] - all->seconds[i]) / all->seconds[i];
        if (error > worst) worst = error;
    }
    return worst;
}

static void add_fitted(cJSON *curves, const char *of, const timed *all, lab_line line)
{
    char name[64];
    snprintf(name, sizeof name, "%s: fitted", of);
    cJSON *const series = lab_series(curves, name, "dashed");
    for (size_t i = 0; i < all->count; i++) {
        const double seconds = line.a + line.b * all->bytes[i];
        if (seconds > 0) lab_point(series, all->bytes[i], all->bytes[i] / seconds * 1e-9);
    }
}

static void add_line(cJSON *table, lab_way way, lab_kept kept, const timed *all, lab_line line)
{
    const bool any = all->count > 0;
    lab_add_row(table, lab_is_text(lab_ways[way]), lab_is_text(lab_kepts[kept]),
                lab_is(any ? all->seconds[0] * 1e6 : NAN), lab_is(line.a * 1e6), lab_is(1e-9 / line.b),
                lab_is(line.a > 0 && line.b > 0 ? line.a / line.b / 1024 : NAN),
                lab_is(any ? 100 * worst_error(all, line) : NAN));
}

void lab_transfers_sizes(lab_traffic *t)
{
    static const char title[] = "Up and down, by size";
    cJSON *const curves =
        lab_curves(t->l->experiment, title,
                   "One transfer at a time, waited for. Pageable memory is what malloc gives: the system may move it, "
                   "so that the driver copies through memory of its own, or pins what it copies for that while. Pinned "
                   "memory stays where it is, and the device fetches it by itself. Small transfers cost what any "
                   "transfer costs; the rate rises with the size until the way is full. \"Fitted\" (on the page, "
                   "dashed) is the rate by the line that the next section tells of.",
                   "size", "bytes", true, "bandwidth", "GB/s", true);
    timed all[LAB_WAYS][LAB_KEPTS];
    char name[32];
    for (int i = 0; i < LAB_WAYS * LAB_KEPTS; i++) {
        const lab_way way = (lab_way)(i / LAB_KEPTS);
        const lab_kept kept = (lab_kept)(i % LAB_KEPTS);
        lab_show_step(title, name_of(name, way, kept), i, LAB_WAYS * LAB_KEPTS);
        all[way][kept] = time_sizes(t, way, kept, lab_series(curves, name, "line"));
        t->line[way][kept] = fit(&all[way][kept]);
    }
    for (lab_way way = LAB_UP; way < LAB_WAYS; way++)
        add_fitted(curves, name_of(name, way, LAB_PINNED), &all[way][LAB_PINNED], t->line[way][LAB_PINNED]);
    lab_show_section(t->l, curves);

    cJSON *const table =
        lab_table(t->l->experiment, "Latency and rate",
                  "The line t = a + b x bytes that comes closest, by relative error: a is what a transfer costs before "
                  "its first byte, 1/b the rate of an endless one. A transfer of a/b bytes takes 2a, and reaches half "
                  "of that rate: what is much smaller had better travel with something else. Where the largest error "
                  "is large, a line is not what happens: caches, or other ways for small sizes, make a bend.",
                  "way|memory|4 KiB take:us|a:us|1/b:GB/s|half the rate at a/b:KiB|largest error:%");
    for (lab_way way = LAB_UP; way < LAB_WAYS; way++)
        for (lab_kept kept = LAB_PAGEABLE; kept < LAB_KEPTS; kept++)
            add_line(table, way, kept, &all[way][kept], t->line[way][kept]);
    lab_show_section(t->l, table);
}

/* --- 2. in chunks ------------------------------------------------------------------------------------------------- */

/* Adds the time that the array would take if every chunk cost the constant a of the line. */
static void add_predicted(const lab_traffic *t, cJSON *curves, size_t bytes, size_t least, size_t most)
{
    const lab_line line = t->line[LAB_UP][LAB_PINNED];
    cJSON *const series = lab_series(curves, "up, pinned: by the fit", "dashed");
    for (size_t chunk = least; chunk <= most; chunk *= factor(t)) {
        const double chunks = ceil((double)bytes / (double)chunk);
        lab_point(series, (double)chunk, (double)bytes / (chunks * line.a + line.b * (double)bytes) * 1e-9);
    }
}

void lab_transfers_chunks(lab_traffic *t)
{
    static const char title[] = "One array in chunks";
    enum { LEAST = 64 << 10, MOST = 64 << 20 };
    const size_t bytes = t->bytes / 2, least = LEAST < bytes ? LEAST : bytes, most = MOST < bytes ? MOST : bytes;
    char about[640], text[32], name[32];
    snprintf(about, sizeof about,
             "%s, always the same, cut into chunks that are enqueued one after another; only the end is waited for. "
             "\"Up, pinned: by the fit\" (on the page, dashed) is what the fit above says if every chunk costs a full "
             "a. Where \"up, pinned\" is faster, the start of a chunk is hidden behind the one before: that is what a "
             "queue is for. The smallest chunks that still reach the full rate are those to overlap with computation.",
             lab_bytes_text(text, bytes));
    cJSON *const curves =
        lab_curves(t->l->experiment, title, about, "chunk", "bytes", true, "bandwidth", "GB/s", false);
    for (int i = 0; i < LAB_WAYS * LAB_KEPTS; i++) {
        const lab_way way = (lab_way)(i / LAB_KEPTS);
        const lab_kept kept = (lab_kept)(i % LAB_KEPTS);
        lab_show_step(title, name_of(name, way, kept), i, LAB_WAYS * LAB_KEPTS);
        cJSON *const series = lab_series(curves, name, "line");
        for (size_t chunk = least; chunk <= most; chunk *= factor(t)) {
            lab_transfer transfer = {t, way, kept, bytes, chunk};
            lab_point(series, (double)chunk, (double)bytes / lab_transfer_seconds(&transfer) * 1e-9);
        }
    }
    add_predicted(t, curves, bytes, least, most);
    lab_show_section(t->l, curves);
}

/* --- 3. both ways at once ----------------------------------------------------------------------------------------- */

/* Uploads to one half of the array on the device while the other half is downloaded. */
static void move_both(void *context)
{
    lab_transfer *const s = context;
    lab_move(s->t, LAB_UP, LAB_PINNED, 0, s->bytes);
    lab_move(s->t, LAB_DOWN, LAB_PINNED, s->bytes, s->bytes);
    lab_finish(s->t, OPI_QUEUE_UP);
    lab_finish(s->t, OPI_QUEUE_DOWN);
}

/* The uploaded half differs from what the device had; it is checked by a separate download. */
static bool both_arrive(lab_transfer *s)
{
    lab_traffic *const t = s->t;
    uint32_t *const back = t->back[LAB_PAGEABLE];
    const char *const host = (const char *)t->host[LAB_PAGEABLE];
    memset(t->back[LAB_PINNED], 0xa5, 2 * s->bytes);
    lab_spoil(t->dev, t->there, back, s->bytes);
    lab_upload(t->dev, (char *)t->there + s->bytes, host + s->bytes, s->bytes);
    move_both(s);
    lab_download(t->dev, back, t->there, s->bytes);
    return memcmp(back, host, s->bytes) == 0 &&
           memcmp((char *)t->back[LAB_PINNED] + s->bytes, host + s->bytes, s->bytes) == 0;
}

static void add_time(cJSON *table, const char *what, double bytes, double seconds)
{
    if (isfinite(seconds))
        lab_add_row(table, lab_is_text(what), lab_is(seconds * 1e3), lab_is(bytes / seconds * 1e-9));
    else
        lab_add_row(table, lab_is_text(what), lab_is_text("WRONG"));
}

void lab_transfers_duplex(lab_traffic *t)
{
    char about[512], text[32];
    const size_t half = t->bytes / 2 / sizeof(uint32_t) * sizeof(uint32_t);
    lab_transfer up = {t, LAB_UP, LAB_PINNED, half, half}, down = {t, LAB_DOWN, LAB_PINNED, half, half};
    lab_show_step("Both ways at once", "pinned", 0, 1);
    snprintf(about, sizeof about,
             "%s each way, pinned, on a queue each. A bus that can do both at once takes as long as for the slower "
             "alone; one that cannot, as long as for both one after another.",
             lab_bytes_text(text, half));
    const double alone_up = lab_transfer_seconds(&up), alone_down = lab_transfer_seconds(&down);
    const bool right = both_arrive(&up);
    if (!right) lab_wrong(t->l);
    cJSON *const table = lab_table(t->l->experiment, "Both ways at once", about, "what|time:ms|in all:GB/s");
    add_time(table, "up alone", (double)half, alone_up);
    add_time(table, "down alone", (double)half, alone_down);
    add_time(table, "both at once", 2 * (double)half, right ? lab_seconds(t->dev, move_both, &up) : NAN);
    lab_show_section(t->l, table);
}
