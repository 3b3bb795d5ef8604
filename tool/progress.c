/* progress: one line, overwritten. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, LINE = 79 };
static const double FIRST = 1, EVERY = 0.1, TICK = 0.5, MEMORY = 3; /* seconds; MEMORY: for averaging the rate */

static struct {
    bool on, drawn, colour;
    const char *phase; /* or NULL */
    double started, next;
    double begun;         /* when the first bytes of this phase came */
    uint64_t last;        /* how many had come when the rate was last computed, */
    double looked, speed; /* when that was, and the rate */
} progress;               /* the command has one stderr */

double tool_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Starts the clock of the rate. */
static void restart(double now)
{
    progress.begun = progress.looked = now;
    progress.last = 0;
    progress.speed = 0;
}

void tool_progress_begin(bool quiet)
{
    const char *const term = getenv("TERM"), *const no_color = getenv("NO_COLOR");
    progress.on = !quiet && isatty(STDERR_FILENO);
    progress.colour = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    progress.drawn = false;
    progress.phase = NULL;
    progress.started = tool_seconds();
    restart(progress.started);
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

void tool_progress_phase(const char *name)
{
    progress.phase = name;
    if (progress.on) restart(tool_seconds());
}

/* Bytes a second, lately: the wait for the first bytes does not count, and older bytes count less. */
static double speed_at(double now, uint64_t done)
{
    if (done == 0 || done < progress.last) restart(now);
    const double since = now - progress.looked, all = now - progress.begun;
    if (done == 0 || since <= 0) return progress.speed;
    const double weight = since / (since + MEMORY), lately = (double)(done - progress.last) / since;
    progress.speed = all < MEMORY ? (double)done / all : (1 - weight) * progress.speed + weight * lately;
    progress.looked = now;
    progress.last = done;
    return progress.speed;
}

/* Writes "reading: " if the phase has a name. */
static int begin_line(char *line, size_t room)
{
    return progress.phase ? snprintf(line, room, "%s: ", progress.phase) : 0;
}

void tool_progress_show(uint64_t done, uint64_t total)
{
    const double now = progress.on ? tool_seconds() : 0;
    if (!progress.on || (done > 0 && now < progress.next)) return;
    const double speed = speed_at(now, done);
    progress.next = now + EVERY;
    if (now < progress.started + FIRST || speed <= 0) return;
    progress.drawn = true;

    char line[256], bar[BAR + 1], amount[16], rate[16], left[32];
    const int begin = begin_line(line, sizeof line);
    const size_t room = sizeof line - (size_t)begin;
    bytes_in_words((double)done, amount, sizeof amount);
    bytes_in_words(speed, rate, sizeof rate);
    if (total && done) {
        const double part = done < total ? (double)done / (double)total : 1;
        seconds_in_words((double)(total - (done < total ? done : total)) / speed, left, sizeof left);
        memset(bar, '.', BAR);
        memset(bar, '#', (size_t)(part * BAR));
        bar[BAR] = '\0';
        snprintf(line + begin, room, "%3.0f %% [%s] %s, %s/s, %s left", 100 * part, bar, amount, rate, left);
    } else {
        seconds_in_words(now - progress.started, left, sizeof left);
        snprintf(line + begin, room, "%s, %s/s, %s", amount, rate, left);
    }
    draw(line);
}

/* --- work that says nothing --------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ends;
    pthread_t thread;
    const char *name;
    double begun;
    bool runs, over;
} work = {.lock = PTHREAD_MUTEX_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

static void wait_for(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double nanoseconds = (double)until.tv_nsec + 1e9 * seconds;
    until.tv_sec += (time_t)(nanoseconds * 1e-9);
    until.tv_nsec = (long)(nanoseconds - 1e9 * (double)(time_t)(nanoseconds * 1e-9));
    pthread_cond_timedwait(&work.ends, &work.lock, &until);
}

static void draw_work(void)
{
    char line[128], took[32];
    seconds_in_words(tool_seconds() - work.begun, took, sizeof took);
    snprintf(line, sizeof line, "%s, %s", work.name, took);
    progress.drawn = true;
    draw(line);
}

static void *tick(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&work.lock);
    const double until_first = progress.started + FIRST - work.begun;
    for (bool drawn = until_first <= 0; !work.over; drawn = true) {
        wait_for(drawn ? TICK : until_first);
        if (!work.over) draw_work();
    }
    pthread_mutex_unlock(&work.lock);
    return NULL;
}

void tool_progress_work(const char *name)
{
    if (!progress.on || work.runs) return;
    work.name = name;
    work.begun = tool_seconds();
    work.over = false;
    if (work.begun >= progress.started + FIRST) draw_work();
    work.runs = pthread_create(&work.thread, NULL, tick, NULL) == 0; /* without it, no line is drawn */
}

void tool_progress_work_end(void)
{
    if (!work.runs) return;
    pthread_mutex_lock(&work.lock);
    work.over = true;
    pthread_cond_signal(&work.ends);
    pthread_mutex_unlock(&work.lock);
    pthread_join(work.thread, NULL);
    work.runs = false;
    tool_progress_wipe();
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
