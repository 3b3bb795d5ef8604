/* The options of all subcommands, and what a subcommand says about itself. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "die.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As given; NULL or false if not given.  The text of a value is parsed where the value is used. */
typedef struct tool_options {
    const char *type, *format, *to, *output;       /* input and output */
    const char *identity, *result, *init;          /* of operators and functions */
    const char *map, *then;                        /* functions before and after */
    const char *neighbours;                        /* of map */
    const char *heads, *offsets, *lengths;         /* segments */
    const char *values, *values_type, *values_out; /* of sort */
    const char *by;                                /* of sort and argsort */
    const char *members;                           /* of sort and argsort */
    const char *bits;                              /* of sort */
    const char *mask, *both;                       /* of filter */
    const char *counts;                            /* of unique */
    const char *start, *step;                      /* of iota */
    const char *rows, *cols;                       /* of transpose */
    const char *axis;                              /* of reduce, scan and sorts */
    const char *bins, *range, *edges;              /* of hist */
    const char *delimiter, *column, *into, *empty; /* of tables */
    const char *keys, *keys_out;                   /* of segments, too */
    const char *device, *threads;                  /* where */
    bool check_overflow, commutative, exact, exclusive, reverse, descending, ascending, clip, indices, special, header,
        text, all, explain, json, quiet, help;
} tool_options;

enum { TOOL_MAX_EXAMPLES = 6 };

/* Of operands: there is no limit, and no file is stdin unless it is named. */
#define TOOL_ANY_NUMBER SIZE_MAX

/* One subcommand: all that its --help says. */
typedef struct tool_usage {
    const char *name;     /* "reduce" */
    const char *operands; /* "OP [FILE]" */
    size_t least, most;   /* how many operands; most: or TOOL_ANY_NUMBER */
    bool all_files;       /* every operand is a file; else those after the first `least` are */
    const char *about;    /* what it does, in a few lines */
    const char *options;  /* the long names of those it takes, one blank after each */
    const char *examples[TOOL_MAX_EXAMPLES];
    const char *exit_codes;
    const char *tables; /* what to do with a table instead; NULL: nothing is said */
} tool_usage;

/* Options that belong together, for tool_usage.options. */
#define TOOL_INPUT_OPTIONS    "type format "
#define TOOL_OUTPUT_OPTIONS   "output to "
#define TOOL_TABLE_OPTIONS    "column header delimiter empty "
#define TOOL_OPERATOR_OPTIONS "identity commutative exact "
#define TOOL_ALL_OPTIONS      "all " TOOL_CALL_OPTIONS
#define TOOL_CALL_OPTIONS     "explain " TOOL_RUN_OPTIONS
#define TOOL_RUN_OPTIONS      "device threads json quiet help "
#define TOOL_EXIT_CODES       "0 good, 1 failed, 2 wrong usage, 4 the device is unavailable"
#define TOOL_OPERATOR_ABOUT                                                                                            \
    "OP is sum, prod, min, max, and, or, xor, land or lor; or a text in C over a, the\n"                               \
    "earlier element, and b, the later one:  'a > b ? a : b'.  It must be associative\n"                               \
    "and need not be commutative; 64 samples are tried, and a warning shows a\n"                                       \
    "counterexample, unless -q is given; `oplus check` tries more.\n"

/* Reads the options and leaves the operands at argv[result] ... argv[argc - 1]; argv[0] is the subcommand's name.
 * If help is asked for, prints it and ends the command; wrong usage ends the command too. */
int tool_options_parse(const tool_usage *usage, int argc, char **argv, tool_options *options);

/* The text as a number of at least `least`; anything else is wrong usage of --NAME. */
size_t tool_options_number(const char *name, const char *text, size_t least);
/* The same of an operand. */
size_t tool_operand_number(const char *name, const char *text, size_t least);

#endif
