/* What the machine can do: the fastest ways we know to read memory and to copy it, moving the problem's bytes.  A
 * read takes the input's bytes; a copy takes half of all bytes. */
#include <omp.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "data.h"
#include "kernels.h"

/* The widest vector of the instruction set, and its store that bypasses the caches. */
#if defined(__AVX512F__)
enum { VECTOR = 64 };
#define STREAM(to, x) _mm512_stream_si512((void *)(to), (__m512i)(x))
#elif defined(__AVX__)
enum { VECTOR = 32 };
#define STREAM(to, x) _mm256_stream_si256((__m256i *)(to), (__m256i)(x))
#elif defined(__SSE2__)
enum { VECTOR = 16 };
#define STREAM(to, x) _mm_stream_si128((__m128i *)(to), (__m128i)(x))
#else
enum { VECTOR = 16 };
#define STREAM(to, x) (*(to) = (x))
#endif
typedef uint64_t vector __attribute__((vector_size(VECTOR), may_alias));

enum {
    STREAMS = 4,
    PER_THREAD = 64 << 10 /* bytes; for fewer, starting a thread costs more than it saves */
};

static uint64_t sink; /* unused results, which must be computed */

static bool on_one_thread(const bench_problem *p)
{
    return p->threads == 1 || p->n * p->element / (size_t)p->threads < PER_THREAD;
}

/* --- read ----------------------------------------------------------------------------------------------------- */

static uint64_t fold_streams(const vector *x)
{
    uint64_t all = 0;
    for (size_t s = 0; s < STREAMS; s++)
        for (size_t i = 0; i < VECTOR / sizeof all; i++) all ^= x[s][i];
    return all;
}

static uint64_t xor_ahead(const vector *v, size_t n)
{
    vector x[STREAMS] = {{0}};
    size_t i = 0;
    for (; i + STREAMS <= n; i += STREAMS)
        for (size_t s = 0; s < STREAMS; s++) x[s] ^= v[i + s];
    for (; i < n; i++) x[0] ^= v[i];
    return fold_streams(x);
}

static uint64_t xor_streams(const vector *v, size_t n)
{
    const size_t each = n / STREAMS;
    vector x[STREAMS] = {{0}};
    for (size_t i = 0; i < each; i++)
        for (size_t s = 0; s < STREAMS; s++) x[s] ^= v[s * each + i];
    return fold_streams(x) ^ xor_ahead(v + STREAMS * each, n - STREAMS * each);
}

static void read_by(uint64_t (*part)(const vector *, size_t), const bench_problem *p)
{
    const size_t n = p->n * p->element / VECTOR;
    const vector *in = p->in;
    uint64_t all = 0;
    if (on_one_thread(p)) {
        all = part(in, n);
    } else {
#pragma omp parallel num_threads(p->threads) reduction(^ : all)
        {
            const size_t who = (size_t)omp_get_thread_num(), of = (size_t)omp_get_num_threads();
            const size_t begin = n * who / of, end = n * (who + 1) / of;
            all ^= part(in + begin, end - begin);
        }
    }
    sink += all;
}

static void read_ahead(bench_problem *p) { read_by(xor_ahead, p); }
static void read_streams(bench_problem *p) { read_by(xor_streams, p); }

/* --- copy ----------------------------------------------------------------------------------------------------- */

static void copy_memcpy(vector *out, const vector *in, size_t n) { memcpy(out, in, n * VECTOR); }

static void copy_regular(vector *out, const vector *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = in[i];
        __asm__ volatile("" ::: "memory"); /* keeps this a loop: the compiler would call memcpy */
    }
}

static void copy_streaming(vector *out, const vector *in, size_t n)
{
    for (size_t i = 0; i < n; i++) STREAM(out + i, in[i]);
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static void copy_by(void (*part)(vector *, const vector *, size_t), const bench_problem *p)
{
    const size_t n = p->n * p->element / VECTOR;
    const vector *in = p->in;
    vector *out = p->out;
    if (on_one_thread(p)) {
        part(out, in, n);
        return;
    }
#pragma omp parallel num_threads(p->threads)
    {
        const size_t who = (size_t)omp_get_thread_num(), of = (size_t)omp_get_num_threads();
        const size_t begin = n * who / of, end = n * (who + 1) / of;
        part(out + begin, in + begin, end - begin);
    }
}

static void copy_by_memcpy(bench_problem *p) { copy_by(copy_memcpy, p); }
static void copy_by_loop(bench_problem *p) { copy_by(copy_regular, p); }
static void copy_by_streaming(bench_problem *p) { copy_by(copy_streaming, p); }

/* What only writes. */
static void fill(bench_problem *p)
{
    const size_t bytes = p->n * p->element;
    char *const out = p->out;
    if (on_one_thread(p)) {
        memset(out, 1, bytes);
        return;
    }
#pragma omp parallel num_threads(p->threads)
    {
        const size_t who = (size_t)omp_get_thread_num(), of = (size_t)omp_get_num_threads();
        const size_t begin = bytes / of * who, end = who + 1 == of ? bytes : bytes / of * (who + 1);
        memset(out + begin, 1, end - begin);
    }
}

/* --- the table: what only reads is measured against reads, all else against copies ------------------------------ */

#define READS(id)                                                                                                      \
    {"read", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_READS, read_ahead},                                        \
    {                                                                                                                  \
        "read, 4 streams", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_READS, read_streams                          \
    }
#define COPIES(id)                                                                                                     \
    {"memcpy", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, 0, copy_by_memcpy},                                            \
        {"copy", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, 0, copy_by_loop},                                            \
    {                                                                                                                  \
        "copy, streaming", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, 0, copy_by_streaming                               \
    }

const bench_contender BENCH_TWIN(limits, BENCH_ISA)[] = {READS(REDUCE),
                                                         READS(MAXIMUM),
                                                         READS(ARGMAX),
                                                         READS(FOLD),
                                                         READS(DOT),
                                                         READS(SEGREDUCE),
                                                         READS(TOP),
                                                         READS(BY_KEY),
                                                         READS(HISTOGRAM),
                                                         READS(BINS),
                                                         READS(NTH),
                                                         COPIES(NEIGHBOURS),
                                                         READS(ROWS),
                                                         COPIES(UNIQUE),
                                                         READS(COLUMNS),
                                                         COPIES(SCAN_ROWS),
                                                         COPIES(SCAN_COLUMNS),
                                                         COPIES(MAP),
                                                         COPIES(ZIP),
                                                         COPIES(MAP_SCAN),
                                                         COPIES(MAP_FILTER),
                                                         COPIES(SCAN),
                                                         COPIES(EXCLUSIVE),
                                                         COPIES(REVERSE),
                                                         COPIES(WINDOW),
                                                         COPIES(SORT_BY),
                                                         COPIES(SEGSORT),
                                                         COPIES(SEGSCAN),
                                                         COPIES(FILTER),
                                                         COPIES(RLE),
                                                         COPIES(SORT),
                                                         COPIES(BITS),
                                                         COPIES(MEMBERS),
                                                         COPIES(PAIRS),
                                                         COPIES(MERGE),
                                                         COPIES(ARGSORT),
                                                         COPIES(SEARCH),
                                                         COPIES(TAKE),
                                                         COPIES(PUT),
                                                         COPIES(TRANSPOSE),
                                                         COPIES(REPEAT),
                                                         COPIES(MERGE_MANY),
                                                         READS(ARGMAX_ROWS),
                                                         READS(ARGMAX_COLUMNS),
                                                         COPIES(SORT_ROWS),
                                                         COPIES(SORT_COLUMNS),
                                                         {"memset", BENCH_LIMIT, BENCH_IOTA, BENCH_ANY_TYPE, 0, fill},
                                                         {0}};
