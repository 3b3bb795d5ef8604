/* progress: one line, overwritten. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, LINE = 79 };
static const double FIRST = 1, EVERY = 0.1; /* seconds */

static struct {
    bool on, drawn, colour;
    double started, next;
} progress; /* the command has one stderr */

double tool_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tool_progress_begin(bool quiet)
{
    const char *const term = getenv("TERM"), *const no_color = getenv("NO_COLOR");
    progress.on = !quiet && isatty(STDERR_FILENO);
    progress.colour = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    progress.drawn = false;
    progress.started = tool_seconds();
    progress.next = progress.started + FIRST;
}

static void bytes_in_words(double bytes, char *text, size_t room)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t u = 0;
    for (; bytes >= 999.5 && u < 5; u++) bytes /= 1000;
    snprintf(text, room, u ? "%.3g %s" : "%.0f %s", bytes, unit[u]);
}

/* "12 s", "3 min 20 s", "2 h 5 min" */
static void seconds_in_words(double seconds, char *text, size_t room)
{
    const long s = (long)(seconds + 0.5);
    if (s < 60)
        snprintf(text, room, "%ld s", s);
    else if (s < 3600)
        snprintf(text, room, "%ld min %ld s", s / 60, s % 60);
    else
        snprintf(text, room, "%ld h %ld min", s / 3600, s / 60 % 60);
}

/* The line is padded with blanks instead of erased, and the cursor goes back to its start, so that a message printed
 * meanwhile begins there. */
static void draw(const char *line)
{
    const char *const on = progress.colour && *line ? "\033[36m" : "", *const off = *on ? "\033[0m" : "";
    fprintf(stderr, "%s%-*.*s%s\r", on, LINE, LINE, line, off);
    fflush(stderr);
}

void tool_progress_say(const char *what)
{
    const double now = progress.on ? tool_seconds() : 0;
    if (!progress.on || (progress.drawn && now < progress.next)) return;
    progress.next = now + EVERY;
    progress.drawn = true;
    draw(what);
}

void tool_progress_show(uint64_t done, uint64_t total)
{
    const double now = progress.on ? tool_seconds() : 0;
    if (!progress.on || now < progress.next) return;
    progress.next = now + EVERY;
    progress.drawn = true;

    char line[256], bar[BAR + 1], amount[16], rate[16], left[32];
    const double speed = (double)done / (now - progress.started);
    bytes_in_words((double)done, amount, sizeof amount);
    bytes_in_words(speed, rate, sizeof rate);
    if (total && done) {
        const double part = done < total ? (double)done / (double)total : 1;
        seconds_in_words((double)(total - (done < total ? done : total)) / speed, left, sizeof left);
        memset(bar, '.', BAR);
        memset(bar, '#', (size_t)(part * BAR));
        bar[BAR] = '\0';
        snprintf(line, sizeof line, "%3.0f %% [%s] %s, %s/s, %s left", 100 * part, bar, amount, rate, left);
    } else {
        seconds_in_words(now - progress.started, left, sizeof left);
        snprintf(line, sizeof line, "%s, %s/s, %s", amount, rate, left);
    }
    draw(line);
}

void tool_progress_wipe(void)
{
    if (progress.drawn) draw("");
    progress.drawn = false;
}

void tool_progress_end(void)
{
    tool_progress_wipe();
    progress.on = false;
}
