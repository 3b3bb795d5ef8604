/* The work-group tree's device: opening and closing, its memory, launches. */
#include "base/error.h"
#include "gpu/groups.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 32 << 20, LEAST_PIECE_BYTES = 4096 };

/* --- buffers ------------------------------------------------------------------------------------------------------ */

void opi_gpu_release(opi_groups *g, opi_gpu_buffer *buffer)
{
    if (buffer->mem) g->gpu->driver->free(g->gpu, buffer->mem);
    buffer->mem = NULL;
    buffer->bytes = 0;
}

oplus_status opi_gpu_reserve(opi_groups *g, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes <= buffer->bytes) return OPLUS_OK;
    opi_gpu_release(g, buffer); /* first, so that both need not fit */
    OPI_TRY(g->gpu->driver->alloc(g->gpu, call, bytes, &buffer->mem));
    buffer->bytes = bytes;
    return OPLUS_OK;
}

void opi_pinned_release(opi_groups *g, opi_gpu_buffer *buffer)
{
    if (buffer->mem) g->gpu->driver->pinned_free(g->gpu, buffer->mem);
    buffer->mem = NULL;
    buffer->bytes = 0;
}

oplus_status opi_pinned_reserve(opi_groups *g, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes <= buffer->bytes) return OPLUS_OK;
    opi_pinned_release(g, buffer);
    OPI_TRY(g->gpu->driver->pinned_alloc(g->gpu, call, bytes, &buffer->mem));
    buffer->bytes = bytes;
    return OPLUS_OK;
}

static void trim(oplus_device *dev)
{
    opi_groups *const g = dev->groups;
    if (g->staging) g->gpu->driver->pinned_free(g->gpu, g->staging);
    g->staging = NULL;
    g->staging_bytes = 0;
    for (int q = 0; q < OPI_QUEUES; q++) g->gpu->driver->sync(g->gpu, "oplus_trim", (opi_gpu_queue)q);
    opi_gpu_release(g, &g->range);
    opi_gpu_release(g, &g->nodes);
    opi_gpu_release(g, &g->value);
    opi_gpu_release(g, &g->param);
    opi_gpu_release(g, &g->work);
    for (int i = 0; i < OPI_WHOLES; i++) opi_gpu_release(g, &g->array[i]);
    opi_buffer_release(&g->image);
    free(g->param_copy);
    g->param_copy = NULL;
    g->param_bytes = 0;
    for (int i = 0; i < OPI_SLOTS; i++) {
        opi_gpu_release(g, &g->slot[i].device);
        opi_pinned_release(g, &g->slot[i].pinned);
    }
}

/* --- launches and small copies ------------------------------------------------------------------------------------ */

static oplus_status compare_layout(opi_groups *g, const char *call, const opi_program *program, const uint64_t *bytes)
{
    for (int i = 0; i < program->layouts; i++) {
        const opi_layout_fact *const fact = &program->layout[i];
        if (fact->bytes == bytes[i]) continue;
        return opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: type \"%s\" has another layout on %s: %s%s %llu there, %llu here; declare its members in the "
            "order of their sizes, the largest first, and as its text says",
            call, fact->type, g->gpu->facts.where, *fact->member ? "offset of " : "size",
            *fact->member ? fact->member : " is", (unsigned long long)bytes[i], (unsigned long long)fact->bytes);
    }
    return OPLUS_OK;
}

/* Before the first launch: does the device lay structs out as the host does? */
static oplus_status check_layout(opi_groups *g, const char *call, opi_program *program)
{
    const opi_driver *const driver = g->gpu->driver;
    const size_t bytes = (size_t)program->layouts * sizeof(uint64_t);
    void *kernel, *mem;
    if (program->checked) return OPLUS_OK;
    uint64_t *const found = calloc((size_t)program->layouts, sizeof *found);
    if (!found) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the layout of a type", call);
    oplus_status status = driver->alloc(g->gpu, call, bytes, &mem);
    if (status == OPLUS_OK) {
        const opi_gpu_argument list[] = {opi_memory(mem)};
        status = opi_kernel_get(&g->programs, call, program, "opi_layout", &kernel);
        if (status == OPLUS_OK)
            status = driver->launch(
                g->gpu, call,
                &(opi_launch){.kernel = kernel, .groups = 1, .items = 1, .argument = list, .arguments = 1});
        if (status == OPLUS_OK) status = opi_gpu_fetch(g, call, found, mem, bytes);
        if (status == OPLUS_OK) status = compare_layout(g, call, program, found);
        driver->free(g->gpu, mem);
    }
    free(found);
    program->checked = status == OPLUS_OK;
    return status;
}

oplus_status opi_gpu_launch(opi_groups *g, const char *call, opi_program *program, const char *kernel, uint64_t groups,
                            unsigned items, const opi_gpu_argument *argument, int arguments)
{
    void *handle;
    if (groups == 0) return OPLUS_OK;
    OPI_TRY(check_layout(g, call, program));
    OPI_TRY(opi_kernel_get(&g->programs, call, program, kernel, &handle));
    const opi_launch launch = {
        .kernel = handle, .groups = groups, .items = items, .argument = argument, .arguments = arguments};
    return g->gpu->driver->launch(g->gpu, call, &launch);
}

oplus_status opi_gpu_side_of(opi_groups *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side)
{
    *side = OPI_SIDE_HOST;
    return p && bytes ? g->gpu->driver->side(g->gpu, call, argument, p, bytes, side) : OPLUS_OK;
}

oplus_status opi_gpu_fetch(opi_groups *g, const char *call, void *to, const void *from, size_t bytes)
{
    const opi_driver *const driver = g->gpu->driver;
    opi_gpu_side side;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "out", to, bytes, &side));
    if (side == OPI_SIDE_DEVICE) return driver->copy(g->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes);
    OPI_TRY(driver->download(g->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return driver->sync(g->gpu, call, OPI_QUEUE_COMPUTE);
}

oplus_status opi_gpu_put(opi_groups *g, const char *call, void *to, const void *from, size_t bytes)
{
    const opi_driver *const driver = g->gpu->driver;
    opi_gpu_side side;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "out", to, bytes, &side));
    if (side != OPI_SIDE_DEVICE) {
        memcpy(to, from, bytes);
        return OPLUS_OK;
    }
    OPI_TRY(driver->upload(g->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return driver->sync(g->gpu, call, OPI_QUEUE_COMPUTE);
}

/* A parameter, and behind it room for an operator's identity, which may be missing (NULL). */
typedef struct parameter {
    const void *value, *identity;
    size_t size, identity_at, identity_size;
} parameter;

static size_t parameter_bytes(const parameter *p)
{
    return p->identity_size ? p->identity_at + p->identity_size : p->size;
}

static bool is_there(const opi_groups *g, const parameter *p)
{
    const char *const copy = g->param_copy;
    return g->param_bytes == parameter_bytes(p) && memcmp(copy, p->value, p->size) == 0 &&
           (!p->identity || memcmp(copy + p->identity_at, p->identity, p->identity_size) == 0);
}

static oplus_status bring(opi_groups *g, const char *call, const parameter *p)
{
    const size_t bytes = parameter_bytes(p);
    char *const copy = calloc(1, bytes);
    if (!copy) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of parameter", call, bytes);
    memcpy(copy, p->value, p->size);
    if (p->identity) memcpy(copy + p->identity_at, p->identity, p->identity_size);
    free(g->param_copy);
    g->param_copy = copy;
    g->param_bytes = 0; /* until it is there */
    OPI_TRY(opi_gpu_reserve(g, call, &g->param, bytes));
    OPI_TRY(opi_gpu_put(g, call, g->param.mem, copy, bytes));
    g->param_bytes = bytes;
    return OPLUS_OK;
}

oplus_status opi_gpu_param(opi_groups *g, const char *call, const oplus_fn *fn, const oplus_op *op,
                           const void **address)
{
    const oplus_type *const type = op ? op->param_type : fn->param_type;
    *address = NULL;
    if (!type) return OPLUS_OK;
    parameter p = {.value = op ? op->param : fn->param, .size = type->size};
    if (op) {
        p.identity = op->identity;
        p.identity_at = opi_identity_at(op);
        p.identity_size = op->type->size;
    }
    if (!is_there(g, &p)) OPI_TRY(bring(g, call, &p));
    *address = g->param.mem;
    return OPLUS_OK;
}

oplus_status opi_gpu_stage(opi_groups *g, const char *call, size_t bytes, void **mem)
{
    if (bytes > g->staging_bytes) {
        if (g->staging) g->gpu->driver->pinned_free(g->gpu, g->staging);
        g->staging = NULL;
        g->staging_bytes = 0;
        OPI_TRY(g->gpu->driver->pinned_alloc(g->gpu, call, bytes, &g->staging));
        g->staging_bytes = bytes;
    }
    *mem = g->staging;
    return OPLUS_OK;
}

/* --- memory of the public calls ----------------------------------------------------------------------------------- */

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_gpu *const gpu = dev->groups->gpu;
    return gpu->driver->alloc(gpu, call, bytes, mem);
}

static void release(oplus_device *dev, void *mem)
{
    opi_gpu *const gpu = dev->groups->gpu;
    if (mem) gpu->driver->free(gpu, mem);
}

static oplus_status wrap(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem)
{
    opi_gpu *const gpu = dev->groups->gpu;
    return gpu->driver->wrap(gpu, call, native, bytes, mem);
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    opi_groups *const g = dev->groups;
    opi_gpu_side from;
    if (dst == src) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "src", src, bytes, &from));
    return from == OPI_SIDE_DEVICE ? opi_gpu_fetch(g, call, dst, src, bytes) : opi_gpu_put(g, call, dst, src, bytes);
}

static oplus_status look(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home)
{
    opi_gpu_side side;
    OPI_TRY(opi_gpu_side_of(dev->groups, call, argument, p, bytes, &side));
    *home = side == OPI_SIDE_DEVICE ? dev : NULL;
    return OPLUS_OK;
}

static oplus_status pinned_alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_gpu *const gpu = dev->groups->gpu;
    return gpu->driver->pinned_alloc(gpu, call, bytes, mem);
}

static void pinned_free(oplus_device *dev, void *mem)
{
    opi_gpu *const gpu = dev->groups->gpu;
    gpu->driver->pinned_free(gpu, mem);
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    opi_gpu *const gpu = dev->groups->gpu;
    return gpu->driver->sync(gpu, call, OPI_QUEUE_COMPUTE);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void close_groups(oplus_device *dev)
{
    opi_groups *const g = dev->groups;
    trim(dev);
    opi_programs_release(&g->programs);
    g->gpu->driver->close(g->gpu);
    opi_crew_close(g->crew);
    free(g);
    dev->groups = NULL;
}

/* OPLUS_DEVICE_MEMORY: how many bytes of a device the library may take for pieces of the host's arrays, in all; *whole
 * is that, or 0. */
static oplus_status piece_bytes(const char *call, size_t *bytes, size_t *whole)
{
    const char *const given = getenv("OPLUS_DEVICE_MEMORY");
    *bytes = PIECE_BYTES;
    *whole = 0;
    if (!given || !*given) return OPLUS_OK;
    char *end;
    errno = 0;
    unsigned long long limit = strtoull(given, &end, 10);
    const char *const unit = *end ? strchr("KMG", *end) : NULL;
    const unsigned shift = !unit ? 0 : *unit == 'K' ? 10 : *unit == 'M' ? 20 : 30;
    if (errno || *given < '0' || *given > '9' || (*end && (!unit || end[1])) || limit > ULLONG_MAX >> shift)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the environment variable OPLUS_DEVICE_MEMORY is \"%s\"; give bytes, or a number and K, M "
                        "or G, as in 512M",
                        call, given);
    limit <<= shift;
    *whole = limit < LEAST_PIECE_BYTES ? LEAST_PIECE_BYTES : (size_t)limit;
    limit /= OPI_SLOTS;
    if (limit < *bytes) *bytes = limit < LEAST_PIECE_BYTES ? LEAST_PIECE_BYTES : (size_t)limit;
    return OPLUS_OK;
}

oplus_status opi_groups_open(const char *call, const char *where, void *queue, oplus_device *dev, bool *known)
{
    *known = false;
    for (size_t i = 0; opi_drivers[i]; i++) {
        const opi_driver *const driver = opi_drivers[i];
        const size_t length = strlen(driver->name);
        *known = strncmp(where, driver->name, length) == 0 && (where[length] == '\0' || where[length] == ':');
        if (!*known) continue;
        size_t bytes, whole;
        OPI_TRY(piece_bytes(call, &bytes, &whole));
        opi_groups *const g = calloc(1, sizeof *g);
        if (!g) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device (%zu bytes)", call, sizeof *g);
        const oplus_status status = driver->open(call, where + length, queue, &g->gpu);
        if (status != OPLUS_OK) {
            free(g);
            return status;
        }
        g->programs.gpu = g->gpu;
        g->piece_bytes = bytes;
        g->memory_bytes = whole ? whole : g->gpu->facts.memory / 2;
        dev->groups = g;
        dev->tree = &opi_groups_tree;
        snprintf(dev->name, sizeof dev->name, "%s %s", g->gpu->facts.where, g->gpu->facts.name);
        return OPLUS_OK;
    }
    return OPLUS_OK;
}

const opi_tree opi_groups_tree = {.run = opi_groups_sweep,
                                  .sort = opi_groups_sort,
                                  .segreduce = opi_groups_segreduce,
                                  .offsets = opi_groups_offsets,
                                  .transpose = opi_groups_transpose,
                                  .alloc = alloc,
                                  .free = release,
                                  .wrap = wrap,
                                  .copy = copy,
                                  .look = look,
                                  .pinned_alloc = pinned_alloc,
                                  .pinned_free = pinned_free,
                                  .sync = sync,
                                  .trim = trim,
                                  .close = close_groups};
