/* Counting on one CUDA device by the names that NVIDIA's tools give to counters ("metrics"): "dram__bytes_read.sum". */
#ifndef LAB_SESSION_H
#define LAB_SESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lab_session lab_session;

/* As lab_cupti_open, with the same arguments. */
lab_session *lab_session_open(void *context, int ordinal, char *why, size_t why_bytes);
void lab_session_close(lab_session *session); /* NULL allowed */

const char *lab_session_version(const lab_session *session); /* "CUPTI 13.0" */
const char *lab_session_chip(const lab_session *session);    /* "GH100" */

/* Sets *has: does the device count this metric?  If not, why says the reason.  Returns false, with the reason in
 * why, if this cannot be found out. */
bool lab_session_has(lab_session *session, const char *metric, bool *has, char *why, size_t why_bytes);

/* The values of `count` metrics, all of which the device has, over what `run` launches.  The counters are in use
 * from the first call of `run` to the last only: timings outside are not disturbed. */
bool lab_session_measure(lab_session *session, const char **metrics, size_t count, void (*run)(void *context),
                         void *context, double *values, char *why, size_t why_bytes);

#endif
