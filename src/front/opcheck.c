/* oplus_op_check: looks for a counterexample among samples, the simplest first. */
#include "base/memory.h"
#include "front/check.h"
#include "task/combine.h"
#include "task/late.h"
#include "type/element.h"
#include "cores/cores.h"
#include "cores/loops.h"

#include <string.h>

enum {
    ALL_SAMPLES = 32,   /* up to this number of samples, every triple is tried */
    FIRST_SAMPLES = 16, /* of more samples, every triple of this number of first samples is tried */
    TRIES = 32768,      /* number of triples tried of more samples: as many as of ALL_SAMPLES */
    ALL_PAIRS = 181,    /* every pair of up to this number of samples is tried: sqrt(TRIES) */
    LOOP_LEVEL = 6,     /* compiled loops are tried on blocks of 2^6 samples */
    LOOP_ROUNDS = 64,   /* compiled loops are tried on this number of blocks */
    NUDGES = 16,        /* how often rounding is simulated before two results are called different */
    VALUE_BYTES = 128,  /* the most bytes of a value in a message; a longer one is cut */
    NAME_BYTES = 48
};

/* Places for intermediate values. */
enum { AB, BC, LEFT, RIGHT, A_NEAR, B_NEAR, C_NEAR, PART_NEAR, JOINED_NEAR, NEAR, REACH, SLOTS };

typedef struct search {
    const oplus_op *op;
    opi_element element;
    const char *samples;
    size_t n, stride;
    char *slots;
    bool overflow; /* since this was last cleared, finite operands have given an infinite result */
} search;

static const void *sample(const search *s, size_t i) { return s->samples + i * s->op->type->size; }
static void *slot(const search *s, int which) { return s->slots + (size_t)which * s->stride; }

/* *out = *a (+) *b, watching for overflow. */
static void *join(search *s, int out, const void *a, const void *b)
{
    void *const to = slot(s, out);
    opi_combine(s->op, to, a, b);
    if (opi_element_infinite(&s->element, to) && !opi_element_infinite(&s->element, a) &&
        !opi_element_infinite(&s->element, b))
        s->overflow = true;
    return to;
}

/* --- the questions ------------------------------------------------------------------------------------------------ */

/* Whether rounding alone can explain a difference.  Operands and intermediate values are moved at random by a few units
 * in the last place, and the changes of the results are measured (a small form of D. Stott Parker's Monte Carlo
 * arithmetic).  This finds cancellation inside an operator, for example in the merging of variances. */
static bool rounding_explains(search *s, const void *const operand[3])
{
    uint64_t random = 1;
    memset(slot(s, REACH), 0, s->stride);
    for (int i = 0; i < NUDGES; i++) {
        for (int k = 0; k < 3; k++) opi_element_nudge(&s->element, slot(s, A_NEAR + k), operand[k], &random);
        const void *const a = slot(s, A_NEAR), *const b = slot(s, B_NEAR), *const c = slot(s, C_NEAR);
        opi_element_nudge(&s->element, slot(s, JOINED_NEAR), join(s, PART_NEAR, a, b), &random);
        opi_element_widen(&s->element, slot(s, REACH), slot(s, LEFT), join(s, NEAR, slot(s, JOINED_NEAR), c));
        opi_element_nudge(&s->element, slot(s, JOINED_NEAR), join(s, PART_NEAR, b, c), &random);
        opi_element_widen(&s->element, slot(s, REACH), slot(s, RIGHT), join(s, NEAR, a, slot(s, JOINED_NEAR)));
    }
    const void *const nothing[] = {NULL};
    return opi_element_near(&s->element, slot(s, LEFT), slot(s, RIGHT), nothing, slot(s, REACH));
}

/* Whether (a (+) b) (+) c and a (+) (b (+) c) agree; they stay in LEFT and RIGHT. */
static bool associates(search *s, size_t i, size_t j, size_t k)
{
    const void *const operand[3] = {sample(s, i), sample(s, j), sample(s, k)};
    s->overflow = false;
    join(s, LEFT, join(s, AB, operand[0], operand[1]), operand[2]);
    join(s, RIGHT, operand[0], join(s, BC, operand[1], operand[2]));
    if (opi_element_same(&s->element, slot(s, LEFT), slot(s, RIGHT))) return true;
    if (s->op->flags & OPLUS_EXACT) return false;
    if (s->overflow) return true; /* out of range: this says nothing about the operator */
    const void *const scale[] = {operand[0], operand[1], operand[2], slot(s, AB), slot(s, BC), NULL};
    return opi_element_near(&s->element, slot(s, LEFT), slot(s, RIGHT), scale, NULL) || rounding_explains(s, operand);
}

/* Whether a (+) b and b (+) a have the same bits; they stay in LEFT and RIGHT. */
static bool commutes(search *s, size_t i, size_t j)
{
    join(s, LEFT, sample(s, i), sample(s, j));
    join(s, RIGHT, sample(s, j), sample(s, i));
    return opi_element_same(&s->element, slot(s, LEFT), slot(s, RIGHT));
}

/* Whether x and y are the same, up to rounding if the operator is not exact. */
static bool alike(const search *s, const void *x, const void *y)
{
    if (s->op->flags & OPLUS_EXACT) return opi_element_same(&s->element, x, y);
    const void *const scale[] = {s->op->identity, NULL};
    return opi_element_near(&s->element, x, y, scale, NULL);
}

/* Whether joining with samples, or with the identity, never shows a difference between the result in LEFT and the
 * sample: a logical `or` makes 1 of 7, and joins both alike. */
static bool stands_for(search *s, size_t i)
{
    const void *const x = sample(s, i), *const e = s->op->identity;
    void *const y = slot(s, JOINED_NEAR);
    memcpy(y, slot(s, LEFT), s->op->type->size);
    if (!alike(s, join(s, NEAR, e, y), y) || !alike(s, join(s, NEAR, y, e), y)) return false;
    for (size_t k = 0; k < s->n && k < ALL_SAMPLES; k++) {
        const void *const other = sample(s, k);
        if (!opi_element_same(&s->element, join(s, AB, x, other), join(s, BC, y, other))) return false;
        if (!opi_element_same(&s->element, join(s, AB, other, x), join(s, BC, other, y))) return false;
    }
    return opi_element_same(&s->element, join(s, AB, x, x), join(s, BC, y, y));
}

/* Whether the result in LEFT is the sample itself, or stands for it. */
static bool unchanged(search *s, size_t i) { return alike(s, slot(s, LEFT), sample(s, i)) || stands_for(s, i); }

/* --- counterexamples in words --------------------------------------------------------------------------------- */

typedef char words[VALUE_BYTES];

static const char *in_words(const search *s, const void *x, words text)
{
    opi_element_print(&s->element, x, text, VALUE_BYTES);
    return text;
}

static const char *name(const search *s) { return s->op->name ? s->op->name : "op"; }

static oplus_status not_associative(search *s, const size_t at[3])
{
    words a, b, c, left, right;
    const bool exact = s->op->flags & OPLUS_EXACT;
    associates(s, at[0], at[1], at[2]);
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "oplus_op_check: %.*s is not associative%s: a = %s, b = %s, c = %s gives %.*s(%.*s(a, b), c) = %s but "
        "%.*s(a, %.*s(b, c)) = %s%s",
        NAME_BYTES, name(s), exact ? " to the bit" : "", in_words(s, sample(s, at[0]), a),
        in_words(s, sample(s, at[1]), b), in_words(s, sample(s, at[2]), c), NAME_BYTES, name(s), NAME_BYTES, name(s),
        in_words(s, slot(s, LEFT), left), NAME_BYTES, name(s), NAME_BYTES, name(s), in_words(s, slot(s, RIGHT), right),
        exact ? "; if that is rounding, do not claim OPLUS_EXACT" : "; it cannot be computed in parallel");
}

static oplus_status not_commutative(search *s, size_t i, size_t j)
{
    words a, b, left, right;
    commutes(s, i, j);
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "oplus_op_check: %.*s is not commutative: a = %s, b = %s gives %.*s(a, b) = %s but %.*s(b, a) = %s; "
        "do not claim OPLUS_COMMUTATIVE",
        NAME_BYTES, name(s), in_words(s, sample(s, i), a), in_words(s, sample(s, j), b), NAME_BYTES, name(s),
        in_words(s, slot(s, LEFT), left), NAME_BYTES, name(s), in_words(s, slot(s, RIGHT), right));
}

static oplus_status no_identity(search *s, size_t i, const char *call)
{
    words identity, a, result;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "oplus_op_check: e = %s is not the identity of %.*s: a = %s gives %.*s%s = %s; give the right one, or "
        "none (OPLUS_SEMIGROUP)",
        in_words(s, s->op->identity, identity), NAME_BYTES, name(s), in_words(s, sample(s, i), a), NAME_BYTES, name(s),
        call, in_words(s, slot(s, LEFT), result));
}

/* --- the search ----------------------------------------------------------------------------------------------- */

/* splitmix64: the tries are the same every time */
static size_t any_index(uint64_t *state, size_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % n);
}

static oplus_status try_identity(search *s)
{
    for (size_t i = 0; s->op->identity && i < s->n; i++) {
        join(s, LEFT, s->op->identity, sample(s, i));
        if (!unchanged(s, i)) return no_identity(s, i, "(e, a)");
        join(s, LEFT, sample(s, i), s->op->identity);
        if (!unchanged(s, i)) return no_identity(s, i, "(a, e)");
    }
    return OPLUS_OK;
}

static oplus_status try_pairs(search *s)
{
    if (!(s->op->flags & OPLUS_COMMUTATIVE)) return OPLUS_OK;
    const size_t first = s->n < ALL_PAIRS ? s->n : ALL_PAIRS;
    for (size_t j = 1; j < first; j++)
        for (size_t i = 0; i < j; i++)
            if (!commutes(s, i, j)) return not_commutative(s, i, j);
    uint64_t random = 2;
    for (int tries = 0; s->n > ALL_PAIRS && tries < TRIES; tries++) {
        const size_t i = any_index(&random, s->n), j = any_index(&random, s->n);
        if (!commutes(s, i, j)) return not_commutative(s, i, j);
    }
    return OPLUS_OK;
}

/* Makes a counterexample simpler: replaces samples by earlier ones as long as it stays a counterexample. */
static void shrink(search *s, size_t at[3])
{
    for (int place = 0; place < 3; place++) {
        const size_t found = at[place];
        for (at[place] = 0; at[place] < found && at[place] < TRIES; at[place]++)
            if (!associates(s, at[0], at[1], at[2])) break;
        if (associates(s, at[0], at[1], at[2])) at[place] = found;
    }
}

static oplus_status try_triples(search *s)
{
    const size_t first = s->n <= ALL_SAMPLES ? s->n : FIRST_SAMPLES;
    for (size_t last = 0; last < first; last++) /* all triples with this largest index: early samples come first */
        for (size_t i = 0; i <= last; i++)
            for (size_t j = 0; j <= last; j++)
                for (size_t k = i == last || j == last ? 0 : last; k <= last; k++)
                    if (!associates(s, i, j, k)) return not_associative(s, (const size_t[3]){i, j, k});
    uint64_t random = 3;
    for (int tries = 0; s->n > first && tries < TRIES; tries++) {
        size_t at[3] = {any_index(&random, s->n), any_index(&random, s->n), any_index(&random, s->n)};
        if (associates(s, at[0], at[1], at[2])) continue;
        shrink(s, at);
        return not_associative(s, at);
    }
    return OPLUS_OK;
}

/* --- do the typed loops compute what the operator says?  They do not if a compiler has fused a product in them ---- */

static oplus_status loops_differ(search *s, const void *typed, const void *called)
{
    words left, right;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "oplus_op_check: the compiled loops of %.*s give %s where calling it gives %s: the compiler has fused a "
        "product and a sum; %s",
        NAME_BYTES, name(s), in_words(s, typed, left), in_words(s, called, right),
        s->op->flags & OPLUS_WIDE ? "do not claim OPLUS_WIDE" : "compile without FMA, or with clang");
}

/* Scans blocks of samples in both ways.  memory: three blocks, and the scratch of the loops. */
static oplus_status compare_loops(search *s, const opi_loops *typed, const opi_loops *called, unsigned level,
                                  char *memory)
{
    const size_t size = s->op->type->size, count = (size_t)1 << level,
                 block = opi_round_up(count * size, OPI_CACHE_LINE);
    char *const in = memory, *const by_type = in + block, *const by_call = by_type + block,
                *const scratch = by_call + block;
    uint64_t random = 4;
    for (int round = 0; round < LOOP_ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) memcpy(in + i * size, sample(s, any_index(&random, s->n)), size);
        opi_loops_scan(typed, in, level, false, sample(s, 0), by_type, slot(s, LEFT), scratch);
        opi_loops_scan(called, in, level, false, sample(s, 0), by_call, slot(s, RIGHT), scratch);
        if (!opi_element_same(&s->element, slot(s, LEFT), slot(s, RIGHT)))
            return loops_differ(s, slot(s, LEFT), slot(s, RIGHT));
        for (size_t i = 0; i + 1 < count; i++) /* the caller writes the last one */
            if (!opi_element_same(&s->element, by_type + i * size, by_call + i * size))
                return loops_differ(s, by_type + i * size, by_call + i * size);
    }
    return OPLUS_OK;
}

static oplus_status try_loops(oplus_device *dev, search *s)
{
    const oplus_op *const code = opi_code_of_op(s->op);
    oplus_op bare = *s->op;
    bare.late = NULL;
    bare.combine = code->combine;
    bare.combine_with = code->combine_with;
    bare.leaves = NULL;
    bare.leaves_with = NULL;
    bare.builtin = 0;
    opi_loops typed, called;
    opi_loops_plan(&typed, s->op, dev->cores->isa, 0);
    opi_loops_plan(&called, &bare, dev->cores->isa, 0);
    if (!opi_loops_typed(&typed)) return OPLUS_OK;
    const unsigned level = typed.level < LOOP_LEVEL ? typed.level : LOOP_LEVEL;
    const size_t bytes = 3 * opi_round_up(s->op->type->size << level, OPI_CACHE_LINE) + opi_loops_scratch(&called);
    char *const memory = opi_alloc(bytes);
    if (!memory) return opi_fail(OPLUS_ERR_MEMORY, "oplus_op_check: no memory for %zu bytes", bytes);
    const oplus_status status = compare_loops(s, &typed, &called, level, memory);
    opi_free(memory);
    return status;
}

/* --- the call ---------------------------------------------------------------------------------------------------- */

oplus_status oplus_op_check(oplus_device *dev, const oplus_op *op, const void *samples, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    if (n == 0) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is 0; give at least one sample", __func__);
    OPI_TRY(opi_late_ready(__func__, op->late));
    OPI_TRY(opi_check_pointer(__func__, "samples", samples, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, op->type->size));

    search s = {.op = op, .samples = samples, .n = n, .stride = opi_round_up(op->type->size, OPI_CACHE_LINE)};
    s.stride = opi_round_up(s.stride, op->type->align);
    s.slots = opi_alloc(SLOTS * s.stride);
    if (!s.slots) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes", __func__, SLOTS * s.stride);
    memset(s.slots, 0, SLOTS * s.stride); /* and their padding */
    oplus_status status = OPLUS_OK;
    if (!opi_element_plan(&s.element, op->type))
        status = opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a list of the members of type \"%s\"", __func__,
                          opi_name(op->type->name));
    if (status == OPLUS_OK) status = try_identity(&s);
    if (status == OPLUS_OK) status = try_pairs(&s);
    if (status == OPLUS_OK) status = try_triples(&s);
    if (status == OPLUS_OK) status = try_loops(dev, &s);
    opi_element_release(&s.element);
    opi_free(s.slots);
    return status;
}
