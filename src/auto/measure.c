/* Which accelerator there is, and how fast it and the cores are: found out once, and kept. */
#include "auto/auto.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/version.h"
#include "gpu/gpu.h"
#include "task/make.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FEW = 1 << 14, /* elements of 4 bytes that are measured, */
    MANY = 1 << 22,
    ROUNDS = 3
};
const double opi_auto_clearly = 0.8;

static const char magic[16] = "oplus auto 1";

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static oplus_status do_work(oplus_device *dev, opi_work work, float *in, size_t n, float *out)
{
    float sum;
    opi_task task;
    switch (work) {
    case OPI_WORK_READ:
        opi_task_reduce(&task, &oplus_sum_f32, in, NULL, n, 0, &sum);
        break;
    case OPI_WORK_WRITE:
        opi_task_scan(&task, &oplus_sum_f32, OPLUS_INCLUSIVE, in, NULL, n, 0, out);
        break;
    default:
        memcpy(out, in, n * sizeof *in);
        opi_task_sort(&task, &oplus_u32, OPLUS_ASCENDING, out, NULL, NULL, n);
    }
    return opi_run(dev, "oplus_open", &task, NULL);
}

/* The shortest time of some rounds; the first, which compiles, does not count. */
static oplus_status time_of(oplus_device *dev, opi_work work, float *in, size_t n, float *out, double *least)
{
    *least = 1e30;
    for (int round = 0; round <= ROUNDS; round++) {
        const double begin = seconds();
        OPI_TRY(do_work(dev, work, in, n, out));
        const double took = seconds() - begin;
        if (round > 0 && took < *least) *least = took;
    }
    return OPLUS_OK;
}

static size_t bytes_of(opi_work work, size_t n) { return (work == OPI_WORK_READ ? 1 : 2) * n * sizeof(float); }

static oplus_status measure(oplus_device *dev, float *in, float *out, opi_line lines[OPI_WORKS])
{
    for (int w = 0; w < OPI_WORKS; w++) {
        const opi_work work = (opi_work)w;
        double few, many;
        OPI_TRY(time_of(dev, work, in, FEW, out, &few));
        OPI_TRY(time_of(dev, work, in, MANY, out, &many));
        lines[w].each = many > few ? (many - few) / (double)bytes_of(work, MANY - FEW) : 0;
        lines[w].start = few - lines[w].each * (double)bytes_of(work, FEW);
        if (lines[w].start < 0) lines[w].start = 0;
    }
    return OPLUS_OK;
}

static oplus_status measure_both(opi_auto *a)
{
    const size_t bytes = (size_t)MANY * sizeof(float);
    float *const in = opi_alloc(2 * bytes), *const out = in ? in + MANY : NULL;
    if (!in) return opi_fail(OPLUS_ERR_MEMORY, "oplus_open: no memory to measure devices with (%zu bytes)", 2 * bytes);
    uint32_t random = 1;
    for (size_t i = 0; i < MANY; i++) {
        random = random * 1664525u + 1013904223u;
        in[i] = (float)(random >> 8) - (float)(1 << 23);
    }
    memcpy(out, in, bytes);
    oplus_status status = measure(a->cores, in, out, a->figures.cores);
    if (status == OPLUS_OK) status = measure(a->accelerator, in, out, a->figures.accelerator);
    opi_free(in);
    return status;
}

/* --- which accelerator -------------------------------------------------------------------------------------------- */

/* Whether a device gives the same bits as the processor and is not the processor. */
static bool is_fit(const opi_gpu_facts *facts)
{
    return !facts->host_cores && facts->f64 && facts->denormals && facts->divides;
}

static void find(opi_figures *found)
{
    opi_gpu_facts facts[16];
    size_t said = 0;
    for (size_t d = 0; opi_drivers[d]; d++) {
        char why[160] = "";
        const int all = opi_drivers[d]->list(facts, 16, why, sizeof why);
        for (int i = 0; i < all && i < 16; i++) {
            if (!is_fit(&facts[i])) {
                snprintf(why, sizeof why, "%.31s %s", facts[i].where,
                         facts[i].host_cores ? "is the processor itself" : "does not give the processor's bits");
                continue;
            }
            memcpy(found->where, facts[i].where, sizeof found->where);
            memcpy(found->name, facts[i].name, sizeof found->name);
            return;
        }
        const int n = snprintf(found->why + said, sizeof found->why - said, "%s%s: %.*s", said ? "; " : "",
                               opi_drivers[d]->name, opi_cut(why, 120), why);
        if (n > 0 && said + (size_t)n < sizeof found->why) said += (size_t)n;
    }
}

/* All that may change the answer and can be seen without calling a driver: at most its library is opened. */
static opi_hash key_of(const opi_auto *a)
{
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "OPLUS_CUDA_LIBRARY", "OPLUS_OPENCL_LIBRARY",
                                            "OCL_ICD_VENDORS",      "OCL_ICD_FILENAMES",  "OPLUS_DEVICE_MEMORY"};
    const char *strings[16] = {OPI_VERSION, magic, a->cores->name};
    char vendors[1024] = "";
    size_t used = 0;
    DIR *const directory = opendir("/etc/OpenCL/vendors");
    for (struct dirent *entry; directory && (entry = readdir(directory)) && used < sizeof vendors - 1;) {
        const int n = snprintf(vendors + used, sizeof vendors - used, "%s/", entry->d_name);
        if (n > 0) used += (size_t)n;
    }
    if (directory) closedir(directory);
    int count = 3;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *const value = getenv(variables[i]);
        strings[count++] = value ? value : "";
    }
    strings[count++] = vendors;
    strings[count++] = opi_library_refusal() ? "static" : "";
    for (size_t d = 0; opi_drivers[d]; d++) {
        const opi_driver *const driver = opi_drivers[d];
        strings[count++] = driver->installed && driver->installed() ? driver->name : "-";
    }
    return opi_hash_strings(strings);
}

static void give_up(opi_auto *a)
{
    opi_figures *const f = &a->figures;
    if (a->accelerator) a->accelerator->machine->close(a->accelerator);
    a->accelerator = NULL;
    snprintf(f->why, sizeof f->why, "%s: %.*s", f->where, opi_cut(opi_last_error(), 300), opi_last_error());
    f->where[0] = '\0';
}

static oplus_status open_accelerator(opi_auto *a)
{
    bool known;
    return opi_gpu_open("oplus_open", a->figures.where, NULL, &a->accelerator, &known);
}

void opi_auto_look(opi_auto *a)
{
    opi_figures *const f = &a->figures;
    char path[OPI_PATH_BYTES];
    size_t bytes = 0;
    if (a->looked) return;
    a->looked = true;
    const opi_hash key = key_of(a);
    opi_figures *const kept = opi_cache_load(key, ".fig", &bytes);
    const bool known = kept && bytes == sizeof *kept && memcmp(kept->magic, magic, sizeof magic) == 0;
    if (known) *f = *kept;
    free(kept);
    if (!known) {
        memset(f, 0, sizeof *f);
        memcpy(f->magic, magic, sizeof magic);
        find(f);
    }
    bool failed = false; /* perhaps only today: not to be kept */
    if (*f->where) failed = open_accelerator(a) != OPLUS_OK;
    if (!known && a->accelerator) failed = measure_both(a) != OPLUS_OK;
    if (failed)
        give_up(a);
    else if (!known)
        opi_cache_store(key, ".fig", f, sizeof *f, path);
}

double opi_line_time(const opi_line *line, size_t bytes) { return line->start + line->each * (double)bytes; }
