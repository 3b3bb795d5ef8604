/* oplus_type_make, oplus_op_make, oplus_fn_make and their _free: from text to descriptors. */
#include "front/check.h"
#include "front/made.h"
#include "front/make.h"
#include "front/verdict.h"
#include "text/module.h"
#include "text/source.h"
#include "text/text.h"
#include "type/layout.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 128, NAME_BYTES = 80 };

static oplus_status no_memory(const char *call)
{
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the description", call);
}

/* --- memory of what is made: one block, its parts laid out one after the other ------------------------------------ */

/* Counts on the first walk, when `at` is NULL, and copies on the second. */
typedef struct packer {
    char *at;
    size_t bytes;
} packer;

static void *pack(packer *p, const void *from, size_t bytes)
{
    char *const to = p->at ? p->at + p->bytes : NULL;
    p->bytes += opi_round_up(bytes, OPI_CACHE_LINE); /* an element may ask for that alignment */
    if (to) memcpy(to, from, bytes);
    return to;
}

static const char *pack_string(packer *p, const char *text) { return text ? pack(p, text, strlen(text) + 1) : NULL; }

static const oplus_type *pack_type(packer *p, const oplus_type *type)
{
    if (!type) return NULL;
    oplus_type *const copy = pack(p, type, sizeof *type);
    const char *const name = pack_string(p, type->name), *const text = pack_string(p, type->text);
    const void *const sample = type->sample ? pack(p, type->sample, type->size + 1) : NULL;
    if (copy) {
        copy->name = name;
        copy->text = text;
        copy->sample = sample;
    }
    return copy;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Checks a name that a type can have in a text: it must not stand for an input, the index, the parameter or the result. */
static bool is_type_name(const char *name)
{
    return opi_text_is_name(name) && !(strlen(name) == 1 && strchr("abcdefghipr", *name));
}

/* Checks that a type can be written into a source. */
static oplus_status check_described(const char *call, const char *argument, const oplus_type *type)
{
    OPI_TRY(opi_check_type(call, argument, type));
    if (type->scalar != OPLUS_RECORD && !opi_is_scalar(type->scalar))
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s->scalar is %d; give a value of oplus_scalar", call, argument,
                        (int)type->scalar);
    if (type->scalar != OPLUS_RECORD) {
        const size_t size = opi_scalars[type->scalar].size, align = opi_scalars[type->scalar].align;
        if (type->size == size && type->align >= align) return OPLUS_OK;
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s \"%s\" has size %zu and align %zu, but its scalar has %zu and %zu",
                        call, argument, opi_name(type->name), type->size, type->align, size, align);
    }
    OPI_TRY(opi_check_by_value(call, argument, type));
    if (is_type_name(type->name) && type->text) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s \"%s\" is a struct without %s; make the type with OPLUS_STRUCT or oplus_type_make", call,
                    argument, opi_name(type->name),
                    type->text ? "a name that C and texts leave free (not int, a, r)" : "the text of its members");
}

/* Checks that structs of one source that share a name are the same. */
static oplus_status check_names(const char *call, const oplus_type *const *types, unsigned count)
{
    for (unsigned j = 0; j < count; j++)
        for (unsigned i = 0; i < j; i++) {
            const oplus_type *const a = types[i], *const b = types[j];
            if (!a || !b || a->scalar != OPLUS_RECORD || b->scalar != OPLUS_RECORD || strcmp(a->name, b->name) != 0)
                continue;
            if (strcmp(a->text, b->text) == 0 && a->size == b->size && a->align == b->align) continue;
            return opi_fail(OPLUS_ERR_ARGUMENT,
                            "%s: two struct types are called \"%s\": \"%s\" of %zu bytes and \"%s\" of %zu; give them "
                            "names of their own",
                            call, a->name, a->text, a->size, b->text, b->size);
        }
    return OPLUS_OK;
}

static oplus_status make_body(const char *call, const char *text, const char *label, const char *result, char **body)
{
    char why[WHY_BYTES];
    if (!text)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: text is NULL; give an expression, such as \"a > b ? a : b\"", call);
    *body = opi_text_body(text, label, result, why, sizeof why);
    if (*body) return OPLUS_OK;
    if (!*why) return no_memory(call);
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: text \"%.*s\": %s; give an expression (\"a > b ? a : b\"), statements that set r (\"r.x = a.x; "
        "r.y = b.y;\"), or a body that returns",
        call, opi_cut(text, NAME_BYTES), text, why);
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static oplus_status refuse_member(const char *call, const char *members, const char *name, const char *why)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: members \"%.*s\": \"%s\" %s", call, opi_cut(members, NAME_BYTES), members,
                    name, why);
}

/* Fills in size and alignment, and checks the names. */
static oplus_status measure(const char *call, const char *members, oplus_type *type)
{
    oplus_member member[OPI_MAX_MEMBERS];
    const int count = opi_layout_flat(type->text, member, OPI_MAX_MEMBERS, &type->size, &type->align);
    if (count < 0)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: members \"%.*s\" are not understood; give scalars and arrays of them, up to 64 and %d bytes, "
            "as in \"float scale; int32_t count[2];\"",
            call, opi_cut(members, NAME_BYTES), members, OPI_LARGEST_ELEMENT);
    for (int i = 0; i < count; i++) {
        if (!opi_text_is_name(member[i].name))
            return refuse_member(call, members, member[i].name, "is a word of C; give the member another name");
        for (int k = 0; k < i; k++)
            if (strcmp(member[i].name, member[k].name) == 0 && strlen(member[i].name) + 1 < sizeof member[i].name)
                return refuse_member(call, members, member[i].name, "is there twice; give the members different names");
    }
    return OPLUS_OK;
}

oplus_status oplus_type_make(const char *name, const char *members, oplus_type **type)
{
    OPI_OWN_MODE;
    if (!type) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: type is NULL; give the address of an oplus_type *", __func__);
    *type = NULL;
    if (!is_type_name(name))
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: name \"%s\" cannot name a type; give letters, digits and _, as \"affine\", that C and texts "
            "leave free (not int, a, r)",
            __func__, opi_name(name));
    if (!members)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: members is NULL; give them as in \"float a; float b;\"", __func__);

    size_t n = strlen(members);
    while (n > 0 && strchr(" \t\r\n", members[n - 1])) n--;
    char *const text = malloc(n + 2);
    if (!text) return no_memory(__func__);
    snprintf(text, n + 2, "%.*s%s", (int)n, members, n > 0 && members[n - 1] == ';' ? "" : ";");

    oplus_type made = {.abi = OPLUS_ABI, .name = name, .text = text, .scalar = OPLUS_RECORD};
    const oplus_status status = measure(__func__, members, &made);
    if (status != OPLUS_OK) {
        free(text);
        return status;
    }
    packer p = {0};
    pack_type(&p, &made);
    p = (packer){.at = opi_alloc(p.bytes)};
    if (p.at) *type = (oplus_type *)pack_type(&p, &made);
    free(text);
    return *type ? OPLUS_OK : no_memory(__func__);
}

void oplus_type_free(oplus_type *type) { opi_free(type); } /* the first part of its block */

/* --- operators ---------------------------------------------------------------------------------------------------- */

static opi_made_op *pack_op(packer *p, const opi_made_op *made)
{
    opi_made_op *const copy = pack(p, made, sizeof *made);
    const char *const name = pack_string(p, made->op.name), *const text = pack_string(p, made->op.text);
    const oplus_type *const type = pack_type(p, made->op.type), *const param = pack_type(p, made->op.param_type);
    const void *const identity = made->op.identity ? pack(p, made->op.identity, made->op.type->size) : NULL;
    if (copy) {
        copy->op.name = name;
        copy->op.text = text;
        copy->op.type = type;
        copy->op.param_type = param;
        copy->op.identity = identity;
    }
    return copy;
}

oplus_status oplus_op_make(const char *name, const oplus_type *type, const void *identity, unsigned flags,
                           const oplus_type *param_type, const char *text,
                           void (*combine)(void *out, const void *a, const void *b, const void *param), oplus_op **op)
{
    OPI_OWN_MODE;
    if (!op) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: op is NULL; give the address of an oplus_op *", __func__);
    *op = NULL;
    OPI_TRY(check_described(__func__, "type", type));
    if (param_type) OPI_TRY(check_described(__func__, "param_type", param_type));
    OPI_TRY(check_names(__func__, (const oplus_type *const[]){type, param_type}, 2));
    if (flags & ~(unsigned)(OPLUS_COMMUTATIVE | OPLUS_EXACT | OPLUS_WIDE | OPLUS_CHECK))
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: flags is %u; give 0, or OPLUS_COMMUTATIVE (1), OPLUS_EXACT (2), OPLUS_WIDE (4), OPLUS_CHECK "
            "(8), or a sum",
            __func__, flags);
    char *body = NULL;
    OPI_TRY(make_body(__func__, text, OPI_LABEL_OP, opi_source_type(type), &body));
    opi_made_op made = {.op = {.abi = OPLUS_ABI,
                               .name = name ? name : text,
                               .type = type,
                               .identity = identity,
                               .flags = flags & ~(unsigned)OPLUS_CHECK,
                               .text = body,
                               .origin = OPLUS_FROM_TEXT,
                               .param_type = param_type,
                               .combine_with = combine}};
    packer p = {0};
    pack_op(&p, &made);
    p = (packer){.at = opi_alloc(p.bytes)};
    opi_made_op *const packed = p.at ? pack_op(&p, &made) : NULL;
    free(body);
    if (!packed) return no_memory(__func__);
    opi_made_open_op(packed);
    const oplus_status status = flags & OPLUS_CHECK && !param_type ? opi_verdict(__func__, &packed->op) : OPLUS_OK;
    if (status == OPLUS_OK)
        *op = &packed->op;
    else
        oplus_op_free(&packed->op);
    return status;
}

void oplus_op_free(oplus_op *op)
{
    OPI_OWN_MODE;
    if (!op) return;
    opi_made_close(&((opi_made_op *)op)->code);
    opi_free(op);
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static opi_made_fn *pack_fn(packer *p, const opi_made_fn *made)
{
    opi_made_fn *const copy = pack(p, made, sizeof *made);
    const char *const name = pack_string(p, made->fn.name), *const text = pack_string(p, made->fn.text);
    const oplus_type *const result = pack_type(p, made->fn.result), *const param = pack_type(p, made->fn.param_type);
    for (unsigned k = 0; k < made->fn.arity; k++) {
        const oplus_type *const input = pack_type(p, made->fn.input[k]);
        if (copy) copy->fn.input[k] = input;
    }
    if (copy) {
        copy->fn.name = name;
        copy->fn.text = text;
        copy->fn.result = result;
        copy->fn.param_type = param;
    }
    return copy;
}

oplus_status opi_make_check_fn(const char *call, const oplus_type *result, unsigned arity,
                               const oplus_type *const *input, const oplus_type *param_type)
{
    const oplus_type *types[OPLUS_MAX_ARITY + 2];
    char argument[16];
    if (arity < 1 || arity > OPLUS_MAX_ARITY)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: arity is %u; it must be 1 to 8", call, arity);
    if (!input) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: input is NULL; give the types of %u inputs", call, arity);
    for (unsigned k = 0; k < arity; k++) {
        snprintf(argument, sizeof argument, "input[%u]", k);
        OPI_TRY(check_described(call, argument, input[k]));
        types[k] = input[k];
    }
    if (result) OPI_TRY(check_described(call, "result", result));
    if (param_type) OPI_TRY(check_described(call, "param_type", param_type));
    types[arity] = result;
    types[arity + 1] = param_type;
    return check_names(call, types, arity + 2);
}

oplus_status oplus_fn_make(const char *name, const oplus_type *result, unsigned arity, const oplus_type *const *input,
                           const oplus_type *param_type, const char *text, oplus_fn **fn)
{
    OPI_OWN_MODE;
    if (!fn) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: fn is NULL; give the address of an oplus_fn *", __func__);
    *fn = NULL;
    OPI_TRY(opi_make_check_fn(__func__, result, arity, input, param_type));
    const bool predicate = result == NULL;
    char *body = NULL;
    const char *const label = predicate ? OPI_LABEL_PREDICATE : OPI_LABEL_FN;
    OPI_TRY(make_body(__func__, text, label, predicate ? "_Bool" : opi_source_type(result), &body));
    opi_made_fn made = {.fn = {.abi = OPLUS_ABI,
                               .name = name ? name : text,
                               .result = predicate ? &oplus_u8 : result,
                               .arity = arity,
                               .param_type = param_type,
                               .origin = OPLUS_FROM_TEXT,
                               .predicate = predicate,
                               .indexed = opi_text_uses_index(text),
                               .text = body}};
    for (unsigned k = 0; k < arity; k++) made.fn.input[k] = input[k];
    packer p = {0};
    pack_fn(&p, &made);
    p = (packer){.at = opi_alloc(p.bytes)};
    opi_made_fn *const packed = p.at ? pack_fn(&p, &made) : NULL;
    free(body);
    if (!packed) return no_memory(__func__);
    opi_made_open_fn(packed);
    *fn = &packed->fn;
    return OPLUS_OK;
}

void oplus_fn_free(oplus_fn *fn)
{
    OPI_OWN_MODE;
    if (!fn) return;
    opi_made_close(&((opi_made_fn *)fn)->code);
    opi_free(fn);
}
