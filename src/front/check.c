#include "front/check.h"

oplus_status opi_check_device(const char *call, const oplus_device *dev)
{
    if (dev) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: dev is NULL; open a device with oplus_open(\"auto\", &dev)", call);
}

bool opi_type_is_valid(const oplus_type *type)
{
    return type && type->size > 0 && type->align > 0 && (type->align & (type->align - 1)) == 0 &&
           type->size % type->align == 0 && type->align <= OPI_CACHE_LINE;
}

oplus_status opi_check_type(const char *call, const char *argument, const oplus_type *type)
{
    if (opi_type_is_valid(type)) return OPLUS_OK;
    if (!type)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL; give a type, &oplus_f32 or one made by OPLUS_STRUCT", call,
                        argument);
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s \"%s\" has size %zu and align %zu; size must not be 0, and align a power of two up to 64 "
                    "that divides it",
                    call, argument, opi_name(type->name), type->size, type->align);
}

oplus_status opi_check_op(const char *call, const oplus_op *op)
{
    if (!op)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: op is NULL; give an operator, &oplus_sum_f32 or one made by OPLUS_OP (name_op)", call);
    OPI_TRY(opi_check_type(call, "op->type", op->type));
    if (!op->combine)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: op->combine of operator \"%s\" is NULL; give at least this function",
                        call, opi_name(op->name));
    return OPLUS_OK;
}

oplus_status opi_check_kind(const char *call, oplus_kind kind)
{
    if (kind == OPLUS_INCLUSIVE || kind == OPLUS_EXCLUSIVE) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kind is %d; give OPLUS_INCLUSIVE (0) or OPLUS_EXCLUSIVE (1)", call,
                    (int)kind);
}

oplus_status opi_check_deal(const char *call, oplus_deal deal)
{
    if (deal == OPLUS_KEPT || deal == OPLUS_BALANCED) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: deal is %d; give OPLUS_KEPT (0) or OPLUS_BALANCED (1)", call, (int)deal);
}

oplus_status opi_check_identity(const char *call, const oplus_op *op, const char *why)
{
    if (op->identity) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: operator \"%s\" has no identity, which %s needs; define it with OPLUS_OP, or avoid this case",
                    call, opi_name(op->name), why);
}

oplus_status opi_check_pointer(const char *call, const char *argument, const void *pointer, size_t n)
{
    if (pointer || n == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL though n is %zu; give memory for %zu elements", call, argument,
                    n, n);
}

oplus_status opi_check_bytes(const char *call, const char *argument, size_t n, size_t size)
{
    if (n <= (size_t)PTRDIFF_MAX / size) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is %zu, which times %zu bytes does not fit the address space", call,
                    argument, n, size);
}

oplus_status opi_check_overlap(const char *call, const char *in_name, const void *in, size_t in_bytes,
                               const char *out_name, const void *out, size_t out_bytes, bool same)
{
    const uintptr_t i = (uintptr_t)in, o = (uintptr_t)out;
    if (in_bytes == 0 || out_bytes == 0) return OPLUS_OK;
    if (i + in_bytes <= o || o + out_bytes <= i) return OPLUS_OK;
    if (same && i == o && in_bytes == out_bytes) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_OVERLAP, "%s: %s [%p, +%zu bytes) and %s [%p, +%zu bytes) overlap; %s", call, in_name, in,
                    in_bytes, out_name, out, out_bytes,
                    same ? "make them the same or keep them apart" : "keep them apart");
}
