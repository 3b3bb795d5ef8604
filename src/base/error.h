/* Failures in words: each thread has one text buffer. */
#ifndef OPI_ERROR_H
#define OPI_ERROR_H

#include <oplus/oplus.h>

enum { OPI_FAILURE_BYTES = 1024 }; /* of a message; a longer one is cut */

/* Records in words what failed, with which argument and value, and what to do; returns `status`. */
oplus_status opi_fail(oplus_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* This thread's last failure in words; "" if nothing has failed. */
const char *opi_last_error(void);

/* Makes a call, and returns its status from the calling function if it failed. */
#define OPI_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const oplus_status status_ = (call);                                                                           \
        if (status_ != OPLUS_OK) return status_;                                                                       \
    } while (0)

/* What makes the plural of "element" after so many. */
static inline const char *opi_s(uint64_t n) { return n == 1 ? "" : "s"; }

/* How many bytes of a text to print: at most `bytes`, and no part of a character (UTF-8). */
int opi_cut(const char *text, int bytes);

#endif
