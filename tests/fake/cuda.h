/* What a test sees of the fake driver (cuda.c), and what the test tells it. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_DEVICES = 2, FAKE_PARAMETERS = 48, FAKE_ARCHS = 3 };

/* The first device: number of multiprocessors; threads and bytes of shared memory of each multiprocessor, and of a
 * block. */
enum {
    FAKE_UNITS = 132,
    FAKE_THREADS = 2048,
    FAKE_SHARED_UNIT = 228 << 10,
    FAKE_SHARED = 48 << 10,
    FAKE_SHARED_MOST = 227 << 10
};

/* Objects that must be given back. */
enum {
    FAKE_RETAINS,
    FAKE_STREAMS,
    FAKE_EVENTS,
    FAKE_MEMORY,
    FAKE_PINNED,
    FAKE_RESERVED, /* ranges of addresses */
    FAKE_PAGES,    /* of memory without an address, */
    FAKE_MAPPED,   /* ... and with one */
    FAKE_MODULES,
    FAKE_PROGRAMS,
    FAKE_OPENED, /* allocations of other processes */
    FAKE_KINDS
};

enum { FAKE_PAGE = 2 << 20 /* bytes of the smallest page */ };

typedef struct fake_launch {
    unsigned grid[3], block[3], shared;
    unsigned cluster; /* blocks of a cluster; 1: none */
    bool cooperative, early;
    void *stream;
    bool extra;
    uint64_t parameter[FAKE_PARAMETERS]; /* as many as `size` says */
} fake_launch;

typedef struct fake_cuda {
    /* --- told --- */
    int failing;                     /* which call fails, from 1 on; 0: none */
    int error;                       /* with which result */
    bool busy;                       /* events have not been reached */
    bool apart;                      /* nothing links the devices */
    bool capturing;                  /* all streams are being captured */
    int size[FAKE_PARAMETERS];       /* sizes of the parameters of the next launch, up to a 0 */
    void (*heard)(const char *name); /* gets the name of each call that is counted; NULL: nobody listens */
    /* --- seen --- */
    int calls;
    bool spoiled;       /* a call was made that a capture does not allow */
    const char *failed; /* the name of the call that was made to fail */
    int depth;          /* depth of this thread's stack of contexts */
    void *current;      /* top of that stack */
    int live[FAKE_KINDS];
    bool peers;             /* the first device uses the second one's memory, and the second one the first one's */
    int allowed, carve_out; /* what has been allowed for the kernel */
    fake_launch launch;     /* the last launch */
    void *synchronized[8];  /* the last streams that were waited for */
    int synchronizations;
    char architecture[64], log[256];
    /* --- done --- */
    void (*reset)(void);          /* frees what is left over, too */
    void *(*context)(int device); /* makes a context other than the primary one */
    void *(*stream)(int device);  /* one of that context */
    /* Memory that this process did not get from the fake: type 1 host, 2 device. */
    void (*know)(void *p, size_t bytes, unsigned type, int device, bool managed);
    void (*push)(void *context);
    void (*pop)(void);
} fake_cuda;

/* Exported as fake_cuda_state. */
typedef fake_cuda *fake_cuda_of(void);

#endif
