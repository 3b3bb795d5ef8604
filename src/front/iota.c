/* oplus_iota: a map of no inputs, by a function that has the index. */
#include "cores/cores.h"
#include "cores/iota.h"
#include "front/check.h"
#include "task/make.h"
#include "type/scalars.h"

#include <oplus/sequences.h>

#include <string.h>

enum { LARGEST = 8 /* bytes of a scalar */ };

static oplus_status check_number(const char *call, const oplus_type *type)
{
    OPI_TRY(opi_check_type(call, "type", type));
    const bool is_bool = type->scalar == OPLUS_U8 && strcmp(opi_name(type->name), oplus_bool.name) == 0;
    if (opi_is_scalar(type->scalar) && !is_bool) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: type \"%s\" is no number; give a scalar type, such as &oplus_f64, or make other elements with "
                    "oplus_map and a function that has the index (OPLUS_MAP_INDEXED)",
                    call, opi_name(type->name));
}

/* Puts a 1 of a scalar type. */
static void put_one(oplus_scalar scalar, void *to)
{
    const uint64_t one = 1;
    if (opi_is_floating(scalar))
        opi_scalars[scalar].put(to, 1);
    else
        memcpy(to, &one, opi_scalars[scalar].size);
}

oplus_status oplus_iota(oplus_device *dev, const oplus_type *type, const void *start, const void *step, uint64_t first,
                        size_t n, void *out)
{
    OPI_OWN_MODE;
    static const void *const no_inputs[1];
    _Alignas(LARGEST) char line[2 * LARGEST] = {0}; /* start and step */
    opi_task task;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(check_number(__func__, type));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, type->size));
    if (first > INT64_MAX - n)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: first is %llu and n is %zu; give indices below 2^63", __func__,
                        (unsigned long long)first, n);
    if (start) memcpy(line, start, type->size);
    put_one(type->scalar, line + type->size);
    if (step) memcpy(line + type->size, step, type->size);
    oplus_fn fn = oplus_with(opi_iota_of(type->scalar), line);
    fn.first = first;
    fn.leaf = dev->cores->isa->iota[type->scalar]; /* the same, with this machine's vectors */
    opi_task_map(&task, &fn, no_inputs, n, out);
    return opi_run(dev, __func__, &task, NULL);
}
