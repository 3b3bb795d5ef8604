/* The scans of sums and products of floats that take several blocks, or that write past the caches, on every instruction
 * set, beside the generic loops of one block and the rule of the canonical tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>

#include "base/memory.h"
#include "cores/isa.h"
#include "support/laws.h"

enum { MOST_BYTES = 4096 << OPI_BLOCKS_LEVEL, GUARD = 0xa5 };

static const oplus_op *const ops[] = {&oplus_sum_f32, &oplus_prod_f32, &oplus_sum_f64, &oplus_prod_f64};
enum { OPS = sizeof ops / sizeof *ops };

static _Alignas(OPI_CACHE_LINE) unsigned char input[MOST_BYTES], output_room[MOST_BYTES + 2 * OPI_CACHE_LINE];
static _Alignas(OPI_CACHE_LINE) unsigned char wanted[MOST_BYTES];
static unsigned char *const out = output_room + OPI_CACHE_LINE;

/* --- the definition */

/* NOLINTBEGIN(misc-no-recursion): as deep as there are levels above a block, at most OPI_BLOCKS_LEVEL */

static void node_of(const oplus_op *op, const unsigned char *x, unsigned level, void *node)
{
    if (level <= OPLUS_LEAF_LEVEL(op->type->size)) {
        op->leaves->node(x, level, node);
        return;
    }
    double left, right;
    node_of(op, x, level - 1, &left);
    node_of(op, x + (op->type->size << (level - 1)), level - 1, &right);
    op->combine(node, &left, &right);
}

static void scan_of(const oplus_op *op, const unsigned char *x, unsigned level, bool exclusive, const void *before,
                    unsigned char *y)
{
    const size_t half = (op->type->size << level) / 2;
    double node;
    if (level <= OPLUS_LEAF_LEVEL(op->type->size)) {
        op->leaves->scan(x, level, exclusive, before, y, &node);
        return;
    }
    node_of(op, x, level - 1, &node);
    op->combine(&node, before, &node);
    scan_of(op, x, level - 1, exclusive, before, y);
    if (!exclusive) memcpy(y + half - op->type->size, &node, op->type->size);
    scan_of(op, x + half, level - 1, exclusive, &node, y + half);
}

/* NOLINTEND(misc-no-recursion) */

/* --- problems */

static void quiet(const oplus_op *op, void *x, size_t bytes)
{
    if (op->type->size == 4)
        for (size_t i = 0; i < bytes / 4; i++) quiet_f32((float *)x + i);
    else
        for (size_t i = 0; i < bytes / 8; i++) quiet_f64((double *)x + i);
}

/* Numbers near 1 and -1, whose products stay finite; a NaN among them with a payload, or none. */
static void random_input(rng *random, const oplus_op *op, size_t bytes, bool nan)
{
    const size_t n = bytes / op->type->size, where = nan ? rng_below(random, n) : n;
    for (size_t i = 0; i < n; i++) {
        const double x = (i & 1 ? -1 : 1) * (1 + 0.05 * rng_unit(random));
        if (op->type->size == 4)
            ((float *)input)[i] = i == where ? -__builtin_nanf("77") : (float)x;
        else
            ((double *)input)[i] = i == where ? -__builtin_nan("77") : x;
    }
}

static void expect_results(const oplus_op *op, const opi_isa *isa, unsigned level, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (out[i] != wanted[i])
            fail_msg("scan of 2^%u with %s on %s: element %zu is wrong", level, op->name, isa->name,
                     i / op->type->size);
}

static void expect_guards(size_t bytes)
{
    for (size_t i = 0; i < OPI_CACHE_LINE; i++) {
        assert_int_equal(output_room[i], GUARD);
        assert_int_equal(out[bytes + i], GUARD);
    }
}

typedef struct trial_of_blocks {
    const opi_isa *isa;
    const oplus_op *op;
    unsigned level;
    bool exclusive, nan, in_place;
} trial_of_blocks;

/* Makes the input, what is wanted, and room for the results; returns what precedes, and in *node the node. */
static double prepare(rng *random, const trial_of_blocks *t, double *node)
{
    const size_t bytes = t->op->type->size << t->level;
    double before = 0;
    if (t->op->type->size == 4)
        memcpy(&before, &(float){1.25f}, 4);
    else
        before = 1.25;
    random_input(random, t->op, bytes, t->nan);
    scan_of(t->op, input, t->level, t->exclusive, &before, wanted);
    node_of(t->op, input, t->level, node);
    quiet(t->op, wanted, bytes);
    quiet(t->op, node, t->op->type->size);
    memset(output_room, GUARD, sizeof output_room);
    if (t->in_place) memcpy(out, input, bytes);
    return before;
}

static void check_several(rng *random, const trial_of_blocks *t)
{
    const size_t size = t->op->type->size, bytes = size << t->level;
    double node = 0, own = 0;
    const double before = prepare(random, t, &node);
    t->isa->builtin[t->op->builtin - 1].scan_blocks(t->in_place ? out : input, t->level, t->exclusive, &before, out,
                                                    &own);
    quiet(t->op, &own, size);
    assert_memory_equal(&own, &node, size);
    expect_results(t->op, t->isa, t->level, t->exclusive ? bytes : bytes - size);
    expect_guards(bytes);
}

static void check_far(rng *random, const trial_of_blocks *t)
{
    const size_t size = t->op->type->size, bytes = size << t->level;
    _Alignas(OPI_CACHE_LINE) unsigned char tail[OPI_CACHE_LINE];
    double node = 0, own = 0;
    const double before = prepare(random, t, &node);
    t->isa->builtin[t->op->builtin - 1].block_far(t->in_place ? out : input, t->level, t->exclusive, &before, out, &own,
                                                  tail);
    t->isa->fence();
    quiet(t->op, &own, size);
    assert_memory_equal(&own, &node, size);
    if (!t->exclusive) memcpy(out + bytes - sizeof tail, tail, sizeof tail);
    expect_results(t->op, t->isa, t->level, t->exclusive ? bytes : bytes - size);
    expect_guards(bytes);
}

/* --- every instruction set, operator, level and way */

static void everything(const char *name, unsigned above, unsigned most, void (*check)(rng *, const trial_of_blocks *))
{
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    rng random = test_rng(name);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < OPS; k++) {
            const opi_builtin *const leaves = &list[i]->builtin[ops[k]->builtin - 1];
            if (check == check_far && !leaves->block_far) continue;
            for (unsigned more = above; more <= most; more++)
                for (unsigned way = 0; way < 8; way++) {
                    const trial_of_blocks t = {list[i], ops[k],  OPLUS_LEAF_LEVEL(ops[k]->type->size) + more,
                                               way & 1, way & 2, way & 4};
                    check(&random, &t);
                }
        }
}

static void several_blocks(void **state)
{
    (void)state;
    everything("several blocks", 1, OPI_BLOCKS_LEVEL, check_several);
}

static void past_the_caches(void **state)
{
    (void)state;
    everything("past the caches", 0, 0, check_far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_blocks), cmocka_unit_test(past_the_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
