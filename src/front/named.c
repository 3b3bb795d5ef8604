/* oplus_type_named, oplus_op_named, oplus_type_members: types and operators by name. */
#include "type/layout.h"

#include <string.h>

const oplus_type *oplus_type_named(const char *name)
{
    static const struct {
        const char *name;
        const oplus_type *type;
    } types[] = {
        /* cppcheck-suppress nullPointer ; which expands OPLUS_TYPE_ as no compiler does */
        {"int", &oplus_i32},   {"unsigned", &oplus_u32},        {"size_t", &OPLUS_TYPE_(size_t)},  {"c64", &oplus_c64},
        {"c128", &oplus_c128}, {"oplus_complex64", &oplus_c64}, {"oplus_complex128", &oplus_c128},
#define ROW(suffix, T, scalar) {#suffix, &oplus_##suffix}, {#T, &oplus_##suffix},
        OPLUS_FOR_SCALARS(ROW)
#undef ROW
    };
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    return NULL;
}

const oplus_op *oplus_op_named(const char *name, const oplus_type *type)
{
    static const struct {
        const char *name;
        const oplus_op *op;
    } ops[] = {
#define ROW(op, suffix, T) {#op, &oplus_##op##_##suffix},
        OPLUS_FOR_BUILTINS(ROW)
#undef ROW
    };
    for (size_t i = 0; name && type && type->abi == OPLUS_ABI && i < sizeof ops / sizeof *ops; i++) {
        const oplus_type *const own = ops[i].op->type;
        if (strcmp(ops[i].name, name) != 0 || own->scalar != type->scalar) continue;
        if (type->scalar != OPLUS_RECORD) return ops[i].op;
        if (type->name && type->text && strcmp(type->name, own->name) == 0 && strcmp(type->text, own->text) == 0)
            return ops[i].op;
    }
    return NULL;
}

int oplus_type_members(const oplus_type *type, oplus_member *members, int capacity)
{
    return type && type->abi == OPLUS_ABI && members ? opi_layout(type, members, capacity) : -1;
}
