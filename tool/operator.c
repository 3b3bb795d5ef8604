/* operator: names first, texts otherwise. */
#include "operator.h"

#include "functions.h"
#include "job.h"
#include "suggest.h"
#include "type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *operator_name(size_t i)
{
    static const char *const names[] = {"sum", "prod", "min", "max", "and", "or", "xor", "land", "lor", NULL};
    return names[i];
}

/* A word of several letters is a name; "a" is the earlier element. */
static bool is_name(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    return n > 1 && !text[n] && !isdigit((unsigned char)*text);
}

static bool is_known(const char *name, const char *(*next)(size_t))
{
    for (size_t i = 0; next(i); i++)
        if (strcmp(next(i), name) == 0) return true;
    return false;
}

/* kind: what it was to be, "operator" */
static _Noreturn void no_such_name(const char *kind, const char *name, const oplus_type *type,
                                   const char *(*next)(size_t))
{
    if (is_known(name, next))
        tool_die(TOOL_USAGE, "there is no %s '%s' on elements of type %s; write one as a text in C", kind, name,
                 tool_type_words(type));
    const char *const nearest = tool_nearest(name, next);
    if (nearest) tool_die(TOOL_USAGE, "there is no %s '%s'; did you mean %s?", kind, name, nearest);
    tool_die(TOOL_USAGE, "there is no %s '%s'; --help lists them, and says how to write one in C", kind, name);
}

/* A text that is no operator is wrong usage; one that does not compile, or no compiler, is a failure. */
static void try_text(oplus_status status)
{
    if (status == OPLUS_ERR_ARGUMENT) tool_die(TOOL_USAGE, "%s", tool_words(oplus_last_error()));
    tool_try(status);
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

static void refuse_promises(const char *name, const tool_options *options)
{
    const char *const given = options->identity      ? "identity"
                              : options->commutative ? "commutative"
                              : options->exact       ? "exact"
                                                     : NULL;
    if (given) tool_die(TOOL_USAGE, "--%s is for operators given as a text; of %s it is known", given, name);
}

tool_operator tool_operator_open(const char *text, const oplus_type *type, const tool_options *options)
{
    if (is_name(text)) {
        const oplus_op *const op = oplus_op_named(text, type);
        if (!op) no_such_name("operator", text, type, operator_name);
        refuse_promises(text, options);
        return (tool_operator){op, NULL};
    }
    oplus_op *made;
    void *const identity = options->identity ? tool_alloc(type->size) : NULL;
    const unsigned flags = (options->commutative ? OPLUS_COMMUTATIVE : 0u) | (options->exact ? OPLUS_EXACT : 0u);
    if (identity) tool_value(type, "--identity", options->identity, identity);
    try_text(oplus_op_make(NULL, type, identity, flags, text, NULL, &made));
    free(identity);
    return (tool_operator){made, made};
}

void tool_operator_close(tool_operator *op)
{
    oplus_op_free(op->made);
    *op = (tool_operator){0};
}

/* --- functions and predicates ------------------------------------------------------------------------------------- */

static void check_arity(const char *name, const oplus_fn *fn, size_t arity, const oplus_type *const *input)
{
    if (fn->arity != arity)
        tool_die(TOOL_USAGE, "%s takes %u input%s; given: %zu", name, fn->arity, fn->arity == 1 ? "" : "s", arity);
    for (size_t i = 1; i < arity; i++)
        if (!tool_type_same(input[i], input[0]))
            tool_die(TOOL_USAGE, "%s takes inputs of one type; here are %s and %s; write the function as a text in C",
                     name, tool_type_words(input[0]), tool_type_words(input[i]));
}

tool_function_made tool_function_open(const char *text, size_t arity, const oplus_type *const *input,
                                      const oplus_type *result)
{
    if (is_name(text)) {
        const oplus_fn *const fn = tool_function(text, input[0]);
        if (!fn) no_such_name("function", text, input[0], tool_function_name);
        check_arity(text, fn, arity, input);
        if (result && !tool_type_same(result, fn->result))
            tool_die(TOOL_USAGE, "%s of %s gives %s, not the %s of --result; write it as a text in C", text,
                     tool_type_words(input[0]), tool_type_words(fn->result), tool_type_words(result));
        return (tool_function_made){fn, NULL};
    }
    oplus_fn *made;
    try_text(oplus_fn_make(NULL, result ? result : input[0], (unsigned)arity, input, NULL, text, &made));
    return (tool_function_made){made, made};
}

tool_function_made tool_predicate_open(const char *text, const oplus_type *input)
{
    if (is_name(text)) {
        const oplus_fn *const fn = tool_predicate(text, input);
        if (!fn) no_such_name("predicate", text, input, tool_predicate_name);
        return (tool_function_made){fn, NULL};
    }
    oplus_fn *made;
    try_text(oplus_fn_make(NULL, NULL, 1, &input, NULL, text, &made));
    return (tool_function_made){made, made};
}

void tool_function_close(tool_function_made *function)
{
    oplus_fn_free(function->made);
    *function = (tool_function_made){0};
}
