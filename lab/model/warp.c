#include "lab/model/warp.h"

#include <string.h>

enum { WARP = 32, BANKS = 32, WORD = 4, SECTOR = 32 };

/* The next step of a warp: lanes with the same path do it at once. */
typedef struct step {
    const lab_event *event[WARP];
    unsigned count;
} step;

/* --- 1. which lanes go together ----------------------------------------------------------------------------------- */

/* Lanes meet again at the end of the branch or loop that parted them: the lane that is behind in the text, with
 * loops unrolled, goes first. */
static int compare(const lab_event *a, const lab_event *b)
{
    const unsigned both = a->length < b->length ? a->length : b->length;
    for (unsigned i = 0; i < both; i++)
        if (a->path[i] != b->path[i]) return a->path[i] < b->path[i] ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
}

/* The next step; false at the end.  at: how far each lane is. */
static bool next(const lab_events *events, unsigned lanes, size_t *at, step *s)
{
    const lab_event *first = NULL;
    for (unsigned i = 0; i < lanes; i++) {
        const lab_event *const e = events[i].event + at[i];
        if (at[i] < events[i].count && (!first || compare(e, first) < 0)) first = e;
    }
    *s = (step){.event = {first}};
    if (!first) return false;
    for (unsigned i = 0; i < lanes; i++) {
        if (at[i] >= events[i].count || compare(events[i].event + at[i], first) != 0) continue;
        s->event[s->count++] = events[i].event + at[i]++;
    }
    return true;
}

/* --- 2. what it costs --------------------------------------------------------------------------------------------- */

static bool parts(const step *s)
{
    for (unsigned i = 1; i < s->count; i++)
        if (s->event[i]->taken != s->event[0]->taken) return true;
    return false;
}

/* Passes over shared memory beyond the first, for lanes [from, to): a bank needs one pass for each different word. */
static unsigned conflicts_of(const step *s, unsigned from, unsigned to)
{
    uintptr_t word[WARP * 4]; /* those seen */
    unsigned words = 0, in_bank[BANKS] = {0}, most = 1;
    for (unsigned i = from; i < to; i++)
        for (uintptr_t w = s->event[i]->address / WORD;
             w < (s->event[i]->address + s->event[i]->bytes + WORD - 1) / WORD; w++) {
            unsigned k = 0;
            while (k < words && word[k] != w) k++;
            if (k < words || words == sizeof word / sizeof *word) continue;
            word[words++] = w;
            if (++in_bank[w % BANKS] > most) most = in_bank[w % BANKS];
        }
    return most - 1;
}

/* With 8 bytes for each lane a warp accesses memory in two halves, with 16 in four quarters. */
static unsigned conflicts(const step *s)
{
    const unsigned at_once = s->event[0]->bytes <= WORD ? WARP : WARP * WORD / s->event[0]->bytes;
    unsigned all = 0;
    for (unsigned from = 0; from < s->count; from += at_once)
        all += conflicts_of(s, from, from + at_once < s->count ? from + at_once : s->count);
    return all;
}

static unsigned sectors(const step *s)
{
    uintptr_t sector[WARP * 2];
    unsigned count = 0;
    for (unsigned i = 0; i < s->count; i++)
        for (uintptr_t at = s->event[i]->address / SECTOR;
             at <= (s->event[i]->address + s->event[i]->bytes - 1) / SECTOR; at++) {
            unsigned k = 0;
            while (k < count && sector[k] != at) k++;
            if (k == count && count < sizeof sector / sizeof *sector) sector[count++] = at;
        }
    return count;
}

static void add_access(lab_tally *tally, const step *s)
{
    const unsigned times = s->event[0]->use == LAB_TRACE_UPDATE ? 2 : 1; /* a load and a store */
    if (s->event[0]->space == LAB_TRACE_SHARED) {
        tally->conflicts += times * conflicts(s);
    } else {
        tally->requests += times;
        tally->sectors += times * sectors(s);
    }
}

static void add_warp(lab_tally *tally, const lab_events *events, unsigned lanes)
{
    size_t at[WARP] = {0};
    step s;
    while (next(events, lanes, at, &s)) {
        if (s.event[0]->kind == LAB_EVENT_ACCESS)
            add_access(tally, &s);
        else
            tally->divergent += parts(&s);
    }
    tally->warps++;
}

lab_tally lab_tally_of(const lab_events *events, unsigned items)
{
    lab_tally tally = {0};
    for (unsigned first = 0; first < items; first += WARP)
        add_warp(&tally, events + first, items - first < WARP ? items - first : WARP);
    return tally;
}
