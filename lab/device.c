#include "lab/device.h"

#include "auto/auto.h"
#include "die.h"
#include "driver/cuda/cuda.h"
#include "lab/counters/cupti.h"
#include "lab/model/model.h"
#include "lab/texts.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The drivers make a new kernel whenever they are asked for one. */
typedef struct lab_named_kernel {
    struct lab_named_kernel *next;
    char *name;
    void *handle; /* goes with the program */
} lab_named_kernel;

/* A program: one kernel file behind its macros. */
typedef struct lab_program {
    struct lab_program *next;
    char *file, *macros;
    void *handle;
    lab_named_kernel *kernels;
} lab_program;

static const char call[] = "oplus lab";

void lab_must(oplus_status status)
{
    if (status != OPLUS_OK) tool_die(TOOL_FAILED, "%s", oplus_last_error());
}

/* --- 1. open and close -------------------------------------------------------------------------------------------- */

/* Opens the first device of this order that is present. */
static oplus_device *open_first(void)
{
    static const char *const places[] = {"cuda", "opencl:gpu", "opencl", "threads"};
    oplus_device *dev = NULL;
    for (size_t i = 0; !dev && i < sizeof places / sizeof *places; i++)
        if (oplus_open(places[i], &dev) != OPLUS_OK) dev = NULL;
    if (!dev) tool_die(TOOL_NO_DEVICE, "%s", oplus_last_error());
    return dev;
}

/* The message of oplus_open without that name: the option's name replaces it. */
static const char *words(void)
{
    static const char call_name[] = "oplus_open: ";
    const char *const said = oplus_last_error();
    return strncmp(said, call_name, sizeof call_name - 1) == 0 ? said + sizeof call_name - 1 : said;
}

static oplus_device *open_named(const char *where)
{
    oplus_device *dev;
    const oplus_status status = oplus_open(where, &dev);
    if (status != OPLUS_OK)
        tool_die(status == OPLUS_ERR_ARGUMENT ? TOOL_USAGE : TOOL_NO_DEVICE,
                 "--device %s: %s; `oplus devices` lists what there is", where, words());
    if (dev->machine == &opi_auto_machine) {
        oplus_close(dev);
        tool_die(TOOL_USAGE, "--device auto: the lab looks at one device; leave --device out for the first there is");
    }
    return dev;
}

static lab_device *model_of(const opi_gpu_facts *facts)
{
    lab_device *const twin = tool_alloc(sizeof *twin);
    *twin = (lab_device){.model = true, .gpu = lab_model_open(facts)};
    if (!twin->gpu) tool_die(TOOL_FAILED, "no memory for the model");
    return twin;
}

/* Counters of the hardware, or why there are none. */
static void open_counters(lab_device *dev)
{
    if (!lab_is_cuda(dev)) {
        snprintf(dev->no_counters, sizeof dev->no_counters, "%s has no counters that OpenCL could read",
                 lab_facts(dev)->where);
        return;
    }
    const opi_cuda_gpu *const g = (const opi_cuda_gpu *)dev->gpu;
    dev->cupti = lab_cupti_open(g->context, g->ordinal, dev->no_counters, sizeof dev->no_counters);
}

/* The model alone: all groups run, so that results are complete; calls of oplus run on the host. */
static lab_device *open_model(void)
{
    const opi_gpu_facts facts = {.where = "model",
                                 .name = "a GPU that the host imitates: it counts, its times mean nothing",
                                 .driver = "lab/model",
                                 .host_cores = true,
                                 .f64 = true,
                                 .memory = (uint64_t)1 << 30,
                                 .largest = (uint64_t)1 << 30,
                                 .local = 48 << 10,
                                 .units = 4,
                                 .group = 1024,
                                 .lanes = 32,
                                 .fast_bytes = 16};
    lab_device *const dev = model_of(&facts);
    lab_must(oplus_open("serial", &dev->oplus));
    lab_model_whole(dev->gpu, true);
    dev->twin = model_of(&facts);
    snprintf(dev->no_counters, sizeof dev->no_counters, "it is one");
    return dev;
}

lab_device *lab_device_open(const char *where, bool counts)
{
    if (where && strcmp(where, "model") == 0) return open_model();
    lab_device *const dev = tool_alloc(sizeof *dev);
    *dev = (lab_device){.oplus = where ? open_named(where) : open_first()};
    dev->gpu = opi_gpu_driver_of(dev->oplus);
    if (!dev->gpu) return dev;
    lab_must(opi_enter(dev->gpu, call)); /* entered until closed: the lab is its own program */
    dev->twin = model_of(&dev->gpu->facts);
    if (counts) open_counters(dev);
    return dev;
}

static void unload(lab_device *dev, lab_program *p)
{
    for (lab_named_kernel *k = p->kernels, *next; k; k = next) {
        next = k->next;
        free(k->name);
        free(k);
    }
    dev->gpu->driver->unload(dev->gpu, p->handle);
    free(p->file);
    free(p->macros);
    free(p);
}

static void close_one(lab_device *dev)
{
    for (lab_program *p = dev->programs, *next; p; p = next) {
        next = p->next;
        unload(dev, p);
    }
    lab_cupti_close(dev->cupti);
    if (dev->gpu) opi_leave(dev->gpu, call, OPLUS_OK);
    if (dev->model && dev->gpu) dev->gpu->driver->close(dev->gpu);
    oplus_close(dev->oplus);
    free(dev);
}

void lab_device_close(lab_device *dev)
{
    if (!dev) return;
    if (dev->twin) close_one(dev->twin);
    close_one(dev);
}

bool lab_is_cuda(const lab_device *dev) { return dev->gpu && dev->gpu->driver == &opi_cuda; }

/* --- 2. memory ---------------------------------------------------------------------------------------------------- */

void *lab_alloc(lab_device *dev, size_t bytes)
{
    void *mem;
    lab_must(dev->gpu->driver->alloc(dev->gpu, call, bytes ? bytes : 1, &mem));
    return mem;
}

void lab_free(lab_device *dev, void *mem)
{
    if (mem) dev->gpu->driver->free(dev->gpu, mem);
}

void lab_upload(lab_device *dev, void *to, const void *from, size_t bytes)
{
    lab_must(dev->gpu->driver->upload(dev->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    lab_wait(dev);
}

void lab_download(lab_device *dev, void *to, const void *from, size_t bytes)
{
    lab_must(dev->gpu->driver->download(dev->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    lab_wait(dev);
}

void lab_spoil(lab_device *dev, void *mem, void *host, size_t bytes)
{
    memset(host, 0xa5, bytes);
    lab_upload(dev, mem, host, bytes);
}

/* --- 3. kernels --------------------------------------------------------------------------------------------------- */

static lab_program *program_of(lab_device *dev, const char *file, const char *macros)
{
    lab_program *p = dev->programs;
    while (p && (strcmp(p->file, file) != 0 || strcmp(p->macros, macros) != 0)) p = p->next;
    if (p) return p;
    char *const source = lab_source_of(dev->gpu->driver->dialect, file, macros);
    p = tool_alloc(sizeof *p);
    *p = (lab_program){.next = dev->programs, .file = tool_copy(file), .macros = tool_copy(macros)};
    lab_must(dev->gpu->driver->compile(dev->gpu, call, file, source, &p->handle));
    dev->programs = p;
    free(source);
    return p;
}

static void *modelled_kernel(const char *file, const char *name)
{
    const lab_model_kernel *const found = lab_model_find(file, name);
    if (!found)
        tool_die(TOOL_FAILED, "--device model: the kernel %s of lab/%s is not modelled; give another", name, file);
    return (void *)found; /* the launch takes it as const again */
}

void *lab_kernel(lab_device *dev, const char *file, const char *name, const char *macros)
{
    if (dev->model) return modelled_kernel(file, name);
    lab_program *const program = program_of(dev, file, macros ? macros : "");
    lab_named_kernel *k = program->kernels;
    while (k && strcmp(k->name, name) != 0) k = k->next;
    if (k) return k->handle;
    k = tool_alloc(sizeof *k);
    *k = (lab_named_kernel){.next = program->kernels, .name = tool_copy(name)};
    lab_must(dev->gpu->driver->kernel(dev->gpu, call, program->handle, name, &k->handle));
    program->kernels = k;
    return k->handle;
}

void lab_launch_with(lab_device *dev, void *kernel, uint64_t groups, unsigned items, const opi_gpu_argument *argument,
                     int arguments)
{
    dev->launches++;
    const opi_launch launch = {
        .kernel = kernel, .groups = groups, .items = items, .argument = argument, .arguments = arguments};
    lab_must(dev->gpu->driver->launch(dev->gpu, call, &launch));
}

void lab_wait(lab_device *dev)
{
    if (dev->gpu)
        lab_must(dev->gpu->driver->sync(dev->gpu, call, OPI_QUEUE_COMPUTE));
    else
        lab_must(oplus_sync(dev->oplus));
    const char *const trouble = dev->also_wait ? dev->also_wait() : NULL;
    if (trouble) tool_die(TOOL_FAILED, "a peer failed: %s", trouble);
}
