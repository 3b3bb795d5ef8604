/* What the programs of the tutorial share: how they stop, and their chromosome (../data/README.md). */
#ifndef TUTORIAL_H
#define TUTORIAL_H

#include <oplus/oplus.h>

#include <stdio.h>
#include <stdlib.h>

#define GENOME "examples/data/chlamydia.bases" /* seen from the root of the repository: run the programs there */
enum { LETTERS = 1042519 };

static inline void stop(const char *why)
{
    fprintf(stderr, "tutorial: %s\n", why);
    exit(1);
}

static inline void must(oplus_status status)
{
    if (status != OPLUS_OK) stop(oplus_last_error());
}

static inline void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) stop("out of memory");
    return memory;
}

/* The letters A C G T as 0 1 2 3; free them. */
static inline uint8_t *read_letters(void)
{
    static uint8_t packed[(LETTERS + 3) / 4]; /* four letters a byte, the first in the lowest bits */
    uint8_t *letter = room(LETTERS, 1);
    FILE *file = fopen(GENOME, "rb");
    if (!file || fread(packed, 1, sizeof packed, file) != sizeof packed) stop("cannot read " GENOME);
    fclose(file);
    for (size_t i = 0; i < LETTERS; i++) letter[i] = packed[i / 4] >> 2 * (i % 4) & 3;
    return letter;
}

#endif
