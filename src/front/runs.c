/* oplus_unique.  The calls by key are in by_key.c. */
#include "front/runs.h"

#include "front/fn.h"
#include "front/indices.h"
#include "task/make.h"
#include "type/bits.h"

/* --- what they share ---------------------------------------------------------------------------------------------- */

oplus_status opi_check_same(const char *call, const char *argument, const oplus_type *type, const oplus_fn *same)
{
    opi_spans spans;
    OPI_TRY(opi_check_type(call, argument, type));
    if (!same && opi_spans_of(type, &spans)) return OPLUS_OK;
    if (!same)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: type \"%s\" has padding in more than %d places; give a function same that compares its "
                        "members",
                        call, opi_name(type->name), OPI_MAX_SPANS - 1);
    OPI_TRY(opi_check_predicate(call, "same", same, 2));
    OPI_TRY(opi_check_fn_without_index(call, "same", same));
    if (opi_is_same_type(same->input[0], type) && opi_is_same_type(same->input[1], type)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: same is function \"%s\" of \"%s\" and \"%s\", but %s is \"%s\"; give one of two elements "
                    "of this type",
                    call, opi_name(same->name), opi_name(same->input[0]->name), opi_name(same->input[1]->name),
                    argument, opi_name(type->name));
}

oplus_status opi_check_count(const char *call, const char *argument, const size_t *count)
{
    if (count) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL; give a size_t for the number of %s", call, argument, argument);
}

/* --- unique ------------------------------------------------------------------------------------------------------- */

oplus_status oplus_unique(oplus_device *dev, const oplus_type *type, const oplus_fn *same, const void *in, size_t n,
                          void *out, const oplus_type *index, void *counts, void *firsts, void *inverse, size_t *runs)
{
    OPI_OWN_MODE;
    opi_task task;
    const bool numbers = counts || firsts || inverse;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_same(__func__, "type", type, same));
    OPI_TRY(opi_check_pointer(__func__, "in", in, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, type->size));
    if (numbers) OPI_TRY(opi_check_index_room(__func__, index, n));
    OPI_TRY(opi_check_count(__func__, "runs", runs));
    const size_t bytes = numbers ? index->size : sizeof(uint32_t), some = n > 0;
    OPI_TRY(opi_check_bytes(__func__, "n", n, bytes));
    const opi_given given[] = {{"in", in, n * type->size},
                               {"out", out, some * type->size},
                               {"counts", counts, some * bytes},
                               {"firsts", firsts, some * bytes},
                               {"inverse", inverse, n * bytes}};
    OPI_TRY(opi_check_apart(__func__, given, sizeof given / sizeof *given));
    opi_task_select(
        &task, OPI_PICKS_HEADS, same, type, in, NULL, n,
        &(opi_selected){.picked = out, .index = firsts, .run = inverse, .count = counts, .index_bytes = bytes}, runs);
    return opi_run(dev, __func__, &task, NULL);
}
