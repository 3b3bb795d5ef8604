/* Random cases against a naive reference, bit for bit.
 *
 *     random_main [CASES [PLACE...]] [--seed=N] [--seconds=S] [--case=SEED]
 *
 * Without PLACEs: the cores with every instruction set.  A case that fails is made smaller, described, and ends the run
 * with 1; --case=SEED with the same PLACEs runs it again.  OPLUS_TEST_LONG in the environment makes S ten times as long. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "random/differ.h"
#include "random/kinds.h"
#include "random/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int place_count, named; /* named on the command line */
static const char *program;
static random_case current; /* for a message if the process ends */

/* --- places ------------------------------------------------------------------------------------------------------- */

/* "threads:3", or "threads:3@avx2": OPLUS_ISA. */
static bool open_place(const char *name)
{
    char where[64] = "", isa[32] = "";
    place *const p = &places[place_count];
    sscanf(name, "%63[^@]@%31s", where, isa);
    if (*isa) setenv("OPLUS_ISA", isa, 1);
    p->accelerator = strncmp(name, "serial", 6) != 0 && strncmp(name, "threads", 7) != 0;
    const char *const devices = getenv("OPLUS_TEST_DEVICES"); /* "": none, as in support/laws.h */
    if (p->accelerator && devices && !*devices) return false;
    const oplus_status status = place_count < MAX_PLACES ? oplus_open(where, &p->dev) : OPLUS_ERR_ARGUMENT;
    if (*isa) unsetenv("OPLUS_ISA");
    if (status != OPLUS_OK) return false;
    p->name = name;
    place_count++;
    return true;
}

static void open_cores(void)
{
    static const char *const cores[] = {"serial",      "threads:3",     "threads:8",      "serial@baseline",
                                        "serial@avx2", "serial@avx512", "threads:2@avx2", "threads:5@baseline"};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (!open_place(cores[i])) printf("%s is left out: %s\n", cores[i], oplus_last_error());
}

/* --- drawing a case ----------------------------------------------------------------------------------------------- */

/* Many small numbers, edges of powers of two, now and then a large number. */
static size_t draw_n(rng *r, size_t most)
{
    const size_t dice = rng_below(r, 100);
    size_t n;
    if (dice < 35)
        n = rng_below(r, 70);
    else if (dice < 75)
        n = ((size_t)1 << rng_below(r, 13)) + rng_below(r, 5) - 2;
    else if (dice < 97)
        n = rng_below(r, (size_t)1 << rng_below(r, 14));
    else
        n = rng_below(r, (size_t)1 << (11 + rng_below(r, 8)));
    if (n > (size_t)1 << 30) n = 0; /* 1 - 2 */
    return n < most ? n : rng_below(r, most + 1);
}

static int draw_of(rng *r, size_t count) { return (int)rng_below(r, count); }

static int draw_operation(rng *r, bool device)
{
    int i;
    do i = draw_of(r, operation_count);
    while (device && !operations[i].device);
    return i;
}

static int draw_function(rng *r, const function *of, size_t count, bool device)
{
    int i;
    do i = draw_of(r, count);
    while (device && !of[i].device);
    return i;
}

/* On a device each type must be compiled. */
static int draw_kind(rng *r, size_t count, bool device)
{
    static const int few[] = {OPLUS_I32 - 1, OPLUS_U8 - 1, OPLUS_F64 - 1, OPLUS_F64, OPLUS_F64 + 3, OPLUS_F64 + 7};
    const int some = few[rng_below(r, count > scalar_kinds ? 6 : 3)];
    return device ? some : draw_of(r, count);
}

static size_t element(const random_case *c)
{
    switch (c->primitive) {
    case MAP:
        return 40;
    case MAP_REDUCE:
    case MAP_SCAN:
    case MAP_FILTER:
        return 64;
    case FILTER:
        return predicates[c->what].input[0]->type->size;
    case SORT:
        return 8;
    case SORT_PAIRS:
        return 8 + kinds[c->value].type->size;
    case TRANSPOSE:
        return kinds[c->what].type->size;
    default:
        return operations[c->what].of->type->size;
    }
}

static bool is_fused(primitive p) { return p == MAP_REDUCE || p == MAP_SCAN || p == MAP_FILTER; }

/* A function that can be fused. */
static int draw_fused(rng *r, primitive p, bool device)
{
    int i;
    do i = draw_function(r, functions, function_count, device);
    while (p == MAP_FILTER ? !predicate_after(&functions[i]) : !operation_after(&functions[i], 0, device));
    return i;
}

static random_case draw(uint64_t seed)
{
    rng r = {seed};
    random_case c = {.seed = seed, .primitive = (primitive)rng_below(&r, PRIMITIVES)};
    c.place = draw_of(&r, (size_t)place_count);
    const bool device = places[c.place].accelerator;
    c.what = c.primitive == MAP                                 ? draw_function(&r, functions, function_count, device)
             : is_fused(c.primitive)                            ? draw_fused(&r, c.primitive, device)
             : c.primitive == FILTER                            ? draw_function(&r, predicates, predicate_count, device)
             : c.primitive == SORT || c.primitive == SORT_PAIRS ? draw_kind(&r, scalar_kinds, device)
             : c.primitive == TRANSPOSE                         ? draw_kind(&r, kind_count, device)
                                                                : draw_operation(&r, device);
    c.value = is_fused(c.primitive) ? draw_of(&r, operation_count) : draw_kind(&r, kind_count, device);
    c.after = is_fused(c.primitive) && rng_below(&r, 2);
    const size_t most = ((size_t)(device ? 1 : 3) << 20) / element(&c);
    c.n = draw_n(&r, most < 300000 ? most : 300000);
    c.style = draw_of(&r, STYLES);
    for (int i = 0; i < MAX_ARRAYS; i++) c.shift[i] = rng_below(&r, 2) ? (unsigned)rng_below(&r, MAX_SHIFT) : 0;
    c.in_place = rng_below(&r, 3) == 0;
    c.on_device = rng_below(&r, 2);
    c.traps = rng_below(&r, 2);
    c.kind = rng_below(&r, 2) ? OPLUS_INCLUSIVE : OPLUS_EXCLUSIVE;
    c.order = rng_below(&r, 2) ? OPLUS_ASCENDING : OPLUS_DESCENDING;
    c.heads = rng_below(&r, 4) ? 1 + rng_below(&r, (size_t)1 << rng_below(&r, 12)) : 0;
    c.segments = rng_below(&r, 4) ? rng_below(&r, c.n / 4 + 3) : rng_below(&r, 5);
    if (c.segments > 2000) c.segments = 2000;
    c.offset = draw_of(&r, 4);
    c.cuts = draw_of(&r, 9);
    c.rows = c.n == 0 ? 1 : 1 + rng_below(&r, rng_below(&r, 2) ? c.n : c.n < 70 ? c.n : 70);
    const bool scans = c.primitive == SCAN || c.primitive == SEGSCAN || c.primitive == SCAN_BY_KEY;
    const bool without = c.primitive < MAP && !operations[c.what].op->identity;
    c.ranks = !device && has_ranks(c.primitive) && rng_below(&r, 25) == 0 ? 1 + draw_of(&r, 8) : 0;
    if (c.primitive == REDUCE_BY_KEY) c.in_place = false;
    if (c.ranks && (c.primitive == FILTER || c.primitive == TRANSPOSE)) c.in_place = false;
    if (c.primitive == MAP_REDUCE || c.primitive == MAP_SCAN) {
        const bool bare = !operation_after(&functions[c.what], c.value, device)->op->identity;
        if (bare) c.kind = OPLUS_INCLUSIVE;
        if (bare && c.n == 0) c.n = 1;
    }
    if (without && scans) c.kind = OPLUS_INCLUSIVE;
    if (without && c.primitive == REDUCE && c.n == 0) c.n = 1;
    return c;
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

static void describe(const random_case *c)
{
    static const char *const names[PRIMITIVES] = {
        "reduce", "fold",   "scan",       "segscan",  "segreduce",  "carry", "reduce_by_key", "scan_by_key",
        "map",    "filter", "map_reduce", "map_scan", "map_filter", "sort",  "sort_pairs",    "transpose"};
    const bool begins = c->primitive == MAP || is_fused(c->primitive);
    const char *const what = begins                   ? functions[c->what].fn->name
                             : c->primitive == FILTER ? predicates[c->what].fn->name
                             : c->primitive >= SORT   ? kinds[c->what].type->name
                                                      : operations[c->what].op->name;
    printf("%s of %s, n = %zu, on %s", names[c->primitive], what, c->n, places[c->place].name);
    if (is_fused(c->primitive)) printf(", with %d%s", c->value, c->after ? ", after it another" : "");
    if (c->primitive == SORT_PAIRS) printf(", values %s", kinds[c->value].type->name);
    if (c->primitive == TRANSPOSE) printf(", rows = %zu", c->rows);
    if (c->primitive == SCAN || c->primitive == SEGSCAN || c->primitive == CARRY || c->primitive == SCAN_BY_KEY ||
        c->primitive == MAP_SCAN)
        printf(", %s", c->kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive");
    if (c->primitive == SEGSCAN || (c->primitive >= CARRY && c->primitive < MAP)) printf(", one head of %zu", c->heads);
    if (c->primitive == SEGREDUCE) printf(", segments = %zu, offsets %d", c->segments, c->offset);
    if (c->primitive == CARRY) printf(", cuts = %d", c->cuts);
    if (c->primitive == SORT || c->primitive == SORT_PAIRS || c->primitive == REDUCE_BY_KEY)
        printf(c->order ? ", descending" : ", ascending");
    printf(", data %d, shifts", c->style);
    for (int i = 0; i < MAX_ARRAYS; i++) printf(" %u", c->shift[i]);
    if (c->ranks) printf(", %d ranks", c->ranks);
    printf("%s%s%s\n", c->in_place ? ", in place" : "", c->on_device ? ", memory of the device" : "",
           c->traps ? ", traps on" : "");
}

/* --- making it smaller -------------------------------------------------------------------------------------------- */

/* Keeps the change if the case still fails. */
static bool keeps_failing(random_case *c, random_case changed, finding *f)
{
    finding other;
    if (changed.rows > changed.n) changed.rows = changed.n ? changed.n : 1;
    if (case_holds(&changed, &other)) return false;
    *c = changed;
    *f = other;
    return true;
}

static bool with_n(random_case *c, size_t n, finding *f)
{
    random_case changed = *c;
    changed.n = n;
    const bool needed = c->primitive == REDUCE && !operations[c->what].op->identity;
    return n < c->n && !(needed && n == 0) && keeps_failing(c, changed, f);
}

static void shrink(random_case *c, finding *f)
{
#define TRY(member, value)                                                                                             \
    if (c->member != (value)) {                                                                                        \
        random_case changed = *c;                                                                                      \
        changed.member = (value);                                                                                      \
        keeps_failing(c, changed, f);                                                                                  \
    }
    TRY(traps, false)
    TRY(in_place, false)
    TRY(on_device, false)
    TRY(ranks, 0)
    for (int i = 1; i < c->ranks; i++) TRY(ranks, i)
    for (int i = 0; i < MAX_ARRAYS; i++) TRY(shift[i], 0)
    for (int i = 0; i < c->place; i++) TRY(place, i)
    TRY(style, 0)
    TRY(heads, 0)
    TRY(cuts, 0)
    for (size_t step = c->n; step > 0;) {
        if (step > c->n || !with_n(c, c->n - step, f)) step /= 2;
    }
    for (size_t s = 0; s < c->segments; s = 2 * s + 1) TRY(segments, s)
    TRY(rows, 1)
#undef TRY
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static void say_again(uint64_t seed)
{
    printf("again: %s --case=%llu", program, (unsigned long long)seed);
    for (int i = 0; i < named; i++) printf(" %s", places[i].name);
    printf("\n");
}

/* A case that ends the process cannot be made smaller in it. */
static void die(int signal)
{
    printf("ends the process by signal %d\n  ", signal);
    describe(&current);
    say_again(current.seed);
    fflush(stdout);
    _Exit(1);
}

static bool try_case(uint64_t seed)
{
    random_case c = current = draw(seed);
    finding f;
    if (case_holds(&c, &f)) return true;
    printf("differs: %s\n  ", f.text);
    describe(&c);
    shrink(&c, &f);
    printf("the least that does: %s\n  ", f.text);
    describe(&c);
    say_again(seed);
    return false;
}

/* Returns the value of an option, or NULL. */
static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], name, strlen(name)) == 0) return argv[i] + strlen(name);
    return NULL;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *const seed_text = option(argc, argv, "--seed="), *const seconds_text = option(argc, argv, "--seconds="),
                      *const one = option(argc, argv, "--case=");
    const double longer = getenv("OPLUS_TEST_LONG") ? 10 : 1; /* ./run check long */
    const double begin = now(), seconds = seconds_text ? longer * atof(seconds_text) : 1e9;
    const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : (uint64_t)begin;
    unsigned long long cases = 0, done = 0;
    bool counted = false;
    program = argv[0];
    setenv("OPLUS_ALL_THREADS", "1", 0); /* also on a machine with fewer processors */
    signal(SIGFPE, die);
    signal(SIGSEGV, die);
    signal(SIGABRT, die);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0) continue;
        if (!counted && !one) {
            cases = strtoull(argv[i], NULL, 0);
            counted = true;
        } else if (!open_place(argv[i])) {
            printf("skipped: no %s here, or OPLUS_TEST_DEVICES is empty: %s\n", argv[i], oplus_last_error());
            return 77;
        }
    }
    named = place_count;
    if (place_count == 0) open_cores();
    if (one) return try_case(strtoull(one, NULL, 0)) ? 0 : 1;
    if (!counted) cases = 100000;
    printf("seed %llu\n", (unsigned long long)seed);
    rng seeds = {seed};
    for (; done < cases && now() - begin < seconds; done++)
        if (!try_case(rng_next(&seeds))) return 1;
    for (int i = 0; i < place_count; i++) oplus_close(places[i].dev);
    printf("%llu cases at %d places, no difference, %.0f s\n", done, place_count, now() - begin);
    return 0;
}
