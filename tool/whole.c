#include "whole.h"

#include "operator.h"
#include "progress.h"
#include "rounding.h"

#include <stdlib.h>

int tool_whole_run(tool_job *job, const char *path, const char *work, tool_whole_call *call)
{
    size_t n;
    tool_source *const source = tool_job_input(job, path);
    tool_operator_fit(job->operand[0], source);
    const oplus_type *const type = tool_source_type(source);
    tool_operator op = tool_operator_open(job->operand[0], type, &job->options);
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * type->size + 1);
    tool_progress_work(work);
    tool_try(call(job, op.op, in, n, out));
    tool_sink *const sink = tool_job_output(job, source, type, -1, NULL);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, out, n);
    tool_job_write(job, sink, out, n);
    tool_job_finish(job, sink, tool_job_report(job, type, n), -1, NULL);
    tool_rounding_tell(&rounding, source, job->operand[0]);

    free(out);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
