#define _DEFAULT_SOURCE /* getloadavg */
#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>
#include <omp.h>
#include <oplus/oplus.h>

#include "die.h"
#include "file.h"
#include "kernels.h"

const char *bench_role_name(bench_role role)
{
    static const char *const names[] = {"limit", "oplus", "loop", "peer"};
    return names[role];
}

/* --- this run ------------------------------------------------------------------------------------------------- */

static void find_processor(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    if (file) fclose(file);
}

static char *join(int argc, char **argv)
{
    char *text = bench_format("oplus bench");
    for (int i = 1; i < argc; i++) {
        char *longer = bench_format("%s %s", text, argv[i]);
        free(text);
        text = longer;
    }
    return bench_one_line(text);
}

void bench_log_open(bench_log *log, int argc, char **argv, const bench_peers *peers)
{
    const time_t now = time(NULL);
    oplus_device *dev = NULL;
    *log = (bench_log){
        .about = {.command = join(argc, argv), .built = bench_kernels_built(), .processors = omp_get_num_procs()}};
    bench_about *about = &log->about;
    find_processor(about->processor, sizeof about->processor);
    strftime(about->date, sizeof about->date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    snprintf(about->oplus, sizeof about->oplus, "%s", oplus_version());
    snprintf(about->isa, sizeof about->isa, "%s", bench_kernels_here()->isa);
    if (getloadavg(&about->load, 1) != 1) about->load = 0;
    if (about->load > 0.5)
        tool_warn("other programs are running (load %.1f): rows of several threads may mean little", about->load);
    if (oplus_open("threads", &dev) != OPLUS_OK) tool_die(TOOL_NO_DEVICE, "%s", oplus_last_error());
    snprintf(about->device, sizeof about->device, "%s", oplus_device_name(dev));
    oplus_close(dev);
    for (size_t i = 0; peers && i < peers->count; i++) {
        log->peer[i].title = peers->of[i]->title;
        log->peer[i].version = peers->of[i]->version;
        log->peer[i].built = peers->of[i]->built;
    }
    log->peer_count = peers ? peers->count : 0;
}

/* The list of devices tells more about a device than the open device does. */
void bench_log_add_device(bench_log *log, const char *where, oplus_device *dev)
{
    if (log->device_count == BENCH_MAX_DEVICES) return;
    bench_about_device *const about = &log->device[log->device_count++];
    about->where = where;
    snprintf(about->name, sizeof about->name, "%s", oplus_device_name(dev));
    oplus_device_info info[BENCH_MAX_DEVICES] = {{.abi = OPLUS_ABI}};
    const int count = oplus_devices(info, BENCH_MAX_DEVICES);
    for (int i = 0; i < count && i < BENCH_MAX_DEVICES; i++) {
        const size_t length = strlen(info[i].where); /* names begin with it and a blank */
        if (strncmp(about->name, info[i].where, length) == 0 && about->name[length] == ' ')
            snprintf(about->driver, sizeof about->driver, "%s", info[i].driver);
    }
    bench_one_line(about->name);
    bench_one_line(about->driver);
}

const bench_case *bench_log_add(bench_log *log, bench_case measured)
{
    log->cases = tool_realloc(log->cases, (log->count + 1) * sizeof *log->cases);
    log->cases[log->count] = measured;
    return &log->cases[log->count++];
}

void bench_log_close(bench_log *log)
{
    for (size_t i = 0; i < log->count; i++) bench_case_free(&log->cases[i]);
    free(log->cases);
    free(log->about.command);
    cJSON_Delete(log->source);
}
