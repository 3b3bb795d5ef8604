/* Allocations that fail when they are told to, in a test that is linked with --wrap=malloc, --wrap=calloc and
 * --wrap=realloc (its .link file).  For one source of a program.  Threads of the library allocate too (kernels are
 * translated by several), hence atomic counts. */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

static _Atomic int allocations, failing_allocation; /* counts down to the allocation that fails; 0: none */

static bool no_memory(void)
{
    allocations++;
    return failing_allocation > 0 && --failing_allocation == 0;
}

#define TEST_WRAP(name, parameters, arguments)                                                                         \
    void *__real_##name parameters;                                                                                    \
    void *__wrap_##name parameters;                                                                                    \
    void *__wrap_##name parameters { return no_memory() ? NULL : __real_##name arguments; }

TEST_WRAP(malloc, (size_t bytes), (bytes))
TEST_WRAP(calloc, (size_t n, size_t bytes), (n, bytes))
TEST_WRAP(realloc, (void *mem, size_t bytes), (mem, bytes))

#endif
