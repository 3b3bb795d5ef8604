/* oplus_map_reduce, oplus_map_scan, oplus_map_filter: a function before a primitive, without an array between them. */
#include "front/check.h"
#include "front/fn.h"
#include "task/make.h"

static const char *const input_names[OPLUS_MAX_ARITY] = {"in[0]", "in[1]", "in[2]", "in[3]",
                                                         "in[4]", "in[5]", "in[6]", "in[7]"};

/* --- types -------------------------------------------------------------------------------------------------------- */

/* Checks that what one part of the call makes is what the next one takes. */
static oplus_status check_joint(const char *call, const char *maker, const oplus_type *made, const char *taker,
                                const oplus_type *taken)
{
    if (opi_is_same_type(made, taken)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s makes elements of type %s, and %s takes elements of type %s; give two "
                    "that fit together",
                    call, maker, opi_name(made->name), taker, opi_name(taken->name));
}

/* Two functions of one element have one index of it. */
static oplus_status check_index(const char *call, const oplus_fn *before, const oplus_fn *keep)
{
    if (!before->indexed || !keep->indexed || before->first == keep->first) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: before has the index of its first elements %llu, and keep %llu; give both the same (oplus_from)", call,
        (unsigned long long)before->first, (unsigned long long)keep->first);
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static oplus_status check_inputs(const char *call, oplus_device *dev, const oplus_fn *before, const void *const *in,
                                 size_t n)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_fn(call, "before", before));
    OPI_TRY(opi_check_pointer(call, "in", in, 1));
    for (unsigned k = 0; k < before->arity; k++) {
        OPI_TRY(opi_check_pointer(call, input_names[k], in[k], n));
        OPI_TRY(opi_check_bytes(call, "n", n, before->input[k]->size));
    }
    return opi_check_bytes(call, "n", n, before->result->size);
}

/* out may be one of the inputs, if its elements are of the same size. */
static oplus_status check_out(const char *call, const oplus_fn *before, const void *const *in, size_t n,
                              const void *out, size_t size)
{
    OPI_TRY(opi_check_pointer(call, "out", out, n));
    OPI_TRY(opi_check_bytes(call, "n", n, size));
    for (unsigned k = 0; k < before->arity; k++)
        OPI_TRY(opi_check_overlap(call, input_names[k], in[k], n * before->input[k]->size, "out", out, n * size, true));
    return OPLUS_OK;
}

/* --- reduce ------------------------------------------------------------------------------------------------------- */

oplus_status oplus_map_reduce(oplus_device *dev, const oplus_fn *before, const oplus_op *op, const void *const *in,
                              size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check_inputs(__func__, dev, before, in, n));
    OPI_TRY(opi_check_op(__func__, op));
    OPI_TRY(check_joint(__func__, "before", before->result, "op", op->type));
    OPI_TRY(opi_check_pointer(__func__, "out", out, 1));
    if (n == 0) OPI_TRY(opi_check_identity(__func__, op, "a reduce of n = 0 elements"));
    opi_task_reduce(&task, op, in[0], NULL, n, 0, out);
    opi_task_begin_with(&task, before, in);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

static oplus_status check_after(const char *call, const oplus_op *op, const oplus_fn *after)
{
    if (!after) return OPLUS_OK;
    OPI_TRY(opi_check_fn_without_index(call, "after", after));
    if (after->arity != 1)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: after is function \"%s\" of %u inputs; give one of a single input, which "
                        "is a result of the scan",
                        call, opi_name(after->name), after->arity);
    return check_joint(call, "op", op->type, "after", after->input[0]);
}

oplus_status oplus_map_scan(oplus_device *dev, const oplus_fn *before, const oplus_op *op, oplus_kind kind,
                            const oplus_fn *after, const void *const *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check_inputs(__func__, dev, before, in, n));
    OPI_TRY(opi_check_op(__func__, op));
    OPI_TRY(opi_check_kind(__func__, kind));
    if (kind == OPLUS_EXCLUSIVE) OPI_TRY(opi_check_identity(__func__, op, "an exclusive scan"));
    OPI_TRY(check_joint(__func__, "before", before->result, "op", op->type));
    OPI_TRY(check_after(__func__, op, after));
    const size_t size = after ? after->result->size : op->type->size;
    OPI_TRY(check_out(__func__, before, in, n, out, size));
    opi_task_scan(&task, op, kind, in[0], NULL, n, 0, out);
    opi_task_begin_with(&task, before, in);
    task.after = after;
    opi_task_out(&task)->size = size;
    return opi_run(dev, __func__, &task, NULL);
}

/* --- filter ------------------------------------------------------------------------------------------------------- */

oplus_status oplus_map_filter(oplus_device *dev, const oplus_fn *before, const oplus_fn *keep, const void *const *in,
                              size_t n, void *out, size_t *kept)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check_inputs(__func__, dev, before, in, n));
    OPI_TRY(opi_check_keep(__func__, keep, kept));
    OPI_TRY(check_joint(__func__, "before", before->result, "keep", keep->input[0]));
    OPI_TRY(check_index(__func__, before, keep));
    OPI_TRY(check_out(__func__, before, in, n, out, before->result->size));
    opi_task_filter(&task, keep, in[0], n, out, kept);
    opi_task_begin_with(&task, before, in);
    return opi_run(dev, __func__, &task, NULL);
}
