#include "front/verdict.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "task/late.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char unknown[] = "?"; /* the answer if the other process was too slow: it would be too slow again */

enum { SAMPLES = 64, SECONDS = 2, SAID_BYTES = 1024, NAME_BYTES = 80 };

/* --- 1. the key --------------------------------------------------------------------------------------------------- */

/* Makes the key of everything that the answer depends on.  The number in it grows when the check finds more.  Returns
 * false if there is no memory. */
static bool key_of(const oplus_op *op, opi_hash *key)
{
    char flags[64];
    const size_t digits = op->identity ? 2 * op->type->size : 0;
    char *const identity = malloc(digits + 1);
    if (!identity) return false;
    identity[0] = '\0';
    for (size_t i = 0; i < digits / 2; i++)
        snprintf(identity + 2 * i, 3, "%02x", ((const unsigned char *)op->identity)[i]);
    snprintf(flags, sizeof flags, "verdict 2: scalar %d, flags %u, identity %d", (int)op->type->scalar, op->flags,
             op->identity != NULL);
    const char *const members = op->type->text ? op->type->text : "";
    *key = opi_hash_strings((const char *const[]){flags, members, op->text, identity, NULL});
    free(identity);
    return true;
}

/* --- 2. the other process ----------------------------------------------------------------------------------------- */

typedef struct question {
    oplus_op op;
    oplus_device *dev;
    void *samples;
} question;

static volatile sig_atomic_t out_of_child;

static void tell_signal(int number)
{
    static const char trap[] = "calling it with some elements divides by the integer 0, or otherwise traps (SIGFPE)",
                      crash[] = "calling it with some elements ends the process by a signal";
    const char *const words = number == SIGFPE ? trap : crash;
    if (write(out_of_child, words, number == SIGFPE ? sizeof trap - 1 : sizeof crash - 1) < 0) _exit(3);
    _exit(2);
}

/* Says what is wrong with the operator, if something is. */
static int answer(void *context, int out)
{
    static const int signals[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT};
    const question *const q = context;
    out_of_child = out;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], tell_signal);
    const oplus_status status = oplus_op_check(q->dev, &q->op, q->samples, SAMPLES);
    if (status == OPLUS_OK) return 0;
    if (status != OPLUS_ERR_ARGUMENT) return 1;
    const char *const words = opi_last_error(), *const colon = strstr(words, ": ");
    const char *const said = colon ? colon + 2 : words;
    return write(out, said, strlen(said)) < 0 ? 1 : 2;
}

/* The processor time of child processes that have ended. */
static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Returns true if there is an answer: `said` has what is wrong, "" if nothing is.  Returns false if there is none. */
static bool ask(const oplus_op *op, void *samples, char said[SAID_BYTES])
{
    question q = {.op = *op, .samples = samples};
    q.op.name = "op"; /* short enough to be nested in the answer */
    if (oplus_open("serial", &q.dev) != OPLUS_OK) return false;
    const double before = seconds_of_children();
    const opi_process end = opi_process_fork(answer, &q, SECONDS, said, SAID_BYTES);
    const double took = seconds_of_children() - before;
    oplus_close(q.dev);
    if (end == OPI_PROCESS_LATE) {
        snprintf(said, SAID_BYTES, "%s", unknown);
        return took > SECONDS / 2.0; /* or it had to wait for a processor, and may be faster another time */
    }
    return end == OPI_PROCESS_GOOD || (end == OPI_PROCESS_FAILED && *said);
}

/* --- 3. the verdict ----------------------------------------------------------------------------------------------- */

static bool look(const oplus_op *op, char said[SAID_BYTES])
{
    void *const samples = opi_alloc(SAMPLES * op->type->size);
    /* Samples are modest: an operator that overflows on numbers which its user may never have is no reason for a
     * warning. */
    const bool known = samples && oplus_samples(op->type, OPLUS_SAMPLES_MODEST, SAMPLES, samples) == OPLUS_OK &&
                       ask(op, samples, said);
    opi_free(samples);
    return known;
}

static bool look_it_up(opi_hash key, char said[SAID_BYTES])
{
    size_t bytes;
    char *const kept = opi_cache_load(key, ".txt", &bytes);
    if (kept) snprintf(said, SAID_BYTES, "%.*s", (int)bytes, kept);
    free(kept);
    return kept != NULL;
}

oplus_status opi_verdict(const char *call, const oplus_op *op)
{
    char said[SAID_BYTES] = "", path[OPI_PATH_BYTES];
    opi_hash key;
    if (!key_of(op, &key)) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the check", call);
    if (!look_it_up(key, said)) {
        OPI_TRY(opi_late_ready(call, op->late)); /* in this process: the other process has little time */
        if (!look(op, said)) return OPLUS_OK;
        opi_cache_store(key, ".txt", said, strlen(said) + 1, path);
    }
    if (!*said || strcmp(said, unknown) == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: operator \"%.*s\": %s", call, opi_cut(op->name, NAME_BYTES), op->name,
                    said);
}
