/* Text that is put together piece by piece in memory of the caller, and cut if that memory is too small. */
#ifndef OPI_SAY_H
#define OPI_SAY_H

#include <stddef.h>

typedef struct opi_saying {
    char *text; /* the caller's memory; NULL: nothing is written */
    size_t bytes, used;
} opi_saying;

/* Begins with an empty text; `bytes` is the size of `text`. */
void opi_say_begin(opi_saying *to, char *text, size_t bytes);
void opi_say(opi_saying *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number of bytes in words: "1.5 MB", "12 bytes". */
void opi_say_bytes(opi_saying *to, double bytes);

#endif
