#include "front/check.h"
#include "type/layout.h"

#include <string.h>

oplus_status opi_fail_device(const char *call)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: dev is NULL; open a device with oplus_open(\"auto\", &dev)", call);
}

oplus_status opi_fail_type(const char *call, const char *argument, const oplus_type *type)
{
    if (!type)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL; give a type, &oplus_f32 or one made by OPLUS_STRUCT", call,
                        argument);
    OPI_TRY(opi_check_abi(call, argument, type->abi, "made by OPLUS_STRUCT or oplus_type_make"));
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s \"%s\" has size %zu and align %zu; size must not be 0, and align a power of two up to 64 "
                    "that divides it",
                    call, argument, opi_name(type->name), type->size, type->align);
}

oplus_status opi_check_by_value(const char *call, const char *argument, const oplus_type *type)
{
    if (type->size <= OPI_LARGEST_ELEMENT) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_UNSUPPORTED,
                    "%s: %s \"%s\" has %zu bytes, and what a macro or a text defines takes elements by value, on the "
                    "stack: %d at most; take smaller elements, or an operator by combine alone, which takes pointers",
                    call, argument, opi_name(type->name), type->size, OPI_LARGEST_ELEMENT);
}

oplus_status opi_check_record(const char *call, const char *argument, const oplus_type *type)
{
    const char *declaration;
    if (opi_layout_is_known(type, &declaration)) return OPLUS_OK;
    if (!declaration)
        return opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: %s \"%s\" has %zu bytes and align %zu, which its members \"%.*s\" do not make up; define it "
            "with OPLUS_STRUCT, or give the members as they are",
            call, argument, opi_name(type->name), type->size, type->align, opi_cut(type->text, 80), type->text);
    const int length = (int)strcspn(declaration, ";");
    return opi_fail(OPLUS_ERR_UNSUPPORTED,
                    "%s: %s \"%s\" has the member \"%.*s\", which cannot be read, so that its NaNs cannot be made "
                    "canonical; give plain types and numbers (a macro serves, an enumeration constant does not), or, "
                    "where there are no floats, no text (NULL)",
                    call, argument, opi_name(type->name), length < 80 ? length : 80, declaration);
}

/* Checks the parameter of an operator that has one. */
static oplus_status check_param(const char *call, const oplus_op *op)
{
    OPI_TRY(opi_check_type(call, "op->param_type", op->param_type));
    if (op->leaves_with) OPI_TRY(opi_check_by_value(call, "op->param_type", op->param_type));
    if (op->param) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: op->param of operator \"%s\" is NULL though it takes a parameter (%s); bind it with "
                    "oplus_op_with(&%s_op, &value) or oplus_op_bind",
                    call, opi_name(op->name), opi_name(op->param_type->name), opi_name(op->name));
}

oplus_status opi_check_op(const char *call, const oplus_op *op)
{
    if (!op)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: op is NULL; give an operator, &oplus_sum_f32 or one made by OPLUS_OP (name_op)", call);
    OPI_TRY(opi_check_abi(call, "op", op->abi, "made by OPLUS_OP or oplus_op_make"));
    OPI_TRY(opi_check_type(call, "op->type", op->type));
    if (!op->combine && !op->combine_with && !op->late)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: op->combine of operator \"%s\" is NULL; give at least this function",
                        call, opi_name(op->name));
    if (op->leaves || op->leaves_with) OPI_TRY(opi_check_by_value(call, "op->type", op->type));
    OPI_TRY(opi_check_layout(call, "op->type", op->type));
    return op->param_type ? check_param(call, op) : OPLUS_OK;
}

oplus_status opi_check_kind(const char *call, oplus_kind kind)
{
    if (kind == OPLUS_INCLUSIVE || kind == OPLUS_EXCLUSIVE) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kind is %d; give OPLUS_INCLUSIVE (0) or OPLUS_EXCLUSIVE (1)", call,
                    (int)kind);
}

oplus_status opi_check_ranks_layout(const char *call, oplus_layout layout)
{
    if (layout == OPLUS_AS_GIVEN || layout == OPLUS_EVEN) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: layout is %d; give OPLUS_AS_GIVEN (0) or OPLUS_EVEN (1)", call,
                    (int)layout);
}

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool opi_is_same_type(const oplus_type *a, const oplus_type *b)
{
    if (a == b) return true;
    if (a->scalar != b->scalar || a->size != b->size || a->align != b->align) return false;
    return a->scalar != OPLUS_RECORD || (is_same_text(a->name, b->name) && is_same_text(a->text, b->text));
}

oplus_status opi_fail_pointer(const char *call, const char *argument, size_t n)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL; give memory for %zu element%s", call, argument, n, opi_s(n));
}

oplus_status opi_fail_bytes(const char *call, const char *argument, size_t n, size_t size)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is %zu, which times %zu bytes does not fit the address space", call,
                    argument, n, size);
}

oplus_status opi_fail_overlap(const char *call, const char *in_name, const void *in, size_t in_bytes,
                              const char *out_name, const void *out, size_t out_bytes, bool same)
{
    return opi_fail(OPLUS_ERR_OVERLAP, "%s: %s [%p, +%zu bytes) and %s [%p, +%zu bytes) overlap; %s", call, in_name, in,
                    in_bytes, out_name, out, out_bytes,
                    same ? "make them the same or keep them apart" : "keep them apart");
}
