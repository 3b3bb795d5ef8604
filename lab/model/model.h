/* A model of a GPU: it runs a kernel's own text, work-item by work-item, and counts what a warp of 32 lanes would do at
 * once.
 *
 * The text is compiled for the host when the program is built (host.h, trace.awk), so that addresses and branches are
 * those of the kernel and nothing is written twice.  Lanes of a warp run together as long as they take the same
 * branches, and meet again where the branch or loop ends.  This gives the numbers of divergent branches, bank
 * conflicts, requests, sectors and warps exactly for this text; a compiler may turn a short branch into predicated
 * instructions, which a device does not count.  Time, caches and occupancy are not modelled.
 *
 * Within a warp the lanes run one after another from one synchronisation to the next: a schedule that a GPU with
 * independent threads (Volta and later) may choose, and in which a missing synchronisation shows. */
#ifndef LAB_MODEL_H
#define LAB_MODEL_H

#include "driver/driver.h"
#include "lab/counters.h"

typedef struct lab_model_kernel {
    const char *name;
    void (*call)(const opi_gpu_argument *argument); /* one work-item of it */
} lab_model_kernel;

/* The kernels of a file that is modelled. */
typedef struct lab_model_file {
    const char *name; /* "reduce/02-modulo.cl" */
    const lab_model_kernel *kernels;
} lab_model_file;

extern const lab_model_file lab_model_files[]; /* made when the program is built; ends with a name of NULL */

/* NULL: it is not modelled. */
const lab_model_kernel *lab_model_find(const char *file, const char *kernel);

/* Opens a model with the facts of another accelerator (multiprocessors, limits).  Its memory is the host's.  NULL:
 * no memory. */
opi_gpu *lab_model_open(const opi_gpu_facts *like);

/* In a large launch, equal groups are counted once: if two groups and one in their middle do the same, those between
 * are left out, and their results are missing.  whole: all groups are run.  Returns the setting before. */
bool lab_model_whole(opi_gpu *model, bool whole);
/* From now on launches consist of rows of `groups` groups, whose ends may differ from their middles: rows are
 * compared with each other as groups are, and groups within a row.  0: there are no rows. */
void lab_model_rows(opi_gpu *model, uint64_t groups);

/* The counts of all launches since the last call of this. */
void lab_model_counts(opi_gpu *model, lab_counts *counts);

#endif
