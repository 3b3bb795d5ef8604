/* options: one table, and getopt_long. */
#define _GNU_SOURCE /* getopt_long */
#include "options.h"

#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
    const char *name, *value; /* value: what its argument is called; NULL where it takes none */
    char letter;              /* of the short form, or 0 */
    size_t place;             /* in tool_options */
    const char *help;
} option_row;

#define TEXT(member, value, letter, help)                                                                              \
    {                                                                                                                  \
#member, value, letter, offsetof(tool_options, member), help                                                   \
    }
#define FLAG(member, letter, help)                                                                                     \
    {                                                                                                                  \
#member, NULL, letter, offsetof(tool_options, member), help                                                    \
    }
#define LONG(name, member, value, help)                                                                                \
    {                                                                                                                  \
        name, value, 0, offsetof(tool_options, member), help                                                           \
    }

/* clang-format off */
static const option_row rows[] = {
    TEXT(type, "T", 't',        "element type: i8 ... i64, u8 ... u64, f32, f64, c64, c128, a C name,\n"
                                "or the members of a struct: 'float scale; float shift'"),
    TEXT(format, "F", 0,        "format of the input: npy, raw, text, csv or tsv (default: by its content\n"
                                "and name)"),
    TEXT(output, "FILE", 'o',   "write to FILE instead of to stdout"),
    TEXT(to, "F", 0,            "format of the output: npy, raw, text, csv or tsv (default: by the name of the\n"
                                "output, else the format of the input)"),
    TEXT(column, "LIST", 0,     "columns of a table: names (with --header) or numbers, 2 or 1,3 or 2-4"),
    FLAG(header, 0,             "the first line of the table names its columns"),
    TEXT(delimiter, "C", 0,     "what separates fields: one character, or tab, comma, semicolon, space, pipe\n"
                                "(default: by the name, .csv or .tsv; else runs of blanks)"),
    TEXT(into, "LIST", 0,       "write whole rows, with the results in these columns, new or replaced"),
    TEXT(keys, "WHAT", 0,       "columns of a table, or a file with a key for each element; consecutive\n"
                                "elements with equal keys are a segment (of group: all elements with equal keys)"),
    LONG("keys-out", keys_out, "FILE", "write the key of each segment to FILE, if the keys come from a file"),
    TEXT(empty, "V", 0,         "what an empty field counts as, 0 or nan (default: an empty field is an error)"),
    TEXT(axis, "N", 0,          "along an axis of an array: 0 is the first one, -1 the last one; of a .npy of\n"
                                "several dimensions, or of rows (0) and columns (1) of text"),
    FLAG(reverse, 0,            "from the last element to the first"),
    FLAG(exclusive, 0,          "result i leaves element i out; needs an identity"),
    TEXT(init, "V", 0,          "the value to begin with"),
    TEXT(heads, "FILE", 0,      "a file with an integer for each element; a segment begins where it is not 0"),
    TEXT(offsets, "FILE", 0,    "where each segment begins, and behind that where the last one ends"),
    TEXT(lengths, "FILE", 0,    "how many elements each segment has"),
    TEXT(mask, "FILE", 0,       "a file with an integer for each element; those where it is not 0 are kept"),
    FLAG(indices, 0,            "write at which indices the kept elements are, from 0 on"),
    TEXT(both, "FILE", 0,       "write the elements that are not kept to FILE"),
    TEXT(counts, "FILE", 0,     "write how many elements each run has to FILE"),
    FLAG(text, 0,               "for tables: sort by the text of the columns, not by numbers"),
    FLAG(descending, 0,         "largest first"),
    FLAG(ascending, 0,          "the smallest ones, smallest first"),
    TEXT(by, "ORDER", 0,        "in the order of a text in C: does a come before b?  As in 'a.x < b.x'"),
    TEXT(members, "LIST", 0,    "structs by members, as in 'price:desc,name': by price, largest first; where\n"
                                "that is the same, by name, smallest first"),
    TEXT(bits, "LOW:HIGH", 0,   "by the bits LOW to HIGH - 1 of each number alone; bit 0 is the lowest one"),
    TEXT(values, "FILE", 0,     "a value for each key, which moves with it"),
    LONG("values-type", values_type, "T", "element type of the values, as --type"),
    LONG("values-out", values_out, "FILE", "write the values to FILE"),
    TEXT(bins, "N", 0,          "how many bins of one width there are"),
    TEXT(range, "LOW,HIGH", 0,  "where the bins begin and end (default: the least number and the greatest)"),
    TEXT(edges, "FILE", 0,      "where each bin begins, in ascending order, and behind that where the last one\n"
                                "ends"),
    FLAG(clip, 0,               "an index out of range means the nearest element, and is no error"),
    TEXT(start, "V", 0,         "the first number (default: 0)"),
    TEXT(step, "V", 0,          "the distance from one number to the next (default: 1)"),
    TEXT(rows, "R", 0,          "number of rows"),
    TEXT(cols, "C", 0,          "number of columns"),
    TEXT(map, "FN", 0,          "combine what FN, as of oplus map, makes of an element of each FILE"),
    TEXT(neighbours, "EDGE", 0, "FN takes the element before, the element and the one behind: a, b, c.  Beyond the\n"
                                "ends is what EDGE says: nearest (the end itself), wrap (the other end), mirror\n"
                                "(the neighbour of the end), or a value"),
    TEXT(then, "FN", 0,         "write what FN makes of each result"),
    TEXT(result, "T", 0,        "type of the result of FN, or of --map (default: what FN gives)"),
    TEXT(identity, "V", 0,      "the element that changes nothing, if OP is a text"),
    FLAG(commutative, 0,        "promise that a OP b equals b OP a"),
    FLAG(exact, 0,              "promise that OP is associative to the last bit"),
    FLAG(special, 0,            "try NaN, infinities and -0 too"),
    LONG("check-overflow", check_overflow, NULL, "fail if a sum or product of integers does not fit their type"),
    TEXT(device, "NAME", 0,     "serial, threads, threads:N, openmp:N, gpu, cuda:N, cuda:N-M, opencl:N,\n"
                                "opencl:gpu, opencl:cpu or auto (the default); see `oplus devices`"),
    TEXT(threads, "N", 0,       "the same as --device threads:N"),
    FLAG(all, 0,                "compute on all ranks of mpirun; each reads its part of FILE (.npy or raw)"),
    FLAG(explain, 0,            "say how and where the work would be done, and do not do it"),
    FLAG(json, 0,               "print a report as JSON: to stdout, or to stderr if an array goes to stdout"),
    FLAG(quiet, 'q',            "show no progress bar and no warnings"),
    FLAG(help, 'h',             "this text"),
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows, FIRST_VALUE = 256 };

/* --- which of them a subcommand takes ------------------------------------------------------------------------- */

static const tool_usage *current; /* of the subcommand that runs, for tool_nearest */

static bool takes(const tool_usage *usage, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = usage->options; (at = strstr(at, name)); at += length)
        if ((at == usage->options || at[-1] == ' ') && at[length] == ' ') return true;
    return false;
}

static const char *taken_name(size_t i)
{
    for (size_t r = 0; r < ROWS; r++)
        if (takes(current, rows[r].name) && i-- == 0) return rows[r].name;
    return NULL;
}

/* --- help ----------------------------------------------------------------------------------------------------- */

static void print_option(const option_row *row)
{
    char left[32];
    const char *line = row->help;
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
             row->letter ? ',' : ' ', row->name, row->value ? " " : "", row->value ? row->value : "");
    printf("  %-22s", left);
    for (const char *end; (end = strchr(line, '\n')); line = end + 1)
        printf("%.*s\n  %22s", (int)(end - line), line, "");
    puts(line);
}

static void print_help(const tool_usage *usage)
{
    printf("usage: oplus %s %s%s[options]\n\n%s\noptions:\n", usage->name, usage->operands, *usage->operands ? " " : "",
           usage->about);
    for (size_t r = 0; r < ROWS; r++)
        if (takes(usage, rows[r].name)) print_option(&rows[r]);
    fputs("\nexamples:\n", stdout);
    for (size_t i = 0; i < TOOL_MAX_EXAMPLES && usage->examples[i]; i++) printf("  %s\n", usage->examples[i]);
    printf("\nexit codes: %s\n", usage->exit_codes);
}

/* --- reading them --------------------------------------------------------------------------------------------- */

/* What sort, uniq, cut, awk and NumPy call it, where a subcommand that takes the option `beside` has it. */
static const struct {
    const char *word, *beside, *advice;
} elsewhere[] = {
    {"-r", "descending", "did you mean --descending?"},
    {"--reverse", "descending", "did you mean --descending?"},
    {"-r", "reverse", "did you mean --reverse?"},
    {"-k", "column", "did you mean --column?"},
    {"--key", "column", "did you mean --column?"},
    {"-f", "column", "did you mean --column?"},
    {"-d", "delimiter", "did you mean --delimiter?"},
    {"-F", "delimiter", "did you mean --delimiter?"},
    {"--sep", "delimiter", "did you mean --delimiter?"},
    {"-c", "counts", "did you mean --counts FILE?"},
    {"--dtype", "type", "did you mean --type?"},
    {"-n", "text", "leave it out: without --text, numbers are compared"},
    {"-u", "text", "write oplus sort ... | oplus unique"},
    {"-m", "text", "write oplus merge FILE OTHER"},
};

static void refuse_foreign(const tool_usage *usage, const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].word, name) == 0 && takes(usage, elsewhere[i].beside))
            tool_die(TOOL_USAGE, "there is no option %s here; %s", name, elsewhere[i].advice);
}

/* An option of other subcommands. */
static _Noreturn void refuse_here(const tool_usage *usage, const char *name)
{
    if (usage->tables && strstr(TOOL_TABLE_OPTIONS, name + 2))
        tool_die(TOOL_USAGE, "%s has no meaning here; %s", name, usage->tables);
    tool_die(TOOL_USAGE, "%s has no meaning here; `oplus %s --help` lists what has", name, usage->name);
}

/* Says what getopt_long did not accept, and ends the command. */
static _Noreturn void refuse(const tool_usage *usage, const char *given)
{
    char name[64];
    const size_t length = strcspn(given, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, given);
    const char *const word = name + 2;
    refuse_foreign(usage, name);
    if (strncmp(name, "--", 2) != 0)
        tool_die(TOOL_USAGE, "there is no option %s; an operand that begins with - stands after --", given);
    size_t starts = 0;
    for (size_t r = 0; r < ROWS; r++) {
        if (strcmp(rows[r].name, word) == 0 && !takes(usage, word)) refuse_here(usage, name);
        starts += takes(usage, rows[r].name) && strncmp(rows[r].name, word, strlen(word)) == 0;
    }
    if (starts > 1) tool_die(TOOL_USAGE, "%s may mean several options; write it in full", name);
    if (starts == 1) tool_die(TOOL_USAGE, "%s takes no value", name);
    const char *nearest = tool_nearest(word, taken_name);
    if (nearest) tool_die(TOOL_USAGE, "there is no option %s; did you mean --%s?", name, nearest);
    tool_die(TOOL_USAGE, "there is no option %s; `oplus %s --help` lists them", name, usage->name);
}

static void set(tool_options *options, const option_row *row, const char *value)
{
    char *const place = (char *)options + row->place;
    if (row->value)
        memcpy(place, &value, sizeof value);
    else
        memcpy(place, &(bool){true}, sizeof(bool));
}

/* A mask takes the place of the operand that says which elements are kept. */
static void count_operands(const tool_usage *usage, const tool_options *options, size_t n, char **operand)
{
    if (n < usage->least && !options->mask)
        tool_die(TOOL_USAGE, "%s is missing: oplus %s %s", n == 0 ? "an operand" : "another operand", usage->name,
                 usage->operands);
    if (n > usage->most)
        tool_die(TOOL_USAGE, "one operand too many, '%s': oplus %s%s%s", operand[usage->most], usage->name,
                 *usage->operands ? " " : "", usage->operands);
}

int tool_options_parse(const tool_usage *usage, int argc, char **argv, tool_options *options)
{
    struct option names[ROWS + 1] = {0};
    char letters[2 * ROWS + 2] = ":", *letter = letters + 1;
    size_t count = 0;
    current = usage;
    for (size_t r = 0; r < ROWS; r++) {
        if (!takes(usage, rows[r].name)) continue;
        names[count++] = (struct option){rows[r].name, rows[r].value != NULL, NULL, FIRST_VALUE + (int)r};
        if (!rows[r].letter) continue;
        *letter++ = rows[r].letter;
        if (rows[r].value) *letter++ = ':';
    }

    *options = (tool_options){0};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        if (c == '?' && optopt && optopt < FIRST_VALUE) refuse(usage, (char[]){'-', (char)optopt, 0});
        if (c == '?') refuse(usage, argv[optind - 1]);
        if (c == ':') tool_die(TOOL_USAGE, "%s needs a value", argv[optind - 1]);
        for (size_t r = 0; r < ROWS; r++)
            if (c == FIRST_VALUE + (int)r || c == rows[r].letter) set(options, &rows[r], optarg);
    }
    if (options->help) {
        print_help(usage);
        tool_exit(TOOL_GOOD);
    }
    count_operands(usage, options, (size_t)(argc - optind), argv + optind);
    return optind;
}

/* dashes: "--" before the name of an option, "" before that of an operand. */
static size_t number(const char *dashes, const char *name, const char *text, size_t least)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno) tool_die(TOOL_USAGE, "%s%s is '%s', which is too large", dashes, name, text);
    if (!isdigit((unsigned char)*text) || *end || value < least || value > SIZE_MAX)
        tool_die(TOOL_USAGE, "%s%s is '%s'; it is a whole number of at least %zu", dashes, name, text, least);
    return (size_t)value;
}

size_t tool_options_number(const char *name, const char *text, size_t least) { return number("--", name, text, least); }

size_t tool_operand_number(const char *name, const char *text, size_t least) { return number("", name, text, least); }
