/* oplus_type_named, oplus_op_named, oplus_type_members: what there is, by name. */
#include "leaf/layout.h"

#include <string.h>

const oplus_type *oplus_type_named(const char *name)
{
    static const struct {
        const char *name;
        const oplus_type *type;
    } types[] = {
        {"i8", &oplus_i8},
        {"i16", &oplus_i16},
        {"i32", &oplus_i32},
        {"i64", &oplus_i64},
        {"u8", &oplus_u8},
        {"u16", &oplus_u16},
        {"u32", &oplus_u32},
        {"u64", &oplus_u64},
        {"f32", &oplus_f32},
        {"f64", &oplus_f64},
        {"c64", &oplus_c64},
        {"c128", &oplus_c128},
        {"int8_t", &oplus_i8},
        {"int16_t", &oplus_i16},
        {"int32_t", &oplus_i32},
        {"int64_t", &oplus_i64},
        {"uint8_t", &oplus_u8},
        {"uint16_t", &oplus_u16},
        {"uint32_t", &oplus_u32},
        {"uint64_t", &oplus_u64},
        {"float", &oplus_f32},
        {"double", &oplus_f64},
        {"size_t", &oplus_type_size_t},
        {"int", &oplus_i32},
        {"unsigned", &oplus_u32},
        {"oplus_complex64", &oplus_c64},
        {"oplus_complex128", &oplus_c128},
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
    for (size_t i = 0; name && type && i < sizeof ops / sizeof *ops; i++) {
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
    return type && members ? opi_layout(type, members, capacity) : -1;
}
