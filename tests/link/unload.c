/* A program that loads the library, uses its threads, and unloads it.  These threads go on running in the library's
 * code, and in OpenMP's, so that both must stay in memory (the linker's -z nodelete). */
#include <oplus/oplus.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 1 << 20 };

static float x[N];

/* The address of a call, in a pointer to it. */
static int look_up(void *library, const char *name, void *call)
{
    void *const address = dlsym(library, name);
    memcpy(call, &address, sizeof address);
    return address != NULL;
}

int main(void)
{
    oplus_status (*open_device)(const char *where, oplus_device **dev);
    oplus_status (*reduce)(oplus_device * dev, const oplus_op *op, const void *in, size_t n, void *out);
    void (*close_device)(oplus_device * dev);
    const oplus_op *sum;
    oplus_device *dev;
    float result = 0;
    void *const library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    if (!look_up(library, "oplus_open", &open_device) || !look_up(library, "oplus_reduce", &reduce) ||
        !look_up(library, "oplus_close", &close_device) || !look_up(library, "oplus_sum_f32", &sum))
        return fprintf(stderr, "%s\n", dlerror()), 1;
    for (int i = 0; i < N; i++) x[i] = 1;
    if (open_device("threads:4", &dev) != OPLUS_OK || reduce(dev, sum, x, N, &result) != OPLUS_OK) return 1;
    close_device(dev);
    if (dlclose(library) != 0) return fprintf(stderr, "%s\n", dlerror()), 1;
    nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
    printf("%g\n", (double)result);
    return result == N ? 0 : 1;
}
