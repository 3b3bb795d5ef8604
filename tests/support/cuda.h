/* What the tests of CUDA share: parts, devices, and the books of the fake driver (fake/cuda.c).
 *
 * A process opens one libcuda and one NVRTC, once: each part runs in a process of its own. */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake/cuda.h"
#include "driver/driver.h"

/* --- parts --- */

typedef struct part {
    const char *cuda, *nvrtc; /* the libraries; NULL: the system's */
    const char *variable, *value;
    const char *reason; /* why there is no device */
    int (*run)(void);
} part;

extern const part *this_part; /* the part that this process runs */

/* What main returns. */
int run_parts(const part *parts, size_t count);

/* --- calls and what they say --- */

void says(const char *words); /* oplus_last_error has these words */
void fails_with(oplus_status expected, oplus_status status, const char *words);
void good(oplus_status status);
opi_gpu *open_device(const char *where, void *queue); /* and enters the device */
void close_device(opi_gpu *gpu);
opi_gpu_side side_of(opi_gpu *gpu, const void *p, size_t bytes);

/* --- what is there --- */

bool has_nvrtc(void);
bool has_device(void); /* whether there is a real device; if not, it prints why */

/* --- the fake driver --- */

extern fake_cuda *fake;
int find_fake(void **state);
int begin_books(void **state);
/* Whatever happened: the caller's context is current again, and nothing is left over. */
int end_books(void **state);
#define WITH_BOOKS(test) cmocka_unit_test_setup_teardown(test, begin_books, end_books)

#endif
