#include "call.h"

#include "json.h"
#include "progress.h"
#include "ranks.h"
#include "type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- messages of the library, in the words of the command line ---------------------------------------------------- */

/* What the library tells a programmer, and the same in words of the command line. */
static const struct {
    const char *library, *command;
} phrases[] = {
    {"define it with OPLUS_OP, or avoid this case", "give it one with --identity"},
    {"define it with OPLUS_OP", "give it one with --identity"},
    {"; give the right one, or none (OPLUS_SEMIGROUP)", "; give another --identity, or none"},
    {"do not claim OPLUS_COMMUTATIVE", "do not give --commutative"},
    {"do not claim OPLUS_EXACT", "do not give --exact"},
    {"a reduce of n = 0 elements", "a reduce of no elements"},
    {"the value of an empty carry", "a reduce of no elements"},
    {"or OPLUS_CLIP", "or --clip"},
    {"where is \"", "--device is \""},
};

static char *replace(char *text, const char *old, const char *new)
{
    const char *const at = strstr(text, old);
    if (!at) return text;
    const size_t room = strlen(text) + strlen(new) + 1;
    char *const changed = tool_alloc(room);
    snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    free(text);
    return changed;
}

char *tool_words(const char *message)
{
    const char *const colon = strncmp(message, "oplus_", 6) == 0 ? strstr(message, ": ") : NULL;
    if (colon) message = colon + 2; /* the name of the call */
    const size_t bytes = strlen(message) + 1;
    char *words = memcpy(tool_alloc(bytes), message, bytes);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        words = replace(words, phrases[i].library, phrases[i].command);
    return words;
}

char *tool_type_words(const oplus_type *type)
{
    static const char brace[] = "struct {%s}";
    const char *const name = tool_type_name(type);
    const bool record = type->scalar == OPLUS_RECORD && !tool_type_is_complex(type);
    char *const words = tool_alloc(strlen(name) + sizeof brace);
    sprintf(words, record ? brace : "%s", name);
    return words;
}

/* Advice on what gcc and clang say of a text; "" where there is none. */
static const char *advice_on(const char *said)
{
    static const char *const names[] = {"'x'", "'X'", "'y'", "'A'", "'B'", "'b'", "'c'", "'$1'", "'$0'"};
    if (strstr(said, "request for member") || strstr(said, "member reference base type"))
        return "\nstructs have members: -t 'float x; float y' makes elements such, and --result what a map gives";
    if (strstr(said, "**")) return "\nC has no power operator: write a * a, or pow(a, 2)";
    for (size_t i = 0; strstr(said, "undeclared") && i < sizeof names / sizeof *names; i++)
        if (strstr(said, names[i]))
            return "\nthe element is called a; b is the later one, or that of a second file or column";
    return "";
}

static _Noreturn void die_of(oplus_status status)
{
    const bool device = status == OPLUS_ERR_DEVICE || status == OPLUS_ERR_UNSUPPORTED;
    const char *const message = oplus_last_error();
    if (status == OPLUS_ERR_COMM) tool_end_by(NULL); /* no other rank can be told */
    tool_die(device ? TOOL_NO_DEVICE : TOOL_FAILED, "%s%s",
             tool_words(*message ? message : oplus_status_string(status)),
             status == OPLUS_ERR_COMPILE ? advice_on(message) : "");
}

/* --- --explain ---------------------------------------------------------------------------------------------------- */

/* What the library explains; "" before that, and always "" without --explain. */
static char explanation[4096];

/* Called on all ranks; the first one prints.  Unfinished files are removed, since nothing is written to them. */
static _Noreturn void end_explained(const tool_options *options, const char *words)
{
    tool_progress_end();
    if (options->json) {
        cJSON *const report = tool_json_made(cJSON_CreateObject());
        cJSON_AddStringToObject(report, "explanation", words);
        tool_json_print(stdout, report);
    } else {
        fputs(words, stdout);
    }
    tool_text_runs(false);
    tool_ranks_close();
    tool_exit(TOOL_GOOD);
}

/* The explanation without "oplus_": the command does not use the library's names of calls. */
static const char *told(void) { return strncmp(explanation, "oplus_", 6) == 0 ? explanation + 6 : explanation; }

void tool_explain_nothing(const tool_options *options)
{
    if (options->explain) end_explained(options, "there is nothing to compute\n");
}

static const tool_options *asked_options; /* the command's options, if --explain is among them */

void tool_explain_begin(const tool_options *options, oplus_device *dev)
{
    if (!options->explain) return;
    asked_options = options;
    oplus_explain(dev, explanation, sizeof explanation);
}

void tool_try(oplus_status status)
{
    tool_progress_work_end();
    if (status != OPLUS_OK) die_of(status);
    if (*explanation) end_explained(asked_options, told());
}
