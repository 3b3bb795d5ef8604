/* --members of sort and argsort: structs in the order of some of their members. */
#include "members.h"
#include "call.h"
#include "progress.h"
#include "table/by_row.h"
#include "tool.h"

#include <oplus/sorts.h>
#include <oplus/text.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 64 };

static void refuse_others(const tool_job *job)
{
    const tool_options *const o = &job->options;
    const tool_given others[] = {{o->by, "--by"},
                                 {o->axis, "--axis"},
                                 {o->bits, "--bits"},
                                 {o->lengths, "--lengths"},
                                 {o->offsets, "--offsets"},
                                 {o->values, "--values"},
                                 {o->values_out, "--values-out"},
                                 {o->values_type, "--values-type"},
                                 {o->text, "--text"},
                                 {o->all, "--all"}};
    tool_refuse_beside("--members", others, sizeof others / sizeof *others);
    if (o->descending)
        tool_die(TOOL_USAGE,
                 "--members says the order of each member, as in 'price:desc'; --descending is for numbers");
    if (tool_job_is_table(job, job->operand[0]))
        tool_die(TOOL_USAGE, "--members is for arrays of structs; rows of a table are sorted by --column");
}

static const oplus_type *scalar_of(oplus_scalar scalar)
{
    static const oplus_type *const types[] = {
#define ROW(suffix, T, scalar) [scalar] = &oplus_##suffix,
        OPLUS_FOR_SCALARS(ROW)
#undef ROW
    };
    return types[scalar];
}

/* The member that `length` letters name. */
static const oplus_member *find(const oplus_member *all, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0) return &all[i];
    return NULL;
}

/* Reads "price" or "price:desc", which ends at `end`. */
static oplus_sort_member parse(const oplus_type *type, const oplus_member *all, int count, const char *at,
                               const char *end)
{
    const char *const colon = memchr(at, ':', (size_t)(end - at)), *const stop = colon ? colon : end;
    const int length = (int)(stop - at);
    const oplus_member *const m = find(all, count, at, (size_t)length);
    if (length == 0)
        tool_die(TOOL_USAGE,
                 "--members: a name is missing; give names with commas between them, as in 'price:desc,shop'");
    if (!m) tool_die(TOOL_USAGE, "--members: '%.*s' is no member of %s", length, at, tool_type_words(type));
    if (m->count > 1)
        tool_die(TOOL_USAGE, "--members: '%.*s' is an array of %zu; only members that are one number have an order",
                 length, at, m->count);
    const size_t order = colon ? (size_t)(end - colon - 1) : 0;
    const bool is_descending = order == 4 && memcmp(colon + 1, "desc", order) == 0;
    if (colon && !is_descending && (order != 3 || memcmp(colon + 1, "asc", order) != 0))
        tool_die(TOOL_USAGE, "--members: '%.*s' is no order, in '%.*s'; give asc or desc", (int)order, colon + 1,
                 (int)(end - at), at);
    return (oplus_sort_member){m->offset, scalar_of(m->scalar), is_descending ? OPLUS_DESCENDING : OPLUS_ASCENDING};
}

static size_t parse_all(const char *text, const oplus_type *type, oplus_sort_member *by)
{
    oplus_member all[MOST_MEMBERS];
    const int count = type->scalar == OPLUS_RECORD ? oplus_type_members(type, all, MOST_MEMBERS) : -1;
    size_t n = 0;
    if (count < 0)
        tool_die(TOOL_USAGE, "--members is for structs, and elements of type %s have no members",
                 tool_type_words(type));
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        if (n == MOST_MEMBERS) tool_die(TOOL_USAGE, "--members has more than %d members", MOST_MEMBERS);
        by[n++] = parse(type, all, count, at, end);
    }
    return n;
}

int tool_members(tool_job *job, bool places)
{
    size_t n;
    oplus_sort_member by[MOST_MEMBERS];
    refuse_others(job);
    tool_source *const source = tool_job_input(job, job->operand[0]);
    const oplus_type *const type = tool_source_type(source);
    const size_t count = parse_all(job->options.members, type, by);
    void *const in = tool_source_own(source, &n);
    int64_t *const indices = places ? tool_alloc(n * sizeof *indices + 1) : NULL;
    tool_sink *const sink = tool_job_output(job, source, places ? &oplus_i64 : type, -1, NULL);
    tool_progress_work("sorting");
    tool_try(places ? oplus_argsort_members(job->dev, type, by, count, in, n, &oplus_i64, indices)
                    : oplus_sort_members(job->dev, type, by, count, in, n));
    tool_job_write(job, sink, places ? (const void *)indices : in, n);
    tool_job_finish(job, sink, tool_job_report(job, type, tool_source_extent(source)), -1, NULL);
    free(indices);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
