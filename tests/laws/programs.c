/* The programs of every subject, compiled by as many processes as there are cores: an accelerator's compilers are slow,
 * and the laws that come later find what they need in the cache.  This is also a law: what several processes put into
 * one cache at the same time is complete. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool computes(const trial *t, finding *f)
{
    const problem *p = t->p;
    if (!t->at->accelerator || t->n < p->max) return true;
    const uint64_t offsets[] = {0, t->n / 3, t->n};
    void *out = output(p, NULL, t->n);
    if (p->heads && !succeeded(oplus_segreduce(t->at->dev, p->s->op, p->x, t->n, &oplus_u64, offsets, 2, out), f))
        return false;
    out = output(p, NULL, t->n);
    return succeeded(p->heads ? oplus_segscan(t->at->dev, p->s->op, OPLUS_INCLUSIVE, p->x, p->heads, t->n, out)
                              : oplus_scan(t->at->dev, p->s->op, OPLUS_INCLUSIVE, p->x, t->n, out),
                     f) &&
           same(p, out, at(p, p->prefix, 1), t->n, f);
}

/* So many elements that all kernels are launched: some are compiled only then. */
enum { ENOUGH = 40000 };

static void compile(const subject *s, bool heads)
{
    problem p = problem_open(s, s->limit < ENOUGH ? s->limit : ENOUGH, heads, false);
    for_all(&p, ACCELERATORS | FEW_SIZES, computes);
    problem_close(&p);
}

static void compile_plain(void **state) { compile(*state, false); }
static void compile_lifted(void **state) { compile(*state, true); }

/* The plain programs of a subject and its lifted ones are handed out separately.  On two cores that takes 49 and 43 s
 * of their time; by subjects alone it took 77 and 16 s (PoCL 3.1, nothing in the cache, November 2026). */
static int share, shares;

static bool is_mine(const subject *s, int lifted) { return (2 * (int)(s - subjects) + lifted) % shares == share; }
static bool plain_is_mine(const subject *s) { return is_mine(s, 0); }
static bool lifted_is_mine(const subject *s) { return is_mine(s, 1); }

static int run_share(void)
{
    return run_subjects("lifted programs", compile_lifted, lifted_is_mine) +
           run_subjects("programs", compile_plain, plain_is_mine);
}

int main(void)
{
    int failed = 0;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    shares = cores < 1 ? 1 : cores < 16 ? (int)cores : 16;
    test_seed();
    for (share = 0; share < shares; share++) {
        const pid_t child = fork();
        if (child < 0) return perror("fork"), 1;
        if (child == 0) exit(run_share());
    }
    for (int status; wait(&status) > 0;) failed += status != 0;
    return failed;
}
