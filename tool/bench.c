/* oplus bench: all of it is in bench/. */
#include "bench/command.h"
#include "tool.h"

int tool_bench(int argc, char **argv) { return bench_command(argc, argv); }
