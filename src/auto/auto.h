/* "auto": the processor or an accelerator, task by task.
 *
 * Data in the memory of the accelerator are worked on there.  Data of the host have to travel: whether that pays
 * depends on their size and on both machines, so it is measured, once, and the figures are kept in the cache.  Nothing
 * is loaded before there is a reason: small calls of a process that has no accelerator's library cannot concern one. */
#ifndef OPI_AUTO_H
#define OPI_AUTO_H

#include "task/machine.h"

/* What a task does with its arrays, as far as its time is concerned. */
typedef enum opi_work { OPI_WORK_READ, OPI_WORK_WRITE, OPI_WORK_SORT, OPI_WORKS } opi_work;

/* seconds = start + bytes * each */
typedef struct opi_line {
    double start, each;
} opi_line;

enum { OPI_WHY_BYTES = 400 };

/* What was found and measured, as it is kept in the cache. */
typedef struct opi_figures {
    char magic[16];
    char where[32], name[128]; /* of the accelerator; "" if there is none, */
    char why[OPI_WHY_BYTES];   /* and why not */
    opi_line cores[OPI_WORKS], accelerator[OPI_WORKS];
} opi_figures;

typedef struct opi_auto {
    oplus_device dev;
    oplus_device *cores, *accelerator; /* accelerator NULL: there is none, or nobody has looked for it yet */
    oplus_device *summarised;          /* which of them has made the last summary */
    bool looked;                       /* the figures are there, and the accelerator is open if there is one */
    opi_figures figures;
} opi_auto;

extern const opi_machine opi_auto_machine;

oplus_status opi_auto_open(const char *call, int workers, oplus_device **dev);

/* --- measuring (measure.c) ---------------------------------------------------------------------------------------- */

/* Once: the figures from the cache, or found and measured.  Whatever fails, there are the cores. */
void opi_auto_look(opi_auto *a);
/* How long so much work takes, in seconds. */
double opi_line_time(const opi_line *line, size_t bytes);
/* Of the processor's time: the accelerator is to be clearly faster, or the processor keeps the task. */
extern const double opi_auto_clearly;

/* --- in words (explain.c) ----------------------------------------------------------------------------------------- */

/* Which machine takes what, and why, after opi_auto_look. */
void opi_auto_explain(const opi_auto *a, char *text, size_t bytes);

#endif
