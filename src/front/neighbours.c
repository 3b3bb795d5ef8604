/* oplus_map_neighbours: maps of the array and of itself, shifted by an element.  At an end, where a neighbour is elsewhere, it
 * is a map of one element. */
#include "front/check.h"
#include "front/fn.h"
#include "task/make.h"

#include <oplus/windows.h>

typedef struct neighbours {
    oplus_device *dev;
    const char *call;
    const oplus_fn *fn; /* of 2 or 3 inputs: the element before, the element, the one behind */
    oplus_edge edge;
    const char *ends; /* given: the element before the first one, and the one behind the last one */
    const char *in;
    size_t n;
    char *out;
} neighbours;

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static oplus_status check_inputs(const char *call, const oplus_fn *fn)
{
    OPI_TRY(opi_check_fn(call, "fn", fn));
    if (fn->arity != 2 && fn->arity != 3)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: fn is function \"%s\" of %u input%s; give one of 3, the element before, the element and "
                        "the one behind (OPLUS_ZIP3), or of the first 2 of them (OPLUS_ZIP)",
                        call, opi_name(fn->name), fn->arity, opi_s(fn->arity));
    for (unsigned k = 1; k < fn->arity; k++)
        if (!opi_is_same_type(fn->input[0], fn->input[k]))
            return opi_fail(
                OPLUS_ERR_ARGUMENT,
                "%s: fn is function \"%s\", whose inputs are of the types %s and %s; neighbours are elements "
                "of one array: give a function of inputs of one type",
                call, opi_name(fn->name), opi_name(fn->input[0]->name), opi_name(fn->input[k]->name));
    return OPLUS_OK;
}

static oplus_status check_edge(const char *call, oplus_edge edge, const void *ends)
{
    if ((unsigned)edge > OPLUS_EDGE_GIVEN)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: edge is %d; give OPLUS_EDGE_NEAREST, OPLUS_EDGE_WRAP, OPLUS_EDGE_MIRROR or "
                        "OPLUS_EDGE_GIVEN",
                        call, (int)edge);
    if (edge == OPLUS_EDGE_GIVEN && !ends)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: ends is NULL, and edge is OPLUS_EDGE_GIVEN; give the element before the first one, and "
                        "behind it, if fn takes 3, the one behind the last one",
                        call);
    if (edge != OPLUS_EDGE_GIVEN && ends)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: ends is given, and edge is not OPLUS_EDGE_GIVEN, so that it would not be read; give NULL, "
                        "or OPLUS_EDGE_GIVEN",
                        call);
    return OPLUS_OK;
}

static oplus_status check(const neighbours *m)
{
    OPI_TRY(opi_check_device(m->call, m->dev));
    OPI_TRY(check_inputs(m->call, m->fn));
    OPI_TRY(check_edge(m->call, m->edge, m->ends));
    const size_t size = m->fn->input[0]->size, made = m->fn->result->size;
    OPI_TRY(opi_check_pointer(m->call, "in", m->in, m->n));
    OPI_TRY(opi_check_pointer(m->call, "out", m->out, m->n));
    OPI_TRY(opi_check_bytes(m->call, "n", m->n, size));
    OPI_TRY(opi_check_bytes(m->call, "n", m->n, made));
    OPI_TRY(opi_check_overlap(m->call, "in", m->in, m->n * size, "out", m->out, m->n * made, false));
    return opi_check_overlap(m->call, "ends", m->ends, m->ends ? (m->fn->arity - 1) * size : 0, "out", m->out,
                             m->n * made, false);
}

/* --- the maps ----------------------------------------------------------------------------------------------------- */

static const char *element(const neighbours *m, size_t i) { return m->in + i * m->fn->input[0]->size; }

static const char *before_first(const neighbours *m)
{
    switch (m->edge) {
    case OPLUS_EDGE_NEAREST:
        return element(m, 0);
    case OPLUS_EDGE_WRAP:
        return element(m, m->n - 1);
    case OPLUS_EDGE_MIRROR:
        return element(m, m->n > 1 ? 1 : 0);
    case OPLUS_EDGE_GIVEN:
        break;
    }
    return m->ends;
}

static const char *behind_last(const neighbours *m)
{
    switch (m->edge) {
    case OPLUS_EDGE_NEAREST:
        return element(m, m->n - 1);
    case OPLUS_EDGE_WRAP:
        return element(m, 0);
    case OPLUS_EDGE_MIRROR:
        return element(m, m->n > 1 ? m->n - 2 : 0);
    case OPLUS_EDGE_GIVEN:
        break;
    }
    return m->ends + m->fn->input[0]->size;
}

/* Maps `count` elements from index `begin` on; before, behind: the neighbours of the first of them. */
static oplus_status map(const neighbours *m, size_t begin, size_t count, const char *before, const char *behind)
{
    const void *const in[] = {before, element(m, begin), behind};
    opi_task task;
    oplus_fn fn = *m->fn;
    fn.first += begin;
    opi_task_map(&task, &fn, in, count, m->out + begin * fn.result->size);
    return opi_run(m->dev, m->call, &task, NULL);
}

/* Elements of which no neighbour is beyond the array: all but the first, and the last if fn takes the one behind. */
static size_t inner(const neighbours *m)
{
    const size_t ends = m->fn->arity - 1;
    return m->n > ends ? m->n - ends : 0;
}

static oplus_status map_inner(const neighbours *m)
{
    const size_t count = inner(m);
    return count > 0 ? map(m, 1, count, element(m, 0), m->fn->arity == 3 ? element(m, 2) : NULL) : OPLUS_OK;
}

static oplus_status map_ends(const neighbours *m)
{
    const char *const last = behind_last(m);
    OPI_TRY(map(m, 0, 1, before_first(m), m->n > 1 ? element(m, 1) : last));
    if (m->n == 1 || m->fn->arity == 2) return OPLUS_OK;
    return map(m, m->n - 1, 1, element(m, m->n - 2), last);
}

static oplus_status explain(const neighbours *m)
{
    if (inner(m) == 0)
        OPI_TRY(map(m, 0, 1, before_first(m), behind_last(m)));
    else
        OPI_TRY(map_inner(m));
    if (inner(m) > 0) opi_say(&m->dev->explained, "then: a map of the first element\n");
    if (m->fn->arity == 3 && m->n > 1) opi_say(&m->dev->explained, "then: a map of the last element\n");
    return OPLUS_OK;
}

oplus_status oplus_map_neighbours(oplus_device *dev, const oplus_fn *fn, oplus_edge edge, const void *ends,
                                  const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    const neighbours m = {dev, __func__, fn, edge, ends, in, n, out};
    OPI_TRY(check(&m));
    if (n == 0) return OPLUS_OK;
    if (dev->explained.text) return explain(&m);
    OPI_TRY(map_inner(&m));
    return map_ends(&m);
}
