/* Tests over ranks: the same test runs over threads of this process, 1 to 17 of them, and (built with TEST_MPI) over
 * the processes that mpirun has started.
 *
 * Every process draws the same problem; each rank computes its part and looks at its own results.  If one rank finds a
 * fault, all are told, so that they fail together. */
#ifndef TEST_TEAM_H
#define TEST_TEAM_H

#include "support/laws.h"

#include <oplus/ranks.h>

enum { MOST_RANKS = 17 };

/* The sizes of teams to try: in order, ended by 0. */
const int *team_sizes(void);
/* One of them: three ranks; or as many as mpirun has started. */
int some_ranks(void);

/* Where an array is cut: rank r has [at[r], at[r + 1]). */
typedef struct cuts {
    int ranks;
    size_t at[MOST_RANKS + 1];
} cuts;

static inline size_t cut_count(const cuts *c, int rank) { return c->at[rank + 1] - c->at[rank]; }

enum { CUT_EVENLY, CUT_ANYHOW, CUT_ALL_IN_ONE, CUT_WAYS }; /* anyhow: some ranks have nothing */
cuts cut(rng *r, int way, size_t n, int ranks);
/* The cuts in words, for messages; one at a time. */
const char *cut_words(const cuts *c);

/* What a rank has given to its transport. */
typedef struct traffic {
    size_t exchanges; /* number of calls */
    size_t bytes;     /* bytes to other ranks */
} traffic;

/* What each rank does, with a device and a transport of its own.  Returns false, with the finding, if something is
 * wrong. */
typedef bool (*rank_body)(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f);

/* Runs it on so many ranks.  Fails the test with what a rank has found, and with these words.  sent: what each rank has
 * given to its transport, or NULL. */
void run_team(int ranks, const char *where, rank_body body, const void *given, traffic *sent, const char *words);

/* Draws a problem for so many ranks, which is cut in a way (CUT_...), and returns where it is cut. */
typedef const cuts *draw_cut(rng *r, void *problem, int ranks, int way);
/* Runs the body on teams of every size, with a problem cut in every way, each rank on one core; no rank exchanges more often than
 * `most` times.  name: that of the random numbers. */
void run_all_teams(const char *name, draw_cut *draw, rank_body body, void *problem, size_t most);
/* Runs it once on the accelerator, if there is one. */
void run_team_there(const char *name, draw_cut *draw, rank_body body, void *problem);
/* The same with a problem of so many bytes, all of which are 0 at first. */
void run_all_teams_of(size_t bytes, const char *name, draw_cut *draw, rank_body body, size_t most);
void run_team_there_of(size_t bytes, const char *name, draw_cut *draw, rank_body body);

#ifdef TEST_MPI
/* MPI does not see what is computed: one subject in six is enough, other ones with each seed. */
int run_some_subjects(const char *group, void (*test)(void **state), bool (*wanted)(const subject *s));
#define run_subjects run_some_subjects
/* Starts and ends MPI; to be called first and last in main. */
void team_begin(void);
void team_end(void);
#else
static inline void team_begin(void) {}
static inline void team_end(void) {}
#endif

/* The accelerator for tests over ranks: the first of OPLUS_TEST_DEVICES, or OpenCL's cores; NULL if there is none: the
 * reason was printed. */
const char *device_to_try(void);

/* Whether a call failed as it should: with this status, and these words in its message. */
bool failed_as(oplus_status status, oplus_status expected, const char *words, finding *f);

#endif
