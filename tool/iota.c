/* oplus iota: numbers at equal distances. */
#include "job.h"
#include "tool.h"

#include <oplus/sequences.h>

#include <stdlib.h>

static const tool_usage usage = {
    .name = "iota",
    .operands = "N",
    .least = 1,
    .most = 1,
    .about = "Writes N numbers at equal distances: START, START + STEP, START + 2 STEP, ...; by default\n"
             "0, 1, 2, ... as i64.  Each is computed by itself, so that no rounding error is carried\n"
             "along.\n",
    .options = "start step type output to " TOOL_CALL_OPTIONS,
    .examples = {"oplus iota 5", "oplus iota 5 --start 10 --step -2", "oplus iota 11 --step 0.1 -t f64 -o tenths.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

enum { LARGEST = 8 /* bytes of a number */ };

/* The value of an option, at `to`; NULL: it is not given. */
static const void *value_of(const oplus_type *type, const char *option, const char *text, void *to)
{
    if (text) tool_value(type, option, text, to);
    return text ? to : NULL;
}

/* Piece by piece, so that a fixed amount of memory is enough. */
static void write_all(const tool_job *job, tool_sink *sink, const oplus_type *type, const void *start, const void *step,
                      size_t n)
{
    const size_t room = TOOL_PIECE_BYTES / type->size;
    void *const out = tool_alloc(room * type->size);
    for (size_t done = 0, m; done < n; done += m) {
        m = n - done < room ? n - done : room;
        tool_try(oplus_iota(job->dev, type, start, step, done, m, out));
        tool_sink_write(sink, out, m);
    }
    free(out);
}

int tool_iota(int argc, char **argv)
{
    tool_job job;
    _Alignas(LARGEST) char start[LARGEST], step[LARGEST];
    tool_job_open(&job, &usage, argc, argv);
    const size_t n = tool_operand_number("N", job.operand[0], 0);
    const oplus_type *const type = job.type ? job.type : &oplus_i64;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "--type: numbers at equal distances are of a type such as i64 or f64, not %s",
                 tool_type_words(type));
    const void *const first = value_of(type, "--start", job.options.start, start);
    const void *const distance = value_of(type, "--step", job.options.step, step);
    tool_sink *const sink = tool_job_output(&job, NULL, type, -1, NULL);
    write_all(&job, sink, type, first, distance, n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, n), -1, NULL);
    tool_job_close(&job);
    return TOOL_GOOD;
}
