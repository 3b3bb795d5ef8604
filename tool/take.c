/* oplus take: elements by their index. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "take",
    .operands = "INDICES [FILE]",
    .least = 1,
    .most = 2,
    .all_files = true,
    .about = "Prints the elements of FILE (default: stdin) that the integers in the file INDICES name, in\n"
             "their order; 0 is the first element.  Both arrays are held in memory.\n",
    .options = "clip " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"seq 10 10 60 | oplus take indices.txt", "oplus take indices.txt x.npy -o taken.npy",
                 "seq 3 | oplus take indices.txt --clip"},
    .exit_codes = TOOL_EXIT_CODES,
};

int tool_take(int argc, char **argv)
{
    tool_job job;
    size_t n, count;
    tool_job_open(&job, &usage, argc, argv);
    tool_job_refuse_integers(&job, "INDICES", job.operand[0]);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    tool_source *const named = tool_job_input_as(&job, "INDICES", job.operand[0], NULL, NULL);
    int64_t *const indices = tool_job_integers(named, &count);
    tool_source_close(named);

    void *const out = tool_alloc(count * type->size + 1);
    tool_progress_work("taking");
    tool_try(oplus_take(job.dev, type, job.options.clip ? OPLUS_CLIP : OPLUS_REFUSE, in, n, &oplus_i64, indices, count,
                        out));
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_sink_write(sink, out, count);
    cJSON *const report = tool_job_report(&job, type, n);
    tool_json_add_count(report, "taken", count);
    tool_job_finish(&job, sink, report, -1, NULL);

    free(out);
    free(indices);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
