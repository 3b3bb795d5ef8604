/* The subcommands: argv[0] is the name of the subcommand; each returns the exit code. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

int tool_devices(int argc, char **argv);
int tool_cache(int argc, char **argv);
int tool_reduce(int argc, char **argv);
int tool_fold(int argc, char **argv);
int tool_scan(int argc, char **argv);
int tool_segscan(int argc, char **argv);
int tool_segreduce(int argc, char **argv);
int tool_map(int argc, char **argv);
int tool_filter(int argc, char **argv);
int tool_sort(int argc, char **argv);
int tool_argsort(int argc, char **argv);
int tool_merge(int argc, char **argv);
int tool_transpose(int argc, char **argv);
int tool_take(int argc, char **argv);
int tool_unique(int argc, char **argv);
int tool_group(int argc, char **argv);
int tool_repeat(int argc, char **argv);
int tool_hist(int argc, char **argv);
int tool_top(int argc, char **argv);
int tool_nth(int argc, char **argv);
int tool_window(int argc, char **argv);
int tool_iota(int argc, char **argv);
int tool_check(int argc, char **argv);
int tool_bench(int argc, char **argv);
int tool_lab(int argc, char **argv);

#endif
