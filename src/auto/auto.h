/* "auto": the processor or an accelerator, task by task.
 *
 * Arrays in the memory of the accelerator are computed there.  Arrays in host memory must be copied: whether that is
 * worth it depends on their size and on both machines, so it is measured once, and the cache keeps the figures.  A
 * driver is loaded only when it is needed: small calls in a process that has not loaded one do not need it. */
#ifndef OPI_AUTO_H
#define OPI_AUTO_H

#include "task/machine.h"

/* Kinds of tasks that take different times: tasks that read, that read and write, and sorts. */
typedef enum opi_work { OPI_WORK_READ, OPI_WORK_WRITE, OPI_WORK_SORT, OPI_WORKS } opi_work;

/* The time of a task: seconds = start + bytes * each. */
typedef struct opi_line {
    double start, each;
} opi_line;

enum { OPI_WHY_BYTES = 400 };

/* The accelerator that was found, and the times that were measured, as the cache keeps them. */
typedef struct opi_figures {
    char magic[16];
    char where[32], name[128]; /* the accelerator; "" if there is none */
    char why[OPI_WHY_BYTES];   /* why there is no accelerator */
    opi_line cores[OPI_WORKS], accelerator[OPI_WORKS];
} opi_figures;

typedef struct opi_auto {
    oplus_device dev;
    oplus_device *cores, *accelerator; /* accelerator NULL: there is none, or it was not looked for yet */
    oplus_device *summarised;          /* the machine that has made the last summary */
    bool looked;                       /* true: the figures are set, and the accelerator is open if there is one */
    opi_figures figures;
} opi_auto;

extern const opi_machine opi_auto_machine;

oplus_status opi_auto_open(const char *call, int workers, oplus_device **dev);

/* --- measuring (measure.c) ---------------------------------------------------------------------------------------- */

/* Sets the figures, once: reads them from the cache, or looks for an accelerator and measures.  If anything fails,
 * only the cores are used. */
void opi_auto_look(opi_auto *a);
/* The time in seconds of a task on `bytes` bytes. */
double opi_line_time(const opi_line *line, size_t bytes);
/* The accelerator gets a task only if its time is less than this fraction of the time on the cores. */
extern const double opi_auto_clearly;

/* --- in words (explain.c) ----------------------------------------------------------------------------------------- */

/* Says in words which machine takes which tasks, and why; to be called after opi_auto_look. */
void opi_auto_explain(const opi_auto *a, char *text, size_t bytes);

#endif
