/* What a run has measured, and on what; as a file of JSON it can be read back. */
#ifndef BENCH_LOG_H
#define BENCH_LOG_H

#include "measure.h"

/* How this run came about. */
typedef struct bench_about {
    char date[32], processor[128], device[64], oplus[16], isa[16];
    char *command;
    const char *built;
    int processors;
    double load; /* when it began: average number of runnable programs */
} bench_about;

enum { BENCH_MAX_DEVICES = 64 };

/* An accelerator that was measured. */
typedef struct bench_about_device {
    const char *where; /* "cuda:0" */
    char name[128], driver[192];
} bench_about_device;

typedef struct bench_log {
    bench_about about;
    size_t device_count;
    bench_about_device device[BENCH_MAX_DEVICES];
    size_t peer_count;
    struct {
        const char *title, *version, *built;
    } peer[BENCH_MAX_PEERS];
    size_t count;
    bench_case *cases;
    struct cJSON *source; /* for a log that was read: owns its names */
} bench_log;

const char *bench_role_name(bench_role role);

/* Begins the log of this run.  argc, argv: its command; peers may be NULL. */
void bench_log_open(bench_log *log, int argc, char **argv, const bench_peers *peers);
/* Adds an accelerator; where must live as long as the log. */
void bench_log_add_device(bench_log *log, const char *where, struct oplus_device *dev);
/* Adds a case, which the log frees; the case stays where it is until the next is added. */
const bench_case *bench_log_add(bench_log *log, bench_case measured);
void bench_log_close(bench_log *log);

/* JSON (log_json.c).  Reading ends the command with a message if the file is no such log. */
void bench_log_print_json(FILE *file, const void *log);
void bench_log_read(bench_log *log, const char *path);

#endif
