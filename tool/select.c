/* oplus filter --mask, --indices, --both: the elements where a file says so; where the kept elements are; both parts. */
#include "select.h"
#include "operator.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>

bool tool_select_is_wanted(const tool_job *job)
{
    const tool_options *const o = &job->options;
    if (!o->mask && !o->indices && !o->both) return false;
    const char *const option = o->mask ? "mask" : o->both ? "both" : "indices";
    const int file = o->mask ? 0 : 1;
    if ((o->mask != NULL) + o->indices + (o->both != NULL) > 1)
        tool_die(TOOL_USAGE, "--mask, --indices and --both are three ways to filter; give one of them");
    if (o->all) tool_die(TOOL_USAGE, "--%s: with --all there is only a plain filter", option);
    if (o->map || o->result)
        tool_die(TOOL_USAGE, "--%s: with --%s there is only a plain filter; let oplus map write the elements first",
                 option, o->map ? "map" : "result");
    if (o->mask && job->operand[0] && job->operand[1])
        tool_die(TOOL_USAGE, "--mask: the mask says which elements are kept, so that there is no PRED; give one FILE");
    if (job->operand[file] && job->operand[file + 1])
        tool_die(TOOL_USAGE, "one operand too many, '%s'; --%s takes one FILE", job->operand[file + 1], option);
    if (tool_job_is_table(job, job->operand[file]))
        tool_die(TOOL_USAGE, "--%s is for arrays; rows of a table are filtered by a predicate alone", option);
    return true;
}

/* A byte for each element, as --mask says. */
static uint8_t *read_mask(const tool_job *job, size_t *n)
{
    tool_source *const file = tool_job_input_as(job, "--mask", job->options.mask, NULL, NULL);
    int64_t *const numbers = tool_job_integers(file, n);
    uint8_t *const mask = tool_alloc(*n + 1);
    for (size_t i = 0; i < *n; i++) mask[i] = numbers[i] != 0;
    free(numbers);
    tool_source_close(file);
    return mask;
}

/* What is done piece by piece. */
typedef struct selecting {
    const tool_job *job;
    const oplus_type *type;
    const oplus_fn *keep; /* NULL: mask says it */
    const uint8_t *mask;
    size_t masked; /* elements that the mask has */
    tool_sink *sink;
    char *out, *rest; /* room for what is selected of a piece */
} selecting;

static void add_base(uint64_t *index, size_t n, uint64_t base)
{
    for (size_t i = 0; i < n; i++) index[i] += base;
}

/* Selects of n elements, before which there are `base`. */
static void select_piece(const selecting *s, const void *in, size_t n, uint64_t base)
{
    oplus_device *const dev = s->job->dev;
    const oplus_fn keep = s->keep ? oplus_from(s->keep, base) : (oplus_fn){0};
    size_t kept;
    if (s->mask) {
        if (base + n > s->masked)
            tool_die(TOOL_FAILED, "%s has %zu numbers, and there are more elements; there is one for each",
                     s->job->options.mask, s->masked);
        tool_try(oplus_filter_mask(dev, s->type, OPLUS_MASK_BYTES, in, s->mask + base, n, s->out, &kept));
        tool_sink_write(s->sink, s->out, kept);
    } else if (s->rest) {
        tool_try(oplus_partition(dev, &keep, in, n, s->out, s->rest, &kept));
        tool_sink_write(s->sink, s->out, kept);
        tool_sink_write(s->job->also, s->rest, n - kept);
    } else {
        tool_try(oplus_indices(dev, &keep, in, n, &oplus_u64, s->out, &kept));
        add_base((uint64_t *)(void *)s->out, kept, base);
        tool_sink_write(s->sink, s->out, kept);
    }
}

/* Returns how many elements there were. */
static uint64_t select_stream(const selecting *s, tool_source *source, size_t room)
{
    const void *piece;
    uint64_t count = 0;
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n)
        for (size_t done = 0, m; done < n; done += m) {
            m = n - done < room ? n - done : room;
            select_piece(s, (const char *)piece + done * s->type->size, m, count + done);
        }
    if (s->mask && count < s->masked)
        tool_die(TOOL_FAILED, "%s has %zu numbers and %s %llu elements; there is one for each", s->job->options.mask,
                 s->masked, tool_source_name(source), (unsigned long long)count);
    return count;
}

static tool_sink *open_rest(const tool_job *job, const tool_source *in, const oplus_type *type)
{
    const char *const path = job->options.both;
    const tool_format format = tool_sink_choose(TOOL_AUTO, path, tool_source_format(in));
    return tool_job_output_as(job, "--both", path, format, type, -1, NULL);
}

int tool_select(tool_job *job)
{
    const tool_options *const o = &job->options;
    const char *const pred = o->mask ? NULL : job->operand[0], *const file = job->operand[o->mask ? 0 : 1];
    tool_source *const source = tool_job_input(job, file);
    if (pred) tool_predicate_fit(pred, source);
    const oplus_type *const type = tool_source_type(source);
    tool_function_made keep = {0};
    if (pred) keep = tool_predicate_open(pred, 1, &type);
    selecting s = {.job = job, .type = type, .keep = keep.fn};
    uint8_t *const mask = o->mask ? read_mask(job, &s.masked) : NULL;
    const size_t out_size = o->indices ? sizeof(uint64_t) : type->size, room = TOOL_PIECE_BYTES / type->size + 1;
    s.mask = mask;
    s.out = tool_alloc(room * out_size);
    s.rest = o->both ? tool_alloc(room * type->size) : NULL;
    s.sink = tool_job_output(job, source, o->indices ? &oplus_u64 : type, -1, NULL);
    if (o->both) job->also = open_rest(job, source, type);

    const uint64_t count = select_stream(&s, source, room);
    cJSON *const report = tool_job_report(job, type, count);
    tool_json_add_count(report, "kept", tool_sink_count(s.sink));
    if (job->also) tool_sink_complete(job->also);
    tool_job_finish(job, s.sink, report, -1, NULL);

    free(s.out);
    free(s.rest);
    free(mask);
    if (pred) tool_function_close(&keep);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
