/* Pieces of the host's arrays: the copy that several threads share copies every byte, and no more. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/transfer.h"

enum { MOST = 5000, GUARD = 64 };

static void copies_every_byte(void **state)
{
    unsigned char from[MOST], to[MOST + GUARD];
    rng r = test_rng("copies");
    opi_crew *crew = NULL;
    (void)state;
    for (size_t i = 0; i < MOST; i++) from[i] = (unsigned char)(1 + rng_below(&r, 255)); /* never 0 */
    for (int threads = 1; threads <= 8; threads++)
        for (size_t n = 0; n <= MOST; n += n < 1100 ? 1 : 97) {
            memset(to, 0, sizeof to);
            opi_copy_shared(&crew, (char *)to, (const char *)from, n, threads);
            if (memcmp(to, from, n) != 0) fail_msg("%zu bytes by %d threads: some are missing", n, threads);
            for (size_t i = n; i < sizeof to; i++)
                if (to[i] != 0) fail_msg("%zu bytes by %d threads: wrote byte %zu", n, threads, i);
        }
    opi_crew_close(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_every_byte)};
    return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
