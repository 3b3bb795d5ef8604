#include "type/bits.h"

#include "type/layout.h"

typedef struct finding {
    opi_spans *spans;
    bool too_many;
} finding;

static void add(void *context, const oplus_member *member)
{
    finding *const f = context;
    opi_spans *const s = f->spans;
    const size_t bytes = member->count * opi_scalars[member->scalar].size;
    opi_span *const last = s->count > 0 ? &s->span[s->count - 1] : NULL;
    if (last && last->at + last->bytes == member->offset)
        last->bytes += bytes;
    else if (s->count < OPI_MAX_SPANS)
        s->span[s->count++] = (opi_span){member->offset, bytes};
    else
        f->too_many = true;
}

bool opi_spans_of(const oplus_type *type, opi_spans *spans)
{
    finding f = {spans, false};
    spans->count = 0;
    if (type->scalar == OPLUS_RECORD && opi_layout_scalars(type, add, &f)) return !f.too_many;
    spans->count = 1;
    spans->span[0] = (opi_span){0, type->size};
    return true;
}

bool opi_spans_are_all(const oplus_type *type, const opi_spans *spans)
{
    return spans->count == 1 && spans->span[0].bytes == type->size;
}
