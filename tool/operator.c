/* operator: names first, texts otherwise. */
#include "operator.h"

#include "functions.h"
#include "job.h"
#include "scratch.h"
#include "suggest.h"
#include "type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Functions of <math.h>, and how many arguments they have; those for float have an f at the end of their names. */
static const struct math_function {
    const char *name;
    int arguments;
} math[] = {
    {"sin", 1},    {"cos", 1},   {"tan", 1},   {"asin", 1},  {"acos", 1},  {"atan", 1}, {"sinh", 1},  {"cosh", 1},
    {"tanh", 1},   {"asinh", 1}, {"acosh", 1}, {"atanh", 1}, {"exp", 1},   {"exp2", 1}, {"expm1", 1}, {"log", 1},
    {"log2", 1},   {"log10", 1}, {"log1p", 1}, {"sqrt", 1},  {"cbrt", 1},  {"erf", 1},  {"erfc", 1},  {"tgamma", 1},
    {"lgamma", 1}, {"fabs", 1},  {"pow", 2},   {"hypot", 2}, {"atan2", 2}, {"fmod", 2}, {"fmin", 2},  {"fmax", 2},
};

static const struct math_function *math_function(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof math / sizeof *math; i++) {
        const size_t length = strlen(math[i].name);
        if (n < length || strncmp(math[i].name, name, length) != 0) continue;
        if (n == length || (n == length + 1 && name[length] == 'f')) return &math[i];
    }
    return NULL;
}

/* Names that operators have elsewhere. */
static const struct {
    const char *word, *name;
} synonyms[] = {
    {"+", "sum"},      {"add", "sum"},        {"plus", "sum"},     {"total", "sum"},   {"*", "prod"},
    {"mul", "prod"},   {"times", "prod"},     {"product", "prod"}, {"minimum", "min"}, {"maximum", "max"},
    {"&", "and"},      {"|", "or"},           {"^", "xor"},        {"all", "land"},    {"&&", "land"},
    {"any", "lor"},    {"||", "lor"},         {"sum", "add"},      {"plus", "add"},    {"minus", "sub"},
    {"times", "mul"},  {"prod", "mul"},       {"multiply", "mul"}, {"divide", "div"},  {"negate", "neg"},
    {"sqr", "square"}, {"conjugate", "conj"}, {"isnan", "nan"},    {"isinf", "inf"},   {"isfinite", "finite"},
};

/* What is no operator but what is found of all elements, and the command that finds it. */
static const struct {
    const char *word, *command;
} finders[] = {
    {"argmin", "reduce argmin"}, {"argmax", "reduce argmax"}, {"minmax", "reduce minmax"}, {"count", "reduce count"},
    {"mean", "reduce mean"},     {"avg", "reduce mean"},      {"average", "reduce mean"},  {"var", "reduce var"},
    {"variance", "reduce var"},  {"std", "reduce std"},       {"stdev", "reduce std"},     {"stddev", "reduce std"},
    {"pvar", "reduce pvar"},     {"pstd", "reduce pstd"},     {"median", "nth 50%"},
};

static const char *finds(const char *word)
{
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (strcmp(finders[i].word, word) == 0) return finders[i].command;
    return NULL;
}

/* A kind of thing that is named or written as a text. */
typedef struct kind {
    const char *name, *example;
    const char *(*next)(size_t);
    int arguments; /* of a text; 0: as many as there are files */
    bool (*has)(const char *name, const oplus_type *type);
} kind;

static bool has_operator(const char *name, const oplus_type *type) { return oplus_op_named(name, type) != NULL; }
static bool has_function(const char *name, const oplus_type *type) { return tool_function(name, type) != NULL; }
static bool has_predicate(const char *name, const oplus_type *type) { return tool_predicate(name, type) != NULL; }

static const kind operator_kind = {"operator", "a > b ? a : b", operator_name, 2, has_operator},
                  function_kind = {"function", "2 * a + 1", tool_function_name, 0, has_function},
                  predicate_kind = {"predicate", "a > 0.5", tool_predicate_name, 1, has_predicate};

static bool is_known(const kind *kind, const char *name)
{
    for (size_t i = 0; kind->next(i); i++)
        if (strcmp(kind->next(i), name) == 0) return true;
    return false;
}

static const char *meant(const kind *kind, const char *word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].word, word) == 0 && is_known(kind, synonyms[i].name)) return synonyms[i].name;
    return NULL;
}

/* The option to add so that the name exists for the type; "" if no scalar type has it. */
static const char *type_that_has(const kind *kind, const char *name, const oplus_type *type)
{
    if (type->scalar == OPLUS_RECORD) return "";
    if (kind->has(name, &oplus_f64)) return "-t f64 has it; or ";
    return kind->has(name, &oplus_i64) ? "-t i64 has it; or " : "";
}

/* Ends the command if the text is no text but a file that stands where the text should. */
static void refuse_file(const char *kind, const char *text)
{
    if (text[0] && text[1] && access(text, F_OK) == 0) /* one letter may be an operand, where no compiler is */
        tool_die(TOOL_USAGE, "there is no %s '%s', but there is such a file; the %s stands before the files", kind,
                 text, kind);
}

static _Noreturn void no_such_name(const kind *kind, const char *name, const oplus_type *type)
{
    if (is_known(kind, name))
        tool_die(TOOL_USAGE, "there is no %s '%s' on elements of type %s; %swrite one as a text in C", kind->name, name,
                 tool_type_words(type), type_that_has(kind, name, type));
    const struct math_function *const in_c = math_function(name, strlen(name));
    if (in_c && (!kind->arguments || kind->arguments == in_c->arguments))
        tool_die(TOOL_USAGE, "there is no %s '%s' by name; write it as a text in C: '%s(%s)'", kind->name, name, name,
                 in_c->arguments == 1 ? "a" : "a, b");
    const char *const command = kind == &operator_kind ? finds(name) : NULL;
    if (command) tool_die(TOOL_USAGE, "there is no operator '%s'; oplus %s finds it of all elements", name, command);
    refuse_file(kind->name, name);
    const char *const synonym = meant(kind, name), *const nearest = synonym ? synonym : tool_nearest(name, kind->next);
    if (nearest)
        tool_die(TOOL_USAGE, "there is no %s '%s'; did you mean %s?  Or write it as a text in C: '%s'", kind->name,
                 name, nearest, kind->example);
    tool_die(TOOL_USAGE, "there is no %s '%s'; --help lists them; or write it as a text in C: '%s'", kind->name, name,
             kind->example);
}

/* A text that is no operator is wrong usage; a text that does not compile, or a missing compiler, is a failure. */
static void try_text(const char *kind, const char *text, oplus_status status)
{
    if (status == OPLUS_ERR_COMPILE) refuse_file(kind, text);
    if (status == OPLUS_ERR_ARGUMENT) tool_die(TOOL_USAGE, "%s", tool_words(oplus_last_error()));
    tool_try(status);
    tool_text_runs(true);
}

/* --- what text is read as ----------------------------------------------------------------------------------------- */

/* Only a text that has one of C's integer operators can be for integers alone. */
static bool may_be_of_integers(const char *text)
{
    return strpbrk(text, "%&|^~[") || strstr(text, "<<") || strstr(text, ">>");
}

static bool is_operator(const char *text, const oplus_type *type)
{
    if (is_name(text)) return oplus_op_named(text, type) != NULL;
    oplus_op *made = NULL;
    tool_scratch scratch = tool_scratch_begin();
    oplus_status status = oplus_op_make(NULL, type, NULL, 0, NULL, text, NULL, &made);
    if (status == OPLUS_OK) status = oplus_op_compile(made);
    tool_scratch_end(&scratch);
    oplus_op_free(made);
    return status != OPLUS_ERR_COMPILE;
}

/* result NULL: a predicate */
static bool is_function(const char *text, size_t arity, const oplus_type *const *input, const oplus_type *result)
{
    if (is_name(text)) return (result ? tool_function : tool_predicate)(text, input[0]) != NULL;
    oplus_fn *made = NULL;
    tool_scratch scratch = tool_scratch_begin();
    oplus_status status = oplus_fn_make(NULL, result, (unsigned)arity, input, NULL, text, &made);
    if (status == OPLUS_OK) status = oplus_fn_compile(made);
    tool_scratch_end(&scratch);
    oplus_fn_free(made);
    return status != OPLUS_ERR_COMPILE;
}

bool tool_operator_of_integers(const char *text)
{
    if (!is_name(text) && !may_be_of_integers(text)) return false;
    return !is_operator(text, &oplus_f64) && is_operator(text, &oplus_i64);
}

void tool_operator_fit(const char *text, tool_source *source)
{
    if (tool_source_is_free(source) && tool_operator_of_integers(text)) tool_source_take_integers(source, text);
}

/* The result type that a text is tried with: none for a predicate, else --result, else the type of its first input. */
static const oplus_type *tried_result(bool predicate, const oplus_type *result, const oplus_type *input)
{
    if (predicate) return NULL;
    return result ? result : input;
}

bool tool_function_of_integers(const char *text, size_t n, const oplus_type *result, bool predicate)
{
    const oplus_type *now[OPLUS_MAX_ARITY] = {&oplus_f64}, *then[OPLUS_MAX_ARITY] = {&oplus_i64};
    for (size_t i = 1; i < n; i++) now[i] = &oplus_f64, then[i] = &oplus_i64;
    if (!is_name(text) && !may_be_of_integers(text)) return false;
    return !is_function(text, n, now, tried_result(predicate, result, now[0])) &&
           is_function(text, n, then, tried_result(predicate, result, then[0]));
}

/* All inputs without a type get the same one. */
static void fit(const char *text, size_t n, tool_source *const *source, const oplus_type *result, bool predicate)
{
    const oplus_type *now[OPLUS_MAX_ARITY], *then[OPLUS_MAX_ARITY];
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        const bool is_free = tool_source_is_free(source[i]);
        now[i] = tool_source_type(source[i]);
        then[i] = is_free ? &oplus_i64 : now[i];
        any |= is_free;
    }
    if (!any || (!is_name(text) && !may_be_of_integers(text))) return;
    if (is_function(text, n, now, tried_result(predicate, result, now[0]))) return;
    if (!is_function(text, n, then, tried_result(predicate, result, then[0]))) return;
    for (size_t i = 0; i < n; i++)
        if (tool_source_is_free(source[i])) tool_source_take_integers(source[i], text);
}

void tool_function_fit(const char *text, size_t n, tool_source *const *source, const oplus_type *result)
{
    fit(text, n, source, result, false);
}

void tool_predicate_fit(const char *text, tool_source *source) { fit(text, 1, &source, NULL, true); }

void tool_order_fit(const char *text, tool_source *source)
{
    fit(text, 2, (tool_source *const[]){source, source}, NULL, true);
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
        if (!op) no_such_name(&operator_kind, text, type);
        refuse_promises(text, options);
        return (tool_operator){op, NULL};
    }
    if (meant(&operator_kind, text)) no_such_name(&operator_kind, text, type); /* a sign such as + */
    oplus_op *made;
    void *const identity = options->identity ? tool_alloc(type->size) : NULL;
    const unsigned flags = (options->commutative ? OPLUS_COMMUTATIVE : 0u) | (options->exact ? OPLUS_EXACT : 0u);
    if (identity) tool_value(type, "--identity", options->identity, identity);
    tool_scratch scratch = tool_scratch_begin();
    const unsigned check = options->quiet || options->all ? 0u : (unsigned)OPLUS_CHECK;
    oplus_status status = oplus_op_make(NULL, type, identity, flags | check, NULL, text, NULL, &made);
    char *const found = check && status == OPLUS_ERR_ARGUMENT ? tool_words(oplus_last_error()) : NULL;
    if (found) status = oplus_op_make(NULL, type, identity, flags, NULL, text, NULL, &made);
    if (status == OPLUS_OK) status = oplus_op_compile(made); /* errors are reported before any input is read */
    tool_scratch_end(&scratch);
    try_text(operator_kind.name, text, status);
    if (found) tool_warn("%s", found); /* the warning applies only to an operator */
    free(found);
    free(identity);
    return (tool_operator){made, made};
}

void tool_operator_close(tool_operator *op)
{
    tool_text_runs(false);
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

static bool is_integer(const oplus_type *type) { return type->scalar >= OPLUS_I8 && type->scalar <= OPLUS_U64; }

/* Does the result type lose fractions, or integers wider than int, in which C computes small ones and comparisons? */
static bool narrows(const oplus_type *given, const oplus_type *result)
{
    if (!is_integer(result) || given->scalar == OPLUS_RECORD) return false;
    return !is_integer(given) || (given->size > 4 && result->size < given->size);
}

/* The type of the text's result.  Warns if --result (NULL: not given) would lose something of it. */
static const oplus_type *result_of(const char *text, size_t arity, const oplus_type *const *input,
                                   const oplus_type *result)
{
    const oplus_type *given;
    tool_scratch scratch = tool_scratch_begin();
    const oplus_status status = oplus_text_type((unsigned)arity, input, NULL, text, &given);
    tool_scratch_end(&scratch);
    if (status != OPLUS_OK && !result) try_text(function_kind.name, text, status);
    if (status != OPLUS_OK || !result) return result ? result : given;
    if (narrows(given, result))
        tool_warn("'%s' gives %s, of which --result %s keeps %s; --result %s keeps all", text, tool_type_name(given),
                  tool_type_name(result), is_integer(given) ? "the lower bits" : "no fractions", tool_type_name(given));
    return result;
}

/* Warns of a ^ 2, which is a power to those who come from awk or R.  Who means the exclusive or writes 0x2. */
static void warn_of_power(const char *text)
{
    for (const char *at = text; (at = strchr(at, '^')); at++) {
        const char *const power = at + 1 + strspn(at + 1, " ");
        if ((*power != '2' && *power != '3') || isalnum((unsigned char)power[1]) || power[1] == '.') continue;
        tool_warn("'%s': ^ is the exclusive or of C; a power is a * a or pow(a, 2)", text);
        return;
    }
}

/* result NULL: a predicate */
static tool_function_made make_function(const char *text, size_t arity, const oplus_type *const *input,
                                        const oplus_type *result)
{
    oplus_fn *made;
    tool_scratch scratch = tool_scratch_begin();
    oplus_status status = oplus_fn_make(NULL, result, (unsigned)arity, input, NULL, text, &made);
    if (status == OPLUS_OK) status = oplus_fn_compile(made);
    tool_scratch_end(&scratch);
    try_text((result ? function_kind : predicate_kind).name, text, status);
    warn_of_power(text);
    return (tool_function_made){made, made};
}

tool_function_made tool_function_open(const char *text, size_t arity, const oplus_type *const *input,
                                      const oplus_type *result)
{
    if (is_name(text)) {
        const oplus_fn *const fn = tool_function(text, input[0]);
        if (!fn) no_such_name(&function_kind, text, input[0]);
        check_arity(text, fn, arity, input);
        if (result && !tool_type_same(result, fn->result))
            tool_die(TOOL_USAGE, "%s of %s gives %s, not the %s of --result; write it as a text in C", text,
                     tool_type_words(input[0]), tool_type_words(fn->result), tool_type_words(result));
        return (tool_function_made){fn, NULL};
    }
    return make_function(text, arity, input, result_of(text, arity, input, result));
}

tool_function_made tool_predicate_open(const char *text, size_t arity, const oplus_type *const *input)
{
    if (is_name(text)) {
        const oplus_fn *const fn = tool_predicate(text, input[0]);
        if (!fn) no_such_name(&predicate_kind, text, input[0]);
        check_arity(text, fn, arity, input);
        return (tool_function_made){fn, NULL};
    }
    return make_function(text, arity, input, NULL);
}

void tool_function_close(tool_function_made *function)
{
    tool_text_runs(false);
    oplus_fn_free(function->made);
    *function = (tool_function_made){0};
}
