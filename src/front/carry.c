/* Streams: oplus_carry_open, _init, _add, _join, _value, _close, oplus_scan_from. */
#include "cores/quiet.h"
#include "front/check.h"
#include "task/late.h"
#include "task/make.h"
#include "type/element.h"

#include <string.h>

struct oplus_carry {
    oplus_op op; /* a copy, with the parameter and the identity; everything else that it points to must live as long */
    opi_range *range;
    bool begins; /* true: the carry begins with an init, and nothing can precede it */
};

/* Allocates a carry with room for its copies of what an operator points to; NULL if there is no memory. */
static oplus_carry *make(const oplus_op *op)
{
    const size_t identity_at = opi_round_up(sizeof(oplus_carry), OPI_CACHE_LINE);
    const size_t param_at = identity_at + opi_round_up(op->identity ? op->type->size : 0, OPI_CACHE_LINE);
    char *const block = opi_alloc(param_at + (op->param_type ? op->param_type->size : 0));
    if (!block) return NULL;
    oplus_carry *const carry = (oplus_carry *)block;
    carry->op = *op;
    if (op->identity) carry->op.identity = memcpy(block + identity_at, op->identity, op->type->size);
    if (op->param_type) carry->op.param = memcpy(block + param_at, op->param, op->param_type->size);
    return carry;
}

oplus_status oplus_carry_open(const oplus_op *op, uint64_t first, oplus_carry **carry)
{
    OPI_OWN_MODE;
    if (!carry)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: carry is NULL; give the address of an oplus_carry *", __func__);
    *carry = NULL;
    OPI_TRY(opi_check_op(__func__, op));
    OPI_TRY(opi_late_ready(__func__, op->late)); /* carries are joined on the host */
    oplus_carry *const opened = make(op);
    opi_range *const range = opi_alloc(opi_range_bytes(op));
    if (!opened || !range) {
        opi_free(opened);
        opi_free(range);
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a carry of %zu bytes", __func__, opi_range_bytes(op));
    }
    opened->range = range;
    opened->begins = false;
    opi_range_start(range, &opened->op, first, false);
    *carry = opened;
    return OPLUS_OK;
}

void oplus_carry_close(oplus_carry *carry)
{
    OPI_OWN_MODE;
    if (!carry) return;
    opi_free(carry->range);
    opi_free(carry);
}

oplus_status oplus_carry_init(oplus_carry *carry, const void *init)
{
    OPI_OWN_MODE;
    if (!carry) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: carry is NULL; open one with oplus_carry_open", __func__);
    OPI_TRY(opi_check_pointer(__func__, "init", init, 1));
    if (carry->range->count > 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: the carry is not empty; give the init before any element", __func__);
    opi_range_init(carry->range, init);
    carry->begins = true;
    return OPLUS_OK;
}

static oplus_status check(const char *call, oplus_device *dev, const oplus_carry *carry, const void *in, size_t n)
{
    OPI_TRY(opi_check_device(call, dev));
    if (!carry) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: carry is NULL; open one with oplus_carry_open", call);
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_bytes(call, "n", n, carry->op.type->size));
    if (n > UINT64_MAX - carry->range->end)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is %zu, but the carry ends at index %llu, too close to 2^64", call,
                        n, (unsigned long long)carry->range->end);
    return OPLUS_OK;
}

oplus_status oplus_carry_add(oplus_device *dev, oplus_carry *carry, const void *in, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, carry, in, n));
    opi_task task;
    opi_task_reduce(&task, &carry->op, in, NULL, n, carry->range->end, NULL);
    return opi_run(dev, __func__, &task, carry->range);
}

oplus_status oplus_scan_from(oplus_device *dev, oplus_carry *carry, oplus_kind kind, const void *in, size_t n,
                             void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, carry, in, n));
    OPI_TRY(opi_check_kind(__func__, kind));
    if (kind == OPLUS_EXCLUSIVE && carry->range->count == 0)
        OPI_TRY(opi_check_identity(__func__, &carry->op, "an exclusive scan"));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    const size_t bytes = n * carry->op.type->size;
    OPI_TRY(opi_check_overlap(__func__, "in", in, bytes, "out", out, bytes, true));
    opi_task task;
    opi_task_scan(&task, &carry->op, kind, in, NULL, n, carry->range->end, out);
    return opi_run(dev, __func__, &task, carry->range);
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Operators are the same if their texts and the texts of their types are; without texts, if their functions are. */
static bool same_op(const oplus_op *a, const oplus_op *b)
{
    if (a->type->size != b->type->size || a->type->scalar != b->type->scalar || a->flags != b->flags) return false;
    if (!a->text || !b->text) return a->combine == b->combine && a->combine_with == b->combine_with;
    return same_text(a->text, b->text) && same_text(a->type->name, b->type->name) &&
           same_text(a->type->text, b->type->text);
}

/* Whether two operators that are the same have the same parameter.  *known: whether there was memory to compare
 * them. */
static bool same_param(const oplus_op *a, const oplus_op *b, bool *known)
{
    opi_element element;
    *known = true;
    if (!a->param_type || !b->param_type) return a->param_type == b->param_type;
    if (a->param_type->size != b->param_type->size) return false;
    *known = opi_element_plan(&element, a->param_type);
    const bool same = *known && opi_element_same(&element, a->param, b->param);
    opi_element_release(&element);
    return same;
}

oplus_status oplus_carry_join(oplus_carry *left, const oplus_carry *right)
{
    OPI_OWN_MODE;
    if (!left || !right || left == right)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s; give two carries opened by oplus_carry_open", __func__,
                        !left    ? "left is NULL"
                        : !right ? "right is NULL"
                                 : "left and right are the same");
    if (!same_op(&left->op, &right->op))
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: left is of operator \"%s\", right of \"%s\"; both must be of the same",
                        __func__, opi_name(left->op.name), opi_name(right->op.name));
    bool known;
    const bool same = same_param(&left->op, &right->op, &known);
    if (!known) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a list of the parameter's members", __func__);
    if (!same)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: left and right are of operator \"%s\" with different parameters; bind the same to both",
                        __func__, opi_name(left->op.name));
    if (right->begins)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: right begins with an init (oplus_carry_init); nothing can precede it",
                        __func__);
    if (left->range->end != right->range->first)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: right begins at index %llu, but left ends at %llu; right must continue left", __func__,
                        (unsigned long long)right->range->first, (unsigned long long)left->range->end);
    opi_range_join(left->range, right->range);
    return OPLUS_OK;
}

oplus_status oplus_carry_value(const oplus_carry *carry, void *out)
{
    OPI_OWN_MODE;
    if (!carry) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: carry is NULL; open one with oplus_carry_open", __func__);
    OPI_TRY(opi_check_pointer(__func__, "out", out, 1));
    if (carry->range->count == 0) OPI_TRY(opi_check_identity(__func__, &carry->op, "the value of an empty carry"));
    const opi_isa *isa[4];
    opi_isa_list(isa); /* there is no device here: the first instruction set is good enough for one element */
    opi_quiet quiet;
    opi_quiet_plan(&quiet, isa[0], carry->op.type);
    if (carry->range->count > 0)
        opi_range_value(carry->range, out);
    else
        memcpy(out, carry->op.identity, carry->op.type->size);
    opi_quiet_run(&quiet, out, 1);
    return OPLUS_OK;
}
