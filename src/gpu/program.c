#define _POSIX_C_SOURCE 200809L /* strdup */
#include "gpu/program.h"

#include "base/cache.h"
#include "base/error.h"
#include "gpu/translate.h"
#include "text/source.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHATS_BYTES = 3 * OPI_WHAT_BYTES };

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

/* NULL allowed. */
static void add_type(opi_key *key, const oplus_type *type)
{
    if (!type) {
        opi_key_number(key, UINT64_MAX);
        return;
    }
    add_text(key, type->name);
    add_text(key, type->text);
    opi_key_number(key, (uint64_t)type->size << 16 | (uint64_t)type->align << 8 | (uint64_t)type->scalar);
}

static void add_op(opi_key *key, const oplus_op *op)
{
    add_type(key, op->type);
    add_text(key, op->text);
    opi_key_number(key, op->origin);
    add_type(key, op->param_type); /* with a parameter the identity is a value of the call, as the parameter is */
    if (op->identity && !op->param_type) add(key, op->identity, op->type->size);
}

static void add_fn(opi_key *key, const oplus_fn *fn)
{
    add_type(key, fn->result);
    add_type(key, fn->param_type);
    for (unsigned k = 0; k < fn->arity; k++) add_type(key, fn->input[k]);
    add_text(key, fn->text);
    opi_key_number(key, (uint64_t)fn->origin << 2 | (uint64_t)(fn->indexed != 0) << 1 |
                            (fn->predicate != 0)); /* the words around the same text differ */
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
    const opi_hash key = opi_translation_key(gpu, source);
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

oplus_status opi_program_refused(const opi_program *program, const char *call)
{
    if (program->refusal == OPLUS_OK) return OPLUS_OK;
    return opi_fail(program->refusal, "%s: %s", call, program->words ? program->words : program->what);
}

void opi_program_refuse(opi_program *program)
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
    if (gpu->driver->translate) return OPLUS_OK;
    const oplus_status status = make(gpu, call, program->what, program->text, &program->handle);
    free(program->text);
    program->text = NULL;
    if (status == OPLUS_ERR_COMPILE) opi_program_refuse(program);
    return status;
}

oplus_status opi_program_get(opi_programs *programs, const char *call, const char *what, opi_hash key,
                             void (*write)(opi_gpu_source *source, const void *context), const void *context,
                             opi_program **program)
{
    *program = known(programs, key);
    if (*program) return opi_program_refused(*program, call);
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

oplus_status opi_program_of_op(opi_programs *programs, const char *call, const oplus_op *op, opi_key key,
                               void (*write)(opi_gpu_source *source, const void *context), const void *context,
                               opi_program **program)
{
    char what[OPI_WHAT_BYTES];
    add_op(&key, op);
    opi_gpu_what(what, OPI_LABEL_OP, op->name, op->file, op->line);
    return opi_program_get(programs, call, what, key.hash, write, context, program);
}

static const char *label_of(const oplus_fn *fn) { return fn->predicate ? OPI_LABEL_PREDICATE : OPI_LABEL_FN; }

oplus_status opi_program_of_fn(opi_programs *programs, const char *call, const oplus_fn *fn, opi_key key,
                               void (*write)(opi_gpu_source *source, const void *context), const void *context,
                               opi_program **program)
{
    char what[OPI_WHAT_BYTES];
    add_fn(&key, fn);
    opi_gpu_what(what, label_of(fn), fn->name, fn->file, fn->line);
    return opi_program_get(programs, call, what, key.hash, write, context, program);
}

/* Adds a function to the words that name a program; the first one stands alone. */
static void name_fn(char what[WHATS_BYTES], const oplus_fn *fn)
{
    char own[OPI_WHAT_BYTES];
    const size_t length = strlen(what);
    opi_gpu_what(own, label_of(fn), fn->name, fn->file, fn->line);
    snprintf(what + length, WHATS_BYTES - length, "%s%s", length > 0 ? " or " : "", own);
}

/* Messages name all parts, as the compiler does not say in which of them it found a fault. */
oplus_status opi_program_of_task(opi_programs *programs, const char *call, const opi_task *task, opi_key key,
                                 void (*write)(opi_gpu_source *source, const void *context), const void *context,
                                 opi_program **program)
{
    const oplus_fn *const fn[] = {task->fn, task->before, task->after};
    char what[WHATS_BYTES] = "";
    if (task->op) add_op(&key, task->op);
    if (task->op) opi_gpu_what(what, OPI_LABEL_OP, task->op->name, task->op->file, task->op->line);
    for (size_t k = 0; k < sizeof fn / sizeof *fn; k++) {
        if (!fn[k]) continue;
        opi_key_number(&key, k);
        add_fn(&key, fn[k]);
        name_fn(what, fn[k]);
    }
    return opi_program_get(programs, call, what, key.hash, write, context, program);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

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
