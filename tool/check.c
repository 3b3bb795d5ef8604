/* oplus check: looks for a counterexample to what an operator promises. */
#include "job.h"
#include "operator.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "check",
    .operands = "OP [FILE]",
    .least = 1,
    .most = 2,
    .about = "Looks for a counterexample: is OP associative, is --identity one, does it commute if\n"
             "--commutative says so?  Tries the elements of FILE, or 64 samples of --type (default:\n"
             "f64): small numbers, fractions, extremes and random ones.  A difference that rounding\n"
             "explains does not count, unless --exact is given.  If a counterexample is found, it is\n"
             "printed, and the exit code is 3; if none is found, what was tried is printed, and the\n"
             "exit code is 0.\n\n"
             "OP is a built-in name or a text in C over a, the earlier element, and b, the later one.\n",
    .options = "special " TOOL_INPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_RUN_OPTIONS,
    .examples = {"oplus check 'a > b ? a : b' -t i32 --commutative", "oplus check 'a + b + a * b' -t f64 --identity 0",
                 "seq 1 20 | oplus check 'a < b ? a : b' -"},
    .exit_codes = "0 none found, 1 failed, 2 wrong usage, 3 found one, 4 the device is unavailable",
};

/* --- the counterexample, with the text that the user typed -------------------------------------------------------- */

/* The library's sentences, in which the operator is called "op", and where each is cut into lines. */
static const struct {
    const char *from, *to;
} layout[] = {{": a = ", ":\n  a = "},
              {" gives op(", "\n  op("},
              {" but op(", "\n  op("},
              {" calling it gives ", " calling it gives\n  "},
              {"; it cannot", "\nit cannot"},
              {"; if that", "\nif that"},
              {"; give another", "\ngive another"},
              {"; it is defined", "\nit is defined"},
              {"; do not", "\ndo not"}};

static void print_operator(const char *op, const oplus_type *type)
{
    char *const words = tool_type_words(type);
    printf("%s on %s", op, words);
    free(words);
}

static void print_found(const char *text, const char *op, const oplus_type *type)
{
    for (bool named = false; *text;) {
        size_t i = 0;
        while (i < sizeof layout / sizeof *layout && strncmp(text, layout[i].from, strlen(layout[i].from)) != 0) i++;
        if (i < sizeof layout / sizeof *layout) {
            fputs(layout[i].to, stdout);
            text += strlen(layout[i].from);
        } else if (!named && strncmp(text, "op", 2) == 0 && strchr(" :;", text[2])) {
            print_operator(op, type);
            text += 2;
            named = true;
        } else
            putchar(*text++);
    }
    putchar('\n');
}

/* --- what was tried ----------------------------------------------------------------------------------------------- */

static bool has_floats(const oplus_type *type)
{
    tool_layout layout;
    bool found = false;
    if (!tool_layout_of(type, &layout)) return false;
    for (int m = 0; m < layout.members; m++)
        found |= layout.member[m].scalar == OPLUS_F32 || layout.member[m].scalar == OPLUS_F64;
    return found;
}

/* What oplus_op_check promises: all triples of up to this many elements; if there are more elements, about as many
 * triples. */
enum { ALL_TRIPLES = 32 };
static size_t triples(size_t n)
{
    const size_t all = n < ALL_TRIPLES ? n : ALL_TRIPLES;
    return all * all * all;
}

static void print_tried(const tool_job *job, const oplus_op *op, const char *text, size_t n, const char *samples)
{
    print_operator(text, op->type);
    printf(": no counterexample in %s%zu triples of %zu %s\n", n > ALL_TRIPLES ? "about " : "", triples(n), n, samples);
    const bool rounds = has_floats(op->type) && !(op->flags & OPLUS_EXACT);
    printf("  associative: %s\n", rounds ? "up to rounding, if any" : "to the last bit");
    char *const identity = op->identity ? tool_value_print(op->type, op->identity) : NULL;
    printf("  identity:    %s\n", identity ? identity : "none given (--identity)");
    printf("  commutative: %s\n", op->flags & OPLUS_COMMUTATIVE ? "yes" : "not claimed (--commutative)");
    if (!job->options.special && !job->operand[1] && has_floats(op->type))
        puts("NaN, infinities and -0 were not among them; --special tries these too");
    free(identity);
}

static void report(const tool_job *job, const oplus_op *op, const char *text, size_t n, const char *found)
{
    cJSON *const object = tool_job_report(job, op->type, n);
    cJSON_AddStringToObject(object, "operator", text);
    tool_json_add_count(object, "triples", triples(n));
    cJSON_AddBoolToObject(object, "holds", !found);
    if (found) cJSON_AddStringToObject(object, "counterexample", found);
    tool_job_print(job, object);
}

enum { SAMPLES = 64 };

/* NULL if the type has none. */
static void *make_samples(const oplus_type *type, bool special)
{
    void *const samples = tool_alloc(SAMPLES * type->size);
    if (oplus_samples(type, special ? OPLUS_SAMPLES_SPECIAL : 0, SAMPLES, samples) == OPLUS_OK) return samples;
    free(samples);
    return NULL;
}

int tool_check(int argc, char **argv)
{
    /* --- 1. the operator and its samples --- */
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    tool_source *const source = job.operand[1] ? tool_job_input(&job, job.operand[1]) : NULL;
    const char *const text = job.operand[0];
    if (source) tool_operator_fit(text, source);
    const oplus_type *const type = source ? tool_source_type(source) : job.type ? job.type : &oplus_f64;
    tool_options options = job.options;
    options.quiet = true; /* other commands warn of what this one looks for */
    tool_operator asked = tool_operator_open(text, type, &options);
    oplus_op op = *asked.op;
    op.name = "op"; /* short enough to be nested in a message */

    size_t n = SAMPLES;
    void *const made = source ? NULL : make_samples(type, job.options.special);
    const void *const samples = source ? tool_source_all(source, &n) : made;
    if (!samples && n > 0)
        tool_die(TOOL_FAILED, "there are no built-in samples of %s; give a FILE", tool_type_words(type));
    if (n == 0) tool_die(TOOL_FAILED, "%s has no elements to try", tool_source_name(source));

    /* --- 2. the search --- */
    const oplus_status status = oplus_op_check(job.dev, &op, samples, n);
    if (status != OPLUS_OK && status != OPLUS_ERR_ARGUMENT) tool_try(status);
    char *const found = status == OPLUS_OK ? NULL : tool_words(oplus_last_error());

    /* --- 3. what came of it --- */
    if (job.options.json)
        report(&job, &op, text, n, found);
    else if (found)
        print_found(found, text, type);
    else
        print_tried(&job, &op, text, n, source ? "elements" : "built-in samples");

    free(found);
    free(made);
    tool_operator_close(&asked);
    tool_source_close(source);
    tool_job_close(&job);
    return status == OPLUS_OK ? TOOL_GOOD : TOOL_DIFFERENCE;
}
