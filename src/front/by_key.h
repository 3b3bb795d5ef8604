/* What the calls by key share with those over ranks. */
#ifndef OPI_FRONT_BY_KEY_H
#define OPI_FRONT_BY_KEY_H

#include "task/machine.h"

typedef struct opi_by_key {
    oplus_device *dev;
    const char *call;
    const oplus_op *op;
    const oplus_type *key;
    const oplus_fn *same; /* or NULL */
    const char *keys, *values;
    size_t n;
    char *out_keys, *out; /* out_keys NULL: keys are not wanted */
    oplus_device *home;   /* in whose memory the keys lie: scratch memory is beside them */
    size_t piece;         /* keys of a piece */
} opi_by_key;

/* Checks what the calls have in common, and what is no output. */
oplus_status opi_by_key_check(const opi_by_key *b);
/* Checks a call that writes a result for each of `count`, whose name is that: outputs have room for so many. */
oplus_status opi_by_key_check_out(const opi_by_key *b, const char *name, const size_t *count, size_t room);
/* Checks a scan. */
oplus_status opi_by_key_check_scan(const opi_by_key *b, oplus_kind kind);
/* Finds where the keys lie, and so how large pieces are. */
oplus_status opi_by_key_home(opi_by_key *b);
/* Reduces all runs, and sets *runs to their number.  firsts: so many bytes of scratch memory. */
size_t opi_by_key_scratch(const opi_by_key *b);
oplus_status opi_by_key_reduce(const opi_by_key *b, uint32_t *firsts, size_t *runs);
/* Marks where runs begin among n > 0 keys, in n bytes; nobody asks how many they are. */
oplus_status opi_by_key_heads(const opi_by_key *b, void *heads);

#endif
