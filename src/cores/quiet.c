#include "cores/quiet.h"

#include <string.h>

static void add_row(void *context, const oplus_member *member)
{
    opi_quiet *const plan = context;
    const bool wide = member->scalar == OPLUS_F64;
    if (!opi_is_floating(member->scalar) || plan->rows > OPI_QUIET_ROWS) return;
    opi_quiet_row *const last = plan->rows > 0 ? &plan->row[plan->rows - 1] : NULL;
    if (last && last->wide == wide && last->offset + last->count * (wide ? 8 : 4) == member->offset)
        last->count += member->count;
    else if (plan->rows++ < OPI_QUIET_ROWS)
        plan->row[plan->rows - 1] = (opi_quiet_row){member->offset, member->count, wide};
}

void opi_quiet_plan(opi_quiet *plan, const opi_isa *isa, const oplus_type *type)
{
    plan->mode = OPI_QUIET_NOTHING;
    plan->isa = isa;
    plan->type = type;
    plan->size = type->size;
    plan->elements = 1;
    plan->rows = 0;
    if (type->scalar != OPLUS_RECORD && type->size == opi_scalars[type->scalar].size) { /* most types */
        if (opi_is_floating(type->scalar)) plan->mode = type->scalar == OPLUS_F64 ? OPI_QUIET_F64 : OPI_QUIET_F32;
        return;
    }
    opi_layout_scalars(type, add_row, plan);
    if (plan->rows == 0) return;
    const opi_quiet_row *const row = plan->row;
    if (plan->rows > OPI_QUIET_ROWS) {
        plan->mode = OPI_QUIET_MANY;
    } else if (plan->rows == 1 && row->count * (row->wide ? 8 : 4) == type->size) {
        plan->mode = row->wide ? OPI_QUIET_F64 : OPI_QUIET_F32;
        plan->elements = row->count;
    } else {
        plan->mode = OPI_QUIET_MEMBERS;
    }
}

static void quiet_float(char *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) memcpy(x, &(uint32_t){0x7fc00000}, sizeof bits);
}

static void quiet_double(char *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    if ((bits & 0x7fffffffffffffff) > 0x7ff0000000000000) memcpy(x, &(uint64_t){0x7ff8000000000000}, sizeof bits);
}

static void quiet_row(opi_quiet_row row, size_t size, char *x, size_t n)
{
    char *at = x + row.offset;
    for (size_t i = 0; i < n; i++, at += size)
        for (size_t k = 0; k < row.count; k++) {
            if (row.wide)
                quiet_double(at + 8 * k);
            else
                quiet_float(at + 4 * k);
        }
}

/* A run of elements, while the layout is read. */
typedef struct run {
    size_t size;
    char *x;
    size_t n;
} run;

static void quiet_member(void *context, const oplus_member *member)
{
    const run *const r = context;
    if (opi_is_floating(member->scalar))
        quiet_row((opi_quiet_row){member->offset, member->count, member->scalar == OPLUS_F64}, r->size, r->x, r->n);
}

void opi_quiet_some(const opi_quiet *plan, void *x, size_t n)
{
    switch (plan->mode) {
    case OPI_QUIET_NOTHING:
        return;
    case OPI_QUIET_F32:
        plan->isa->quiet_f32(x, n * plan->elements);
        return;
    case OPI_QUIET_F64:
        plan->isa->quiet_f64(x, n * plan->elements);
        return;
    case OPI_QUIET_MEMBERS:
        for (int r = 0; r < plan->rows; r++) quiet_row(plan->row[r], plan->size, x, n);
        return;
    case OPI_QUIET_MANY:
        opi_layout_scalars(plan->type, quiet_member, &(run){plan->size, x, n});
        return;
    }
}
