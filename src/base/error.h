/* Failures in words: one text buffer a thread. */
#ifndef OPI_ERROR_H
#define OPI_ERROR_H

#include <oplus/oplus.h>

/* Records what failed, with which argument and value, and what to do; returns the status to return. */
oplus_status opi_fail(oplus_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* This thread's last failure in words; "" if nothing has failed. */
const char *opi_last_error(void);

/* Returns from the caller with the first failure. */
#define OPI_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const oplus_status status_ = (call);                                                                           \
        if (status_ != OPLUS_OK) return status_;                                                                       \
    } while (0)

/* At most `bytes` of a text, and no part of a character (UTF-8). */
int opi_cut(const char *text, int bytes);

#endif
