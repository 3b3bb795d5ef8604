/* A device handle: its tree, how many workers, which compiled leaves, and the scratch memory that it keeps. */
#ifndef OPI_DEVICE_H
#define OPI_DEVICE_H

#include <oplus/oplus.h>

#include "base/memory.h"
#include "cores/isa.h"
#include "task/offsets.h"
#include "cores/sweep.h"

/* What a call does with its arrays, as far as its time is concerned. */
typedef enum opi_work { OPI_WORK_READ, OPI_WORK_WRITE, OPI_WORK_SORT, OPI_WORKS } opi_work;

/* What depends on the kind of machine. */
typedef struct opi_tree {
    /* See opi_sweep_run. */
    oplus_status (*run)(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry);
    /* The calls that a machine may do in a way of its own, their arguments checked; NULL: as sweeps. */
    oplus_status (*sort)(oplus_device *dev, const char *call, const oplus_type *key, oplus_order order, void *keys,
                         const oplus_type *value, void *values, size_t n); /* value and values NULL: keys alone */
    oplus_status (*segreduce)(oplus_device *dev, const char *call, const oplus_op *op, const void *in,
                              const opi_offsets *offsets, void *out);
    oplus_status (*transpose)(oplus_device *dev, const char *call, size_t size, const void *in, size_t rows,
                              size_t cols, void *out);
    /* Where the host can read offsets: offsets->at stays if they are the host's, becomes NULL if they are the device's
     * and in order, the first and the last of them being in ends[], and a copy (in dev->array) if they are not.  A call
     * that is NULL: they are the host's. */
    oplus_status (*offsets)(oplus_device *dev, const char *call, opi_offsets *offsets, bool empty_allowed,
                            uint64_t ends[2]);
    /* Of several devices the one to take; NULL: there are not several. */
    oplus_device *(*choose)(oplus_device *dev, const void *const *arrays, int count, opi_work work, size_t bytes);
    /* Memory: as the public calls of these names, their arguments checked, bytes > 0. */
    oplus_status (*alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*free)(oplus_device *dev, void *mem);
    oplus_status (*wrap)(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem); /* NULL: none */
    oplus_status (*copy)(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes);
    /* The accelerator in whose memory bytes > 0 at p are; NULL: in the host's.  A call that is NULL: they always are.
     */
    oplus_status (*look)(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home);
    /* Memory of the host that is copied to and from the device without the processor's help; NULL: any is. */
    oplus_status (*pinned_alloc)(oplus_device *dev, const char *call, size_t bytes, void **mem);
    void (*pinned_free)(oplus_device *dev, void *mem);
    oplus_status (*sync)(oplus_device *dev, const char *call);
    void (*trim)(oplus_device *dev);
    void (*close)(oplus_device *dev); /* all but the handle and its buffers */
} opi_tree;

/* Memory that calls over ranks are lent, and that stays for the next one. */
enum { OPI_KEPT = 8 };
typedef enum opi_kind_of_memory { OPI_MEMORY_HOST, OPI_MEMORY_PINNED, OPI_MEMORY_DEVICE } opi_kind_of_memory;
typedef struct opi_kept {
    opi_kind_of_memory kind;
    void *mem;
    size_t bytes;
    bool lent;
} opi_kept;

struct oplus_device {
    char name[192];
    const opi_tree *tree;
    int workers;                /* threads of this processor; 1 if serial */
    struct opi_crew *crew;      /* those that were started (cores/crew.h); NULL: none yet */
    const opi_isa *isa;         /* the built-in leaves for this processor */
    struct opi_groups *groups;  /* the accelerator, or NULL */
    struct opi_auto *automatic; /* what "auto" chooses from, or NULL */
    opi_buffer workspace;       /* of a tree: carries and the workers' scratch */
    opi_buffer carry;           /* of the front: what a call begins and ends with */
    opi_buffer array;           /* of a primitive: as large as the data (sort) */
    opi_kept kept[OPI_KEPT];    /* of calls over ranks (src/ranks): as large as the data; */
    opi_buffer notes, records;  /* what ranks say to each other, */
    opi_buffer carries;         /* and join */
    /* Of this rank's part in the last call over ranks, likely to be that of the next one: elements, index of the first;
     * and the nodes of the part that had most, of operators that round. */
    uint64_t last_n, last_first;
    size_t last_nodes;
};

/* Frees what is kept and not lent; before the tree's own close. */
void opi_kept_release(oplus_device *dev);

extern const opi_tree opi_cores; /* serial.c and threads.c */

#endif
