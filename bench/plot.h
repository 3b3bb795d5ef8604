/* Pictures of a log, drawn by gnuplot: GB/s over n, one line for each peer. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "log.h"

/* Ends the command unless the ending of path is a supported format; warns if there is no gnuplot. */
void bench_plot_check(const char *path);

/* Draws one panel for each primitive, type and place (threads, device) into path, and leaves gnuplot's input beside
 * it: a script (.gp) and its data (.dat).  Ends the command if there is nothing to draw, or no gnuplot. */
void bench_plot(const char *path, const bench_log *log);

#endif
