#include "driver/spans.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 32 };

/* How many spans begin at p or before it: the last of them may hold p. */
static size_t count_up_to(const opi_spans *spans, const void *p)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)spans->at[middle].address <= (uintptr_t)p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool opi_spans_reserve(opi_spans *spans)
{
    if (spans->count < spans->room) return true;
    const size_t room = spans->room ? 2 * spans->room : FIRST_ROOM;
    opi_span *const at = realloc(spans->at, room * sizeof *at);
    if (!at) return false;
    spans->at = at;
    spans->room = room;
    return true;
}

void opi_spans_add(opi_spans *spans, opi_span span)
{
    const size_t at = count_up_to(spans, span.address);
    memmove(&spans->at[at + 1], &spans->at[at], (spans->count - at) * sizeof span);
    spans->at[at] = span;
    spans->count++;
}

bool opi_spans_remove(opi_spans *spans, const void *address, opi_span *removed)
{
    const size_t end = count_up_to(spans, address);
    if (end == 0 || spans->at[end - 1].address != address) return false;
    *removed = spans->at[end - 1];
    memmove(&spans->at[end - 1], &spans->at[end], (spans->count - end) * sizeof *removed);
    spans->count--;
    return true;
}

const opi_span *opi_spans_find(const opi_spans *spans, const void *p)
{
    const size_t end = count_up_to(spans, p);
    if (end == 0) return NULL;
    const opi_span *const span = &spans->at[end - 1];
    return (uintptr_t)p - (uintptr_t)span->address < span->reach ? span : NULL;
}

bool opi_span_holds(const opi_span *span, const void *p, size_t bytes)
{
    const size_t offset = (uintptr_t)p - (uintptr_t)span->address;
    return offset <= span->bytes && bytes <= span->bytes - offset;
}

void opi_spans_free(opi_spans *spans)
{
    free(spans->at);
    *spans = (opi_spans){.at = NULL};
}
