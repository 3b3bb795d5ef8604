#ifdef TEST_MPI
#include <oplus/mpi.h>
#endif

#include "support/team.h"

#undef run_subjects

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- cuts --------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

cuts cut(rng *r, int way, size_t n, int ranks)
{
    cuts c = {.ranks = ranks};
    const int owner = (int)rng_below(r, (size_t)ranks);
    for (int q = 1; q < ranks; q++) {
        c.at[q] = way == CUT_EVENLY       ? n * (size_t)q / (size_t)ranks
                  : way == CUT_ALL_IN_ONE ? (q > owner ? n : 0)
                                          : rng_below(r, n + 1);
        if (way == CUT_ANYHOW && rng_below(r, 3) == 0) c.at[q] = c.at[q - 1];
    }
    qsort(c.at + 1, (size_t)ranks - 1, sizeof *c.at, ascending);
    c.at[ranks] = n;
    return c;
}

const char *cut_words(const cuts *c)
{
    static char words[512];
    size_t used = (size_t)snprintf(words, sizeof words, "%d ranks with", c->ranks);
    for (int q = 0; q < c->ranks && used < sizeof words; q++)
        used += (size_t)snprintf(words + used, sizeof words - used, " %zu", cut_count(c, q));
    return words;
}

/* --- a transport that counts -------------------------------------------------------------------------------------- */

typedef struct counted {
    const oplus_comm *inner;
    traffic sent;
} counted;

static oplus_status allgather(void *context, const void *send, size_t bytes, void *recv)
{
    counted *const c = context;
    c->sent.exchanges++;
    c->sent.bytes += bytes * (size_t)(c->inner->size - 1);
    return c->inner->allgather(c->inner->context, send, bytes, recv);
}

static oplus_status alltoallv(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                              void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    counted *const c = context;
    c->sent.exchanges++;
    for (int q = 0; q < c->inner->size; q++) c->sent.bytes += q == c->inner->rank ? 0 : send_bytes[q];
    return c->inner->alltoallv(c->inner->context, send, send_bytes, send_at, recv, recv_bytes, recv_at);
}

/* --- one rank of a run -------------------------------------------------------------------------------------------- */

typedef struct outcome {
    bool good;
    traffic sent;
    finding finding;
} outcome;

typedef struct run {
    const char *where;
    rank_body body;
    const void *given;
    outcome outcome[MOST_RANKS];
} run;

/* Opens "cuda:%" with the rank's number in place of %, or the largest that there is. */
static oplus_status open_own(const char *where, int rank, oplus_device **dev)
{
    const char *const at = strchr(where, '%');
    if (at == NULL) return oplus_open(where, dev);
    oplus_status status;
    do {
        char name[96];
        snprintf(name, sizeof name, "%.*s%d%.30s", (int)(at - where), where, rank, at + 1);
        status = oplus_open(name, dev);
    } while (status != OPLUS_OK && rank-- > 0);
    return status;
}

static void run_rank(const oplus_comm *comm, void *given)
{
    run *const all = given;
    outcome *const own = &all->outcome[comm->rank];
    counted c = {.inner = comm};
    const oplus_comm counting = {.abi = OPLUS_ABI,
                                 .context = &c,
                                 .rank = comm->rank,
                                 .size = comm->size,
                                 .device_memory = comm->device_memory,
                                 .allgather = allgather,
                                 .alltoallv = alltoallv};
    oplus_device *dev = NULL;
    own->good = succeeded(open_own(all->where, comm->rank, &dev), &own->finding) &&
                all->body(dev, &counting, all->given, &own->finding);
    own->sent = c.sent;
    oplus_close(dev);
    output(NULL, NULL, 0);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

#ifdef TEST_MPI

static oplus_comm world;

/* Some builds of mpirun (MPICH 4.2.0 of Ubuntu 24.04) leave each process in a world of its own. */
static void skip_alone(void)
{
    const char *const wanted = getenv("TEST_MPI_RANKS");
    if (wanted == NULL || atoi(wanted) <= 1 || world.size > 1) return;
    printf("skipped: mpirun -n %s started processes that know nothing of each other: this MPI's mpirun is broken\n",
           wanted);
    team_end();
    exit(77);
}

void team_begin(void)
{
    uint64_t seeds[MOST_RANKS];
    char seed[32];
    MPI_Init(NULL, NULL);
    if (oplus_mpi_comm(MPI_COMM_WORLD, &world) != OPLUS_OK || world.size > MOST_RANKS) {
        fprintf(stderr, "no transport: %s\n", oplus_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    skip_alone();
    if (world.rank > 0) {                             /* rank 0 speaks for all, unless a process dies */
        cmocka_set_message_output(CM_OUTPUT_SUBUNIT); /* prints everything to stdout */
        if (!freopen("/dev/null", "w", stdout)) abort();
    }
    const uint64_t own = test_seed();
    if (world.allgather(world.context, &own, sizeof own, seeds) != OPLUS_OK) abort();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)seeds[0]);
    setenv("OPLUS_TEST_SEED", seed, 1);
    test_seed_again();
}

static bool (*wanted_of_all)(const subject *s);

static bool is_among_some(const subject *s)
{
    return ((size_t)(s - subjects) + test_seed()) % 6 == 0 && (wanted_of_all == NULL || wanted_of_all(s));
}

int run_some_subjects(const char *group, void (*test)(void **state), bool (*wanted)(const subject *s))
{
    wanted_of_all = wanted;
    return run_subjects(group, test, is_among_some);
}

void team_end(void)
{
    oplus_mpi_free(&world);
    MPI_Finalize();
}

const int *team_sizes(void)
{
    static int sizes[2];
    sizes[0] = world.size;
    return sizes;
}

static void run_all(int ranks, run *all)
{
    outcome own;
    (void)ranks;
    run_rank(&world, all);
    own = all->outcome[world.rank];
    if (world.allgather(world.context, &own, sizeof own, all->outcome) != OPLUS_OK)
        fail_msg("the verdicts did not arrive: %s", oplus_last_error());
}

#else

const int *team_sizes(void)
{
    static const int all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0},
                     few[] = {1, 2, 3, 8, 17, 0};
    return test_quick() ? few : all;
}

static void run_all(int ranks, run *all)
{
    if (oplus_run_ranks(ranks, run_rank, all) != OPLUS_OK) fail_msg("%s", oplus_last_error());
}

#endif

int some_ranks(void)
{
    const int *ranks = team_sizes();
    while (ranks[1] && *ranks != 3) ranks++;
    return *ranks;
}

void run_team(int ranks, const char *where, rank_body body, const void *given, traffic *sent, const char *words)
{
    run *const all = must(calloc(1, sizeof *all));
    finding found = {""};
    int bad = -1;
    *all = (run){.where = where, .body = body, .given = given};
    run_all(ranks, all);
    for (int q = ranks - 1; q >= 0; q--) {
        if (sent != NULL) sent[q] = all->outcome[q].sent;
        if (!all->outcome[q].good) bad = q;
    }
    if (bad >= 0) found = all->outcome[bad].finding;
    free(all);
    if (bad >= 0) fail_msg("%s: on rank %d of %d (%s): %s", words, bad, ranks, where, found.text);
}

void run_all_teams(const char *name, draw_cut *draw, rank_body body, void *problem, size_t most)
{
    rng r = test_rng(name);
    for (const int *ranks = team_sizes(); *ranks; ranks++)
        for (int way = 0; way < CUT_WAYS; way++) {
            traffic sent[MOST_RANKS];
            const cuts *const where = draw(&r, problem, *ranks, way);
            run_team(*ranks, "serial", body, problem, sent, cut_words(where));
            for (int q = 0; q < *ranks; q++)
                if (sent[q].exchanges > most) fail_msg("rank %d of %d: %zu exchanges", q, *ranks, sent[q].exchanges);
        }
}

void run_team_there(const char *name, draw_cut *draw, rank_body body, void *problem)
{
    rng r = test_rng(name);
    const char *const there = device_to_try();
    if (!there) return;
    const cuts *const where = draw(&r, problem, some_ranks(), CUT_ANYHOW);
    run_team(some_ranks(), there, body, problem, NULL, cut_words(where));
}

void run_all_teams_of(size_t bytes, const char *name, draw_cut *draw, rank_body body, size_t most)
{
    void *const problem = must(calloc(1, bytes));
    run_all_teams(name, draw, body, problem, most);
    free(problem);
}

void run_team_there_of(size_t bytes, const char *name, draw_cut *draw, rank_body body)
{
    void *const problem = must(calloc(1, bytes));
    run_team_there(name, draw, body, problem);
    free(problem);
}

/* --- words that several tests use --- */

const char *device_to_try(void)
{
    static char where[64];
    const char *const given = getenv("OPLUS_TEST_DEVICES");
    oplus_device *dev;
    strcpy(where, "opencl:cpu");
    if (given != NULL && sscanf(given, "%63[^@ ]", where) != 1) {
        print_message("not tried on a device: OPLUS_TEST_DEVICES is empty\n");
        return NULL;
    }
    if (open_own(where, 0, &dev) != OPLUS_OK) {
        print_message("not tried on a device: %s\n", oplus_last_error());
        return NULL;
    }
    oplus_close(dev);
    return where;
}

bool failed_as(oplus_status status, oplus_status expected, const char *words, finding *f)
{
    if (status == expected && strstr(oplus_last_error(), words) != NULL) return true;
    snprintf(f->text, sizeof f->text, "expected a %s with \"%s\", but it is a %s: %s", oplus_status_string(expected),
             words, oplus_status_string(status), status == OPLUS_OK ? "" : oplus_last_error());
    return false;
}
