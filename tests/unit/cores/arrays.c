/* Arrays of oplus_alloc (base/array.h): nothing is touched; their pages go to memory nodes in turn.  A machine with one
 * node shows that the kernel has been told so, which can be read back. */
#define _DEFAULT_SOURCE /* mincore, syscall */
#include "support/laws.h"

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE = 200 << 20, PAGE = 4096 };

static size_t resident(char *mem, size_t bytes)
{
    static unsigned char pages[LARGE / PAGE];
    const size_t count = bytes / PAGE;
    size_t there = 0;
    assert_int_equal(mincore(mem, count * PAGE, pages), 0);
    for (size_t i = 0; i < count; i++) there += pages[i] & 1;
    return there * PAGE;
}

static void nothing_is_touched(void **state)
{
    static const char *const where[] = {"serial", "threads:3"};
    (void)state;
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        char *mem;
        oplus_device *const dev = open_at(where[i], NULL);
        assert_int_equal(oplus_alloc(dev, LARGE, (void **)&mem), OPLUS_OK);
        assert_int_equal((uintptr_t)mem % (2 << 20), 0);
        if (resident(mem, LARGE) > LARGE / 20) fail_msg("%zu bytes are resident on %s", resident(mem, LARGE), where[i]);
        mem[0] = mem[LARGE - 1] = 1;
        oplus_free(i ? dev : NULL, mem);
        oplus_close(dev);
    }
}

#if defined(SYS_get_mempolicy)

enum { BY_DEFAULT = 0, IN_TURN = 3, ASK_ADDRESS = 2 }; /* MPOL_DEFAULT, MPOL_INTERLEAVE, MPOL_F_ADDR */

static int policy_at(const char *mem)
{
    int policy = -1;
    assert_int_equal(syscall(SYS_get_mempolicy, &policy, NULL, 0ul, mem, (unsigned long)ASK_ADDRESS), 0);
    return policy;
}

static opi_nodes allowed_or_skip(void)
{
    const opi_nodes nodes = opi_nodes_allowed();
    if (nodes.count == 0) {
        print_message("skipped: this kernel tells of no memory nodes\n");
        skip();
    }
    return nodes;
}

static void pages_go_in_turn(void **state)
{
    const opi_nodes nodes = allowed_or_skip();
    (void)state;
    char *const mem = must(opi_array_alloc(LARGE, false)), *const odd = mem + 100;
    assert_int_equal(policy_at(mem), BY_DEFAULT);
    if (!opi_nodes_interleave(odd, 10 * PAGE, &nodes)) {
        print_message("skipped: this kernel refuses policies (%s)\n", strerror(errno));
        opi_array_free(mem);
        skip();
    }
    assert_int_equal(policy_at(mem), BY_DEFAULT); /* only the end of this page belongs to it, */
    assert_int_equal(policy_at(mem + PAGE), IN_TURN);
    assert_int_equal(policy_at(mem + 9 * PAGE), IN_TURN);
    assert_int_equal(policy_at(mem + 10 * PAGE), BY_DEFAULT); /* and of this one the beginning */
    assert_true(opi_nodes_interleave(odd, PAGE, &nodes));     /* no whole page */
    memset(mem, 1, 20 * PAGE);
    assert_true(mem[20 * PAGE - 1] == 1);
    opi_array_free(mem);
}

/* What oplus_alloc does with threads on more than one node, and nowhere else. */
static void large_arrays_of_threads_are_spread(void **state)
{
    const opi_nodes nodes = allowed_or_skip();
    (void)state;
    for (int spread = 0; spread < 2; spread++)
        for (size_t bytes = OPI_SPREAD_BYTES / 2; bytes <= OPI_SPREAD_BYTES; bytes *= 2) {
            char *const mem = must(opi_array_alloc(bytes, spread));
            const bool wanted = spread && bytes == OPI_SPREAD_BYTES && nodes.count > 1;
            if (policy_at(mem + PAGE) == IN_TURN && !wanted) fail_msg("%zu bytes are spread", bytes);
            opi_array_free(mem);
        }
}

/* A node that is not there: the array is as it was. */
static void a_kernel_may_refuse(void **state)
{
    opi_nodes none = {.count = 1};
    (void)state;
    (void)allowed_or_skip();
    none.set[OPI_MOST_NODES / OPI_NODE_WORD - 1] = 1ul << (OPI_NODE_WORD - 1);
    char *const mem = must(opi_array_alloc(LARGE, true));
    const int before = policy_at(mem + PAGE);
    assert_false(opi_nodes_interleave(mem, LARGE, &none));
    assert_int_equal(policy_at(mem + PAGE), before);
    memset(mem, 1, 10 * PAGE);
    opi_array_free(mem);
}

#endif

static void no_array(void **state)
{
    (void)state;
    opi_array_free(NULL);
    assert_null(opi_array_alloc(SIZE_MAX / 2, true));
    assert_null(opi_array_alloc(SIZE_MAX, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_touched),
#if defined(SYS_get_mempolicy)
        cmocka_unit_test(pages_go_in_turn),
        cmocka_unit_test(large_arrays_of_threads_are_spread),
        cmocka_unit_test(a_kernel_may_refuse),
#endif
        cmocka_unit_test(no_array),
    };
    return cmocka_run_group_tests_name("arrays", tests, NULL, NULL);
}
