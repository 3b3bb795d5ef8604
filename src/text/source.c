#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "text/source.h"
#include "text/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS "\n#line 1 \"module\"\n" /* what follows is not the user's */

/* --- pieces ------------------------------------------------------------------------------------------------------- */

const char *opi_source_type(const oplus_type *type)
{
    static const char *const spelled[] = {
#define ROW(suffix, T, scalar) [scalar] = #T,
        OPLUS_FOR_SCALARS(ROW)
#undef ROW
    };
    if (type->scalar == OPLUS_U8 && type->name && strcmp(type->name, oplus_bool.name) == 0) return oplus_bool.name;
    return type->scalar == OPLUS_RECORD ? type->name : spelled[type->scalar];
}

static const char inputs[] = "abcdefgh";

static void write_headers(FILE *to)
{
    fwrite(opi_embedded, 1, opi_embedded_bytes, to);
    fputs(OURS, to);
}

/* Writes the struct once, and a check that its layout is the descriptor's.  It is written without macros, so that
 * messages of the compiler are short. */
static void write_type(FILE *to, const oplus_type *type, const oplus_type *const *written, unsigned count)
{
    if (!type || type->scalar != OPLUS_RECORD) return;
    for (unsigned i = 0; i < count; i++)
        if (written[i] && written[i]->scalar == OPLUS_RECORD && strcmp(written[i]->name, type->name) == 0) return;
    const char *const T = type->name;
    fprintf(to,
            "typedef struct %s {\n#line 1 \"" OPI_LABEL_MEMBERS "%s\"\n%s\n} %s;\n"
            "OPLUS_STATIC_ASSERT_(sizeof(%s) == %zu && OPLUS_ALIGNOF_(%s) == %zu, \"the members do not make up the "
            "size and alignment of the type\");" OURS "OPLUS_DESCRIBE_(%s, \"\")\n",
            T, T, type->text, T, T, type->size, T, type->align, T);
}

static char *finish(FILE *to, char **text)
{
    const bool failed = ferror(to);
    if (fclose(to) == 0 && !failed) return *text;
    free(*text);
    return NULL;
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

char *opi_source_op(const oplus_op *op)
{
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    const char *const T = opi_source_type(op->type);
    write_headers(to);
    write_type(to, op->type, NULL, 0);
    write_type(to, op->param_type, &op->type, 1);
    if (op->param_type) {
        const char *const P = opi_source_type(op->param_type);
        fprintf(to, "OPLUS_HELPER %s oplus_text_(const %s a, const %s b, const %s p)\n%s" OURS, T, T, T, P, op->text);
        fprintf(to, "OPLUS_SEMIGROUP_WITH(oplus_made_, %s, %s, %u, { return oplus_text_(a, b, p); })\n", T, P,
                op->flags);
    } else {
        fprintf(to, "OPLUS_HELPER %s oplus_text_(const %s a, const %s b)\n%s" OURS, T, T, T, op->text);
        fprintf(to, "OPLUS_SEMIGROUP(oplus_made_, %s, %u, { return oplus_text_(a, b); })\n", T, op->flags);
    }
    fprintf(to, "OPLUS_EXPORT_ const oplus_op *const " OPI_MODULE_OP " = &oplus_made__op;\n");
    return finish(to, &text);
}

/* Writes the types of inputs, parameter and result. */
static void write_types(FILE *to, const oplus_fn *fn)
{
    const oplus_type *types[OPLUS_MAX_ARITY + 2];
    for (unsigned k = 0; k < fn->arity; k++) types[k] = fn->input[k];
    types[fn->arity] = fn->param_type;
    types[fn->arity + 1] = fn->result;
    for (unsigned k = 0; k < fn->arity + 2; k++) write_type(to, types[k], types, k);
}

static void write_parameters(FILE *to, const oplus_fn *fn)
{
    for (unsigned k = 0; k < fn->arity; k++)
        fprintf(to, "%sconst %s %c", k ? ", " : "(", opi_source_type(fn->input[k]), inputs[k]);
    if (fn->param_type) fprintf(to, ", const %s p", opi_source_type(fn->param_type));
    if (fn->indexed) fprintf(to, ", const uint64_t i");
    fputc(')', to);
}

char *opi_source_fn(const oplus_fn *fn, bool predicate)
{
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    write_headers(to);
    write_types(to, fn);

    const char *const R = opi_source_type(fn->result);
    fprintf(to, "OPLUS_HELPER %s oplus_text_", predicate ? "_Bool" : R);
    write_parameters(to, fn);
    fprintf(to, "\n%s" OURS, fn->text);

    if (fn->arity > 4 && !fn->indexed)
        fprintf(to, "OPLUS_LEAF_OF_MANY_(made, %s, %u, (", R, fn->arity);
    else
        fprintf(to, "OPLUS_LEAF_(made, %s, (", R);
    for (unsigned k = 0; k < fn->arity; k++) fprintf(to, "OPLUS_INPUT_(%s, %u) ", opi_source_type(fn->input[k]), k);
    if (fn->param_type) fprintf(to, "OPLUS_PARAM_(%s)", opi_source_type(fn->param_type));
    if (fn->indexed) fprintf(to, "OPLUS_INDEX_(%u) ", fn->arity);
    fprintf(to, predicate ? "OPLUS_ZERO_), OPLUS_FLAG_(oplus_text_(" : "), (oplus_text_(");
    for (unsigned k = 0; k < fn->arity; k++) fprintf(to, "%soplus_my_in%u[oplus_my_i]", k ? ", " : "", k);
    fprintf(to, "%s%s)))\n", fn->param_type ? ", oplus_my_p" : "", fn->indexed ? ", OPLUS_MY_INDEX_" : "");
    fprintf(to, "OPLUS_EXPORT_ void (*const " OPI_MODULE_LEAF
                ")(const void *const *, const void *, size_t, void *) = oplus_made_leaf_;\n");
    return finish(to, &text);
}

/* Is that struct the first of its name among the inputs and the parameter? */
static bool is_first_struct(const oplus_fn *fn, unsigned k)
{
    const oplus_type *const type = k < fn->arity ? fn->input[k] : fn->param_type;
    if (!type || type->scalar != OPLUS_RECORD) return false;
    for (unsigned i = 0; i < k; i++)
        if (fn->input[i]->scalar == OPLUS_RECORD && strcmp(fn->input[i]->name, type->name) == 0) return false;
    return true;
}

char *opi_source_probe(const oplus_fn *fn, const char *probe)
{
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    write_headers(to);
    write_types(to, fn);
    fprintf(to, "#define OPLUS_STRUCT_KINDS_");
    for (unsigned k = 0; k <= fn->arity; k++)
        if (is_first_struct(fn, k))
            fprintf(to, " %s : %u,", opi_source_type(k < fn->arity ? fn->input[k] : fn->param_type),
                    OPI_KIND_STRUCT + k);
    fprintf(to, "\n__attribute__((used)) static void oplus_probe_");
    write_parameters(to, fn);
    fprintf(to,
            "\n%s" OURS "OPLUS_EXPORT_ const unsigned char *const " OPI_MODULE_KINDS
            "[2] = {__start_oplus_kinds, __stop_oplus_kinds};\n",
            probe);
    return finish(to, &text);
}
