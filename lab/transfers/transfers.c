/* Transfers: to the device and back; what they cost, and how to hide it. */
#include "lab/transfers/sizes.h"
#include "lab/transfers/transfers.h"

#include "die.h"
#include "lab/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char call[] = "oplus lab";

const char *const lab_ways[LAB_WAYS] = {"up", "down"}, *const lab_kepts[LAB_KEPTS] = {"pageable", "pinned"};

const char *lab_bytes_text(char text[32], size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) bytes /= 1024, unit++;
    snprintf(text, 32, "%zu %s", bytes, units[unit]);
    return text;
}

/* --- moving ------------------------------------------------------------------------------------------------------- */

opi_gpu_queue lab_queue_of(lab_way way) { return way == LAB_UP ? OPI_QUEUE_UP : OPI_QUEUE_DOWN; }

void lab_finish(lab_traffic *t, opi_gpu_queue queue) { lab_must(t->dev->gpu->driver->sync(t->dev->gpu, call, queue)); }

void lab_move(lab_traffic *t, lab_way way, lab_kept kept, size_t at, size_t bytes)
{
    const opi_driver *const driver = t->dev->gpu->driver;
    char *const there = (char *)t->there + at;
    if (way == LAB_UP)
        lab_must(driver->upload(t->dev->gpu, call, OPI_QUEUE_UP, there, (char *)t->host[kept] + at, bytes));
    else
        lab_must(driver->download(t->dev->gpu, call, OPI_QUEUE_DOWN, (char *)t->back[kept] + at, there, bytes));
}

static void transfer(void *context)
{
    const lab_transfer *const s = context;
    for (size_t at = 0; at < s->bytes; at += s->chunk)
        lab_move(s->t, s->way, s->kept, at, s->chunk < s->bytes - at ? s->chunk : s->bytes - at);
    lab_finish(s->t, lab_queue_of(s->way));
}

/* Does the transfer arrive?  Its target is overwritten before; the data go the other way by a plain copy. */
static bool arrives(lab_transfer *s)
{
    lab_traffic *const t = s->t;
    uint32_t *const back = t->back[s->way == LAB_UP ? LAB_PAGEABLE : s->kept];
    if (s->way == LAB_UP) {
        lab_spoil(t->dev, t->there, back, s->bytes);
        transfer(s);
        lab_download(t->dev, back, t->there, s->bytes);
    } else {
        memset(back, 0xa5, s->bytes);
        lab_upload(t->dev, t->there, t->host[LAB_PAGEABLE], s->bytes);
        transfer(s);
    }
    return memcmp(back, t->host[LAB_PAGEABLE], s->bytes) == 0;
}

double lab_transfer_seconds(lab_transfer *s)
{
    if (arrives(s)) return lab_seconds(s->t->dev, transfer, s);
    tool_warn("%zu bytes of %s memory, %s in chunks of %zu, arrived wrong", s->bytes, lab_kepts[s->kept],
              lab_ways[s->way], s->chunk);
    lab_wrong(s->t->l);
    return NAN;
}

/* --- the arrays --------------------------------------------------------------------------------------------------- */

static void *pinned(lab_traffic *t)
{
    void *mem;
    lab_must(t->dev->gpu->driver->pinned_alloc(t->dev->gpu, call, t->bytes, &mem));
    return mem;
}

static void begin(lab_traffic *t)
{
    const size_t n = t->bytes / sizeof(uint32_t);
    t->host[LAB_PAGEABLE] = lab_random(n);
    t->back[LAB_PAGEABLE] = tool_alloc(t->bytes);
    t->host[LAB_PINNED] = pinned(t);
    t->back[LAB_PINNED] = pinned(t);
    t->there = lab_alloc(t->dev, t->bytes);
    for (size_t i = 0; i < n; i++) t->host[LAB_PINNED][i] = t->host[LAB_PAGEABLE][i] >>= 16;
    memset(t->back[LAB_PINNED], 0, t->bytes);
}

static void end(lab_traffic *t)
{
    const opi_driver *const driver = t->dev->gpu->driver;
    driver->pinned_free(t->dev->gpu, t->host[LAB_PINNED]);
    driver->pinned_free(t->dev->gpu, t->back[LAB_PINNED]);
    lab_free(t->dev, t->there);
    free(t->host[LAB_PAGEABLE]);
    free(t->back[LAB_PAGEABLE]);
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

static void run(lab *l)
{
    enum { LEAST = 1024 }; /* elements of the smallest transfer */
    const size_t n = lab_size(l, (size_t)1 << 26, (size_t)1 << 24, (size_t)1 << 20);
    lab_traffic t = {.l = l, .dev = l->dev, .bytes = (n > LEAST ? n : LEAST) * sizeof(uint32_t)};
    begin(&t);
    lab_transfers_sizes(&t);
    lab_transfers_chunks(&t);
    lab_transfers_duplex(&t);
    lab_transfers_overlap(&t);
    end(&t);
}

const lab_experiment lab_transfers = {
    .name = "transfers",
    .title = "Transfers",
    .summary = "to the device and back: pageable, pinned, in pieces, behind computation",
    .about = "A device with memory of its own computes on what was brought there, and the way is narrow: often the "
             "transfer takes longer than the kernel. What it costs depends on how large it is, on the kind of memory "
             "of the host, and on whether anything else happens meanwhile.\n\n"
             "A device that computes on the cores of the host (OpenCL's processors) has the host's memory for its own. "
             "Everything below runs there too, but a transfer is then a copy within that memory, made by the cores "
             "that ought to compute: what pinning and overlapping gain there, and what they cannot, is part of the "
             "lesson.",
    .items = ITEMS,
    .run = run};
