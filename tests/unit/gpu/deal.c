/* Dealing out: each item belongs to one accelerator, to the one in whose page it begins, and each has its own in order. */
#include "support/laws.h"

#include "gpu/deal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 2000, MOST_ITEMS = 5000 };

/* As canon/dealt.cl. */
static uint64_t item(const opi_dealt *d, uint64_t k)
{
    const uint64_t own = d->first + k, run = own >> d->log_run;
    return ((run * d->workers + d->own) << d->log_run) + (own & ((UINT64_C(1) << d->log_run) - 1)) - d->lead;
}

static void each_item_once(void **state)
{
    rng r = test_rng("dealt items");
    unsigned *const owner = must(malloc(MOST_ITEMS * sizeof *owner));
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        const uint64_t items = 1 + rng_below(&r, MOST_ITEMS);
        const size_t bytes = rng_below(&r, 3) ? (size_t)1 << rng_below(&r, 17) : 1 + rng_below(&r, 100000);
        const size_t page = (size_t)1 << (10 + rng_below(&r, 12));
        opi_deal deal = {.workers = 1 + (unsigned)rng_below(&r, OPI_MOST_WORKERS), .page = page};
        deal.beyond = rng_below(&r, 3 * page * deal.workers);
        memset(owner, 0xff, MOST_ITEMS * sizeof *owner);
        for (; deal.own < deal.workers; deal.own++) {
            opi_dealt dealt = {.epoch = 0};
            const uint64_t count = opi_deal_items(&deal, items, bytes, &dealt);
            for (uint64_t k = 0; k < count; k++) {
                const uint64_t at = item(&dealt, k);
                assert_true(at < items && owner[at] == ~0u && (k == 0 || at > item(&dealt, k - 1)));
                owner[at] = deal.own;
                assert_int_equal(opi_deal_owner(&dealt, at), deal.own);
                /* Where pages are whole items, it is the page's owner. */
                if (bytes <= page && page % bytes == 0 && deal.beyond % bytes == 0)
                    assert_int_equal((deal.beyond + at * bytes) / page % deal.workers, deal.own);
            }
            assert_true(item(&dealt, count) >= items); /* as kernels find their end */
        }
        for (uint64_t k = 0; k < items; k++)
            if (owner[k] == ~0u)
                fail_msg("item %llu of %llu has nobody", (unsigned long long)k, (unsigned long long)items);
    }
    free(owner);
}

/* As canon/shares.cl. */
static uint64_t first_in(const opi_shares *s, uint64_t page)
{
    const uint64_t at = page * s->page, first = at > s->beyond ? (at - s->beyond + s->bytes - 1) / s->bytes : 0;
    return first < s->items ? first : s->items;
}

static uint64_t item_in(const opi_shares *s, uint64_t k)
{
    const uint64_t round = k / s->each, page = round * s->workers + s->own;
    const uint64_t at = first_in(s, page) + (k - round * s->each);
    return at < first_in(s, page + 1) ? at : s->items;
}

/* Items of any size: it is the page's owner in which they begin, or the next one in turn. */
static void each_share_once(void **state)
{
    rng r = test_rng("dealt shares");
    unsigned *const owner = must(malloc(MOST_ITEMS * sizeof *owner));
    (void)state;
    for (int i = 0; i < CALLS; i++) {
        const uint64_t items = 1 + rng_below(&r, MOST_ITEMS), bytes = 1 + rng_below(&r, 1u << rng_below(&r, 18));
        opi_deal deal = {.workers = 1 + (unsigned)rng_below(&r, OPI_MOST_WORKERS)};
        deal.page = (size_t)1 << (10 + rng_below(&r, 12));
        deal.beyond = rng_below(&r, 3 * deal.page * deal.workers);
        memset(owner, 0xff, MOST_ITEMS * sizeof *owner);
        for (; deal.own < deal.workers; deal.own++) {
            const opi_shares s = opi_deal_shares(&deal, items, bytes);
            uint64_t last = 0;
            for (uint64_t k = 0; k < s.slots; k++) {
                const uint64_t at = item_in(&s, k);
                if (at == items) continue;
                assert_true(at < items && owner[at] == ~0u && at >= last);
                owner[at] = deal.own;
                last = at;
                const uint64_t turn = bytes < deal.page ? (deal.beyond + at * bytes) / deal.page : at;
                assert_int_equal(turn % deal.workers, deal.own);
            }
        }
        for (uint64_t k = 0; k < items; k++) assert_true(owner[k] != ~0u);
        const opi_shares all = opi_deal_shares(NULL, items, bytes);
        assert_int_equal(all.slots, items);
        assert_int_equal(item_in(&all, items - 1), items - 1);
    }
    free(owner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_once), cmocka_unit_test(each_share_once)};
    return cmocka_run_group_tests_name("deal", tests, NULL, NULL);
}
