/* What "auto" chooses, in words. */
#include "auto/auto.h"

#include <stdio.h>

/* The number of bytes from which the accelerator is chosen; 1: always, 0: never. */
static double from_bytes(const opi_figures *f, opi_work work)
{
    const opi_line *const c = &f->cores[work], *const g = &f->accelerator[work];
    const double each = opi_auto_clearly * c->each - g->each, start = g->start - opi_auto_clearly * c->start;
    if (each <= 0) return 0;
    return start <= 0 ? 1 : start / each;
}

void opi_auto_explain(const opi_auto *a, char *text, size_t bytes)
{
    static const char *const works[OPI_WORKS] = {"reduce", "scan, map, filter, transpose", "sort"};
    const opi_figures *const f = &a->figures;
    if (!a->accelerator) {
        snprintf(text, bytes, "no accelerator takes part (%s)\n", f->why);
        return;
    }
    size_t used = (size_t)snprintf(
        text, bytes, "arrays in the memory of %s (%s) are worked on there, those of the host as measured:\n", f->where,
        f->name);
    for (int w = 0; w < OPI_WORKS && used < bytes; w++) {
        const double from = from_bytes(f, (opi_work)w);
        char choice[sizeof a->cores->name];
        if (from > 1)
            snprintf(choice, sizeof choice, "%s from %.3g MB on", f->where, from * 1e-6);
        else if (from > 0)
            snprintf(choice, sizeof choice, "%s", f->where);
        else
            snprintf(choice, sizeof choice, "%s", a->cores->name);
        used += (size_t)snprintf(text + used, bytes - used, "  %-29s %s (%.3g GB/s there, %.3g GB/s on %s)\n", works[w],
                                 choice, 1e-9 / (f->accelerator[w].each + 1e-15), 1e-9 / (f->cores[w].each + 1e-15),
                                 a->cores->name);
    }
}
