/* Operators and functions in the source of a program. */
#include "base/error.h"
#include "gpu/source.h"
#include "text/source.h"

#include <assert.h>
#include <string.h>

void opi_gpu_what(char what[OPI_WHAT_BYTES], const char *kind, const char *name, const char *file, int line)
{
    const int n = snprintf(what, OPI_WHAT_BYTES, "%s \"%.*s\"", kind, opi_cut(name ? name : "", 80), name ? name : "");
    if (!file || n < 0) return; /* a text has no file */
    const size_t length = strlen(file), most = 100;
    snprintf(what + n, OPI_WHAT_BYTES - (size_t)n, " (%s%s:%d)", length > most ? "..." : "",
             length > most ? file + (length - most) : file, line);
}

/* The user's text, under the name of the user's file. */
static void write_body(opi_gpu_source *source, const char *text, const char *file, int line)
{
    if (file) {
        fprintf(source->to, "\n#line %d \"", line);
        for (; *file; file++) fprintf(source->to, *file == '"' || *file == '\\' ? "\\%c" : "%c", *file);
        fprintf(source->to, "\"");
    }
    fprintf(source->to, "\n%s" OPI_GPU_OURS, text);
}

static void write_identity(opi_gpu_source *source, const oplus_op *op)
{
    const unsigned char *const bytes = op->identity;
    fprintf(source->to, "OPI_CONSTANT ulong opi_identity_words[] = {");
    for (size_t i = 0; i < op->type->size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        const size_t n = op->type->size - i < sizeof word ? op->type->size - i : sizeof word;
        if (bytes) memcpy(&word, bytes + i, n);
        fprintf(source->to, "0x%llxul,", (unsigned long long)word);
    }
    fprintf(source->to, "};\nOPI_FUNCTION opi_t opi_identity(void) { return OPI_READ_CONSTANT(opi_t, "
                        "opi_identity_words); }\n");
}

/* The operands of a text are constant, as on the host (text/source.c); the body of a macro may assign to its
 * operands. */
static const char *constness(oplus_origin origin) { return origin == OPLUS_FROM_TEXT ? "const " : ""; }

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* A dialect may have a shorter body for one of the library's operators, with the same bits: OPI_BODY_ and its name. */
static void write_op_body(opi_gpu_source *source, const oplus_op *op)
{
    const bool is_ours = op->builtin != 0 && op->name && op->name[strspn(op->name, letters)] == '\0';
    if (is_ours) fprintf(source->to, "\n#ifdef OPI_BODY_%s\nOPI_BODY_%s\n#else", op->name, op->name);
    write_body(source, op->text, op->file, op->line);
    if (is_ours) fprintf(source->to, "#endif\n");
}

/* Whether a text has a word with a parenthesis behind it, which may be a function.  A comment may hide one. */
static bool calls(const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = strspn(text, letters);
        const char *const behind = text + n + strspn(text + n, " \t\r\n\v\f\\");
        const bool opens = *behind == '(' || strncmp(behind, "/*", 2) == 0 || strncmp(behind, "//", 2) == 0;
        if (n > 0 && opens && (n != 6 || memcmp(text, "return", n) != 0)) return true;
    }
    return false;
}

/* The functions of a text are generic; in the body of a macro they are C's functions.  To compile them takes 0.1 s
 * (PoCL). */
static void write_functions(opi_gpu_source *source, const char *text, oplus_origin origin)
{
    const opi_gpu_functions own = origin == OPLUS_FROM_TEXT ? OPI_FUNCTIONS_OF_TEXTS : OPI_FUNCTIONS_OF_C;
    if (opi_gpu_failed(source) || !text || !calls(text)) return;
    assert(source->functions <= own);
    if (source->functions == own) return;
    source->functions = own;
    fprintf(source->to, "#undef OPI_TEXT\n");
    opi_gpu_define(source, "OPI_TEXT", origin == OPLUS_FROM_TEXT);
    opi_gpu_write_kernels(source, "generic");
}

void opi_gpu_write_op(opi_gpu_source *source, const oplus_op *op)
{
    if (!opi_gpu_failed(source) && !op->text)
        source->status = opi_fail(OPLUS_ERR_UNSUPPORTED,
                                  "%s: operator \"%s\" has no text, which %s needs; define it with OPLUS_OP or "
                                  "oplus_op_make, or use \"threads\"",
                                  source->call, op->name ? op->name : "", source->gpu->facts.where);
    else if (!opi_gpu_failed(source) && op->type->size > source->gpu->facts.element)
        source->status = opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: type \"%s\" has %zu bytes, and the compiler of %s would take minutes to combine more "
            "than %zu; use \"threads\", or smaller elements",
            source->call, op->type->name, op->type->size, source->gpu->facts.where, source->gpu->facts.element);
    opi_gpu_write_type(source, op->type, "opi_t");
    if (op->param_type) opi_gpu_write_type(source, op->param_type, "opi_p");
    write_functions(source, op->text, op->origin);
    if (opi_gpu_failed(source)) return;
    const char *const constant = constness(op->origin);
    fprintf(source->to, "OPI_FUNCTION opi_t opi_op(%sopi_t a, %sopi_t b", constant, constant);
    if (op->param_type) fprintf(source->to, ", %sopi_p p", constant);
    fprintf(source->to, ")");
    write_op_body(source, op);
    opi_gpu_define(source, "OPI_BOUND", op->param_type != NULL);
    if (op->param_type)
        opi_gpu_define(source, "OPI_IDENTITY_AT", opi_identity_at(op));
    else
        write_identity(source, op);
    opi_gpu_write_kernels(source, "bound");
    fprintf(source->to, "#define opi_quiet opi_t_quiet\n");
}

/* `typedef <type> <prefix>_<name>`, and what makes its NaNs canonical. */
static void write_alias(opi_gpu_source *source, const oplus_type *type, const char *prefix, const char *name)
{
    char alias[32];
    snprintf(alias, sizeof alias, "%s_%s", prefix, name);
    opi_gpu_write_type(source, type, alias);
}

void opi_gpu_write_fn_as(opi_gpu_source *source, const char *prefix, const oplus_fn *fn, bool predicate)
{
    static const char *const inputs[OPLUS_MAX_ARITY] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    if (!opi_gpu_failed(source) && !fn->text)
        source->status = opi_fail(OPLUS_ERR_UNSUPPORTED,
                                  "%s: function \"%s\" has no text, which %s needs; define it with OPLUS_MAP or "
                                  "oplus_fn_make, or use \"threads\"",
                                  source->call, fn->name ? fn->name : "", source->gpu->facts.where);
    const char *const result = predicate ? "says" : "result";
    if (!predicate || !fn->predicate) write_alias(source, fn->result, prefix, result);
    for (unsigned k = 0; k < fn->arity; k++) write_alias(source, fn->input[k], prefix, inputs[k]);
    if (fn->param_type) write_alias(source, fn->param_type, prefix, "p");
    write_functions(source, fn->text, fn->origin);
    if (opi_gpu_failed(source)) return;
    const char *const constant = constness(fn->origin);
    if (fn->predicate) /* another function keeps its type: 256 as a byte is 0, and as a bool it is true */
        fprintf(source->to, "OPI_FUNCTION bool %s_fn(", prefix);
    else
        fprintf(source->to, "OPI_FUNCTION %s_%s %s_fn(", prefix, result, prefix);
    for (unsigned k = 0; k < fn->arity; k++)
        fprintf(source->to, "%s%s%s_%s %s", k ? ", " : "", constant, prefix, inputs[k], inputs[k]);
    const char *const comma = fn->arity > 0 ? ", " : "";
    if (fn->param_type) fprintf(source->to, "%s%s%s_p p", comma, constant, prefix);
    if (fn->indexed) fprintf(source->to, "%s%suint64_t i", fn->param_type ? ", " : comma, constant);
    fprintf(source->to, ")");
    write_body(source, fn->text, fn->file, fn->line);
}
