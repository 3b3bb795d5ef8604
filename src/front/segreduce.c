/* oplus_segreduce.  The machine checks the order of the offsets, in the memory where they lie. */
#include "front/check.h"
#include "front/segments.h"
#include "task/make.h"

oplus_status opi_check_offset_type(const char *call, const oplus_type *offset)
{
    OPI_TRY(opi_check_type(call, "offset", offset));
    const oplus_scalar scalar = offset->scalar;
    if (scalar == OPLUS_U32 || scalar == OPLUS_U64 || scalar == OPLUS_I32 || scalar == OPLUS_I64) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: offset is the type \"%s\"; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64", call,
                    opi_name(offset->name));
}

oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n, const oplus_type *offset,
                             const void *offsets, size_t segments, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    OPI_TRY(opi_check_offset_type(__func__, offset));
    const size_t size = op->type->size, wider = size > offset->size ? size : offset->size;
    OPI_TRY(opi_check_pointer(__func__, "in", in, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, size));
    if (segments == 0) return OPLUS_OK;
    OPI_TRY(opi_check_pointer(__func__, "offsets", offsets, segments < SIZE_MAX ? segments + 1 : segments));
    OPI_TRY(opi_check_pointer(__func__, "out", out, segments));
    OPI_TRY(opi_check_bytes(__func__, "segments", segments, wider));
    const opi_offsets given = opi_offsets_given(offset, offsets, segments, n);
    OPI_TRY(opi_check_overlap(__func__, "in", in, n * size, "out", out, segments * size, false));
    OPI_TRY(
        opi_check_overlap(__func__, "offsets", offsets, opi_offsets_bytes(&given), "out", out, segments * size, false));

    opi_task task;
    opi_task_segreduce(&task, op, in, n, offset, &given, out);
    return opi_run(dev, __func__, &task, NULL);
}
