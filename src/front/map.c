/* oplus_map. */
#include "front/check.h"
#include "front/fn.h"
#include "task/make.h"

static const char *const input_names[OPLUS_MAX_ARITY] = {"in[0]", "in[1]", "in[2]", "in[3]",
                                                         "in[4]", "in[5]", "in[6]", "in[7]"};

oplus_status oplus_map(oplus_device *dev, const oplus_fn *fn, const void *const *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_fn(__func__, "fn", fn));
    OPI_TRY(opi_check_pointer(__func__, "in", in, 1));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, fn->result->size));
    for (unsigned k = 0; k < fn->arity; k++) {
        const char *const name = input_names[k];
        OPI_TRY(opi_check_pointer(__func__, name, in[k], n));
        OPI_TRY(opi_check_bytes(__func__, "n", n, fn->input[k]->size));
        OPI_TRY(
            opi_check_overlap(__func__, name, in[k], n * fn->input[k]->size, "out", out, n * fn->result->size, true));
    }
    opi_task task;
    opi_task_map(&task, fn, in, n, out);
    return opi_run(dev, __func__, &task, NULL);
}
