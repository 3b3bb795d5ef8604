/* Access: what a load, a lookup or an operation costs, by where it goes and how lanes share it. */
#include "lab/access/sizes.h"
#include "lab/access/access.h"

#include "lab/show.h"

#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- 1. a launch -------------------------------------------------------------------------------------------------- */

static int arguments_of(const access_trial *t)
{
    int count = 0;
    while (count < ACCESS_ARGUMENTS && (t->argument[count].memory || t->argument[count].bytes)) count++;
    return count;
}

void access_launch(void *trial)
{
    const access_trial *const t = trial;
    lab_launch_with(t->dev, t->kernel, t->groups, t->items ? t->items : ITEMS, t->argument, arguments_of(t));
}

void access_run(const access_trial *trial, void *out, void *host, size_t bytes)
{
    access_trial t = *trial;
    lab_spoil(t.dev, out, host, bytes);
    access_launch(&t);
    lab_download(t.dev, host, out, bytes);
}

double access_seconds(lab *l, const char *what, access_trial *trial, void *out, const uint32_t *expected, size_t n)
{
    uint32_t *const host = tool_alloc(n * sizeof *host);
    access_run(trial, out, host, n * sizeof *host);
    size_t i = 0;
    while (i < n && host[i] == expected[i]) i++;
    free(host);
    if (i == n) return lab_seconds(l->dev, access_launch, trial);
    tool_warn("%s: a wrong result, element %zu of %zu", what, i, n);
    lab_wrong(l);
    return NAN;
}

/* --- 2. small things ---------------------------------------------------------------------------------------------- */

void *access_upload(lab_device *dev, const uint32_t *from, size_t n)
{
    void *const mem = lab_alloc(dev, n * sizeof *from);
    lab_upload(dev, mem, from, n * sizeof *from);
    return mem;
}

const char *access_counted_by(const lab *l, char name[160])
{
    snprintf(name, 160, "counted by %s", lab_facts(l->dev)->name);
    return name;
}

/* --- 3. all of it ------------------------------------------------------------------------------------------------- */

static void run(lab *l)
{
    static void (*const section[])(lab * l) = {access_global,   access_widths,  access_shared,
                                               access_constant, access_texture, access_arithmetic,
                                               access_sines,    access_loops,   access_flight};
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) section[i](l);
}

const lab_experiment lab_access = {
    .name = "access",
    .title = "Memory access",
    .summary = "offsets, strides, banks, widths, constant memory, textures, arithmetic, bytes under way",
    .about =
        "A GPU moves 32 work-items as one warp, and memory serves the warp, not the work-item: what an access costs "
        "depends on where its 32 lanes go together. Each section changes one thing about that: an offset, a stride, "
        "a width, the kind of memory. Then the same for arithmetic; and in the end, how much has to be under way to "
        "keep memory busy.\n\n"
        "Sectors and passes say what a warp of 32 does; where the device has no counters, a model finds them in the "
        "text of the kernel. Times are always this device's. The cores of a processor have no warps, no banks and no "
        "memory of their own for constants or textures: there the same kernels show caches, vector instructions and "
        "prefetching, and their times need not follow the counts.",
    .items = ITEMS,
    .counts = true,
    .run = run};
