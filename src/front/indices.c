#include "front/indices.h"

static bool has_sign(const oplus_type *index) { return index->scalar == OPLUS_I32 || index->scalar == OPLUS_I64; }

oplus_status opi_check_index_type(const char *call, const oplus_type *index)
{
    if (!index)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: index is NULL; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64",
                        call);
    OPI_TRY(opi_check_type(call, "index", index));
    if (has_sign(index) || index->scalar == OPLUS_U32 || index->scalar == OPLUS_U64) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: index is the type \"%s\"; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64", call,
                    opi_name(index->name));
}

oplus_status opi_check_index_room(const char *call, const oplus_type *index, size_t most)
{
    OPI_TRY(opi_check_index_type(call, index));
    const uint64_t all = index->size == 4 ? UINT32_MAX : UINT64_MAX;
    if (most <= (has_sign(index) ? all / 2 : all)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: index \"%s\" cannot hold the index %zu; give &oplus_u64 or &oplus_i64",
                    call, opi_name(index->name), most);
}

static oplus_status check_indices(const char *call, oplus_bounds bounds, const opi_indices *given)
{
    OPI_TRY(opi_check_index_type(call, given->type));
    if (bounds != OPLUS_REFUSE && bounds != OPLUS_CLIP)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bounds is %d; give OPLUS_REFUSE (0) or OPLUS_CLIP (1)", call,
                        (int)bounds);
    OPI_TRY(opi_check_pointer(call, "indices", given->at, given->count));
    OPI_TRY(opi_check_bytes(call, "count", given->count, given->type->size));
    if (given->n == 0 && given->count > 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: n is 0 and count is %zu, but no index is in range; give at least one element", call,
                        given->count);
    return OPLUS_OK;
}

oplus_status opi_check_by_index(const char *call, oplus_device *dev, const opi_by_index_call *arrays,
                                const opi_indices *given)
{
    const opi_by_index_call *const a = arrays;
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_type(call, "type", a->type));
    OPI_TRY(opi_check_pointer(call, "in", a->in, a->in_n));
    OPI_TRY(opi_check_bytes(call, a->in_count, a->in_n, a->type->size));
    OPI_TRY(check_indices(call, a->bounds, given));
    OPI_TRY(opi_check_pointer(call, "out", a->out, a->out_n));
    OPI_TRY(opi_check_bytes(call, a->out_count, a->out_n, a->type->size));
    const size_t bytes = a->out_n * a->type->size;
    OPI_TRY(opi_check_overlap(call, "in", a->in, a->in_n * a->type->size, "out", a->out, bytes, false));
    return opi_check_overlap(call, "indices", given->at, given->count * given->type->size, "out", a->out, bytes, false);
}
