/* What the files of the fake driver share: its objects, and its books. */
#ifndef FAKE_BOOKS_H
#define FAKE_BOOKS_H

#include "fake/cuda.h"

#include "driver/cuda/api.h"

#include <string.h>

struct CUctx_st {
    int device;
};
struct CUstream_st {
    CUcontext context;
};
struct CUevent_st {
    CUstream stream;
};
struct CUmod_st {
    char nothing;
};
struct CUfunc_st {
    char nothing;
};
struct _nvrtcProgram {
    bool text;
    char source[];
};

extern fake_cuda fake_books;

/* Objects that a reset frees at the latest. */
void *fake_make(size_t bytes);
void fake_unmake(void *object);
/* Forgets all memory, and frees the fake's own memory (cuda_memory.c). */
void fake_forget_memory(void);
/* A page that has got an address, which the devices in `users` (bits) may use; and takes the address away again. */
void fake_map(char *start, size_t bytes, int device);
bool fake_open(char *start, size_t bytes, unsigned users);
bool fake_unmap(char *start, size_t bytes);
/* Forgets ranges of addresses (cuda_mapped.c). */
void fake_forget_ranges(void);
void fake_know(void *p, size_t bytes, unsigned type, int device, bool managed);

/* Whether this call is to fail; counts it. */
bool fake_fails(const char *name);

/* The contexts of the thread that asks. */
CUcontext fake_current(void);
int fake_depth(void);

/* One call at a time: threads may make calls at the same time, and the books are for all of them. */
typedef int fake_turn;
fake_turn fake_take_turn(void);
void fake_end_turn(fake_turn *turn);

/* Whether a stream belongs to the current context, as the driver demands. */
bool fake_is_here(CUstream stream);

/* How calls begin: any call, and one that needs a context. */
#define CALL(name)                                                                                                     \
    __attribute__((cleanup(fake_end_turn), unused)) fake_turn turn = fake_take_turn();                                 \
    if (fake_fails("cu" #name)) return (CUresult)fake_books.error
#define CALL_IN_CONTEXT(name)                                                                                          \
    CALL(name);                                                                                                        \
    if (fake_depth() == 0) return CUDA_ERROR_INVALID_CONTEXT

/* The same for a call that no capture allows: the driver refuses it, and the capture is lost. */
#define CALL_OUT_OF_CAPTURE(name)                                                                                      \
    CALL_IN_CONTEXT(name);                                                                                             \
    if (fake_books.capturing) return fake_books.spoiled = true, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED

/* What is exported. */
#define DECLARE(name, suffix, parameters) CUresult cu##name##suffix parameters;
OPI_CUDA_CALLS(DECLARE)
OPI_CUDA_LATER_CALLS(DECLARE)
#undef DECLARE
#define DECLARE(name, result, parameters) result nvrtc##name parameters;
OPI_NVRTC_CALLS(DECLARE)
#undef DECLARE

#endif
