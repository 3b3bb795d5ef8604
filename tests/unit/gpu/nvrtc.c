/* NVRTC compiles every kernel for GPUs that are not here: a driver of CUDA's dialect whose memory is the host's, whose
 * launches do nothing, and which gives each source to NVRTC.
 *
 *     nvrtc            some operators, for one architecture; as the driver of CUDA does, each kernel that is launched by
 *                      itself
 *     nvrtc 75         the same for that one, and all that moves elements; programs are compiled whole, with all kernels
 *     nvrtc 75 more    more operators, types and texts
 *
 * It ends with 77 where NVRTC is not installed. */
#include "laws/fused_functions.h"
#include "support/laws.h"

#include "base/error.h"
#include "base/memory.h"
#include "driver/cuda/nvrtc.h"
#include "cores/cores.h"
#include "gpu/deal.h"
#include "gpu/gpu.h"
#include "task/make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the driver --------------------------------------------------------------------------------------------------- */

static struct {
    int programs, launches;
} counted;

static oplus_status alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    (void)gpu;
    *mem = calloc(1, bytes);
    return *mem ? OPLUS_OK : opi_fail(OPLUS_ERR_MEMORY, "%s: no memory", call);
}

static void release(opi_gpu *gpu, void *mem)
{
    (void)gpu;
    free(mem);
}

/* All memory is the device's. */
static oplus_status side(opi_gpu *gpu, const char *call, const char *argument, const void *p, size_t bytes,
                         opi_gpu_side *where)
{
    (void)gpu, (void)call, (void)argument, (void)p, (void)bytes;
    *where = OPI_SIDE_DEVICE;
    return OPLUS_OK;
}

static oplus_status copy(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from, size_t bytes)
{
    (void)gpu, (void)call, (void)queue;
    memmove(to, from, bytes);
    return OPLUS_OK;
}

/* A program is its text, in which kernels are searched. */
static oplus_status load(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **program)
{
    (void)gpu, (void)call;
    *program = must(malloc(bytes));
    memcpy(*program, binary, bytes);
    counted.programs++;
    return OPLUS_OK;
}

static oplus_status compile(opi_gpu *gpu, const char *call, const char *what, const char *source, void **program)
{
    void *binary;
    size_t bytes;
    OPI_TRY(opi_nvrtc_compile(call, what, source, gpu->facts.architecture, &binary, &bytes));
    assert_true(bytes > 100);
    free(binary);
    return load(gpu, call, source, strlen(source) + 1, program);
}

/* The text, too, if NVRTC takes it; several threads do this. */
static oplus_status translate(const opi_gpu *gpu, const char *call, const char *what, const char *source, void **binary,
                              size_t *bytes)
{
    OPI_TRY(opi_nvrtc_compile(call, what, source, gpu->facts.architecture, binary, bytes));
    free(*binary);
    *bytes = strlen(source) + 1;
    *binary = must(malloc(*bytes));
    memcpy(*binary, source, *bytes);
    return OPLUS_OK;
}

static oplus_status no_binary(opi_gpu *gpu, const char *call, void *program, void **binary, size_t *bytes)
{
    (void)gpu, (void)program, (void)binary, (void)bytes;
    return opi_fail(OPLUS_ERR_DEVICE, "%s: there is none", call);
}

/* A kernel is the place in the text where it begins. */
static oplus_status kernel(opi_gpu *gpu, const char *call, void *program, const char *name, void **made)
{
    char begin[64];
    (void)gpu;
    snprintf(begin, sizeof begin, "KERNEL void %s(", name);
    *made = strstr(program, begin);
    snprintf(begin, sizeof begin, "_BOUNDS void %s(", name); /* how many work-items it has at most */
    if (!*made) *made = strstr(program, begin);
    return *made ? OPLUS_OK : opi_fail(OPLUS_ERR_INTERNAL, "%s: no kernel %s", call, name);
}

static oplus_device *current;

static bool is_in(const char *text, const char *place) { return text && place >= text && place < text + strlen(text); }

static bool has(const opi_program *p, const char *launched)
{
    bool found = is_in(p->handle, launched);
    for (int i = 0; i < p->kernels; i++) found = found || is_in(p->kernel[i].own, launched);
    return found;
}

/* The results of two kernels matter at once.  Structs are laid out as on the host, */
static void answer_layout(const char *launched, uint64_t *bytes)
{
    const opi_program *p = ((opi_accelerator *)current)->programs.first;
    while (!has(p, launched)) p = p->next;
    for (int i = 0; i < p->layouts; i++) bytes[i] = p->layout[i].bytes;
}

/* and offsets are in order and cover all elements: none is wrong, then the first and the last
 * (gpu/segreduce/offsets.c). */
static void answer_offsets(const opi_launch *l)
{
    uint64_t *const seen = (uint64_t *)l->argument[5].value + l->groups;
    seen[0] = seen[1] = 0;
    memcpy(&seen[2], l->argument[3].value, sizeof *seen); /* the largest that is allowed */
}

static oplus_status launch(opi_gpu *gpu, const char *call, const opi_launch *l)
{
    static const char layout[] = "KERNEL void opi_layout(", offsets[] = "KERNEL void opi_offsets_look(";
    (void)call;
    assert_true(l->groups > 0 && l->items > 0 && l->items <= gpu->facts.group);
    assert_true(l->arguments > 0 && l->arguments <= OPI_MAX_ARGUMENTS);
    counted.launches++;
    if (strncmp(l->kernel, offsets, sizeof offsets - 1) == 0) answer_offsets(l);
    if (strncmp(l->kernel, layout, sizeof layout - 1) == 0) answer_layout(l->kernel, (void *)l->argument->value);
    return OPLUS_OK;
}

static oplus_status allow(opi_gpu *gpu, const char *call, void *made, size_t local, int carve_out)
{
    (void)call, (void)made, (void)carve_out;
    assert_true(local <= gpu->facts.local_most);
    return OPLUS_OK;
}

static oplus_status residents(opi_gpu *gpu, const char *call, const opi_launch *l, uint64_t *groups)
{
    (void)call, (void)l;
    *groups = gpu->facts.units;
    return OPLUS_OK;
}

static oplus_status mark(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void **made)
{
    (void)gpu, (void)call, (void)queue;
    *made = NULL;
    return OPLUS_OK;
}

static oplus_status after(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *of)
{
    (void)gpu, (void)call, (void)queue, (void)of;
    return OPLUS_OK;
}

static oplus_status reached(opi_gpu *gpu, const char *call, void *of)
{
    (void)gpu, (void)call, (void)of;
    return OPLUS_OK;
}

static oplus_status query(opi_gpu *gpu, const char *call, void *of, bool *done)
{
    *done = true;
    return reached(gpu, call, of);
}

static oplus_status sync(opi_gpu *gpu, const char *call, opi_gpu_queue queue) { return after(gpu, call, queue, NULL); }

static void close_gpu(opi_gpu *gpu) { (void)gpu; }

static opi_driver driver = {.name = "nvrtc",
                            .dialect = "cuda",
                            .close = close_gpu,
                            .alloc = alloc,
                            .free = release,
                            .pinned_alloc = alloc,
                            .pinned_free = release,
                            .side = side,
                            .upload = copy,
                            .download = copy,
                            .copy = copy,
                            .compile = compile,
                            .load = load,
                            .translate = translate,
                            .binary = no_binary,
                            .kernel = kernel,
                            .unload = release,
                            .launch = launch,
                            .allow = allow,
                            .residents = residents,
                            .mark = mark,
                            .after = after,
                            .reached = reached,
                            .query = query,
                            .drop = release,
                            .sync = sync};

static opi_gpu gpu = {&driver,
                      {.where = "nvrtc",
                       .name = "a GPU that is not here",
                       .f64 = true,
                       .denormals = true,
                       .divides = true,
                       .memory = UINT64_C(80) << 30,
                       .largest = UINT64_C(80) << 30,
                       .local = 48 << 10,
                       .local_most = 227 << 10,
                       .resident = true,
                       .units = 100,
                       .group = 1024,
                       .lanes = 32,
                       .fast_bytes = 16,
                       .element = 1024},
                      .counts_apart = false};

/* As opi_gpu_open makes one. */
static oplus_device *opened(unsigned architecture)
{
    opi_accelerator *const g = must(calloc(1, sizeof *g));
    gpu.facts.architecture = architecture;
    g->dev.machine = &opi_gpu_machine;
    g->gpu = g->programs.gpu = &gpu;
    opi_ways_read(&g->wanted);
    g->piece_bytes = 32 << 20;
    g->memory_bytes = gpu.facts.memory / 2;
    if (opi_cores_open("test", 1, &g->dev.cores) != OPLUS_OK) fail_msg("%s", oplus_last_error());
    return &g->dev;
}

/* How much is compiled: see above. */
static enum effort { SOME, WHOLE, MORE } effort;

/* --- all primitives ----------------------------------------------------------------------------------------------- */

enum { N = 60000, SEGMENTS = 100 };

OPLUS_MAP(root, float, float, { return sqrtf(a) + fabsf(a) / 3.0f; })
OPLUS_MAP_WITH(shifted, double, uint8_t, int64_t, { return (double)(a + p) / 7; })
OPLUS_ZIP(both, affine32, float, int32_t, {
    affine32 r;
    r.a = a;
    r.b = (float)b;
    return r;
})
OPLUS_OP(any_set, bool, (false), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a + b; })
OPLUS_ZIP(spread, long long, long, unsigned char, { return a * b; })
OPLUS_ZIP(before, uint8_t, affine32, affine32, { return a.a < b.a; })
OPLUS_PREDICATE(small_first, padded16, { return a.sum < 0.5; })
OPLUS_ZIP_WITH(before_by, uint8_t, mixed12, mixed12, uint32_t, { return a.count % p < b.count % p; })
OPLUS_PREDICATE_WITH(below, uint16_t, uint32_t, { return a < p; })

static unsigned architecture;
static void *in, *out;

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s for sm_%u: %s", what, architecture, oplus_last_error());
}

static size_t elements(const oplus_type *type) { return type->size > 1000 ? N / 1000 : N; }

/* What follows goes by a way, where it can; NULL: by the one that suits. */
static void force(oplus_device *dev, const char *way)
{
    if (way)
        setenv("OPLUS_WAY", way, 1);
    else
        unsetenv("OPLUS_WAY");
    opi_ways_read(&((opi_accelerator *)dev)->wanted);
}

/* The ways of scans and filters; what they share is compiled once. */
#define BY_EACH_WAY(dev)                                                                                               \
    for (int way = 0; way < (architecture >= 90 ? 2 : 1) && (force(dev, way ? "pipeline" : NULL), true);               \
         force(dev, NULL), way++)

static void scan_with(oplus_device *dev, const oplus_op *op)
{
    const size_t n = elements(op->type);
    BY_EACH_WAY(dev)
    {
        good(oplus_scan(dev, op, OPLUS_INCLUSIVE, in, n, out), op->name);
        good(oplus_segscan(dev, op, OPLUS_INCLUSIVE, in, in, n, out), op->name);
    }
}

OPLUS_MAP_INDEXED(spread_index, uint64_t, uint32_t, { return a ^ i * 0x9e3779b97f4a7c15u; })
OPLUS_PREDICATE_INDEXED(chosen, uint64_t, { return (a + i) % 3 == 0; })

static void filter_with(oplus_device *dev, const oplus_fn *keep)
{
    size_t kept;
    BY_EACH_WAY(dev) good(oplus_filter(dev, keep, in, N, out, &kept), "filter");
}

static void combine_with(oplus_device *dev, const char *name)
{
    const oplus_op *const op = subject_named(name)->op;
    const size_t n = elements(op->type);
    uint64_t offsets[SEGMENTS + 1];
    uint32_t narrow[SEGMENTS + 1];
    const oplus_kind kind = op->identity ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * n / SEGMENTS;
    if (n < SEGMENTS) offsets[SEGMENTS] = n;
    good(oplus_reduce(dev, op, in, n, out), name);
    scan_with(dev, op);
    for (size_t s = 0; s <= SEGMENTS; s++) narrow[s] = (uint32_t)offsets[s];
    good(oplus_reduce_axis(dev, op, in, 1, n / 3, 3, out), name);
    good(oplus_scan_axis(dev, op, OPLUS_INCLUSIVE, in, 1, n / 3, 3, out), name);
    for (size_t row = 3; row < 40 && n >= 40; row += 17) { /* short rows: of one part, and of several */
        good(oplus_reduce_axis(dev, op, in, n / row, row, 1, out), name);
        good(oplus_scan_axis(dev, op, kind, in, n / row, row, 1, out), name);
    }
    force(dev, "row-groups");
    if (n >= 3000) good(oplus_reduce_axis(dev, op, in, n / 3000, 3000, 1, out), name);
    force(dev, NULL);
    if (n >= 1200) good(oplus_reduce_axis(dev, op, in, n / 600, 600, 1, out), name);
    if (n >= 1200) good(oplus_scan_axis(dev, op, OPLUS_INCLUSIVE, in, n / 600, 600, 1, out), name);
    if (n > SEGMENTS) good(oplus_segreduce(dev, op, in, n, &oplus_u64, offsets, SEGMENTS, out), name);
    if (n > SEGMENTS) good(oplus_segreduce(dev, op, in, n, &oplus_u32, narrow, SEGMENTS, out), name);
}

/* Launches do nothing, so that a scan of counts gives 0, and a repeat makes nothing: its task is run by itself. */
static void repeat_with(oplus_device *dev, const oplus_type *const *types, size_t count)
{
    size_t total;
    opi_task task;
    good(oplus_repeat(dev, &oplus_u32, in, 10, &oplus_i32, in, out, 10, &total), "counts of i32");
    good(oplus_repeat(dev, &oplus_u32, in, 10, &oplus_u64, in, NULL, 0, &total), "counts of u64");
    for (size_t i = 0; i < count; i++) {
        opi_task_repeat(&task, types[i]->size, in, 10, in, 20, out);
        good(dev->machine->run(dev, "repeat", &task, NULL), "repeat");
        opi_task_repeat_blocks(&task, i % 2 ? &oplus_u64 : &oplus_u32, in, dev->machine->count_block(dev));
        good(dev->machine->run(dev, "repeat", &task, NULL), "repeat by blocks");
    }
    if (dev->machine->count_block(dev) == 1) return; /* each count has an end of its own */
    opi_task_count_ends(&task, &oplus_sum_u64, &oplus_u32, in, 10, dev->machine->count_block(dev), out);
    good(dev->machine->run(dev, "count ends", &task, NULL), "ends of counts");
    opi_task_count_ends(&task, &oplus_sum_u64, &oplus_i64, in, 10, dev->machine->count_block(dev), out);
    good(dev->machine->run(dev, "count ends", &task, NULL), "ends of counts of i64");
}

static void move(oplus_device *dev)
{
    static const oplus_type *const keys[] = {&oplus_u32, &oplus_f64, &oplus_i8, &oplus_i16, &oplus_f32, &oplus_u64};
    static const oplus_type *const types[] = {&oplus_f32,     &small3_type, &oplus_u8,     &oplus_u16,
                                              &padded16_type, &oplus_f64,   &huge5000_type};
    const size_t key_kinds = effort == MORE ? sizeof keys / sizeof *keys : effort == WHOLE ? 3 : 1;
    const size_t element_kinds = effort >= WHOLE ? sizeof types / sizeof *types : 2;
    const int64_t shift = 5;
    const uint32_t limit = 1000;
    const oplus_fn shift_fn = oplus_with(&shifted_fn, &shift), below_limit = oplus_with(&below_fn, &limit);
    const void *const arrays[] = {in, in};
    size_t kept;
    good(oplus_map(dev, &root_fn, arrays, N, out), "map");
    good(oplus_map(dev, &both_fn, arrays, N, out), "map");
    good(oplus_map(dev, &spread_fn, arrays, N, out), "map of a long and an unsigned char");
    good(oplus_scan(dev, &any_set_op, OPLUS_INCLUSIVE, in, N, out), "scan of bool");
    filter_with(dev, &small_first_fn);
    uint64_t rest; /* launches do nothing */
    const uint64_t ends[] = {0, 100, N};
    good(oplus_partition(dev, &small_first_fn, in, N, out, &rest, &kept), "partition");
    BY_EACH_WAY(dev)
    {
        good(oplus_unique(dev, &oplus_u32, NULL, in, N, out, &oplus_u32, &rest, NULL, NULL, &kept), "unique");
        good(oplus_unique(dev, &oplus_u32, NULL, in, N, out, &oplus_u32, NULL, &rest, NULL, &kept), "runs");
        good(oplus_unique(dev, &oplus_u32, NULL, in, N, NULL, &oplus_u64, &rest, out, NULL, &kept),
             "lengths of 8 bytes");
    }
    good(oplus_filter_mask(dev, &small3_type, OPLUS_MASK_BITS, in, in, N, out, &kept), "filter by bits");
    for (size_t i = 0; i < key_kinds; i++) {
        good(oplus_sort(dev, keys[i], OPLUS_DESCENDING, out, N), "sort");
        good(oplus_sort(dev, keys[i], OPLUS_ASCENDING, out, 100), "sort of few");
        good(oplus_sort_pairs(dev, keys[i], OPLUS_ASCENDING, out, &small3_type, in, N), "sort_pairs");
        good(oplus_sort_bits(dev, keys[i], OPLUS_ASCENDING, 3, 8, out, N), "sort of five bits");
        good(oplus_sort_pairs_bits(dev, keys[i], OPLUS_DESCENDING, 1, 6, out, &small3_type, in, 100),
             "sort_pairs of few by five bits");
    }
    char *const far = (char *)out + (UINT64_C(1) << 40); /* nobody reads there */
    force(dev, "counts");
    good(oplus_sort(dev, &oplus_u16, OPLUS_ASCENDING, out, N), "sort by counts of words");
    good(oplus_sort(dev, &oplus_i8, OPLUS_DESCENDING, out, N), "sort by counts of bytes");
    force(dev, NULL);
    good(oplus_sort_pairs(dev, &oplus_u16, OPLUS_ASCENDING, far, &oplus_u8, far + (UINT64_C(1) << 31), 1 << 30),
         "sort_pairs in portions");
    const oplus_sort_member members[] = {{0, &oplus_f64, OPLUS_ASCENDING},
                                         {9, &oplus_i16, OPLUS_DESCENDING},
                                         {12, &oplus_f32, OPLUS_ASCENDING},
                                         {8, &oplus_u8, OPLUS_ASCENDING}};
    good(oplus_argsort_members(dev, &padded16_type, members, 4, in, N, &oplus_u32, out), "argsort_members");
    good(oplus_sort_members(dev, &padded16_type, members + 2, 1, out, N), "sort_members");
    for (size_t i = 0; i < key_kinds; i++) {
        const size_t half = N / 2 * keys[i]->size;
        good(oplus_argsort(dev, keys[i], OPLUS_ASCENDING, in, N, &oplus_u32, out), "argsort");
        good(oplus_top(dev, keys[i], OPLUS_ASCENDING, in, N, 100, out, &oplus_u32, (char *)out + 8 * N), "top");
        good(oplus_top(dev, keys[i], OPLUS_DESCENDING, in, N, N, out, &oplus_u64, (char *)out + 8 * N), "top of all");
        good(oplus_nth(dev, keys[i], OPLUS_ASCENDING, in, N, N / 2, out), "nth");
        for (int w = 0; w < 2; w++) {
            force(dev, w ? "searches" : "tree");
            good(oplus_search(dev, keys[i], OPLUS_ASCENDING, in, N, OPLUS_UPPER, in, N, &oplus_u64, out), "bounds");
        }
        force(dev, NULL);
        good(oplus_merge(dev, keys[i], OPLUS_DESCENDING, in, N / 2, (char *)in + half, N / 2, out), "merge");
        good(oplus_merge_pairs(dev, keys[i], OPLUS_ASCENDING, in, in, out, &small3_type, in, in, (char *)out + 16 * N,
                               N / 2, N / 2),
             "merge_pairs");
    }
    good(oplus_merge_by(dev, &before_fn, in, N, in, N, out), "merge_by");
    good(oplus_sort_by(dev, &before_fn, out, N), "sort_by");
    good(oplus_argsort_by(dev, &before_fn, in, N, &oplus_u64, out), "argsort_by");
    good(oplus_argsort_axis(dev, &oplus_u32, OPLUS_ASCENDING, in, 10, 10, 1, &oplus_u64, out), "argsort_axis");
    good(oplus_segsort(dev, &oplus_u32, OPLUS_ASCENDING, out, N, &oplus_u64, ends, 2), "segsort");
    enum { LONG = 10, SHORT = 50 };
    uint64_t all_long[LONG + 1], some_long[LONG + SHORT + 1];
    for (uint64_t s = 0; s <= LONG; s++) all_long[s] = some_long[s] = s * 200;
    for (uint64_t s = 1; s <= SHORT; s++) some_long[LONG + s] = some_long[LONG] + s * 100;
    good(oplus_segsort(dev, &oplus_u32, OPLUS_ASCENDING, out, N, &oplus_u64, all_long, LONG), "segsort");
    for (size_t i = 0; i < key_kinds; i++) { /* short segments */
        const oplus_type *const value = i == 0 ? &oplus_u8 : &oplus_f64;
        good(oplus_segsort(dev, keys[i], OPLUS_DESCENDING, out, 100, &oplus_u64, ends, 1), "segsort");
        good(oplus_segsort_pairs(dev, keys[i], OPLUS_ASCENDING, out, value, in, 100, &oplus_u64, ends, 1),
             "segsort_pairs");
        good(oplus_segsort(dev, keys[i], OPLUS_DESCENDING, out, N, &oplus_u64, some_long, LONG + SHORT), "mixed");
        good(oplus_segsort_pairs(dev, keys[i], OPLUS_ASCENDING, out, value, in, N, &oplus_u64, some_long, LONG + SHORT),
             "mixed pairs");
    }
    for (int w = 0; w < 2; w++) {
        force(dev, w ? "searches" : "tree");
        good(oplus_search_by(dev, &before_fn, in, N, OPLUS_LOWER, in, N, &oplus_u32, out), "bounds_by");
    }
    force(dev, NULL);
    for (size_t i = 0; i < element_kinds; i++) good(oplus_transpose(dev, types[i], in, 30, 19, out), "transpose");
    for (size_t i = 0; i < element_kinds; i++)
        for (int bounds = OPLUS_REFUSE; bounds <= OPLUS_CLIP; bounds++) {
            good(oplus_take(dev, types[i], (oplus_bounds)bounds, in, 10, &oplus_u32, in, 20, out), "take");
            good(oplus_put(dev, types[i], (oplus_bounds)bounds, in, &oplus_u32, in, 10, out, 20), "put");
            if (effort >= WHOLE)
                good(oplus_take(dev, types[i], (oplus_bounds)bounds, in, 10, &oplus_i64, in, 20, out), "take");
        }
    repeat_with(dev, types, element_kinds);
    good(oplus_window(dev, &oplus_sum_f32, in, N, 5, out), "window");
    BY_EACH_WAY(dev)
    good(oplus_scan_reverse(dev, subject_named("compose32")->op, OPLUS_INCLUSIVE, in, N / 8, out), "scan_reverse");
    good(oplus_argmin(dev, &oplus_f32, in, N, out), "argmin");
    good(oplus_argmin_axis(dev, &oplus_f64, in, 1, N, 3, &oplus_u32, out), "argmin_axis");
    good(oplus_argmin_axis(dev, &oplus_f32, in, N / 8, 8, 1, &oplus_u64, out), "argmin_axis of short rows");
    good(oplus_argmax_axis(dev, &oplus_u8, in, N / 100, 100, 1, &oplus_u32, out), "argmax_axis of short rows");
    good(oplus_map_reduce(dev, &oplus_moments_of_f32, &oplus_join_moments, arrays, N, out), "moments");
    for (int bounds = OPLUS_REFUSE; bounds <= OPLUS_IGNORE; bounds++) {
        const oplus_type *const index = bounds == OPLUS_CLIP ? &oplus_i8 : &oplus_u32;
        good(oplus_count_by_index(dev, (oplus_bounds)bounds, index, in, N, &oplus_u32, out, 10), "count");
        good(oplus_reduce_by_index(dev, &oplus_sum_f32, (oplus_bounds)bounds, in, &oplus_i32, in, 10, out, 10), "bins");
    }
    good(oplus_histogram(dev, &oplus_f32, in, N, 0, 1, &oplus_u64, out, 1000), "histogram");
    good(oplus_histogram_edges(dev, &oplus_f64, in, N, in, &oplus_u64, out, 3), "edges");
    if (effort >= WHOLE) good(oplus_histogram(dev, &oplus_i64, in, N, 0, 1, &oplus_u64, out, 5000), "histogram");
    if (effort < WHOLE) return;
    good(oplus_map_scan(dev, &oplus_moments_of_u64, &oplus_join_moments, OPLUS_INCLUSIVE, &oplus_sample_variance_of_fn,
                        arrays, N, out),
         "running variances");
    good(oplus_argmax(dev, &oplus_i8, in, N, out), "argmax");
    good(oplus_argmax_axis(dev, &oplus_i8, in, 20, 10, 2, &oplus_u64, out), "argmax_axis");
    good(oplus_minmax(dev, &oplus_f64, in, N, out), "minmax");
    good(oplus_map(dev, &shift_fn, arrays, N, out), "map");
    filter_with(dev, &below_limit);
    BY_EACH_WAY(dev)
    {
        good(oplus_indices(dev, &below_limit, in, N, &oplus_u32, out, &kept), "indices of 4 bytes");
        good(oplus_indices(dev, &below_limit, in, N, &oplus_u64, out, &kept), "indices of 8 bytes");
        good(oplus_unique(dev, &oplus_u8, NULL, in, N, NULL, &oplus_u64, NULL, out, NULL, &kept), "runs of bytes");
        good(oplus_unique(dev, &oplus_f64, NULL, in, N, out, NULL, NULL, NULL, NULL, &kept), "unique of doubles");
        good(oplus_unique(dev, &oplus_u8, NULL, in, N, out, &oplus_u32, &rest, NULL, NULL, &kept), "lengths of bytes");
        good(oplus_unique(dev, before_fn.input[0], &before_fn, in, N, out, &oplus_u32, &rest, NULL, NULL, &kept),
             "lengths by a function");
        good(oplus_unique(dev, before_fn.input[0], &before_fn, in, N, out, &oplus_u32, NULL, &rest, NULL, &kept),
             "runs by a function");
    }
    good(oplus_filter_mask(dev, &oplus_u8, OPLUS_MASK_BYTES, in, in, N, out, &kept), "filter by bytes");
    good(oplus_unique(dev, &padded16_type, NULL, in, N, out, &oplus_u64, &rest, NULL, NULL, &kept),
         "unique of structs");
    good(oplus_unique(dev, before_fn.input[0], &before_fn, in, N, out, &oplus_u32, NULL, &rest, NULL, &kept),
         "unique by a function");
}

/* Functions that have the index of their elements. */
static void index_with(oplus_device *dev)
{
    const void *const arrays[] = {in};
    size_t kept;
    good(oplus_map(dev, &spread_index_fn, arrays, N, out), "map with an index");
    good(oplus_iota(dev, &oplus_i16, NULL, NULL, 0, N, out), "iota of i16");
    good(oplus_iota(dev, &oplus_f64, NULL, NULL, 0, N, out), "iota of f64");
    filter_with(dev, &chosen_fn);
    good(oplus_indices(dev, &chosen_fn, in, N / 8, &oplus_u64, out, &kept), "indices with an index");
    good(oplus_map_reduce(dev, &spread_index_fn, &oplus_sum_u64, arrays, N / 8, out), "map_reduce with an index");
    BY_EACH_WAY(dev)
    {
        good(oplus_map_scan(dev, &spread_index_fn, &oplus_sum_u64, OPLUS_EXCLUSIVE, NULL, arrays, N / 8, out),
             "map_scan with an index");
        good(oplus_map_filter(dev, &spread_index_fn, &chosen_fn, arrays, N / 8, out, &kept),
             "map_filter with an index");
    }
}

/* Fused calls, with arrays that are aligned and that are not. */
static void fuse(oplus_device *dev, int count)
{
    static fusions parts;
    open_fusions(&parts);
    for (int i = 0; i < count; i++) {
        const fusion *const f = &parts.all[i];
        const void *arrays[INPUTS];
        size_t kept;
        for (int k = 0; k < INPUTS; k++) arrays[k] = in;
        good(oplus_map_reduce(dev, f->before, f->op, arrays, N / 8, out), "map_reduce");
        BY_EACH_WAY(dev)
        {
            good(oplus_map_scan(dev, f->before, f->op, OPLUS_INCLUSIVE, f->after, arrays, N / 8, out), "map_scan");
            if (f->keep) good(oplus_map_filter(dev, f->before, f->keep, arrays, N / 8, out, &kept), "map_filter");
        }
    }
    close_fusions(&parts);
}

/* A task of two accelerators. */
static void deal_out(opi_accelerator *const *all, const opi_task *task, const char *what)
{
    opi_deal deal = {.workers = 2, .share = 1, .page = 1 << 15, .all = all};
    if (!opi_deal_can(&deal, task)) fail_msg("%s for sm_%u cannot be dealt out", what, architecture);
    for (deal.own = 0; deal.own < deal.workers; deal.own++) {
        current = &all[deal.own]->dev;
        good(opi_deal_prepare(&deal, "test", task), what);
        good(opi_deal_look(&deal, "test", task), what);
        good(opi_deal_run(&deal, "test", task), what);
        good(opi_deal_finish(&deal, "test", task), what);
    }
}

static void gather(opi_accelerator *const *all)
{
    for (size_t beyond = 1; beyond <= 16; beyond *= 2) { /* units of each size */
        opi_deal deal = {.workers = 2, .share = 1, .page = 1 << 15, .all = all, .beyond = beyond};
        current = &all[0]->dev;
        good(opi_deal_gather(&deal, "test", out, (const char *)in + beyond, N), "gather");
    }
}

static void deal_segments(opi_accelerator *const *all, const oplus_op *op)
{
    const size_t n = N * 8 / op->type->size;
    const uint64_t offsets[] = {0, 7, n};
    const opi_offsets segments = {offsets, 2, sizeof *offsets, n};
    opi_task task;
    opi_task_segreduce(&task, op, in, n, &oplus_u64, &segments, out);
    deal_out(all, &task, "segreduce");
}

OPLUS_PREDICATE(odd_word, uint32_t, { return a & 1; })

static void deal_selects(opi_accelerator *const *all)
{
    opi_task task;
    size_t found;
    opi_task_select(&task, OPI_PICKS_KEPT, &odd_word_fn, &oplus_u32, in, NULL, 2 * N,
                    &(opi_selected){.index = out, .index_bytes = 4}, &found);
    deal_out(all, &task, "indices");
    opi_task_select(&task, OPI_PICKS_HEADS, NULL, &oplus_u64, in, NULL, N,
                    &(opi_selected){.picked = out, .index = in, .index_bytes = 8, .count = in}, &found);
    deal_out(all, &task, "unique");
}

/* Launches do nothing: no key is read. */
static void deal_sorts(opi_accelerator *const *all)
{
    const oplus_type *const keys[] = {&oplus_u32, &oplus_f64};
    enum { MANY = 1 << 21 };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        opi_deal deal = {.workers = 2, .share = 1, .page = 1 << 21, .all = all};
        opi_task own;
        const int before = counted.launches;
        current = &all[0]->dev;
        opi_task_sort(&own, keys[i], OPLUS_ASCENDING, out, NULL, NULL, MANY);
        good(opi_deal_sort(&deal, "test", &own, in, 2 * MANY), "sort");
        assert_int_equal(counted.launches - before, 8); /* by the way "partition", from the pages */
    }
}

/* Runs of so many accelerators, merged. */
static void deal_runs(opi_accelerator *const *all, const oplus_type *key, const oplus_type *value, unsigned count)
{
    opi_accelerator *each[OPI_MOST_WORKERS];
    opi_deal deal = {.workers = count, .share = 1, .page = 1 << 15, .all = each};
    opi_deal_runs runs = {.key = key, .value = value, .out = out, .out_values = out};
    for (unsigned w = 0; w < count; w++) {
        each[w] = all[w % 2];
        runs.keys[w] = runs.values[w] = runs.memory[w] = in;
        runs.n[w] = N / count;
    }
    for (deal.own = 0; deal.own < 2; deal.own++) {
        const int before = counted.launches;
        current = &all[deal.own]->dev;
        good(opi_deal_merge_prepare(&deal, "test", &runs), "merge of runs");
        good(opi_deal_merge_sample(&deal, "test", &runs), "merge of runs");
        good(opi_deal_merge_run(&deal, "test", &runs), "merge of runs");
        assert_int_equal(counted.launches - before, 3);
    }
}

/* Part of a merge of so many runs, by one accelerator. */
static void reach_runs(opi_accelerator *g, const oplus_type *key, const oplus_type *value, unsigned count)
{
    const opi_transfers *const transfers = g->dev.machine->transfers;
    opi_reached runs = {.key = key, .value = value, .runs = count, .out = out, .out_values = out};
    const int before = counted.launches;
    for (unsigned w = 0; w < count; w++) {
        runs.keys[w] = runs.values[w] = in;
        runs.n[w] = N / count;
    }
    runs.first = runs.count = N / 3;
    current = &g->dev;
    good(transfers->merge_prepare(&g->dev, "test", &runs), "merge of runs that are reached");
    good(transfers->merge(&g->dev, "test", &runs), "merge of runs that are reached");
    assert_int_equal(counted.launches - before, count == 2 ? 2 : 3);
}

static void deal_merges(opi_accelerator *const *all)
{
    reach_runs(all[0], &oplus_u32, NULL, 2);
    reach_runs(all[0], &oplus_u64, &oplus_u32, 3);
    deal_runs(all, &oplus_u32, NULL, 3);
    deal_runs(all, &oplus_f64, &oplus_u32, 8);
    if (effort < MORE) return;
    deal_runs(all, &oplus_i8, &mixed12_type, 2);
    deal_runs(all, &oplus_i16, NULL, 5);
    deal_runs(all, &oplus_f32, &oplus_c128, 4);
}

/* Tasks whose items need nothing of each other. */
static void deal_by_index(opi_accelerator *const *all)
{
    static const opi_packed members[] = {{4, 16, 0, 0x8000}, {8, 32, UINT32_MAX, 1u << 31}};
    static const struct {
        const oplus_type *type;
        size_t size;
        bool clip;
    } kinds[] = {{&oplus_u32, 4, false}, {&oplus_i64, 12, true}, {&oplus_u64, 16, false}};
    opi_task task;
    for (size_t i = 0; i < (effort == MORE ? sizeof kinds / sizeof *kinds : 1); i++) {
        const opi_indices indices = {
            .at = in, .count = N / 2, .type = kinds[i].type, .n = N / 2, .clip = kinds[i].clip};
        opi_task_take(&task, kinds[i].size, in, &indices, out);
        deal_out(all, &task, "take");
        opi_task_put(&task, kinds[i].size, in, &indices, out);
        deal_out(all, &task, "put");
    }
    const oplus_fn less = oplus_with(&before_by_fn, &(uint32_t){7});
    for (int w = 0; w < 2; w++) {
        for (int k = 0; k < 2; k++) force(&all[k]->dev, w ? "searches" : "tree");
        opi_task_bounds(&task, &oplus_f32, OPLUS_ASCENDING, NULL, in, N, true, in, N, sizeof(uint64_t), out);
        deal_out(all, &task, "bounds");
        opi_task_bounds(&task, &mixed12_type, OPLUS_ASCENDING, &less, in, N / 2, false, in, N / 2, sizeof(uint32_t),
                        out);
        deal_out(all, &task, "bounds by a function");
    }
    for (int k = 0; k < 2; k++) force(&all[k]->dev, NULL);
    opi_task_pack(&task, 12, in, N / 2, members, 2, 8, out);
    deal_out(all, &task, "pack");
    opi_task_repeat(&task, 2, in, N, in, N * 2, out);
    deal_out(all, &task, "repeat");
    opi_task_repeat(&task, 12, in, N / 2, in, N / 2, out);
    deal_out(all, &task, "repeat of structs");
}

/* Along an axis: short rows, rows of a work-group, long ones; columns in chunks, columns alone. */
static void deal_rows(opi_accelerator *const *all, const oplus_op *op)
{
    const size_t n = op->type->size == 1 ? 2 * N : N; /* a page for each accelerator, at least */
    const opi_axis shapes[] = {{n / 8, 8, 1}, {n / 600, 600, 1}, {2, 1 << 16, 1}, {1, n / 8, 8}, {4, 100, n / 400}};
    opi_task task;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        opi_task_reduce_axis(&task, op, in, &shapes[i], out);
        if (op->type->size <= 16 || i > 1) /* short rows are segments, of which elements are not large */
            deal_out(all, &task, "reduce along an axis");
        opi_task_scan_axis(&task, op, OPLUS_INCLUSIVE, in, &shapes[i], out);
        deal_out(all, &task, "scan along an axis");
        opi_task_extreme_axis(&task, &oplus_f32, OPI_LEAST, in, &shapes[i], 4, out);
        deal_out(all, &task, "extremes along an axis");
    }
}

/* What accelerator 0 joins. */
static void deal_joined(opi_accelerator *const *all)
{
    const oplus_type *const types[] = {&oplus_u32, &oplus_f64, &oplus_i16};
    opi_task task;
    for (size_t i = 0; i < (effort == MORE ? sizeof types / sizeof *types : 1); i++) {
        const oplus_type *const type = types[i];
        const size_t n = N * 8 / type->size;
        opi_task_extreme(&task, type, OPI_LEAST, in, n, OPI_GIVES_PLACE, out, 8);
        deal_out(all, &task, "argmin");
        opi_task_extreme(&task, type, OPI_LEAST | OPI_GREATEST, in, n, OPI_GIVES_VALUES, out, 2 * type->size);
        deal_out(all, &task, "minmax");
        opi_bins bins = {.binning = type == &oplus_f64 ? OPI_BY_EVEN : OPI_BY_NUMBER, .type = type, .n = 100};
        bins.bounds = type == &oplus_u32 ? OPLUS_REFUSE : OPLUS_CLIP;
        bins.high = bins.scale = 1;
        opi_task_count(&task, &bins, in, n, NULL, 4, out);
        deal_out(all, &task, "counts");
        bins.binning = OPI_BY_EDGES;
        opi_task_count(&task, &bins, in, n, in, 8, out);
        deal_out(all, &task, "counts between edges");
        opi_task_top(&task, type, OPLUS_ASCENDING, in, n, 10, out, 4, in);
        deal_out(all, &task, "top");
        opi_task_nth(&task, type, OPLUS_DESCENDING, in, n, n / 3, out);
        deal_out(all, &task, "nth");
    }
}

static void deal_all(void)
{
    oplus_device *const both[] = {opened(architecture), opened(architecture)};
    opi_accelerator *const each[] = {(opi_accelerator *)both[0], (opi_accelerator *)both[1]};
    static const char *const operators[] = {"sum_f32", "compose32", "hash1", "join12", "hash_with"};
    const void *const arrays[] = {in, in};
    size_t kept;
    opi_task task;
    for (size_t i = 0; i < (effort == MORE ? sizeof operators / sizeof *operators : 1); i++) {
        const oplus_op *const op = subject_named(operators[i])->op;
        const size_t n = N * 8 / op->type->size;
        opi_task_scan(&task, op, OPLUS_EXCLUSIVE, in, NULL, n, 0, out);
        deal_out(each, &task, "scan");
        if (op->type->size <= 16) opi_task_scan(&task, op, OPLUS_INCLUSIVE, in, in, n, 0, out);
        deal_out(each, &task, "segscan");
        opi_task_reduce(&task, op, in, NULL, n, 0, out);
        deal_out(each, &task, "reduce");
        if (op->type->size <= 16) deal_segments(each, op);
        deal_rows(each, op);
        opi_task_window(&task, op, in, n, 20, out);
        deal_out(each, &task, "window");
    }
    deal_selects(each);
    deal_joined(each);
    opi_task_transpose(&task, sizeof(float), in, N / 128, 128, out);
    deal_out(each, &task, "transpose");
    opi_task_filter(&task, &small_first_fn, in, N, out, &kept);
    deal_out(each, &task, "filter");
    opi_task_map(&task, &root_fn, arrays, N, out);
    deal_out(each, &task, "map");
    opi_task_merge(&task, &oplus_u64, OPLUS_ASCENDING, NULL, in, N, in, N, out);
    deal_out(each, &task, "merge");
    opi_task_merge(&task, &oplus_u32, OPLUS_DESCENDING, NULL, in, N, in, N, out);
    opi_task_merge_values(&task, &oplus_f64, in, in, out);
    deal_out(each, &task, "merge of pairs");
    const oplus_fn less = oplus_with(&before_by_fn, &(uint32_t){7});
    opi_task_merge(&task, &mixed12_type, OPLUS_ASCENDING, &less, in, N, in, N, out);
    deal_out(each, &task, "merge by a function");
    deal_by_index(each);
    gather(each);
    deal_sorts(each);
    deal_merges(each);
    opi_task_map(&task, &spread_index_fn, arrays, N, out);
    deal_out(each, &task, "map with an index");
    opi_task_reduce(&task, &oplus_sum_u64, in, NULL, N, 0, out);
    opi_task_begin_with(&task, &spread_index_fn, arrays);
    deal_out(each, &task, "map_reduce with an index");
    for (int i = 0; i < 2; i++) oplus_close(both[i]);
}

/* Nested structs, a size that only compilers know, a long name; and a size that only the program knows. */
enum { THREE = 3 };
OPLUS_STRUCT(
    odd,
    struct {
        float x;
        int16_t n[2];
    } p[3];
    _Bool flag; float v[sizeof(int32_t)]; float a_name_of_more_than_thirty_one_letters;)
OPLUS_STRUCT(
    nameless, float v[2 + 0x1]; struct { double d; }; int8_t k;)
OPLUS_STRUCT(secret, float v[THREE];)
OPLUS_SEMIGROUP(first_odd, odd, 0, { return a; })
OPLUS_SEMIGROUP(first_nameless, nameless, 0, { return a; })
OPLUS_SEMIGROUP(first_secret, secret, 0, { return a; })

static void odd_types(oplus_device *dev)
{
    good(oplus_scan(dev, &first_odd_op, OPLUS_INCLUSIVE, in, N / 10, out), "scan of odd members");
    good(oplus_reduce(dev, &first_nameless_op, in, N / 10, out), "reduce of a struct without a name");
    assert_int_equal(oplus_scan(dev, &first_secret_op, OPLUS_INCLUSIVE, in, N, out), OPLUS_ERR_COMPILE);
    const char *const remedy = strstr(oplus_last_error(), "knows none of the program's macros, enumeration constants"),
                      *const name = strstr(oplus_last_error(), "\"THREE\"");
    if (!remedy || !name || name < remedy) fail_msg("%s", oplus_last_error());
    if (!strstr(oplus_last_error(), "nvrtc.c:")) fail_msg("not the place in the user's file: %s", oplus_last_error());
}

/* Texts, over each of these types: their functions are generic, their operands constant. */
static void texts(oplus_device *dev)
{
    static const oplus_type *const types[] = {&oplus_f32, &oplus_i8, &oplus_u32, &oplus_i64, &oplus_f64};
    static const char *const text =
        "abs(a) + sign(b) + min(a, b) + max(min(a, 2), 3LL) + floor(a) + ceil(b) + trunc(a) + round(a) + rint(b) + "
        "sqrt(a) + fabs(b) + pow(a, 2) + hypot(a, b) + fmod(a, b + 1) + copysign(a, b) + fma(a, b, 1) + fmin(a, 1.5) + "
        "fmaxf(a, b) + ldexp(a, 3) + exp(a) + log1p(b) + atan2(a, b) + erf(a) + tgamma(b) + asinh(a) + max(a > b, 2)";
    for (size_t i = 0; i < (effort == MORE ? sizeof types / sizeof *types : 1); i++) {
        const oplus_type *const inputs[] = {types[i], types[i]};
        const void *const arrays[] = {in, in};
        oplus_fn *fn;
        size_t kept;
        good(oplus_fn_make(NULL, types[i], 2, inputs, NULL, text, &fn), text);
        good(oplus_map(dev, fn, arrays, N, out), text);
        oplus_fn_free(fn);
        good(oplus_fn_make(NULL, NULL, 1, inputs, NULL, "min(abs(a), 7) - 0.5", &fn), "predicate");
        good(oplus_filter(dev, fn, in, N, out, &kept), "filter");
        oplus_fn_free(fn);
    }
}

static const char *const few[] = {"sum_f32", "compose32", "hash_with", NULL};
static const char *const more[] = {"sum_f32",  "sum_u8",    "prod_i16",  "max_i64", "min_f64",
                                   "max_f32",  "prod_c128", "compose64", "rotate",  "multiply_exact",
                                   "last_f64", "first_u32", "hash1",     "join3",   "join12",
                                   "join16",   "hash_with", "beyond",    NULL};

static void compiles(void **state)
{
    (void)state;
    oplus_device *const dev = current = opened(architecture);
    for (const char *const *name = effort == MORE ? more : few; *name != NULL; name++) combine_with(dev, *name);
    index_with(dev);
    move(dev);
    texts(dev);
    fuse(dev, effort == MORE ? FUSIONS : 4);
    odd_types(dev);
    if (architecture >= 90 && !getenv("OPLUS_SHAPE")) deal_all(); /* chunks are not dealt out */
    current = dev;
    printf("sm_%u: %d programs, %d launches\n", architecture, counted.programs, counted.launches);
    assert_true(counted.programs > 5 && counted.launches > counted.programs);
    oplus_close(dev);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiles)};
    void *binary;
    size_t bytes;
    effort = argc > 2 && strcmp(argv[2], "more") == 0 ? MORE : argc > 1 ? WHOLE : SOME;
    if (effort >= WHOLE) driver.translate = NULL; /* programs are compiled whole */
    architecture = (unsigned)strtoul(argc > 1 ? argv[1] : "90", NULL, 10);
    setenv("OPLUS_CACHE", "0", 1);
    if (opi_nvrtc_compile("test", "nothing", "__global__ void nothing() {}", 90, &binary, &bytes) != OPLUS_OK)
        return printf("not tried: %s\n", oplus_last_error()), 77;
    free(binary);
    in = must(calloc(N, 64));
    out = must(calloc(N, 64));
    const int failed = cmocka_run_group_tests_name("nvrtc", tests, NULL, NULL);
    free(in);
    free(out);
    return failed;
}
