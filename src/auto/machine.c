/* The machine "auto": two others, and which of them takes a task. */
#include "auto/auto.h"

#include "base/error.h"
#include "cores/cores.h"
#include "driver/driver.h"
#include "task/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_BYTES = 1 << 20 /* below, no accelerator is looked for */ };

static opi_auto *auto_of(oplus_device *dev) { return (opi_auto *)dev; }

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* Whether something of this process has loaded a driver, so that an address may be one of its memory. */
static bool any_loaded(void)
{
    for (size_t d = 0; opi_drivers[d]; d++)
        if (opi_drivers[d]->loaded && opi_drivers[d]->loaded()) return true;
    return false;
}

static bool is_there(const opi_auto *a, const void *p)
{
    oplus_device *home;
    if (!p) return false;
    /* Memory that the accelerator refuses, as another device's, is not the host's either; it will say so. */
    return a->accelerator->machine->look(a->accelerator, "auto", "an array", p, 1, &home) != OPLUS_OK || home;
}

static bool any_there(const opi_auto *a, const opi_task *task)
{
    for (int k = 0; k < task->arrays; k++)
        if (is_there(a, task->array[k].mem)) return true;
    return is_there(a, task->result);
}

static opi_work work_of(const opi_task *task)
{
    if (task->what == OPI_SORT || task->what == OPI_SORT_BY || task->what == OPI_SEGSORT) return OPI_WORK_SORT;
    const bool reads = task->what == OPI_REDUCE || task->what == OPI_SEGREDUCE || task->what == OPI_EXTREME ||
                       task->what == OPI_REDUCE_AXIS || task->what == OPI_EXTREME_AXIS || task->what == OPI_COUNT ||
                       task->what == OPI_TOP || task->what == OPI_NTH;
    return reads ? OPI_WORK_READ : OPI_WORK_WRITE;
}

/* Where the data are the host's, the accelerator must be clearly faster, and take the task: its compiler may refuse the
 * operator, or it may lack memory. */
static oplus_device *choose(opi_auto *a, const char *call, const opi_task *task)
{
    const size_t bytes = (size_t)opi_task_bytes(task);
    const opi_work work = work_of(task);
    if (!a->looked && bytes < SMALL_BYTES && !any_loaded()) return a->cores;
    opi_auto_look(a);
    if (!a->accelerator) return a->cores;
    if (any_there(a, task)) return a->accelerator;
    const opi_figures *const f = &a->figures;
    const bool faster =
        opi_line_time(&f->accelerator[work], bytes) < opi_auto_clearly * opi_line_time(&f->cores[work], bytes);
    if (!faster) return a->cores;
    switch (a->accelerator->machine->takes(a->accelerator, call, task)) {
    case OPLUS_ERR_COMPILE:
    case OPLUS_ERR_UNSUPPORTED:
    case OPLUS_ERR_MEMORY:
        return a->cores;
    default: /* it takes the task, or will say what is wrong */
        return a->accelerator;
    }
}

/* --- the machine -------------------------------------------------------------------------------------------------- */

static oplus_status run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    return opi_run(choose(auto_of(dev), call, task), call, task, carry);
}

static oplus_status summarise(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket)
{
    opi_auto *const a = auto_of(dev);
    a->summarised = choose(a, call, task);
    return a->summarised->machine->summarise(a->summarised, call, task, carry, ticket);
}

static oplus_status apply(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket)
{
    opi_auto *const a = auto_of(dev);
    oplus_device *const by = a->summarised ? a->summarised : choose(a, call, task); /* makes the ticket */
    return by->machine->apply(by, call, task, carry, ticket);
}

static oplus_status takes(oplus_device *dev, const char *call, const opi_task *task)
{
    oplus_device *const chosen = choose(auto_of(dev), call, task);
    return chosen->machine->takes(chosen, call, task);
}

static oplus_status explain(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to)
{
    opi_auto *const a = auto_of(dev);
    oplus_device *const chosen = choose(a, call, task);
    const opi_work work = work_of(task);
    const size_t bytes = (size_t)opi_task_bytes(task);
    if (!a->looked)
        opi_say(to, "auto: the cores; below 1 MB no accelerator is looked for\n");
    else if (!a->accelerator)
        opi_say(to, "auto: the cores; no accelerator takes part (%s)\n", a->figures.why);
    else if (any_there(a, task))
        opi_say(to, "auto: %s, since an array is in its memory\n", a->figures.where);
    else
        opi_say(to, "auto: %s; as measured, %s would take %.3g ms, copies included, and the cores %.3g ms\n",
                chosen == a->cores ? "the cores" : a->figures.where, a->figures.where,
                1e3 * opi_line_time(&a->figures.accelerator[work], bytes),
                1e3 * opi_line_time(&a->figures.cores[work], bytes));
    return chosen->machine->explain(chosen, call, task, to);
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    oplus_device *const cores = auto_of(dev)->cores;
    return cores->machine->alloc(cores, call, bytes, mem);
}

static void release(oplus_device *dev, void *mem) { auto_of(dev)->cores->machine->free(auto_of(dev)->cores, mem); }

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    const void *const arrays[] = {dst, src};
    opi_auto *const a = auto_of(dev);
    if (any_loaded()) opi_auto_look(a);
    oplus_device *inner = a->cores;
    for (int i = 0; i < 2 && a->accelerator; i++)
        if (is_there(a, arrays[i])) inner = a->accelerator;
    return inner->machine->copy(inner, call, dst, src, bytes);
}

static oplus_status look_at(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                            oplus_device **home)
{
    opi_auto *const a = auto_of(dev);
    if (any_loaded()) opi_auto_look(a);
    *home = NULL;
    return a->accelerator ? a->accelerator->machine->look(a->accelerator, call, argument, p, bytes, home) : OPLUS_OK;
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    oplus_device *const accelerator = auto_of(dev)->accelerator;
    return accelerator ? accelerator->machine->sync(accelerator, call) : OPLUS_OK;
}

static void trim(oplus_device *dev)
{
    opi_auto *const a = auto_of(dev);
    a->cores->machine->trim(a->cores);
    if (a->accelerator) a->accelerator->machine->trim(a->accelerator);
}

static void close_auto(oplus_device *dev)
{
    opi_auto *const a = auto_of(dev);
    if (a->accelerator) a->accelerator->machine->close(a->accelerator);
    a->cores->machine->close(a->cores);
    free(a);
}

const opi_machine opi_auto_machine = {.run = run,
                                      .summarise = summarise,
                                      .apply = apply,
                                      .takes = takes,
                                      .explain = explain,
                                      .alloc = alloc,
                                      .free = release,
                                      .copy = copy,
                                      .look = look_at,
                                      .sync = sync,
                                      .trim = trim,
                                      .close = close_auto};

oplus_status opi_auto_open(const char *call, int workers, oplus_device **dev)
{
    opi_cores *cores;
    opi_auto *const a = calloc(1, sizeof *a);
    if (!a) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device handle (%zu bytes)", call, sizeof *a);
    const oplus_status status = opi_cores_open(call, workers, &cores);
    if (status != OPLUS_OK) {
        free(a);
        return status;
    }
    a->cores = &cores->dev;
    a->dev.machine = &opi_auto_machine;
    a->dev.cores = cores;
    memcpy(a->dev.name, cores->dev.name, sizeof a->dev.name);
    *dev = (oplus_device *)a; /* its first member */
    return OPLUS_OK;
}
