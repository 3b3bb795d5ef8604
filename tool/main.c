/* The oplus command: finds the subcommand and hands it its arguments. */
#include "die.h"
#include "suggest.h"
#include "tool.h"

#include <oplus/oplus.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"reduce",    "combine all elements into one",                          tool_reduce},
    {"fold",      "the same, with a value in front",                        tool_fold},
    {"scan",      "running results: of the first element, the first two, ...", tool_scan},
    {"window",    "combine the last W elements, at every element",          tool_window},
    {"segscan",   "a scan that starts again in each segment",                tool_segscan},
    {"segreduce", "combine the elements of each segment",                   tool_segreduce},
    {"map",       "apply a function to every element",                      tool_map},
    {"filter",    "keep the elements that satisfy a predicate",             tool_filter},
    {"sort",      "sort numbers, with values that move along",              tool_sort},
    {"argsort",   "where the elements of a sorted array were",            tool_argsort},
    {"merge",     "two sorted arrays become one",                         tool_merge},
    {"transpose", "exchange the rows and columns of a matrix",              tool_transpose},
    {"top",       "the largest elements, or where they are",               tool_top},
    {"nth",       "the number at a place of the sorted ones, a quantile",   tool_nth},
    {"take",      "pick elements by their index",                           tool_take},
    {"repeat",    "repeat each element so many times",                      tool_repeat},
    {"hist",      "count the numbers in each bin",                          tool_hist},
    {"iota",      "write numbers at equal distances",                       tool_iota},
    {"unique",    "runs of equal neighbours, each once",                   tool_unique},
    {"group",     "combine the elements of each key, in any order",         tool_group},
    {"check",     "look for a counterexample: is an operator associative?", tool_check},
    {"devices",   "list the devices, and what \"auto\" chooses",             tool_devices},
    {"cache",     "show or clear the cache of compiled operators",           tool_cache},
    {"bench",     "measure this machine against its limits and its peers",  tool_bench},
    {"lab",       "see on your own device why a kernel is slow",            tool_lab},
};
/* clang-format on */
enum { COMMANDS = sizeof commands / sizeof *commands };

/* What is no command but what a user of awk, NumPy or coreutils may type. */
static const struct {
    const char *word, *command;
} elsewhere[] = {
    {"sum", "reduce sum"},       {"prod", "reduce prod"},
    {"min", "reduce min"},       {"max", "reduce max"},
    {"argmin", "reduce argmin"}, {"argmax", "reduce argmax"},
    {"count", "reduce count"},   {"wc", "reduce count"},
    {"mean", "reduce mean"},     {"avg", "reduce mean"},
    {"average", "reduce mean"},  {"var", "reduce var"},
    {"std", "reduce std"},       {"stdev", "reduce std"},
    {"minmax", "reduce minmax"}, {"cumsum", "scan sum"},
    {"cumprod", "scan prod"},    {"median", "nth 50%"},
    {"quantile", "nth 50%"},     {"percentile", "nth 50%"},
    {"histogram", "hist"},       {"bincount", "hist"},
    {"arange", "iota"},          {"range", "iota"},
    {"linspace", "iota"},        {"seq", "iota"},
    {"gather", "take"},          {"select", "filter"},
    {"groupby", "group"},        {"rolling", "window"},
};

static const char *meant(const char *word)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].word, word) == 0) return elsewhere[i].command;
    return NULL;
}

static const char *command_name(size_t i) { return i < COMMANDS ? commands[i].name : NULL; }

static void print_help(FILE *to)
{
    fputs("usage: oplus COMMAND [operands] [options]\n\n"
          "Data-parallel primitives over any associative operator and any plain C type: numbers\n"
          "as text, .npy or raw, from files or pipes, with the same bits on any number of threads\n"
          "and on GPUs.\n\n"
          "commands:\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(to, "  %-11s%s\n", commands[i].name, commands[i].summary);
    fputs("\n`oplus help COMMAND` or `oplus COMMAND --help` says more; so does `man oplus-COMMAND`.\n\n"
          "examples:\n"
          "  seq 1 5 | oplus scan sum\n"
          "  seq 1 100 | oplus map 'sqrt(a) + 1' -t f64 | oplus filter 'a > 10.5' | oplus reduce max\n"
          "  printf 'x,2\\ny,3\\n' | oplus reduce sum --delimiter , --column 2\n"
          "  mpirun -n 4 oplus sort --all big.npy -o sorted.npy\n"
          "  oplus check 'a * b + 1' -t i64\n\n"
          "exit codes: 0 good, 1 failed, 2 wrong usage, 3 check found a counterexample,\n"
          "            4 the device is unavailable\n",
          to);
}

static int run(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        tool_begin(name);
        return commands[i].run(argc, argv);
    }
    const char *const known = meant(name), *const nearest = known ? known : tool_nearest(name, command_name);
    tool_die(TOOL_USAGE,
             nearest ? "there is no command '%s'; did you mean %s?" : "there is no command '%s'; see oplus help", name,
             nearest);
}

int main(int argc, char **argv)
{
    atexit(tool_close_stdout);
    tool_begin(NULL);
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    const char *const first = argv[1];
    const bool help = strcmp(first, "help") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0;
    if (help && argc > 2 && strcmp(argv[2], "help") != 0) return run(argv[2], 2, (char *[]){argv[2], "--help", NULL});
    if (help) return print_help(stdout), TOOL_GOOD;
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        return printf("oplus %s\n", oplus_version()), TOOL_GOOD;
    if (*first == '-') tool_die(TOOL_USAGE, "the command comes first, as in oplus reduce %s; see oplus help", first);
    return run(first, argc - 1, argv + 1);
}
