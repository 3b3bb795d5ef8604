#define _POSIX_C_SOURCE 200809L /* strdup */
#include "gpu/program.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/version.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void add(opi_key *key, const void *bytes, size_t size)
{
    const opi_hash own = opi_hash_bytes(bytes, size);
    const opi_hash both[2] = {key->hash, own};
    key->hash = opi_hash_bytes(both, sizeof both);
}

static void add_text(opi_key *key, const char *text) { add(key, text ? text : "\1", text ? strlen(text) + 1 : 1); }

void opi_key_number(opi_key *key, uint64_t number) { add(key, &number, sizeof number); }

opi_key opi_key_begin(const char *primitive, opi_shape shape)
{
    opi_key key = {{0, 0}};
    add_text(&key, primitive);
    opi_key_number(&key, (uint64_t)shape.log_w << 16 | (uint64_t)shape.log_e << 8 | shape.vectors);
    return key;
}

void opi_key_type(opi_key *key, const oplus_type *type)
{
    if (!type) {
        opi_key_number(key, UINT64_MAX);
        return;
    }
    add_text(key, type->name);
    add_text(key, type->text);
    opi_key_number(key, (uint64_t)type->size << 16 | (uint64_t)type->align << 8 | (uint64_t)type->scalar);
}

void opi_key_op(opi_key *key, const oplus_op *op)
{
    opi_key_type(key, op->type);
    add_text(key, op->text);
    opi_key_number(key, op->origin);
    opi_key_type(key, op->param_type); /* with a parameter the identity is a value of the call, as the parameter is */
    if (op->identity && !op->param_type) add(key, op->identity, op->type->size);
}

void opi_key_fn(opi_key *key, const oplus_fn *fn)
{
    opi_key_type(key, fn->result);
    opi_key_type(key, fn->param_type);
    for (unsigned k = 0; k < fn->arity; k++) opi_key_type(key, fn->input[k]);
    add_text(key, fn->text);
    opi_key_number(key, (uint64_t)fn->origin << 1 | (fn->predicate != 0)); /* the words around the same text differ */
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

static opi_program *known(const opi_programs *programs, opi_hash key)
{
    for (opi_program *p = programs->first; p; p = p->next)
        if (p->key.low == key.low && p->key.high == key.high) return p;
    return NULL;
}

/* Takes the program from the cache on disk, or compiles it and stores it there.  If the driver refuses a cached file,
 * the program is compiled again. */
static oplus_status make(opi_gpu *gpu, const char *call, const char *what, const char *source, void **handle)
{
    const opi_gpu_facts *const facts = &gpu->facts;
    char architecture[16];
    snprintf(architecture, sizeof architecture, "%u", facts->architecture);
    const opi_hash key = opi_hash_strings(
        (const char *const[]){OPI_VERSION, gpu->driver->name, facts->name, facts->driver, architecture, source, NULL});
    size_t bytes;
    void *const kept = opi_cache_load(key, ".bin", &bytes);
    const bool loaded = kept && gpu->driver->load(gpu, call, kept, bytes, handle) == OPLUS_OK;
    free(kept);
    if (loaded) return OPLUS_OK;

    OPI_TRY(gpu->driver->compile(gpu, call, what, source, handle));
    char path[OPI_PATH_BYTES];
    void *binary = NULL;
    if (!opi_cache_is_on()) return OPLUS_OK; /* a driver may have to work to give the binary */
    if (gpu->driver->binary(gpu, call, *handle, &binary, &bytes) == OPLUS_OK)
        opi_cache_store(key, ".bin", binary, bytes, path);
    free(binary);
    return OPLUS_OK;
}

/* Whether this program was refused, and the same words again. */
static oplus_status refused(const opi_program *program, const char *call)
{
    if (program->refusal == OPLUS_OK) return OPLUS_OK;
    return opi_fail(program->refusal, "%s: %s", call, program->words ? program->words : program->what);
}

/* Another attempt would fail, too. */
static void refuse(opi_program *program)
{
    const char *const said = opi_last_error(), *const words = strstr(said, ": ");
    program->refusal = OPLUS_ERR_COMPILE;
    program->words = strdup(words ? words + 2 : said);
}

static void free_program(opi_program *p)
{
    free(p->text);
    free(p->what);
    free(p->words);
    free(p->layout);
    free(p);
}

static opi_program *new_program(opi_gpu_source *source, opi_hash key, const char *what, char *text)
{
    opi_program *const made = calloc(1, sizeof *made);
    char *const words = strdup(what);
    if (!made || !words) {
        free(made);
        free(words);
        free(text);
        free(source->layout);
        return NULL;
    }
    made->text = text;
    made->what = words;
    made->layout = source->layout;
    made->layouts = source->layouts;
    made->checked = source->layouts == 0;
    made->key = key;
    return made;
}

/* Compiles all kernels at once, unless each is compiled at its first use. */
static oplus_status make_whole(opi_gpu *gpu, const char *call, opi_program *program)
{
    if (gpu->driver->by_kernel) return OPLUS_OK;
    const oplus_status status = make(gpu, call, program->what, program->text, &program->handle);
    free(program->text);
    program->text = NULL;
    if (status == OPLUS_ERR_COMPILE) refuse(program);
    return status;
}

oplus_status opi_program_get(opi_programs *programs, const char *call, const char *what, opi_hash key,
                             void (*write)(opi_gpu_source *source, const void *context), const void *context,
                             opi_program **program)
{
    *program = known(programs, key);
    if (*program) return refused(*program, call);
    opi_gpu_source source;
    char *text;
    opi_gpu_begin(&source, call, programs->gpu);
    if (source.status == OPLUS_OK) write(&source, context);
    OPI_TRY(opi_gpu_end(&source, &text));
    opi_program *const made = new_program(&source, key, what, text);
    if (!made) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the description of a program", call);
    const oplus_status status = make_whole(programs->gpu, call, made);
    if (status != OPLUS_OK && made->refusal == OPLUS_OK) {
        free_program(made);
        return status;
    }
    made->next = programs->first;
    programs->first = made;
    *program = made;
    return status;
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

#define KERNEL "OPI_KERNEL"
#define ABSENT "OPI_ABSENT"
_Static_assert(sizeof KERNEL == sizeof ABSENT, "one is written over the other");
static const char layout[] = "opi_layout"; /* it stays in every program: see gpu/launch.c */

/* Whether a kernel's declaration, from its KERNEL on, has this name. */
static bool declares(const char *declaration, const char *name)
{
    const char *const begin = strstr(declaration, "void ");
    const size_t length = strlen(name);
    return begin && strncmp(begin + 5, name, length) == 0 && begin[5 + length] == '(';
}

/* The source with one kernel; the others become functions that nobody calls. */
static void leave_only(char *text, const char *name)
{
    for (char *at = text; (at = strstr(at, "\n" KERNEL " ")) != NULL; at += sizeof KERNEL)
        if (!declares(at, name) && !declares(at, layout)) memcpy(at + 1, ABSENT, sizeof ABSENT - 1);
}

static oplus_status make_kernel(opi_gpu *gpu, const char *call, opi_program *program, const char *name, void **own)
{
    char *const text = strdup(program->text);
    if (!text) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a kernel", call);
    leave_only(text, name);
    const oplus_status status = make(gpu, call, program->what, text, own);
    free(text);
    if (status == OPLUS_ERR_COMPILE && program->kernels == 0) refuse(program);
    return status;
}

/* The program that has a kernel.  *own: it has been made for this kernel alone. */
static oplus_status home_of(opi_gpu *gpu, const char *call, opi_program *program, const char *name, void **home,
                            void **own)
{
    *own = NULL;
    *home = program->handle;
    if (*home) return OPLUS_OK;
    if (strcmp(name, layout) == 0 && program->kernels > 0) {
        *home = program->kernel[0].own;
        return OPLUS_OK;
    }
    OPI_TRY(refused(program, call));
    OPI_TRY(make_kernel(gpu, call, program, name, own));
    *home = *own;
    return OPLUS_OK;
}

oplus_status opi_kernel_get(opi_programs *programs, const char *call, opi_program *program, const char *name,
                            void **kernel)
{
    opi_gpu *const gpu = programs->gpu;
    void *home, *own;
    for (int i = 0; i < program->kernels; i++) {
        if (strcmp(program->kernel[i].name, name) != 0) continue;
        *kernel = program->kernel[i].handle;
        return OPLUS_OK;
    }
    OPI_TRY(home_of(gpu, call, program, name, &home, &own));
    const oplus_status status = gpu->driver->kernel(gpu, call, home, name, kernel);
    if (status != OPLUS_OK) {
        if (own) gpu->driver->unload(gpu, own);
        return status;
    }
    assert(program->kernels < OPI_MAX_KERNELS && strlen(name) < sizeof program->kernel[0].name);
    snprintf(program->kernel[program->kernels].name, sizeof program->kernel[0].name, "%s", name);
    program->kernel[program->kernels].own = own;
    program->kernel[program->kernels++].handle = *kernel;
    return OPLUS_OK;
}

static void unload(opi_gpu *gpu, const opi_program *program)
{
    if (program->handle) gpu->driver->unload(gpu, program->handle);
    for (int i = 0; i < program->kernels; i++)
        if (program->kernel[i].own) gpu->driver->unload(gpu, program->kernel[i].own);
}

void opi_programs_release(opi_programs *programs)
{
    while (programs->first) {
        opi_program *const next = programs->first->next;
        unload(programs->gpu, programs->first);
        free_program(programs->first);
        programs->first = next;
    }
}
