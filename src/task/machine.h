/* Who computes: a machine takes tasks.  One table a kind of machine: cores, gpu, auto; a cluster is made of one a rank.
 *
 * Each machine's own struct begins with an oplus_device, which is what the user has. */
#ifndef OPI_MACHINE_H
#define OPI_MACHINE_H

#include "base/say.h"
#include "task/range.h"
#include "task/task.h"

/* What a machine keeps of a summary until it is applied. */
typedef struct opi_ticket {
    uint64_t number; /* 0: nothing */
} opi_ticket;

/* Which way the bytes of a transfer go. */
typedef enum opi_way_home { OPI_TO_MACHINE, OPI_TO_HOST } opi_way_home;

/* Copies between the host and a machine with memory of its own, under way while the host does something else.  Those of
 * one direction follow each other. */
typedef struct opi_transfers {
    size_t (*bytes)(const oplus_device *dev); /* that are worth a transfer */
    /* Memory of the host that transfers reach without the processor's help.  The machine keeps it; its content is lost
     * when more is asked for. */
    oplus_status (*stage)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    oplus_status (*begin)(oplus_device *dev, const char *call, opi_way_home way, void *to, const void *from,
                          size_t bytes);
    /* *mark: what has been begun so far in that direction; `reached` waits for it, and takes it back. */
    oplus_status (*mark)(oplus_device *dev, const char *call, opi_way_home way, void **mark);
    oplus_status (*reached)(oplus_device *dev, const char *call, void *mark);
    oplus_status (*settle)(oplus_device *dev, const char *call, opi_way_home way); /* waits for all */
    /* Whether an address of its memory means the same to a transport that takes addresses of CUDA. */
    bool (*shares_addresses)(const oplus_device *dev);
} opi_transfers;

typedef struct opi_machine {
    /* Does a task for the public call of that name.  carry, of a reduce or a scan: on entry what precedes item 0, on
     * return what precedes item n, unless a result is made of it; NULL: nothing precedes, and nothing is kept.  Fails
     * before anything is written, or because a device did. */
    oplus_status (*run)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry);

    /* The same in two steps, for a part of a longer array (src/ranks): what precedes it becomes known only after its own
     * summary is.  summarise extends carry by the items of a scan (or reduce) and writes nothing; apply writes, from
     * what precedes item 0, which carry is then.  The ticket says what the machine has kept meanwhile, so that apply
     * need not read everything again; a call in between on the same device costs that, no more. */
    oplus_status (*summarise)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket);
    oplus_status (*apply)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket);

    /* Whether run would find memory, programs and drivers that take the task: all that run needs is made ready, and
     * nothing is launched or copied.  If not, the failure that run would give. */
    oplus_status (*takes)(oplus_device *dev, const char *call, const opi_task *task);

    /* Says how it would do a task: the way that it takes, and the others; launches and bytes; nothing is computed. */
    oplus_status (*explain)(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to);

    /* Memory: as the public calls of these names, their arguments checked, bytes > 0. */
    oplus_status (*alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*free)(oplus_device *dev, void *mem);
    oplus_status (*wrap)(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem); /* NULL: none */
    oplus_status (*copy)(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes);
    /* The machine in whose memory bytes > 0 at p are; NULL: in the host's.  A verb that is NULL: they always are. */
    oplus_status (*look)(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home);
    /* Memory of the host that is copied to and from the device without the processor's help; NULL: any is. */
    oplus_status (*pinned_alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*pinned_free)(oplus_device *dev, void *mem);
    const opi_transfers *transfers; /* NULL: its memory is the host's, or there is no one machine to ask */
    oplus_status (*sync)(oplus_device *dev, const char *call);
    void (*trim)(oplus_device *dev);
    void (*close)(oplus_device *dev); /* frees the handle */
    bool is_host;                     /* it computes on the host's cores, and fails at nothing once memory is there */
} opi_machine;

struct oplus_device {
    const opi_machine *machine;
    struct opi_cores *cores; /* the host's cores, which every machine has beside it (cores/cores.h) */
    struct opi_rank *rank;   /* what a rank keeps from call to call (ranks/rank.h); NULL: no call over ranks so far */
    opi_saying explained;    /* where tasks are explained in place of being done; text NULL: they are done */
    char name[192];
};

oplus_status opi_explain_task(oplus_device *dev, const char *call, const opi_task *task); /* task/explain.h */

/* Has a public call's task done by the device. */
static inline oplus_status opi_run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    if (dev->explained.text) return opi_explain_task(dev, call, task);
    return dev->machine->run(dev, call, task, carry);
}

#endif
