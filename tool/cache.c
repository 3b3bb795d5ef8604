/* oplus cache: shows what is kept of compiled texts and programs, and removes it. */
#include "job.h"
#include "suggest.h"
#include "tool.h"

#include <inttypes.h>
#include <string.h>

static const tool_usage usage = {
    .name = "cache",
    .operands = "[clear]",
    .least = 0,
    .most = 1,
    .about = "Shows the directory in which compiled operators and functions are kept, how many there\n"
             "are, and how large they are.  clear removes them; what is needed later is compiled again.\n",
    .options = "json help ",
    .examples = {"oplus cache", "oplus cache --json", "oplus cache clear"},
    .exit_codes = "0 good, 1 failed, 2 wrong usage",
};

static oplus_cache_usage look(void)
{
    oplus_cache_usage found = {.abi = OPLUS_ABI};
    tool_try(oplus_cache_info(&found));
    return found;
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

/* "1 file, 16.1 KiB" */
static void print_amount(uint64_t files, uint64_t bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    size_t u = 0;
    while (size >= 1024 && u + 1 < sizeof unit / sizeof *unit) size /= 1024, u++;
    printf("%" PRIu64 " file%s, %.*f %s\n", files, files == 1 ? "" : "s", u > 0, size, unit[u]);
}

static void print_none(const oplus_cache_usage *found) { printf("there is no cache: %s\n", found->note); }

static void print_found(const oplus_cache_usage *found)
{
    const uint64_t whole = found->texts + found->programs + found->figures,
                   whole_bytes = found->text_bytes + found->program_bytes + found->figure_bytes;
    const struct {
        const char *name;
        uint64_t files, bytes;
        bool shown;
    } lines[] = {
        {"texts compiled for the processor", found->texts, found->text_bytes, true},
        {"kernels compiled for devices", found->programs, found->program_bytes, true},
        {"measured for \"auto\"", found->figures, found->figure_bytes, found->figures > 0},
        {"left behind unfinished", found->files - whole, found->bytes - whole_bytes, found->files > whole},
    };
    printf("%s%s%s\n", found->directory, *found->note ? ": not used, " : "", found->note);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].shown) continue;
        printf("  %-34s", lines[i].name);
        print_amount(lines[i].files, lines[i].bytes);
    }
}

static void print_cleared(const oplus_cache_usage *removed)
{
    printf("removed from %s: ", removed->directory);
    print_amount(removed->files, removed->bytes);
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

static void print_json(const oplus_cache_usage *found, bool cleared)
{
    cJSON *const report = tool_json_made(cJSON_CreateObject());
    cJSON_AddStringToObject(report, "directory", found->directory);
    cJSON_AddStringToObject(report, "note", found->note);
    cJSON_AddBoolToObject(report, "cleared", cleared);
    tool_json_add_count(report, "files", found->files);
    tool_json_add_count(report, "bytes", found->bytes);
    tool_json_add_count(report, "texts", found->texts);
    tool_json_add_count(report, "text_bytes", found->text_bytes);
    tool_json_add_count(report, "programs", found->programs);
    tool_json_add_count(report, "program_bytes", found->program_bytes);
    tool_json_add_count(report, "figures", found->figures);
    tool_json_add_count(report, "figure_bytes", found->figure_bytes);
    tool_json_print(stdout, report);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const char *action_name(size_t i) { return i == 0 ? "clear" : NULL; }

/* Whether there is an operand "clear"; any other ends the command. */
static bool is_clear(const char *operand)
{
    if (!operand || strcmp(operand, "clear") == 0) return operand != NULL;
    if (tool_nearest(operand, action_name)) tool_die(TOOL_USAGE, "what is '%s'? did you mean clear?", operand);
    tool_die(TOOL_USAGE, "what is '%s'? oplus cache shows the cache, and oplus cache clear removes it", operand);
}

int tool_cache(int argc, char **argv)
{
    tool_options options;
    const int first = tool_options_parse(&usage, argc, argv, &options);
    const bool clear = is_clear(argv[first]);
    const oplus_cache_usage found = look();
    if (clear) tool_try(oplus_cache_clear());
    if (options.json)
        print_json(&found, clear);
    else
        (!*found.directory ? print_none : clear ? print_cleared : print_found)(&found);
    return TOOL_GOOD;
}
