#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "jit/source.h"
#include "jit/embedded.h"

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
    return type->scalar == OPLUS_RECORD ? type->name : spelled[type->scalar];
}

static void write_headers(FILE *to)
{
    fwrite(opi_embedded, 1, opi_embedded_bytes, to);
    fputc('\n', to);
}

/* The struct, once, and that it is laid out as its descriptor says.  No macro makes it, so that a message of the
 * compiler is short. */
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
    fprintf(to, "OPLUS_HELPER %s oplus_text_(%s a, %s b)\n%s" OURS, T, T, T, op->text);
    fprintf(to, "OPLUS_SEMIGROUP(oplus_made_, %s, %u, { return oplus_text_(a, b); })\n", T, op->flags);
    fprintf(to, "OPLUS_EXPORT_ const oplus_op *const " OPI_MODULE_OP " = &oplus_made__op;\n");
    return finish(to, &text);
}

char *opi_source_fn(const oplus_fn *fn, bool predicate)
{
    static const char inputs[] = "abcdefgh";
    const oplus_type *types[OPLUS_MAX_ARITY + 2];
    char *text = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    write_headers(to);
    for (unsigned k = 0; k < fn->arity; k++) types[k] = fn->input[k];
    types[fn->arity] = fn->result;
    types[fn->arity + 1] = fn->param_type;
    for (unsigned k = 0; k < fn->arity + 2; k++) write_type(to, types[k], types, k);

    const char *const R = opi_source_type(fn->result);
    fprintf(to, "OPLUS_HELPER %s oplus_text_(", predicate ? "_Bool" : R);
    for (unsigned k = 0; k < fn->arity; k++)
        fprintf(to, "%s%s %c", k ? ", " : "", opi_source_type(fn->input[k]), inputs[k]);
    if (fn->param_type) fprintf(to, ", %s p", opi_source_type(fn->param_type));
    fprintf(to, ")\n%s" OURS, fn->text);

    fprintf(to, "OPLUS_LEAF_(made, %s, (", R);
    for (unsigned k = 0; k < fn->arity; k++) fprintf(to, "OPLUS_IN_(%s, %u) ", opi_source_type(fn->input[k]), k);
    if (fn->param_type) fprintf(to, "OPLUS_PARAM_(%s)", opi_source_type(fn->param_type));
    fprintf(to, "), oplus_text_(");
    for (unsigned k = 0; k < fn->arity; k++) fprintf(to, "%sin%u_[i_]", k ? ", " : "", k);
    fprintf(to, "%s))\n", fn->param_type ? ", p_" : "");
    fprintf(to, "OPLUS_EXPORT_ void (*const " OPI_MODULE_LEAF
                ")(const void *const *, const void *, size_t, void *) = oplus_made_leaf_;\n");
    return finish(to, &text);
}
