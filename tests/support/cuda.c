#include "support/cuda.h"

#include "driver/cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- parts --- */

const part *this_part;

/* Runs a part in a process of its own. */
static int run_part(const part *p)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (p->cuda) setenv("OPLUS_CUDA_LIBRARY", p->cuda, 1);
        if (p->nvrtc) setenv("OPLUS_NVRTC_LIBRARY", p->nvrtc, 1);
        if (p->variable) setenv(p->variable, p->value, 1);
        this_part = p;
        exit(p->run() != 0);
    }
    int end;
    if (child < 0 || waitpid(child, &end, 0) != child) return 1;
    return !WIFEXITED(end) || WEXITSTATUS(end) != 0;
}

int run_parts(const part *parts, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++) failed += run_part(&parts[i]);
    return failed != 0;
}

/* --- calls and what they say --- */

void says(const char *words)
{
    if (strstr(oplus_last_error(), words)) return;
    print_error("the message has no \"%s\": %s\n", words, oplus_last_error());
    fail();
}

void fails_with(oplus_status expected, oplus_status status, const char *words)
{
    assert_int_equal(status, expected);
    says(words);
}

void good(oplus_status status)
{
    if (status != OPLUS_OK) print_error("%s\n", oplus_last_error());
    assert_int_equal(status, OPLUS_OK);
}

opi_gpu *open_device(const char *where, void *queue)
{
    opi_gpu *gpu;
    good(opi_cuda.open("test", where, queue, &gpu));
    good(opi_enter(gpu, "test"));
    return gpu;
}

void close_device(opi_gpu *gpu)
{
    good(opi_leave(gpu, "test", OPLUS_OK));
    opi_cuda.close(gpu);
}

opi_gpu_side side_of(opi_gpu *gpu, const void *p, size_t bytes)
{
    opi_gpu_side side;
    good(opi_cuda.side(gpu, "test", "in", p, bytes, &side));
    return side;
}

/* --- what is there --- */

bool has_nvrtc(void)
{
    const char *why;
    return opi_nvrtc_open(&why) != NULL;
}

bool has_device(void)
{
    opi_gpu_facts f;
    char why[512];
    if (opi_cuda.list(&f, 1, why, sizeof why) > 0) return true;
    print_message("no device: %s\n", why);
    return false;
}

/* --- the fake driver --- */

fake_cuda *fake;

int find_fake(void **state)
{
    void *const library = dlopen(this_part->cuda, RTLD_NOW | RTLD_LOCAL);
    void *const address = library ? dlsym(library, "fake_cuda_state") : NULL;
    fake_cuda_of *of;
    (void)state;
    if (!address) return -1;
    memcpy(&of, &address, sizeof of);
    fake = of();
    return 0;
}

int begin_books(void **state)
{
    (void)state;
    fake->reset();
    fake->push(fake->context(1)); /* the caller's context: it stays current all the time */
    return 0;
}

int end_books(void **state)
{
    (void)state;
    int left = fake->depth != 1 || fake->current != fake->context(1);
    for (int kind = 0; kind < FAKE_KINDS; kind++) left += abs(fake->live[kind]);
    return left ? -1 : 0;
}
