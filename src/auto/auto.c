/* "auto": the processor or an accelerator, call by call.
 *
 * Data in the memory of the accelerator are worked on there.  Data of the host have to travel: whether that pays
 * depends on their size and on both machines, so it is measured, once, and the figures are kept in the cache.  Nothing
 * is loaded before there is a reason: small calls of a process that has no accelerator's library cannot concern one. */
#include "base/cache.h"
#include "base/error.h"
#include "base/version.h"
#include "base/library.h"
#include "auto/auto.h"
#include "base/fpenv.h"
#include "gpu/groups.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SMALL_BYTES = 1 << 20, /* below, no accelerator is looked for */
    FEW = 1 << 14,         /* elements of 4 bytes that are measured, */
    MANY = 1 << 22,
    ROUNDS = 3
};
static const double clearly = 0.8; /* of the processor's time, or it keeps the call */

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
    switch (work) {
    case OPI_WORK_READ:
        return oplus_reduce(dev, &oplus_sum_f32, in, n, &sum);
    case OPI_WORK_WRITE:
        return oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, n, out);
    default:
        memcpy(out, in, n * sizeof *in);
        return oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, out, n);
    }
}

/* The least of some rounds; the first, which compiles, does not count. */
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

/* One that gives the processor's bits and is not the processor. */
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
    const char *strings[16] = {OPI_VERSION, magic, oplus_device_name(a->cores)};
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
    oplus_close(a->accelerator);
    a->accelerator = NULL;
    snprintf(f->why, sizeof f->why, "%s: %.*s", f->where, opi_cut(opi_last_error(), 300), opi_last_error());
    f->where[0] = '\0';
}

/* Once: the figures from the cache, or found and measured.  Whatever fails, there are the cores. */
static void look(opi_auto *a)
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
    if (*f->where) failed = oplus_open(f->where, &a->accelerator) != OPLUS_OK;
    if (!known && a->accelerator) failed = measure_both(a) != OPLUS_OK;
    if (failed)
        give_up(a);
    else if (!known)
        opi_cache_store(key, ".fig", f, sizeof *f, path);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static double time_by(const opi_line *l, size_t bytes) { return l->start + l->each * (double)bytes; }

/* Whether something of this process has loaded a driver, so that an address may be one of its memory. */
static bool any_loaded(void)
{
    for (size_t d = 0; opi_drivers[d]; d++)
        if (opi_drivers[d]->loaded && opi_drivers[d]->loaded()) return true;
    return false;
}

static bool is_there(const opi_auto *a, const void *p)
{
    opi_gpu *const gpu = a->accelerator->groups->gpu;
    opi_gpu_side side;
    if (!p) return false;
    /* What it refuses, as another device's, is no memory of the host either: it will say so. */
    return gpu->driver->side(gpu, "auto", "an array", p, 1, &side) != OPLUS_OK || side == OPI_SIDE_DEVICE;
}

static oplus_device *choose(oplus_device *dev, const void *const *arrays, int count, opi_work work, size_t bytes)
{
    opi_auto *const a = dev->automatic;
    if (!a->looked && bytes < SMALL_BYTES && !any_loaded()) return a->cores;
    look(a);
    if (!a->accelerator) return a->cores;
    a->accelerator->groups->wrote = false;
    for (int i = 0; i < count; i++)
        if (is_there(a, arrays[i])) return a->accelerator;
    const opi_figures *const f = &a->figures;
    return time_by(&f->accelerator[work], bytes) < clearly * time_by(&f->cores[work], bytes) ? a->accelerator
                                                                                             : a->cores;
}

bool opi_auto_retries(const oplus_device *dev, const oplus_device *chosen, oplus_status status, bool apart,
                      const void *const *arrays, int count)
{
    if (!dev->automatic || chosen != dev->automatic->accelerator) return false;
    /* All memory is there before results go home; but a driver may lack some at any time. */
    if (chosen->groups->wrote && !apart) return false;
    if (status != OPLUS_ERR_COMPILE && status != OPLUS_ERR_UNSUPPORTED && status != OPLUS_ERR_MEMORY) return false;
    for (int i = 0; i < count; i++)
        if (is_there(dev->automatic, arrays[i])) return false;
    return true;
}

oplus_device *opi_cores_of(oplus_device *dev) { return dev->automatic ? dev->automatic->cores : dev; }

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return a && b && (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* Whether a sweep writes over nothing that it reads. */
static bool is_apart(const opi_sweep *sweep)
{
    const opi_array *const array = sweep->form.array;
    for (int i = 0; i < sweep->form.arrays; i++) {
        if (array[i].access != OPI_READS) continue;
        const size_t bytes = sweep->n * array[i].size;
        if (overlap(array[i].mem, bytes, sweep->result, sweep->result_bytes)) return false;
        for (int k = 0; k < sweep->form.arrays; k++)
            if (array[k].access != OPI_READS && overlap(array[i].mem, bytes, array[k].mem, sweep->n * array[k].size))
                return false;
    }
    return true;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static oplus_status run(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry)
{
    const void *arrays[OPI_MAX_ARRAYS + 1] = {NULL};
    const opi_form *const form = &sweep->form;
    for (int k = 0; k < form->arrays; k++) arrays[k] = form->array[k].mem;
    arrays[form->arrays] = sweep->result;
    const opi_work work = sweep->apply ? OPI_WORK_WRITE : OPI_WORK_READ;
    oplus_device *const chosen = choose(dev, arrays, form->arrays + 1, work, sweep->bytes);
    const oplus_status status = chosen->tree->run(chosen, call, sweep, carry);
    const bool met = sweep->meeting && sweep->meeting->held; /* which happens once */
    if (met || !opi_auto_retries(dev, chosen, status, is_apart(sweep), arrays, form->arrays + 1)) return status;
    return dev->automatic->cores->tree->run(dev->automatic->cores, call, sweep, carry);
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    oplus_device *const cores = dev->automatic->cores;
    return cores->tree->alloc(cores, call, bytes, mem);
}

static void release(oplus_device *dev, void *mem) { dev->automatic->cores->tree->free(dev->automatic->cores, mem); }

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    const void *const arrays[] = {dst, src};
    opi_auto *const a = dev->automatic;
    if (any_loaded()) look(a);
    oplus_device *inner = a->cores;
    for (int i = 0; i < 2 && a->accelerator; i++)
        if (is_there(a, arrays[i])) inner = a->accelerator;
    return inner->tree->copy(inner, call, dst, src, bytes);
}

static oplus_status look_at(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                            oplus_device **home)
{
    opi_auto *const a = dev->automatic;
    if (any_loaded()) look(a);
    *home = NULL;
    return a->accelerator ? a->accelerator->tree->look(a->accelerator, call, argument, p, bytes, home) : OPLUS_OK;
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    oplus_device *const accelerator = dev->automatic->accelerator;
    return accelerator ? accelerator->tree->sync(accelerator, call) : OPLUS_OK;
}

static void trim(oplus_device *dev)
{
    oplus_trim(dev->automatic->cores);
    if (dev->automatic->accelerator) oplus_trim(dev->automatic->accelerator);
}

static void close_auto(oplus_device *dev)
{
    oplus_close(dev->automatic->accelerator);
    oplus_close(dev->automatic->cores);
    free(dev->automatic);
}

static const opi_tree tree = {.run = run,
                              .choose = choose,
                              .alloc = alloc,
                              .free = release,
                              .copy = copy,
                              .look = look_at,
                              .sync = sync,
                              .trim = trim,
                              .close = close_auto};

oplus_status opi_auto_open(const char *call, oplus_device *dev)
{
    opi_auto *const a = calloc(1, sizeof *a);
    if (!a) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device handle (%zu bytes)", call, sizeof *a);
    const oplus_status status = oplus_open("threads", &a->cores);
    if (status != OPLUS_OK) {
        free(a);
        return status;
    }
    dev->tree = &tree;
    dev->automatic = a;
    dev->workers = a->cores->workers;
    snprintf(dev->name, sizeof dev->name, "%s", a->cores->name);
    return OPLUS_OK;
}

/* --- why ---------------------------------------------------------------------------------------------------------- */

/* From how many bytes on the accelerator is chosen; 1: always, 0: never. */
static double from_bytes(const opi_figures *f, opi_work work)
{
    const opi_line *const c = &f->cores[work], *const g = &f->accelerator[work];
    const double each = clearly * c->each - g->each, start = g->start - clearly * c->start;
    if (each <= 0) return 0;
    return start <= 0 ? 1 : start / each;
}

static void explain(const opi_auto *a, char *text, size_t bytes)
{
    static const char *const works[OPI_WORKS] = {"reduce", "scan, map, filter, transpose", "sort"};
    const opi_figures *const f = &a->figures;
    if (!a->accelerator) {
        snprintf(text, bytes, "no accelerator takes part (%s)\n", f->why);
        return;
    }
    size_t used = (size_t)snprintf(
        text, bytes, "arrays in the memory of %s (%s) are worked on there, those of the host as measured:\n", f->where,
        f->name);
    for (int w = 0; w < OPI_WORKS && used < bytes; w++) {
        const double from = from_bytes(f, (opi_work)w);
        char choice[sizeof a->cores->name];
        if (from > 1)
            snprintf(choice, sizeof choice, "%s from %.3g MB on", f->where, from * 1e-6);
        else if (from > 0)
            snprintf(choice, sizeof choice, "%s", f->where);
        else
            snprintf(choice, sizeof choice, "%s", a->cores->name);
        used += (size_t)snprintf(text + used, bytes - used, "  %-29s %s (%.3g GB/s there, %.3g GB/s on %s)\n", works[w],
                                 choice, 1e-9 / (f->accelerator[w].each + 1e-15), 1e-9 / (f->cores[w].each + 1e-15),
                                 a->cores->name);
    }
}

oplus_status oplus_auto(char *text, size_t bytes)
{
    OPI_OWN_MODE;
    oplus_device *dev;
    if (!text || bytes == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s; give memory for the explanation, 1024 bytes", __func__,
                        text ? "bytes is 0" : "text is NULL");
    *text = '\0';
    OPI_TRY(oplus_open("auto", &dev));
    look(dev->automatic);
    explain(dev->automatic, text, bytes);
    oplus_close(dev);
    return OPLUS_OK;
}
