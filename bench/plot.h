/* Pictures of a log, drawn by gnuplot: GB/s over n, a line a peer. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "log.h"

/* Ends the command unless path has an ending that can be drawn; warns where there is no gnuplot. */
void bench_plot_check(const char *path);

/* Draws one panel for each primitive, type and place (threads, device) into path, and leaves beside it what gnuplot was
 * given: a script (.gp) and its data (.dat).  Ends the command if there is nothing to draw, or no gnuplot. */
void bench_plot(const char *path, const bench_log *log);

#endif
