#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "gpu/source.h"

#include "base/error.h"
#include "gpu/kernels.h"
#include "text/source.h"
#include "type/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP_LOG_W = 8,
    GROUP_BYTES = 64, /* of a work-item's elements, */
    GROUP_LOG_E = 4,  /* and at most 2^4 of them */
    LANES_BYTES = 16 << 10,
    CHUNK_BYTES = 16 << 10, /* stays in a first-level cache */
    CHUNK_LOG = 12,
    INLINE_BYTES = 64
};

#define OURS "\n#line 1 \"oplus\"\n" /* what follows is not the user's */

/* --- shapes ------------------------------------------------------------------------------------------------------- */

/* The largest k up to `most` with 2^k * size <= bytes; 0 where there is none. */
static unsigned log_of(size_t bytes, size_t size, unsigned most)
{
    unsigned k = 0;
    while (k < most && (size << (k + 1)) <= bytes) k++;
    return k;
}

static bool takes_chunks(const opi_gpu_facts *facts)
{
    const char *const wanted = getenv("OPLUS_SHAPE");
    if (wanted && strcmp(wanted, "group") == 0) return false;
    if (wanted && strcmp(wanted, "chunk") == 0) return true;
    return facts->host_cores;
}

opi_shape opi_shape_for(const opi_gpu_facts *facts, size_t element, size_t node)
{
    const size_t larger = node > element ? node : element;
    opi_shape shape = {0};
    if (!takes_chunks(facts)) {
        shape.log_w = log_of(facts->local / 2 < LANES_BYTES ? facts->local / 2 : LANES_BYTES, larger, GROUP_LOG_W);
        while (shape.log_w > 0 && 1u << shape.log_w > facts->group) shape.log_w--;
    }
    if (shape.log_w == 0) {
        shape.log_e = log_of(CHUNK_BYTES, larger, CHUNK_LOG);
    } else {
        shape.log_e = log_of(GROUP_BYTES, element, GROUP_LOG_E);
        shape.vectors = facts->fast_bytes >= OPI_VECTOR_BYTES && OPI_VECTOR_BYTES % element == 0 &&
                        element << shape.log_e >= OPI_VECTOR_BYTES;
    }
    return shape;
}

/* --- beginning, end, pieces --------------------------------------------------------------------------------------- */

static bool failed(const opi_gpu_source *source) { return source->status != OPLUS_OK; }

void opi_gpu_write_kernels(opi_gpu_source *source, const char *name)
{
    const opi_kernel_text *text = opi_kernel_texts;
    if (failed(source)) return;
    while (text->name && strcmp(text->name, name) != 0) text++;
    assert(text->name);
    fprintf(source->to, "\n#line 1 \"oplus/%s.cl\"\n%s\n", name, text->text);
}

void opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value)
{
    if (!failed(source)) fprintf(source->to, "#define %s %lu\n", name, value);
}

void opi_gpu_begin(opi_gpu_source *source, const char *call, const opi_gpu *gpu)
{
    memset(source, 0, sizeof *source);
    source->gpu = gpu;
    source->call = call;
    source->to = open_memstream(&source->text, &source->bytes);
    if (!source->to) {
        source->status = opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a kernel", call);
        return;
    }
    opi_gpu_define(source, "OPI_F64", gpu->facts.f64);
    opi_gpu_write_kernels(source, gpu->driver->dialect);
}

void opi_gpu_write_shape(opi_gpu_source *source, opi_shape shape, size_t element)
{
    opi_gpu_define(source, "OPI_LOG_W", shape.log_w);
    opi_gpu_define(source, "OPI_LOG_E", shape.log_e);
    opi_gpu_define(source, "OPI_LOG_TILE", opi_log_tile(shape));
    opi_gpu_define(source, "OPI_VECTORS", shape.vectors);
    opi_gpu_define(source, "OPI_SIZE", element);
    opi_gpu_define(source, "OPI_WARP", source->gpu->facts.lanes);
    opi_gpu_define(source, "OPI_LARGE", element > INLINE_BYTES);
    /* One work-item waits for nobody; and barriers in loops are what some compilers get wrong (PoCL 5). */
    if (!failed(source) && shape.log_w == 0)
        fprintf(source->to, "#undef OPI_BARRIER\n#define OPI_BARRIER()\n#undef OPI_BARRIER_ALL\n#define "
                            "OPI_BARRIER_ALL()\n");
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static void find_f64(void *found, const oplus_member *member)
{
    if (member->scalar == OPLUS_F64) *(bool *)found = true;
}

static bool has_f64(const oplus_type *type)
{
    bool found = false;
    opi_layout_scalars(type, find_f64, &found);
    return found;
}

static void check_type(opi_gpu_source *source, const oplus_type *type)
{
    const opi_gpu_facts *const facts = &source->gpu->facts;
    if (type->scalar == OPLUS_RECORD && (!type->text || !type->name))
        source->status =
            opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: type \"%s\" has no text, which %s needs; define it with OPLUS_STRUCT",
                     source->call, type->name ? type->name : "", facts->where);
    else if (!facts->f64 && has_f64(type))
        source->status = opi_fail(OPLUS_ERR_UNSUPPORTED,
                                  "%s: type \"%s\" has double precision, which %s (%s) does not compute with; use "
                                  "\"threads\", or single precision",
                                  source->call, type->name, facts->where, facts->name);
}

/* A size or an offset on the host, to be compared with the device's. */
static void expect(opi_gpu_source *source, size_t bytes, const char *T, const char *member)
{
    if (source->layouts == source->layout_room) {
        const int room = source->layout_room ? 2 * source->layout_room : 16;
        opi_layout_fact *const more = realloc(source->layout, (size_t)room * sizeof *more);
        if (!more) {
            source->status = opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the layout of a type", source->call);
            return;
        }
        source->layout = more;
        source->layout_room = room;
    }
    opi_layout_fact *const fact = &source->layout[source->layouts++];
    fact->bytes = bytes;
    snprintf(fact->type, sizeof fact->type, "%.*s", opi_cut(T, (int)sizeof fact->type - 1), T);
    snprintf(fact->member, sizeof fact->member, "%s", member);
}

/* Some structs have thousands of members: those of the first few show whether the device lays them out alike. */
typedef struct expectation {
    opi_gpu_source *source;
    const oplus_type *type;
    int members;
} expectation;

/* A name that was cut names nothing. */
static bool is_whole(const oplus_member *member) { return strlen(member->name) + 1 < sizeof member->name; }

static void expect_member(void *context, const oplus_member *member)
{
    expectation *const e = context;
    if (e->members++ < OPI_MAX_MEMBERS && is_whole(member))
        expect(e->source, member->offset, e->type->name, member->name);
}

static void expect_layout(opi_gpu_source *source, const oplus_type *type)
{
    expect(source, type->size, type->name, "");
    opi_layout_walk(type, expect_member, &(expectation){source, type, 0});
}

/* A kernel that tells how the device lays out the structs. */
static void write_layout(opi_gpu_source *source)
{
    if (source->layouts == 0) return;
    fprintf(source->to, "OPI_KERNEL void opi_layout(OPI_PARAM(bytes))\n{\n");
    for (int i = 0; i < source->layouts; i++) {
        const opi_layout_fact *const fact = &source->layout[i];
        fprintf(source->to, "    OPI_AT(uint64_t, bytes)[%d] = (uint64_t)", i);
        if (*fact->member)
            fprintf(source->to, "&((%s *)0)->%s;\n", fact->type, fact->member);
        else
            fprintf(source->to, "sizeof(%s);\n", fact->type);
    }
    fprintf(source->to, "}\n");
}

/* The structs of one program that share a name must be the same. */
static void check_same(opi_gpu_source *source, const oplus_type *a, const oplus_type *b)
{
    if (strcmp(a->text, b->text) == 0 && a->size == b->size && a->align == b->align) return;
    source->status = opi_fail(OPLUS_ERR_ARGUMENT,
                              "%s: two struct types are called \"%s\": \"%.*s\" of %zu bytes and \"%.*s\" of %zu; give "
                              "them names of their own",
                              source->call, a->name, opi_cut(a->text, 120), a->text, a->size, opi_cut(b->text, 120),
                              b->text, b->size);
}

static void write_struct(opi_gpu_source *source, const oplus_type *type)
{
    for (int i = 0; i < source->types; i++) {
        if (strcmp(source->type[i]->name, type->name) != 0) continue;
        check_same(source, source->type[i], type);
        return;
    }
    assert(source->types < OPI_MAX_TYPES);
    source->type[source->types++] = type;
    fprintf(source->to, "typedef struct %s {\n#line 1 \"" OPI_LABEL_MEMBERS "%s\"\n%s\n} %s;" OURS, type->name,
            type->name, type->text, type->name);
    expect_layout(source, type);
}

static const char *quiet_of(oplus_scalar scalar)
{
    return scalar == OPLUS_F32 ? "OPI_QUIET_F32" : scalar == OPLUS_F64 ? "OPI_QUIET_F64" : NULL;
}

/* By name where it has one that is not too long, else by its place. */
static void write_quiet_member(void *context, const oplus_member *member)
{
    FILE *const to = ((opi_gpu_source *)context)->to;
    const char *const quiet = quiet_of(member->scalar), *const name = member->name;
    if (!quiet) return;
    const bool wide = member->scalar == OPLUS_F64, whole = *name && is_whole(member);
    if (member->count > 1 || !whole) {
        fprintf(to, "    for (int i = 0; i < %zu; i++) %s(((%s *)", member->count, quiet, wide ? "double" : "float");
        if (whole)
            fprintf(to, "x.%s)[i])\n", name);
        else
            fprintf(to, "&x)[%zu + i])\n", member->offset / opi_scalar_size(member->scalar));
    } else {
        fprintf(to, "    %s(x.%s)\n", quiet, name);
    }
}

static void write_quiet(opi_gpu_source *source, const oplus_type *type, const char *alias)
{
    fprintf(source->to, "OPI_FUNCTION %s %s_quiet(%s x)\n{\n", alias, alias, alias);
    if (type->scalar != OPLUS_RECORD) {
        if (quiet_of(type->scalar)) fprintf(source->to, "    %s(x)\n", quiet_of(type->scalar));
    } else if (!opi_layout_walk(type, write_quiet_member, source)) {
        /* The device's compiler alone understands the text. */
        opi_layout_scalars(type, write_quiet_member, source);
    }
    fprintf(source->to, "    return x;\n}\n");
}

void opi_gpu_write_type(opi_gpu_source *source, const oplus_type *type, const char *alias)
{
    if (!failed(source)) check_type(source, type);
    if (failed(source)) return;
    if (type->scalar == OPLUS_RECORD) write_struct(source, type);
    if (failed(source)) return;
    fprintf(source->to, "typedef %s %s;\n", opi_source_type(type), alias);
    write_quiet(source, type, alias);
}

/* --- operators and functions -------------------------------------------------------------------------------------- */

void opi_gpu_what(char what[OPI_WHAT_BYTES], const char *kind, const char *name, const char *file, int line)
{
    const int n = snprintf(what, OPI_WHAT_BYTES, "%s \"%.*s\"", kind, opi_cut(name ? name : "", 80), name ? name : "");
    if (!file || n < 0) return; /* a text has none */
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
    fprintf(source->to, "\n%s" OURS, text);
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

/* The operands of a text are constant, as on the host (text/source.c); the body of a macro may assign to its own. */
static const char *constness(oplus_origin origin) { return origin == OPLUS_FROM_TEXT ? "const " : ""; }

/* Is there a word with a parenthesis behind, which may be a function?  Behind a comment there may be one. */
static bool calls(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (size_t n; *text; text += n ? n : 1) {
        n = strspn(text, letters);
        const char *const behind = text + n + strspn(text + n, " \t\r\n\v\f\\");
        const bool opens = *behind == '(' || strncmp(behind, "/*", 2) == 0 || strncmp(behind, "//", 2) == 0;
        if (n > 0 && opens && (n != 6 || memcmp(text, "return", n) != 0)) return true;
    }
    return false;
}

/* The functions of a text are generic; in the body of a macro they are C's.  Their compilation takes 0.1 s (PoCL). */
static void write_functions(opi_gpu_source *source, const char *text, oplus_origin origin)
{
    if (failed(source) || !calls(text)) return;
    opi_gpu_define(source, "OPI_TEXT", origin == OPLUS_FROM_TEXT);
    opi_gpu_write_kernels(source, "generic");
}

void opi_gpu_write_op(opi_gpu_source *source, const oplus_op *op)
{
    if (!failed(source) && !op->text)
        source->status = opi_fail(OPLUS_ERR_UNSUPPORTED,
                                  "%s: operator \"%s\" has no text, which %s needs; define it with OPLUS_OP or "
                                  "oplus_op_make, or use \"threads\"",
                                  source->call, op->name ? op->name : "", source->gpu->facts.where);
    else if (!failed(source) && op->type->size > source->gpu->facts.element)
        source->status = opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: type \"%s\" has %zu bytes, and the compiler of %s would take minutes to combine more "
            "than %zu; use \"threads\", or smaller elements",
            source->call, op->type->name, op->type->size, source->gpu->facts.where, source->gpu->facts.element);
    opi_gpu_write_type(source, op->type, "opi_t");
    if (op->param_type) opi_gpu_write_type(source, op->param_type, "opi_p");
    write_functions(source, op->text, op->origin);
    if (failed(source)) return;
    const char *const constant = constness(op->origin);
    fprintf(source->to, "OPI_FUNCTION opi_t opi_op(%sopi_t a, %sopi_t b", constant, constant);
    if (op->param_type) fprintf(source->to, ", %sopi_p p", constant);
    fprintf(source->to, ")");
    write_body(source, op->text, op->file, op->line);
    opi_gpu_define(source, "OPI_BOUND", op->param_type != NULL);
    if (op->param_type)
        opi_gpu_define(source, "OPI_IDENTITY_AT", opi_identity_at(op));
    else
        write_identity(source, op);
    opi_gpu_write_kernels(source, "bound");
    fprintf(source->to, "#define opi_quiet opi_t_quiet\n");
}

void opi_gpu_write_fn(opi_gpu_source *source, const oplus_fn *fn, bool predicate)
{
    static const char *const inputs[OPLUS_MAX_ARITY] = {"opi_a", "opi_b", "opi_c", "opi_d",
                                                        "opi_e", "opi_f", "opi_g", "opi_h"};
    if (!failed(source) && !fn->text)
        source->status = opi_fail(OPLUS_ERR_UNSUPPORTED,
                                  "%s: function \"%s\" has no text, which %s needs; define it with OPLUS_MAP or "
                                  "oplus_fn_make, or use \"threads\"",
                                  source->call, fn->name ? fn->name : "", source->gpu->facts.where);
    if (!predicate) opi_gpu_write_type(source, fn->result, "opi_result");
    for (unsigned k = 0; k < fn->arity; k++) opi_gpu_write_type(source, fn->input[k], inputs[k]);
    if (fn->param_type) opi_gpu_write_type(source, fn->param_type, "opi_p");
    write_functions(source, fn->text, fn->origin);
    if (failed(source)) return;
    const char *const constant = constness(fn->origin);
    fprintf(source->to, "OPI_FUNCTION %s opi_fn(", predicate || fn->predicate ? "bool" : "opi_result");
    for (unsigned k = 0; k < fn->arity; k++)
        fprintf(source->to, "%s%s%s %c", k ? ", " : "", constant, inputs[k], 'a' + (int)k);
    if (fn->param_type) fprintf(source->to, ", %sopi_p p", constant);
    fprintf(source->to, ")");
    write_body(source, fn->text, fn->file, fn->line);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

oplus_status opi_gpu_end(opi_gpu_source *source, char **text)
{
    *text = NULL;
    if (!source->to) return source->status;
    if (!failed(source)) write_layout(source);
    const bool lost = ferror(source->to);
    if ((fclose(source->to) != 0 || lost) && !failed(source))
        source->status = opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a kernel", source->call);
    source->to = NULL;
    if (failed(source)) {
        free(source->text);
        free(source->layout);
        source->layout = NULL;
    } else {
        *text = source->text;
    }
    return source->status;
}
