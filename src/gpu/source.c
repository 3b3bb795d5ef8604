#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "gpu/source.h"

#include "base/error.h"
#include "gpu/kernels.h"
#include "task/range.h"
#include "text/source.h"
#include "type/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { INLINE_BYTES = 64 /* larger elements are not copied as values */ };

/* --- beginning, end, pieces --------------------------------------------------------------------------------------- */

void opi_gpu_write_kernels(opi_gpu_source *source, const char *name)
{
    const opi_kernel_text *text = opi_kernel_texts;
    if (opi_gpu_failed(source)) return;
    while (text->name && strcmp(text->name, name) != 0) text++;
    assert(text->name);
    fprintf(source->to, "\n#line 1 \"oplus/%s.cl\"\n%s\n", name, text->text);
}

void opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value)
{
    if (!opi_gpu_failed(source)) fprintf(source->to, "#define %s %lu\n", name, value);
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
    opi_gpu_define(source, "OPI_IMAGE_NODES", OPI_IMAGE_NODES);
    opi_gpu_define(source, "OPI_INIT_LEVEL", OPI_INIT_LEVEL);
    opi_gpu_write_kernels(source, "shared");
    opi_gpu_write_kernels(source, gpu->driver->dialect);
}

void opi_gpu_write_shape(opi_gpu_source *source, opi_shape shape, size_t element)
{
    opi_gpu_define(source, "OPI_LOG_W", shape.log_w);
    opi_gpu_define(source, "OPI_LOG_E", shape.log_e);
    opi_gpu_define(source, "OPI_LOG_TILE", opi_log_tile(shape));
    opi_gpu_define(source, "OPI_VECTORS", shape.vectors);
    opi_gpu_define(source, "OPI_SIZE", element);
    opi_gpu_define(source, "OPI_LARGE", element > INLINE_BYTES);
    /* One work-item needs no barriers; and some compilers get barriers in loops wrong (PoCL 5). */
    if (!opi_gpu_failed(source) && shape.log_w == 0)
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

/* Adds a size or an offset on the host, which is compared with the device's. */
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

/* Some structs have thousands of members.  The first few show whether the device lays them out as the host does. */
typedef struct expectation {
    opi_gpu_source *source;
    const oplus_type *type;
    int members;
} expectation;

/* Whether a name is whole: names that were cut are not used. */
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

/* Writes a kernel that says how the device lays out the structs. */
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

/* Checks that structs of one program that share a name are the same. */
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
    fprintf(source->to, "typedef struct %s {\n#line 1 \"" OPI_LABEL_MEMBERS "%s\"\n%s\n} %s;" OPI_GPU_OURS, type->name,
            type->name, type->text, type->name);
    expect_layout(source, type);
}

/* Writes a member by its name, if it has one that is not too long, else by its place. */
static void write_quiet_member(void *context, const oplus_member *member)
{
    FILE *const to = ((opi_gpu_source *)context)->to;
    const char *const quiet = opi_scalars[member->scalar].quiet, *const name = member->name;
    if (!quiet) return;
    const bool whole = *name && is_whole(member);
    if (member->count > 1 || !whole) {
        fprintf(to, "    for (int i = 0; i < %zu; i++) %s(((%s *)", member->count, quiet,
                opi_scalars[member->scalar].text);
        if (whole)
            fprintf(to, "x.%s)[i])\n", name);
        else
            fprintf(to, "&x)[%zu + i])\n", member->offset / opi_scalars[member->scalar].size);
    } else {
        fprintf(to, "    %s(x.%s)\n", quiet, name);
    }
}

static void write_quiet(opi_gpu_source *source, const oplus_type *type, const char *alias)
{
    fprintf(source->to, "OPI_FUNCTION %s %s_quiet(%s x)\n{\n", alias, alias, alias);
    if (type->scalar != OPLUS_RECORD) {
        if (opi_is_floating(type->scalar)) fprintf(source->to, "    %s(x)\n", opi_scalars[type->scalar].quiet);
    } else if (!opi_layout_walk(type, write_quiet_member, source)) {
        /* Only the device's compiler understands the text. */
        opi_layout_scalars(type, write_quiet_member, source);
    }
    fprintf(source->to, "    return x;\n}\n");
}

void opi_gpu_write_type(opi_gpu_source *source, const oplus_type *type, const char *alias)
{
    if (!opi_gpu_failed(source)) check_type(source, type);
    if (opi_gpu_failed(source)) return;
    if (type->scalar == OPLUS_RECORD) write_struct(source, type);
    if (opi_gpu_failed(source)) return;
    fprintf(source->to, "typedef %s %s;\n", opi_source_type(type), alias);
    write_quiet(source, type, alias);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

oplus_status opi_gpu_end(opi_gpu_source *source, char **text)
{
    *text = NULL;
    if (!source->to) return source->status;
    if (!opi_gpu_failed(source)) write_layout(source);
    const bool lost = ferror(source->to);
    if ((fclose(source->to) != 0 || lost) && !opi_gpu_failed(source))
        source->status = opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a kernel", source->call);
    source->to = NULL;
    if (opi_gpu_failed(source)) {
        free(source->text);
        free(source->layout);
        source->layout = NULL;
    } else {
        *text = source->text;
    }
    return source->status;
}
