#include "gpu/translate.h"

#include "base/cache.h"
#include "base/version.h"
#include "cores/count.h"
#include "cores/spawn.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 16 };

opi_hash opi_translation_key(const opi_gpu *gpu, const char *source)
{
    const opi_gpu_facts *const facts = &gpu->facts;
    char architecture[16];
    snprintf(architecture, sizeof architecture, "%u", facts->architecture);
    return opi_hash_strings(
        (const char *const[]){OPI_VERSION, gpu->driver->name, facts->name, facts->driver, architecture, source, NULL});
}

/* --- one ---------------------------------------------------------------------------------------------------------- */

/* Messages are a thread's own: the thread that translates keeps its message for the one that called. */
static void compile(const opi_gpu *gpu, const char *call, const char *what, opi_translation *one)
{
    one->kept = false;
    one->status = gpu->driver->translate(gpu, call, what, one->source, &one->binary, &one->bytes);
    if (one->status != OPLUS_OK) snprintf(one->words, sizeof one->words, "%s", opi_last_error());
}

static void translate(const opi_gpu *gpu, const char *call, const char *what, opi_translation *one)
{
    one->key = opi_translation_key(gpu, one->source);
    one->binary = opi_cache_load(one->key, ".bin", &one->bytes);
    one->kept = one->binary != NULL;
    if (!one->kept) compile(gpu, call, what, one);
}

static oplus_status repeat(const opi_translation *one)
{
    return one->status == OPLUS_OK ? OPLUS_OK : opi_fail(one->status, "%s", one->words);
}

oplus_status opi_translate_anew(const opi_gpu *gpu, const char *call, const char *what, opi_translation *one)
{
    free(one->binary);
    one->binary = NULL;
    compile(gpu, call, what, one);
    return one->status; /* the message is this thread's */
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

typedef struct work {
    const opi_gpu *gpu;
    const char *call, *what;
    opi_translation *list;
    size_t count;
    atomic_size_t next; /* the first that nobody has taken */
} work;

static void *take(void *given)
{
    work *const w = given;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;) translate(w->gpu, w->call, w->what, &w->list[i]);
    return NULL;
}

/* Threads of their own, which end here: compilers leave memory behind in theirs, and calls that compile are rare.  Where
 * none can start, this thread does all. */
static void take_together(work *w)
{
    pthread_t thread[MOST_THREADS];
    const int processors = opi_cores_count();
    int threads = 0;
    for (int wanted = processors < MOST_THREADS ? processors : MOST_THREADS;
         threads + 1 < wanted && (size_t)threads + 1 < w->count; threads++)
        if (!opi_spawn(&thread[threads], take, w)) break;
    take(w);
    while (threads > 0) pthread_join(thread[--threads], NULL);
}

oplus_status opi_translate(const opi_gpu *gpu, const char *call, const char *what, opi_translation *list, size_t count)
{
    work w = {.gpu = gpu, .call = call, .what = what, .list = list, .count = count};
    take_together(&w);
    for (size_t i = 0; i < count; i++) OPI_TRY(repeat(&list[i]));
    return OPLUS_OK;
}
