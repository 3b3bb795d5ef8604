#include "leaf/quiet.h"

#include <string.h>

static void add_row(opi_quiet *plan, const oplus_member *member)
{
    const bool wide = member->scalar == OPLUS_F64;
    if (!wide && member->scalar != OPLUS_F32) return;
    opi_quiet_row *const last = plan->rows > 0 ? &plan->row[plan->rows - 1] : NULL;
    if (last && last->wide == wide && last->offset + last->count * (wide ? 8 : 4) == member->offset)
        last->count += member->count;
    else
        plan->row[plan->rows++] = (opi_quiet_row){member->offset, member->count, wide};
}

void opi_quiet_plan(opi_quiet *plan, const opi_isa *isa, const oplus_type *type)
{
    plan->mode = OPI_QUIET_NOTHING;
    plan->isa = isa;
    plan->size = type->size;
    plan->elements = 1;
    plan->rows = 0;
    if (type->scalar != OPLUS_RECORD) {
        if (type->scalar == OPLUS_F32) plan->mode = OPI_QUIET_F32;
        if (type->scalar == OPLUS_F64) plan->mode = OPI_QUIET_F64;
        return;
    }
    oplus_member members[OPI_MAX_MEMBERS];
    const int count = opi_layout(type, members, OPI_MAX_MEMBERS);
    for (int i = 0; i < count; i++) add_row(plan, &members[i]);
    if (plan->rows == 0) return;
    plan->mode = OPI_QUIET_MEMBERS;
    const opi_quiet_row *const row = plan->row;
    if (plan->rows == 1 && row->count * (row->wide ? 8 : 4) == type->size) {
        plan->mode = row->wide ? OPI_QUIET_F64 : OPI_QUIET_F32;
        plan->elements = row->count;
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

static void quiet_members(const opi_quiet *plan, char *x, size_t n)
{
    for (int r = 0; r < plan->rows; r++) {
        const opi_quiet_row row = plan->row[r];
        char *at = x + row.offset;
        for (size_t i = 0; i < n; i++, at += plan->size)
            for (size_t k = 0; k < row.count; k++) {
                if (row.wide)
                    quiet_double(at + 8 * k);
                else
                    quiet_float(at + 4 * k);
            }
    }
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
        quiet_members(plan, x, n);
        return;
    }
}
