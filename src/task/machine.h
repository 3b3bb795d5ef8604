/* A machine does tasks.  There is one table of functions for each kind of machine: cores, gpu, auto; a cluster has a
 * machine on each rank.
 *
 * Each machine's own struct begins with an oplus_device, which is the handle that the user has. */
#ifndef OPI_MACHINE_H
#define OPI_MACHINE_H

#include "base/say.h"
#include "task/offer.h"
#include "task/range.h"
#include "task/reached.h"
#include "task/task.h"

/* Names what a machine has kept of a summary until it is applied. */
typedef struct opi_ticket {
    uint64_t number; /* 0: the machine has kept nothing */
} opi_ticket;

/* The direction of a transfer. */
typedef enum opi_way_home { OPI_TO_MACHINE, OPI_TO_HOST } opi_way_home;

/* Asynchronous copies between the host and a machine with memory of its own: they run while the host does something
 * else.  Copies in one direction run one after the other. */
typedef struct opi_transfers {
    size_t (*bytes)(const oplus_device *dev); /* the least number of bytes that is worth a transfer */
    /* Sets *mem to pinned memory of the host, which transfers reach without the processor's help.  The machine owns
     * the memory; its content is lost when more is asked for. */
    oplus_status (*stage)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    /* Begins a copy. */
    oplus_status (*begin)(oplus_device *dev, const char *call, opi_way_home way, void *to, const void *from,
                          size_t bytes);
    /* Sets *mark to a mark behind all copies begun so far in that direction.  `reached` waits until they are done, and
     * frees the mark. */
    oplus_status (*mark)(oplus_device *dev, const char *call, opi_way_home way, void **mark);
    oplus_status (*reached)(oplus_device *dev, const char *call, void *mark);
    oplus_status (*settle)(oplus_device *dev, const char *call, opi_way_home way); /* waits for all copies */
    /* Whether a transport that takes addresses of CUDA may be given addresses of this machine's memory. */
    bool (*shares_addresses)(const oplus_device *dev);

    /* --- between devices of one host, in one process or in several; all NULL: there is no such way --- */
    /* Offers the allocation at mem; offer->host is 0 if nobody could copy from there. */
    oplus_status (*offer)(oplus_device *dev, const char *call, const void *mem, opi_offer *offer);
    /* Sets *mem to where this device finds what another one has offered; false: it does not.  decline ends that, when
     * nothing is copied from there any more. */
    bool (*accept)(oplus_device *dev, const char *call, const opi_offer *offer, const void **mem);
    void (*decline)(oplus_device *dev, const opi_offer *offer);
    /* Begins a copy to this machine, of what it has accepted of `offer`, or, NULL, of its own memory; settle(OPI_TO_MACHINE)
     * waits for it. */
    oplus_status (*pull)(oplus_device *dev, const char *call, void *to, const void *from, size_t bytes,
                         const opi_offer *offer);
    /* Begins the sort of a task whose arrays are in this machine's memory, into other memory of this machine: the task's own
     * arrays stay as they are. */
    oplus_status (*sort_to)(oplus_device *dev, const char *call, const opi_task *task, void *keys, void *values);
    /* Merges of sorted runs in the memory of this machine, and in memory that it has accepted and whose offer is_exported:
     * whether it can; makes all ready that a merge with these types and numbers of elements needs, and launches nothing;
     * and begins a merge. */
    bool (*merge_can)(const opi_reached *runs);
    oplus_status (*merge_prepare)(oplus_device *dev, const char *call, const opi_reached *runs);
    oplus_status (*merge)(oplus_device *dev, const char *call, const opi_reached *runs);
} opi_transfers;

typedef struct opi_machine {
    /* Does a task; `call` is the name of the public call, for messages.  carry, for a reduce or a scan: on entry the
     * summary of what precedes item 0; on return the summary of what precedes item n, unless the task wants a result;
     * NULL: nothing precedes, and nothing is kept.  Fails before anything is written, or because a device failed. */
    oplus_status (*run)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry);

    /* A scan or reduce in two steps, for a part of a longer array (src/ranks): there what precedes the part is known
     * only after all parts are summarised.  summarise appends the items to carry and writes nothing; apply writes the
     * results, with carry then the summary of what precedes item 0.  The ticket says what the machine has kept between
     * the two, so that apply need not read everything again; if another call on the device came in between, it reads
     * again. */
    oplus_status (*summarise)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket);
    oplus_status (*apply)(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket);

    /* Says whether run can take the task: makes ready all memory and programs that run needs, and launches and copies
     * nothing.  If run cannot, returns the failure that run would give. */
    oplus_status (*takes)(oplus_device *dev, const char *call, const opi_task *task);

    /* Says in words how the machine would do a task: the way that it takes, the other ways, launches and bytes.
     * Computes nothing. */
    oplus_status (*explain)(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to);

    /* alloc, free, wrap and copy do what the public calls of these names do; arguments are checked, and bytes > 0. */
    oplus_status (*alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*free)(oplus_device *dev, void *mem);
    /* Sets *mem to memory for what a public call has between its tasks (front/scratch.h), which the machine keeps until it
     * is asked for more, or trimmed; NULL: such memory is allocated and freed. */
    oplus_status (*lend)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    /* How many bytes of its memory it may have for arrays of the host, and scratch memory beside them; NULL: its memory is
     * the host's, or other machines do its tasks. */
    size_t (*room)(const oplus_device *dev);
    oplus_status (*wrap)(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem); /* NULL: none */
    oplus_status (*copy)(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes);
    /* Sets *home to the machine in whose memory the `bytes` > 0 bytes at p lie; NULL: they lie in host memory.  If
     * look itself is NULL, they always lie in host memory. */
    oplus_status (*look)(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home);
    /* How many counts have one end together in a repeat of arrays in its memory (OPI_COUNT_ENDS); NULL, or 1: each has its
     * own. */
    size_t (*count_block)(const oplus_device *dev);
    /* Allocates and frees pinned host memory, which is copied to and from the device without the processor's help;
     * NULL: any memory will do. */
    oplus_status (*pinned_alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*pinned_free)(oplus_device *dev, void *mem);
    const opi_transfers *transfers; /* NULL: its memory is host memory, or there is no single machine to ask */
    oplus_status (*sync)(oplus_device *dev, const char *call);
    void (*trim)(oplus_device *dev);
    void (*close)(oplus_device *dev); /* frees the handle */
    bool is_host;                     /* it computes on the host's cores: only a lack of memory can make a call fail */
} opi_machine;

struct oplus_device {
    const opi_machine *machine;
    struct opi_cores *cores; /* the host's cores, which every machine has in addition (cores/cores.h) */
    struct opi_rank *rank;   /* what a rank keeps from call to call (ranks/rank.h); NULL: no call over ranks so far */
    opi_saying explained;    /* where tasks are explained, and not done; text NULL: tasks are done */
    char name[192];
};

oplus_status opi_explain_task(oplus_device *dev, const char *call, const opi_task *task); /* task/explain.h */

/* Does the task of a public call on a device, or explains it. */
static inline oplus_status opi_run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    if (dev->explained.text) return opi_explain_task(dev, call, task);
    return dev->machine->run(dev, call, task, carry);
}

#endif
