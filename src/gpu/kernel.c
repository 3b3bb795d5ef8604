/* Kernels of a program: found in a program that was compiled whole, or each compiled by itself. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "base/cache.h"
#include "base/error.h"
#include "gpu/program.h"
#include "gpu/translate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the source --------------------------------------------------------------------------------------------------- */

#define ABSENT "OPI_ABSENT"
static const char layout[] = "opi_layout"; /* it stays in every program: see gpu/launch.c */

/* The length of the word at the beginning of a line that makes a function a kernel, OPI_KERNEL or one that demands more
 * (OPI_WHOLE_KERNEL, OPI_PIPE_KERNEL); 0: the line is no declaration of a kernel. */
static size_t kernel_word(const char *line)
{
    static const char begin[] = "OPI_", end[] = "KERNEL";
    const size_t length = strcspn(line, " \n");
    const bool named = length >= sizeof begin + sizeof end - 2 && strncmp(line, begin, sizeof begin - 1) == 0 &&
                       strncmp(line + length - (sizeof end - 1), end, sizeof end - 1) == 0;
    return named && line[length] == ' ' ? length : 0;
}

/* Whether a kernel's declaration has this name. */
static bool declares(const char *declaration, const char *name)
{
    const char *const begin = strstr(declaration, "void ");
    const size_t length = strlen(name);
    return begin && strncmp(begin + 5, name, length) == 0 && begin[5 + length] == '(';
}

/* The source with one kernel; the others become functions that nobody calls. */
static void leave_only(char *text, const char *name)
{
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const size_t word = kernel_word(line);
        if (word == 0 || declares(line, name) || declares(line, layout)) continue;
        memset(line, ' ', word);
        memcpy(line, ABSENT, sizeof ABSENT - 1);
    }
}

/* --- one kernel --------------------------------------------------------------------------------------------------- */

/* The kernel's place in the program; -1: it has not been made. */
static int place_of(const opi_program *program, const char *name)
{
    int i = program->kernels - 1;
    while (i >= 0 && strcmp(program->kernel[i].name, name) != 0) i--;
    return i;
}

static bool are_made(const opi_program *program, const char *const *names, size_t count)
{
    while (count > 0 && place_of(program, names[count - 1]) >= 0) count--;
    return count == 0;
}

/* own: the driver's handle of a program for this kernel alone, or NULL. */
static oplus_status add_kernel(opi_gpu *gpu, const char *call, opi_program *program, const char *name, void *home,
                               void *own)
{
    void *kernel;
    const oplus_status status = gpu->driver->kernel(gpu, call, home, name, &kernel);
    if (status != OPLUS_OK) {
        if (own) gpu->driver->unload(gpu, own);
        return status;
    }
    assert(program->kernels < OPI_MAX_KERNELS && strlen(name) < sizeof program->kernel[0].name);
    snprintf(program->kernel[program->kernels].name, sizeof program->kernel[0].name, "%s", name);
    program->kernel[program->kernels].own = own;
    program->kernel[program->kernels].local = 0;
    program->kernel[program->kernels++].handle = kernel;
    return OPLUS_OK;
}

/* Loads a kernel that has been translated.  What the driver refuses of the cache is compiled again. */
static oplus_status load(opi_gpu *gpu, const char *call, opi_program *program, const char *name, opi_translation *one)
{
    char path[OPI_PATH_BYTES];
    void *own;
    oplus_status status = gpu->driver->load(gpu, call, one->binary, one->bytes, &own);
    if (status != OPLUS_OK && one->kept) {
        OPI_TRY(opi_translate_anew(gpu, call, program->what, one));
        status = gpu->driver->load(gpu, call, one->binary, one->bytes, &own);
    }
    OPI_TRY(status);
    if (!one->kept) opi_cache_store(one->key, ".bin", one->binary, one->bytes, path);
    return add_kernel(gpu, call, program, name, own, own);
}

/* --- several ------------------------------------------------------------------------------------------------------ */

/* Kernels of a program that are made together, each from a source of its own. */
typedef struct batch {
    const char *name[OPI_MAX_KERNELS];
    char *text[OPI_MAX_KERNELS];
    opi_translation one[OPI_MAX_KERNELS];
    size_t count;
} batch;

static oplus_status write_batch(const char *call, const opi_program *program, const char *const *names, size_t count,
                                batch *b)
{
    for (size_t i = 0; i < count; i++) {
        if (place_of(program, names[i]) >= 0) continue;
        assert(b->count < OPI_MAX_KERNELS);
        char *const text = strdup(program->text);
        if (!text) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a kernel", call);
        leave_only(text, names[i]);
        b->name[b->count] = names[i];
        b->text[b->count] = text;
        b->one[b->count++].source = text;
    }
    return OPLUS_OK;
}

static oplus_status make_batch(opi_gpu *gpu, const char *call, opi_program *program, batch *b)
{
    const oplus_status status = opi_translate(gpu, call, program->what, b->one, b->count);
    if (status == OPLUS_ERR_COMPILE && program->kernels == 0) opi_program_refuse(program);
    OPI_TRY(status);
    for (size_t i = 0; i < b->count; i++) OPI_TRY(load(gpu, call, program, b->name[i], &b->one[i]));
    return OPLUS_OK;
}

static void free_batch(batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->text[i]);
        free(b->one[i].binary);
    }
}

oplus_status opi_kernels_make(opi_programs *programs, const char *call, opi_program *program, const char *const *names,
                              size_t count)
{
    batch b = {.count = 0};
    if (program->handle || are_made(program, names, count)) return OPLUS_OK;
    OPI_TRY(opi_program_refused(program, call));
    oplus_status status = write_batch(call, program, names, count, &b);
    if (status == OPLUS_OK && b.count > 0) status = make_batch(programs->gpu, call, program, &b);
    free_batch(&b);
    return status;
}

oplus_status opi_kernel_get(opi_programs *programs, const char *call, opi_program *program, const char *name,
                            void **kernel)
{
    opi_gpu *const gpu = programs->gpu;
    int i = place_of(program, name);
    if (i < 0) {
        const bool has_layout = program->kernels > 0 && strcmp(name, layout) == 0; /* as each of its kernels has */
        void *const home = program->handle ? program->handle : has_layout ? program->kernel[0].own : NULL;
        OPI_TRY(home ? add_kernel(gpu, call, program, name, home, NULL)
                     : opi_kernels_make(programs, call, program, &name, 1));
        i = place_of(program, name);
    }
    *kernel = program->kernel[i].handle;
    return OPLUS_OK;
}

oplus_status opi_kernel_allow(opi_programs *programs, const char *call, opi_program *program, const char *name,
                              size_t local)
{
    opi_gpu *const gpu = programs->gpu;
    void *kernel;
    OPI_TRY(opi_kernel_get(programs, call, program, name, &kernel));
    const int i = place_of(program, name);
    if (program->kernel[i].local == local) return OPLUS_OK;
    OPI_TRY(gpu->driver->allow(gpu, call, kernel, local, 100));
    program->kernel[i].local = local;
    return OPLUS_OK;
}
