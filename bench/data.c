#define _DEFAULT_SOURCE /* madvise */
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "die.h"
#include "random.h"

enum { MEAN_SEGMENT = 100, HUGE_PAGE = 2 << 20 };

/* --- names ---------------------------------------------------------------------------------------------------- */

static const char *const primitive_names[] = {
#define BENCH_NAME(id, name) name,
    BENCH_PRIMITIVES(BENCH_NAME)
#undef BENCH_NAME
};

static const struct {
    const char *name;
    size_t size;
} types[] = {{"f32", 4},       {"f64", 8}, {"i32", 4}, {"i64", 8},     {"u32", 4},   {"u64", 8},   {"affine", 8},
             {"affine64", 16}, {"u8", 1},  {"u16", 2}, {"triple", 24}, {"pixel", 3}, {"point", 12}};

const char *bench_primitive_name(bench_primitive primitive) { return primitive_names[primitive]; }
const char *bench_type_name(bench_type type) { return types[type].name; }
size_t bench_type_size(bench_type type) { return types[type].size; }

bool bench_primitive_find(const char *name, bench_primitive *primitive)
{
    for (int i = 0; i < BENCH_PRIMITIVE_COUNT; i++)
        if (strcmp(name, primitive_names[i]) == 0) return *primitive = (bench_primitive)i, true;
    return false;
}

bool bench_type_find(const char *name, bench_type *type)
{
    for (int i = 0; i < BENCH_TYPE_COUNT; i++)
        if (strcmp(name, types[i].name) == 0) return *type = (bench_type)i, true;
    return false;
}

bool bench_primitive_has(bench_primitive primitive, bench_type type)
{
    if (primitive != BENCH_TRANSPOSE && type > BENCH_AFFINE64) return false;
    switch (primitive) {
    case BENCH_TRANSPOSE:
    case BENCH_SEGREDUCE:
    case BENCH_SEGSCAN:
    case BENCH_REDUCE:
    case BENCH_FOLD:
    case BENCH_SCAN:
    case BENCH_EXCLUSIVE:
        return true;
    case BENCH_PAIRS:
        return type == BENCH_U32;
    case BENCH_MEMBERS:
        return type == BENCH_AFFINE || type == BENCH_AFFINE64;
    case BENCH_BITS:
    case BENCH_MERGE:
    case BENCH_MERGE_MANY:
    case BENCH_SEARCH:
        return type == BENCH_U32 || type == BENCH_U64;
    default:
        return type != BENCH_AFFINE && type != BENCH_AFFINE64;
    }
}

/* --- random data ---------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_u64(void) { return bench_random_u64(&random_state); }

bool bench_is_matrix(bench_primitive primitive)
{
    return primitive == BENCH_TRANSPOSE || primitive == BENCH_ROWS || primitive == BENCH_COLUMNS ||
           primitive == BENCH_SCAN_ROWS || primitive == BENCH_SCAN_COLUMNS || primitive == BENCH_ARGMAX_ROWS ||
           primitive == BENCH_ARGMAX_COLUMNS || primitive == BENCH_SORT_ROWS || primitive == BENCH_SORT_COLUMNS;
}

bool bench_is_sort(bench_primitive primitive)
{
    return primitive == BENCH_SORT || primitive == BENCH_BITS || primitive == BENCH_MEMBERS ||
           primitive == BENCH_PAIRS || primitive == BENCH_SORT_BY || primitive == BENCH_SEGSORT ||
           primitive == BENCH_SORT_ROWS || primitive == BENCH_SORT_COLUMNS;
}

bool bench_has_runs(bench_primitive primitive) { return primitive == BENCH_BY_KEY || primitive == BENCH_RLE; }

bool bench_is_cut(bench_primitive primitive) { return primitive == BENCH_SEGREDUCE || primitive == BENCH_SEGSORT; }

/* Sorted keys, evenly spread. */
static void fill_sorted(void *mem, bench_type type, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double key = ((double)i + (double)(random_u64() >> 11) * 0x1p-53) / (double)n;
        if (type == BENCH_U32)
            ((uint32_t *)mem)[i] = (uint32_t)(key * UINT32_MAX);
        else
            ((uint64_t *)mem)[i] = (uint64_t)(key * 0x1p63);
    }
}

/* 16 values of the first member; the second one as the keys of a sort. */
static void fill_members(void *mem, bench_type type, size_t n, bench_pattern pattern)
{
    bench_fill_keys(mem, type == BENCH_AFFINE ? BENCH_F32 : BENCH_F64, 2 * n, pattern, &random_state);
    for (size_t i = 0; i < n; i++) {
        const int few = (int)(random_u64() >> 60);
        if (type == BENCH_AFFINE)
            ((bench_affine *)mem)[i].a = (float)few;
        else
            ((bench_affine64 *)mem)[i].a = few;
    }
}

static void fill_halves(void *mem, bench_type type, size_t n, size_t size)
{
    random_state = 1;
    fill_sorted(mem, type, n / 2);
    fill_sorted((char *)mem + n / 2 * size, type, n - n / 2);
}

static void fill_parts(void *mem, const bench_problem *p)
{
    for (size_t k = 0; k < BENCH_MERGED; k++)
        fill_sorted((char *)mem + bench_part(p, k) * p->element, p->type, bench_part(p, k + 1) - bench_part(p, k));
}

/* Small integers, 0 on average: their sums are exact in every type.  Half of them are odd; the filter keeps these. */
static void fill_values(void *mem, bench_type type, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = random_u64();
        const int v = (int)(r & 7) - (int)(r >> 3 & 7);
        switch (type) {
        case BENCH_F32:
            ((float *)mem)[i] = (float)v;
            break;
        case BENCH_F64:
            ((double *)mem)[i] = v;
            break;
        case BENCH_I32:
        case BENCH_U32:
            ((int32_t *)mem)[i] = v;
            break;
        case BENCH_AFFINE:
            ((bench_affine *)mem)[i] = (bench_affine){r & 64 ? 1.0f : -1.0f, (float)v};
            break;
        case BENCH_AFFINE64:
            ((bench_affine64 *)mem)[i] = (bench_affine64){r & 64 ? 1.0 : -1.0, v};
            break;
        case BENCH_U8:
            ((uint8_t *)mem)[i] = (uint8_t)v;
            break;
        case BENCH_U16:
            ((uint16_t *)mem)[i] = (uint16_t)v;
            break;
        case BENCH_PIXEL:
            ((bench_pixel *)mem)[i] = (bench_pixel){(uint8_t)v, (uint8_t)(r >> 11), (uint8_t)(r >> 19)};
            break;
        case BENCH_POINT:
            ((bench_point *)mem)[i] = (bench_point){(float)v, (float)(r >> 40), (float)v};
            break;
        case BENCH_TRIPLE:
            ((bench_triple *)mem)[i] = (bench_triple){v, (double)(r >> 11), v};
            break;
        default:
            ((int64_t *)mem)[i] = v;
            break;
        }
    }
}

/* Values again and again, each half of the time. */
static void make_runs(void *mem, size_t n, size_t size)
{
    char *const p = mem;
    for (size_t i = 1; i < n; i++)
        if (random_u64() & 1) memcpy(p + i * size, p + (i - 1) * size, size);
}

/* 0 to one less than the number of bins, which are exact in every type. */
static void fill_bins(void *mem, bench_type type, const bench_problem *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const size_t bin = random_u64() % bench_bins(p);
        switch (type) {
        case BENCH_F32:
            ((float *)mem)[i] = (float)bin;
            break;
        case BENCH_F64:
            ((double *)mem)[i] = (double)bin;
            break;
        case BENCH_I32:
        case BENCH_U32:
            ((uint32_t *)mem)[i] = (uint32_t)bin;
            break;
        default:
            ((uint64_t *)mem)[i] = bin;
            break;
        }
    }
}

static void *allocate(size_t bytes, bool huge)
{
    const size_t align = huge && bytes >= HUGE_PAGE ? HUGE_PAGE : 4096;
    const size_t whole = (bytes + align) / align * align;
    void *mem = aligned_alloc(align, whole);
    if (!mem) tool_die(TOOL_FAILED, "no memory for %zu bytes: choose a smaller --n", whole);
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE) madvise(mem, whole, MADV_HUGEPAGE);
#endif
    memset(mem, 0, whole);
    return mem;
}

static size_t index_at(const void *indices, size_t element, size_t i)
{
    return element == 4 ? ((const uint32_t *)indices)[i] : (size_t)((const uint64_t *)indices)[i];
}

static void set_index(void *indices, size_t element, size_t i, size_t index)
{
    if (element == 4)
        ((uint32_t *)indices)[i] = (uint32_t)index;
    else
        ((uint64_t *)indices)[i] = index;
}

/* 0 to 6, as many as there is still room for; the last one is what is left. */
static void *make_counts(const bench_problem *p, bool huge)
{
    enum { MOST = 6 };
    void *const counts = allocate(p->n * p->element, huge);
    size_t left = p->n;
    const size_t last = bench_repeated(p) - 1;
    for (size_t i = 0; i < last; i++) {
        const size_t own = random_u64() % (MOST + 1), count = own < left ? own : left;
        set_index(counts, p->element, i, count);
        left -= count;
    }
    set_index(counts, p->element, last, left);
    return counts;
}

/* A random permutation: each place takes the index of an earlier place, which takes its own. */
static void *make_permutation(size_t n, size_t element, bool huge)
{
    void *indices = allocate(n * element, huge);
    if (element == 4 && n - 1 > UINT32_MAX)
        tool_die(TOOL_FAILED, "indices of 4 bytes have no room for %zu: choose a smaller --n", n - 1);
    for (size_t i = 0; i < n; i++) {
        const size_t j = random_u64() % (i + 1);
        set_index(indices, element, i, index_at(indices, element, j));
        set_index(indices, element, j, i);
    }
    return indices;
}

/* Segments of random lengths, many of them empty: as many as their mean length says, so that the last one, which ends
 * where the elements do, may be longer.  If the mean is below 1 the last one is empty, and elements are left over. */
static void draw_segments(bench_problem *p, double length, bool huge)
{
    const bool empty = length == BENCH_LENGTHS_EMPTY;
    const double count = empty ? (double)p->n : fmax((double)p->n / bench_mean_length(length), 1);
    const size_t segments = (size_t)fmin(count, (double)p->n); /* out has room for n results */
    uint64_t *offsets = allocate((segments + 1) * sizeof *offsets, huge);
    for (size_t s = 1; s < segments && !empty; s++) {
        const uint64_t end = offsets[s - 1] + bench_random_length(length, &random_state);
        offsets[s] = end < p->n ? end : p->n;
    }
    offsets[segments] = empty ? 0 : length > 0 && length < 1 ? offsets[segments - 1] : p->n;
    p->offsets = offsets;
    p->segments = segments;
    p->inside = (size_t)offsets[segments];
}

/* Segments that begin at random heads, none of them empty. */
static void make_segments(bench_problem *p, bool huge)
{
    uint8_t *heads = allocate(p->n, huge);
    int32_t *ids = allocate(p->n * sizeof *ids, huge);
    int32_t id = 0;
    for (size_t i = 0; i < p->n; i++) {
        heads[i] = i == 0 || random_u64() % MEAN_SEGMENT == 0;
        ids[i] = id += heads[i];
    }
    uint64_t *offsets = allocate(((size_t)id + 1) * sizeof *offsets, huge);
    size_t s = 0;
    for (size_t i = 0; i < p->n; i++)
        if (heads[i]) offsets[s++] = i;
    offsets[s] = p->n;
    p->heads = heads;
    p->ids = ids;
    p->offsets = offsets;
    p->segments = s;
    p->inside = p->n;
}

static void make_pairs(bench_problem *p, bool huge)
{
    uint32_t *values = allocate(p->n * sizeof *values, huge);
    bench_pair *pairs = allocate(p->n * sizeof *pairs, huge);
    for (size_t i = 0; i < p->n; i++) {
        values[i] = (uint32_t)i;
        pairs[i] = (bench_pair){.key = ((const uint32_t *)p->in)[i], .value = (uint32_t)i};
    }
    p->in2 = values;
    p->pairs = pairs;
    p->out2 = allocate(p->n * sizeof *values, huge);
    p->out_pairs = allocate(p->n * sizeof *pairs, huge);
}

void bench_problem_open(bench_problem *p, bench_primitive primitive, bench_type type, size_t n, bench_shape shape,
                        bool huge)
{
    *p = (bench_problem){.primitive = primitive, .type = type, .n = n, .element = types[type].size, .threads = 1};
    bench_shape_print(p->shape, primitive, &shape);
    random_state = 1;
    if (bench_is_matrix(primitive)) {
        p->rows = shape.rows ? shape.rows : (size_t)sqrt((double)n);
        p->cols = shape.cols ? shape.cols : p->rows;
        p->n = p->rows * p->cols;
    }
    void *in = allocate(p->n * p->element, huge);
    if (primitive == BENCH_MEMBERS)
        fill_members(in, type, p->n, shape.pattern);
    else if (bench_is_sort(primitive) || primitive == BENCH_ARGSORT || primitive == BENCH_TOP || primitive == BENCH_NTH)
        bench_fill_keys(in, type, p->n, shape.pattern, &random_state);
    else if (primitive == BENCH_SEARCH)
        fill_sorted(in, type, p->n);
    else if (primitive == BENCH_MERGE)
        fill_halves(in, type, p->n, p->element);
    else if (primitive == BENCH_MERGE_MANY)
        fill_parts(in, p);
    else if (primitive == BENCH_HISTOGRAM)
        fill_bins(in, type, p);
    else
        fill_values(in, type, p->n);
    if (primitive == BENCH_UNIQUE || primitive == BENCH_RLE) make_runs(in, p->n, p->element);
    p->in = in;
    p->out = allocate(p->n * p->element, huge);
    if (primitive == BENCH_ZIP || primitive == BENCH_DOT || primitive == BENCH_MAP_SCAN ||
        primitive == BENCH_MAP_FILTER) {
        void *in2 = allocate(p->n * p->element, huge);
        fill_values(in2, type, p->n);
        p->in2 = in2;
    }
    if (primitive == BENCH_SEARCH) {
        void *wanted = allocate(p->n * p->element, huge);
        bench_fill_keys(wanted, type, p->n, BENCH_PATTERN_RANDOM, &random_state);
        p->in2 = wanted;
    }
    if (primitive == BENCH_BINS) {
        void *indices = allocate(p->n * p->element, huge);
        fill_bins(indices, p->element == 4 ? BENCH_U32 : BENCH_U64, p);
        p->in2 = indices;
    }
    if (primitive == BENCH_BY_KEY) make_segments(p, huge);
    if (bench_has_runs(primitive)) p->out2 = allocate(p->n * sizeof *p->ids, huge);
    if (primitive == BENCH_REPEAT) p->in2 = make_counts(p, huge);
    if (primitive == BENCH_TAKE || primitive == BENCH_PUT) p->in2 = make_permutation(p->n, p->element, huge);
    if (bench_is_cut(primitive) && shape.length != 0)
        draw_segments(p, shape.length, huge);
    else if (primitive == BENCH_SEGSCAN || bench_is_cut(primitive))
        make_segments(p, huge);
    if (primitive == BENCH_PAIRS) make_pairs(p, huge);
}

void bench_problem_close(bench_problem *p)
{
    const void *const owned[] = {p->in, p->in2, p->heads, p->ids, p->offsets, p->pairs, p->out, p->out2, p->out_pairs};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free((void *)(uintptr_t)owned[i]);
}

void bench_problem_restore(bench_problem *p)
{
    if (!bench_is_sort(p->primitive)) return;
    memcpy(p->out, p->in, p->n * p->element);
    if (p->out2) memcpy(p->out2, p->in2, p->n * sizeof(uint32_t));
    if (p->out_pairs) memcpy(p->out_pairs, p->pairs, p->n * sizeof(bench_pair));
}

/* --- results -------------------------------------------------------------------------------------------------- */

/* Four strands, so that memory, not the multiplier's latency, sets the pace. */
static uint64_t hash_bytes(const void *mem, size_t bytes, uint64_t seed)
{
    enum { STRANDS = 4 };
    const char *p = mem;
    uint64_t h[STRANDS] = {seed, 1, 2, 3}, last = 0;
    for (; bytes >= sizeof h; bytes -= sizeof h, p += sizeof h)
        for (int s = 0; s < STRANDS; s++) {
            uint64_t word;
            memcpy(&word, p + 8 * s, 8);
            h[s] = (h[s] ^ word) * 0x9e3779b97f4a7c15u;
            h[s] ^= h[s] >> 29;
        }
    for (; bytes > 0; bytes--, p++) last = last * 257 + (unsigned char)*p;
    for (int s = 0; s < STRANDS; s++) last = (last ^ h[s]) * 0x100000001b3u;
    return last;
}

size_t bench_result_count(const bench_problem *p)
{
    switch (p->primitive) {
    case BENCH_REDUCE:
    case BENCH_MAXIMUM:
    case BENCH_ARGMAX: /* the lower bytes of the place, as many as an element has */
    case BENCH_FOLD:
    case BENCH_DOT:
    case BENCH_NTH:
        return 1;
    case BENCH_FILTER:
    case BENCH_MAP_FILTER:
    case BENCH_UNIQUE:
    case BENCH_RLE:
    case BENCH_BY_KEY:
        return p->kept;
    case BENCH_HISTOGRAM:
    case BENCH_BINS:
        return bench_bins(p);
    case BENCH_TOP:
        return bench_top(p);
    case BENCH_SEGREDUCE:
        return p->segments;
    case BENCH_ROWS:
    case BENCH_ARGMAX_ROWS:
        return p->rows;
    case BENCH_COLUMNS:
    case BENCH_ARGMAX_COLUMNS:
        return p->cols;
    default:
        return p->n;
    }
}

void bench_pairs_unzip(const bench_problem *p)
{
    uint32_t *keys = p->out, *values = p->out2;
    for (size_t i = 0; i < p->n; i++) {
        keys[i] = p->out_pairs[i].key;
        values[i] = p->out_pairs[i].value;
    }
}

void bench_problem_spoil(bench_problem *p)
{
    memset(p->out, 0xa5, p->n * p->element);
    if (bench_has_runs(p->primitive)) memset(p->out2, 0xa5, p->n * sizeof *p->ids);
    p->kept = 0;
    bench_problem_restore(p);
}

uint64_t bench_keys_hash(const bench_problem *p)
{
    const size_t count = bench_result_count(p);
    return hash_bytes(p->out, count * p->element, count);
}

uint64_t bench_result_hash(const bench_problem *p)
{
    const uint64_t keys = bench_keys_hash(p);
    const size_t beside = p->primitive == BENCH_PAIRS ? p->n : bench_has_runs(p->primitive) ? p->kept : 0;
    return beside ? hash_bytes(p->out2, beside * sizeof(uint32_t), keys) : keys;
}

bool bench_pairs_belong(const bench_problem *p)
{
    const uint32_t *before = p->in, *keys = p->out, *values = p->out2;
    for (size_t i = 0; i < p->n; i++)
        if (values[i] >= p->n || before[values[i]] != keys[i]) return false;
    return true;
}

bool bench_reads_only(bench_primitive primitive)
{
    return primitive == BENCH_REDUCE || primitive == BENCH_MAXIMUM || primitive == BENCH_ARGMAX ||
           primitive == BENCH_FOLD || primitive == BENCH_DOT || primitive == BENCH_SEGREDUCE ||
           primitive == BENCH_TOP || primitive == BENCH_NTH || primitive == BENCH_BY_KEY ||
           primitive == BENCH_HISTOGRAM || primitive == BENCH_BINS;
}

double bench_problem_bytes(const bench_problem *p)
{
    const double n = (double)p->n, size = (double)p->element, segments = (double)p->segments;
    switch (p->primitive) {
    case BENCH_REDUCE:
    case BENCH_MAXIMUM:
    case BENCH_ARGMAX:
    case BENCH_TOP:
    case BENCH_NTH:
    case BENCH_FOLD:
    case BENCH_IOTA:
        return n * size;
    case BENCH_REPEAT:
        return (n + 2 * (double)bench_repeated(p)) * size;
    case BENCH_ROWS:
    case BENCH_COLUMNS:
    case BENCH_ARGMAX_ROWS:
    case BENCH_ARGMAX_COLUMNS:
        return (n + (double)bench_result_count(p)) * size;
    case BENCH_ZIP:
    case BENCH_MAP_SCAN:
    case BENCH_SEARCH:
    case BENCH_TAKE:
    case BENCH_PUT:
        return 3 * n * size;
    case BENCH_MAP_FILTER:
        return (2 * n + (double)p->kept) * size;
    case BENCH_SEGSCAN:
        return n * (2 * size + 1);
    case BENCH_SEGREDUCE:
        return (double)p->inside * size + segments * (size + (double)sizeof(size_t));
    case BENCH_FILTER:
    case BENCH_UNIQUE:
        return (n + (double)p->kept) * size;
    case BENCH_RLE:
        return n * size + (double)p->kept * (size + (double)sizeof(uint32_t));
    case BENCH_BY_KEY:
        return (n + (double)p->kept) * (size + (double)sizeof *p->ids);
    case BENCH_HISTOGRAM:
        return (n + (double)bench_bins(p)) * size;
    case BENCH_BINS:
        return (2 * n + (double)bench_bins(p)) * size;
    case BENCH_PAIRS:
        return 2 * n * (size + (double)sizeof(uint32_t));
    default:
        return 2 * n * size;
    }
}
