#include "device.h"

#include <string.h>

#include <oplus/oplus.h>

#include "data.h"
#include "die.h"
#include "kernels.h"

enum {
    SLOTS = 64,           /* at most, of the outputs of a sort, */
    SLOT_BYTES = 64 << 20 /* and at most as many as fit into this */
};

static void must(oplus_status status)
{
    if (status != OPLUS_OK) tool_die(TOOL_FAILED, "%s", oplus_last_error());
}

bench_accelerator bench_accelerator_open(const char *where)
{
    bench_accelerator a = {.where = where};
    if (oplus_open(where, &a.dev) == OPLUS_OK) return a;
    static const char call[] = "oplus_open: "; /* replaced by the option's name */
    const char *const said = oplus_last_error();
    tool_die(TOOL_NO_DEVICE, "--device %s: %s", where,
             strncmp(said, call, strlen(call)) == 0 ? said + strlen(call) : said);
}

bench_place bench_accelerator_place(const bench_accelerator *a)
{
    return strncmp(a->where, "cuda", 4) == 0 ? BENCH_CUDA : BENCH_OPENCL;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static void *room(oplus_device *dev, size_t bytes)
{
    void *mem;
    if (oplus_alloc(dev, bytes, &mem) != OPLUS_OK)
        tool_die(TOOL_FAILED, "no room for %zu bytes: choose a smaller --n; %s", bytes, oplus_last_error());
    return mem;
}

static const void *sent(oplus_device *dev, const void *mem, size_t bytes)
{
    if (!mem || bytes == 0) return NULL;
    void *there = room(dev, bytes);
    must(oplus_copy(dev, there, mem, bytes));
    return there;
}

static size_t slots_of(const bench_problem *p)
{
    const size_t bytes = p->n * (p->element + (p->out2 ? sizeof(uint32_t) : 0));
    const size_t slots = bytes ? SLOT_BYTES / bytes : SLOTS;
    return !bench_is_sort(p->primitive) || slots < 1 ? 1 : slots > SLOTS ? SLOTS : slots;
}

void bench_problem_send(bench_problem *there, bench_problem *host, const bench_accelerator *accelerator, bool across)
{
    oplus_device *const dev = accelerator->dev;
    *there = *host;
    there->host = host;
    there->dev = dev;
    there->threads = 0;
    there->slots = 1;
    there->place = across ? BENCH_ACROSS : bench_accelerator_place(accelerator);
    if (across) {
        there->stage = room(dev, host->n * host->element);
        return;
    }
    const size_t n = host->n, slots = slots_of(host);
    there->slots = slots;
    there->in = sent(dev, host->in, n * host->element);
    there->in2 = sent(dev, host->in2, n * host->element);
    there->heads = sent(dev, host->heads, n);
    there->ids = sent(dev, host->ids, n * sizeof *host->ids);
    there->offsets = sent(dev, host->offsets, (host->segments + 1) * sizeof *host->offsets);
    there->pairs = NULL;
    there->out = room(dev, slots * n * host->element);
    there->out2 = host->out2 ? room(dev, slots * n * sizeof(uint32_t)) : NULL;
    there->out_pairs = NULL;
    there->kept_there = room(dev, sizeof *there->kept_there);
    must(oplus_sync(dev));
}

void bench_problem_recall(bench_problem *there)
{
    const void *const owned[] = {there->in,      there->in2, there->heads, there->ids,
                                 there->offsets, there->out, there->out2,  there->kept_there};
    oplus_free(there->dev, there->stage);
    if (there->place == BENCH_ACROSS) return;
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) oplus_free(there->dev, (void *)(uintptr_t)owned[i]);
}

bench_problem bench_problem_slot(const bench_problem *there, size_t i)
{
    bench_problem at = *there;
    at.out = (char *)there->out + i * there->n * there->element;
    if (there->out2) at.out2 = (char *)there->out2 + i * there->n * sizeof(uint32_t);
    return at;
}

bool bench_is_there(const bench_problem *p) { return p->place == BENCH_CUDA || p->place == BENCH_OPENCL; }
void bench_problem_wait(const bench_problem *p) { must(oplus_sync(p->dev)); }

/* --- the result ----------------------------------------------------------------------------------------------- */

void bench_problem_solve(bench_problem *there)
{
    bench_problem *const host = there->host;
    const bench_contender *ours = bench_kernels_here()->ours;
    while (ours->primitive != there->primitive) ours++; /* the table has every primitive */
    must(oplus_open("threads", &host->dev));
    bench_problem_spoil(host);
    ours->run(host);
    oplus_close(host->dev);
    host->dev = NULL;
    there->kept = host->kept;
}

void bench_there_restore(const bench_problem *there, size_t slots)
{
    if (!bench_is_sort(there->primitive)) return;
    for (size_t i = 0; i < slots; i++) {
        const bench_problem at = bench_problem_slot(there, i);
        must(oplus_copy(at.dev, at.out, at.in, at.n * at.element));
        if (at.out2) must(oplus_copy(at.dev, at.out2, at.in2, at.n * sizeof(uint32_t)));
    }
    bench_problem_wait(there);
}

void bench_there_spoil(const bench_problem *there)
{
    const size_t bytes = there->n * there->element;
    memset(there->host->out, 0xa5, bytes);
    must(oplus_copy(there->dev, there->out, there->host->out, bytes));
    if (bench_has_runs(there->primitive)) /* keys and lengths are not larger than elements */
        must(oplus_copy(there->dev, there->out2, there->host->out, there->n * sizeof *there->ids));
    must(oplus_copy(there->dev, there->kept_there, &(size_t){0}, sizeof(size_t)));
    bench_there_restore(there, 1);
    bench_problem_wait(there);
}

void bench_there_fetch(const bench_problem *there)
{
    bench_problem *const host = there->host;
    must(oplus_copy(there->dev, &host->kept, there->kept_there, sizeof host->kept));
    must(oplus_sync(there->dev));
    if (host->kept > host->n) host->kept = 0; /* a wrong count must not be used */
    must(oplus_copy(there->dev, host->out, there->out, bench_result_count(host) * host->element));
    if (host->out2) must(oplus_copy(there->dev, host->out2, there->out2, host->n * sizeof(uint32_t)));
    must(oplus_sync(there->dev));
}

/* --- limits --------------------------------------------------------------------------------------------------- */

static void copy(bench_problem *p) { must(oplus_copy(p->dev, p->out, p->in, p->n * p->element)); }
static void there_only(bench_problem *p) { must(oplus_copy(p->dev, p->stage, p->in, p->n * p->element)); }
static void there_and_back(bench_problem *p)
{
    there_only(p);
    must(oplus_copy(p->dev, p->out, p->stage, p->n * p->element));
}

#define COPIES(id, name)                                                                                               \
    {"copy", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_CUDA | BENCH_COPIES, copy},                                \
        {"copy", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_OPENCL | BENCH_COPIES, copy},
#define GOES(id)                                                                                                       \
    {                                                                                                                  \
        "copy there", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_ACROSS | BENCH_READS, there_only                  \
    }
#define COMES_BACK(id)                                                                                                 \
    {                                                                                                                  \
        "copy there and back", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_ACROSS | BENCH_COPIES, there_and_back    \
    }

const bench_contender bench_device_limits[] = {BENCH_PRIMITIVES(COPIES) GOES(REDUCE),
                                               GOES(MAXIMUM),
                                               GOES(ARGMAX),
                                               GOES(TOP),
                                               GOES(NTH),
                                               GOES(FOLD),
                                               GOES(DOT),
                                               GOES(SEGREDUCE),
                                               GOES(BY_KEY),
                                               GOES(HISTOGRAM),
                                               GOES(BINS),
                                               COMES_BACK(MAP),
                                               COMES_BACK(ZIP),
                                               COMES_BACK(MAP_SCAN),
                                               COMES_BACK(MAP_FILTER),
                                               COMES_BACK(SCAN),
                                               COMES_BACK(EXCLUSIVE),
                                               COMES_BACK(REVERSE),
                                               COMES_BACK(WINDOW),
                                               COMES_BACK(NEIGHBOURS),
                                               COMES_BACK(IOTA),
                                               COMES_BACK(REPEAT),
                                               COMES_BACK(SEGSCAN),
                                               COMES_BACK(FILTER),
                                               COMES_BACK(UNIQUE),
                                               COMES_BACK(RLE),
                                               COMES_BACK(SORT),
                                               COMES_BACK(BITS),
                                               COMES_BACK(MEMBERS),
                                               COMES_BACK(SORT_BY),
                                               COMES_BACK(SEGSORT),
                                               COMES_BACK(PAIRS),
                                               COMES_BACK(MERGE),
                                               COMES_BACK(MERGE_MANY),
                                               COMES_BACK(ARGSORT),
                                               COMES_BACK(SEARCH),
                                               COMES_BACK(TAKE),
                                               COMES_BACK(PUT),
                                               COMES_BACK(TRANSPOSE),
                                               GOES(ROWS),
                                               GOES(COLUMNS),
                                               GOES(ARGMAX_ROWS),
                                               GOES(ARGMAX_COLUMNS),
                                               COMES_BACK(SORT_ROWS),
                                               COMES_BACK(SORT_COLUMNS),
                                               COMES_BACK(SCAN_ROWS),
                                               COMES_BACK(SCAN_COLUMNS),
                                               {0}};
