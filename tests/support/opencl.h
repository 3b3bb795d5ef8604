/* What the tests of the OpenCL driver share: its devices, arrays, and what calls say. */
#ifndef TEST_OPENCL_H
#define TEST_OPENCL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/opencl/opencl.h"

enum { MOST = 16, N = 1000, GROUP = 32 };

static const opi_driver *const cl = &opi_opencl;
static opi_gpu_facts facts[MOST];
static int devices;

/* --- calls and what they say --- */

static inline void good(oplus_status status)
{
    if (status != OPLUS_OK) print_error("%s: %s\n", oplus_status_string(status), oplus_last_error());
    assert_int_equal(status, OPLUS_OK);
}

/* Checks the status, and that the message has each of the words, up to NULL. */
static inline void fails(oplus_status status, oplus_status expected, ...)
{
    va_list words;
    if (status != expected) print_error("%s: %s\n", oplus_status_string(status), oplus_last_error());
    assert_int_equal(status, expected);
    va_start(words, expected);
    for (const char *word; (word = va_arg(words, const char *));) {
        if (!strstr(oplus_last_error(), word)) print_error("no \"%s\" in: %s\n", word, oplus_last_error());
        assert_non_null(strstr(oplus_last_error(), word));
    }
    va_end(words);
}

static inline const char *suffix_of(int device) { return facts[device].where + strlen("opencl"); }

static inline opi_gpu *opened(int device)
{
    opi_gpu *gpu = NULL;
    good(cl->open("test", suffix_of(device), NULL, &gpu));
    return gpu;
}

/* --- devices --- */

/* Runs a test of a device once for each device. */
static inline void on_all(void (*test)(opi_gpu *gpu))
{
    for (int i = 0; i < devices; i++) {
        opi_gpu *const gpu = opened(i);
        test(gpu);
        cl->close(gpu);
    }
}
#define ON_ALL(name)                                                                                                   \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        on_all(name##_on);                                                                                             \
    }

static const struct {
    const char *suffix;
    cl_device_type type;
} kinds[] = {{":gpu", CL_DEVICE_TYPE_GPU}, {":accelerator", CL_DEVICE_TYPE_ACCELERATOR}, {":cpu", CL_DEVICE_TYPE_CPU}};

static inline bool is_of(const opi_gpu *gpu, cl_device_type type)
{
    const opi_cl_gpu *const of = (const opi_cl_gpu *)gpu;
    cl_device_type is = 0;
    assert_int_equal(of->cl->GetDeviceInfo(of->device, CL_DEVICE_TYPE, sizeof is, &is, NULL), CL_SUCCESS);
    return (is & type) != 0;
}

/* --- arrays --- */

static inline void count(int *x, int first)
{
    for (int i = 0; i < N; i++) x[i] = first + i;
}

static inline void is_counted(const int *x, int first)
{
    for (int i = 0; i < N; i++) assert_int_equal(x[i], first + i);
}

/* Whether there are devices; prints why not. */
static inline bool find_devices(void)
{
    char why[700] = "";
    devices = cl->list(facts, MOST, why, sizeof why);
    if (devices == 0) printf("skipped: %s\n", why);
    if (devices > MOST) devices = MOST;
    return devices > 0;
}

#endif
