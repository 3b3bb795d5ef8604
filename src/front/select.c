/* oplus_partition, oplus_indices, oplus_filter_mask. */
#include "front/select.h"
#include "front/fn.h"
#include "front/indices.h"
#include "task/make.h"

oplus_status opi_check_predicate(const char *call, const char *argument, const oplus_fn *fn, unsigned arity)
{
    OPI_TRY(opi_check_fn(call, argument, fn));
    if (fn->arity == arity && fn->result->scalar == OPLUS_U8) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: %s is function \"%s\" of %u inputs with a result of type %s; give one of %u with a result 0 or "
        "1 of type uint8_t, made by OPLUS_PREDICATE or oplus_predicate_make",
        call, argument, opi_name(fn->name), fn->arity, opi_name(fn->result->name), arity);
}

oplus_status opi_check_apart(const char *call, const opi_given *given, int count)
{
    for (int b = 1; b < count; b++)
        for (int a = 0; a < b && given[b].mem; a++)
            if (given[a].mem)
                OPI_TRY(opi_check_overlap(call, given[a].name, given[a].mem, given[a].bytes, given[b].name,
                                          given[b].mem, given[b].bytes, false));
    return OPLUS_OK;
}

static oplus_status check_kept(const char *call, const size_t *kept)
{
    if (kept) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kept is NULL; give a size_t for the number of kept elements", call);
}

static oplus_status check_keep(const char *call, oplus_device *dev, const oplus_fn *keep, const void *in, size_t n,
                               const size_t *kept)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_predicate(call, "keep", keep, 1));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(check_kept(call, kept));
    return opi_check_bytes(call, "n", n, keep->input[0]->size);
}

/* It is not known yet how much is written: an output may have room for less than n elements, and another array may lie
 * behind it.  So only its beginning is known to be written. */
static oplus_status check_out(const char *call, const void *in, size_t in_bytes, const char *name, const void *out,
                              size_t size)
{
    return opi_check_overlap(call, "in", in, in_bytes, name, out, in_bytes > 0 ? size : 0, false);
}

oplus_status oplus_partition(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out, void *rest,
                             size_t *kept)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check_keep(__func__, dev, keep, in, n, kept));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    OPI_TRY(opi_check_pointer(__func__, "rest", rest, n));
    const oplus_type *const type = keep->input[0];
    OPI_TRY(check_out(__func__, in, n * type->size, "out", out, type->size));
    OPI_TRY(check_out(__func__, in, n * type->size, "rest", rest, type->size));
    OPI_TRY(opi_check_overlap(__func__, "out", out, n ? type->size : 0, "rest", rest, n ? type->size : 0, false));
    opi_task_select(&task, OPI_PICKS_KEPT, keep, type, in, NULL, n,
                    &(opi_selected){.picked = out, .rest = rest, .index_bytes = sizeof(uint32_t)}, kept);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_indices(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, const oplus_type *index,
                           void *out, size_t *kept)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check_keep(__func__, dev, keep, in, n, kept));
    OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    OPI_TRY(opi_check_bytes(__func__, "n", n, index->size));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    const oplus_type *const type = keep->input[0];
    OPI_TRY(check_out(__func__, in, n * type->size, "out", out, index->size));
    opi_task_select(&task, OPI_PICKS_KEPT, keep, type, in, NULL, n,
                    &(opi_selected){.index = out, .index_bytes = index->size}, kept);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_filter_mask(oplus_device *dev, const oplus_type *type, oplus_mask kind, const void *in,
                               const void *mask, size_t n, void *out, size_t *kept)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_type(__func__, "type", type));
    if (kind != OPLUS_MASK_BYTES && kind != OPLUS_MASK_BITS)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kind is %d; give OPLUS_MASK_BYTES (0) or OPLUS_MASK_BITS (1)",
                        __func__, (int)kind);
    OPI_TRY(opi_check_pointer(__func__, "in", in, n));
    OPI_TRY(opi_check_pointer(__func__, "mask", mask, n));
    OPI_TRY(check_kept(__func__, kept));
    OPI_TRY(opi_check_bytes(__func__, "n", n, type->size));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    const size_t mask_bytes = kind == OPLUS_MASK_BYTES ? n : n / 8 + (n % 8 > 0);
    OPI_TRY(check_out(__func__, in, n * type->size, "out", out, type->size));
    OPI_TRY(opi_check_overlap(__func__, "mask", mask, mask_bytes, "out", out, n ? type->size : 0, false));
    opi_task_select(&task, kind == OPLUS_MASK_BYTES ? OPI_PICKS_BYTES : OPI_PICKS_BITS, NULL, type, in, mask, n,
                    &(opi_selected){.picked = out, .index_bytes = sizeof(uint32_t)}, kept);
    return opi_run(dev, __func__, &task, NULL);
}
