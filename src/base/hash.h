/* Hashes of 128 bits (XXH3): keys of compiled programs, and checksums of files. */
#ifndef OPI_HASH_H
#define OPI_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct opi_hash {
    uint64_t low, high;
} opi_hash;

opi_hash opi_hash_bytes(const void *bytes, size_t size);
/* The hash of a list of strings that ends with NULL; it depends on where one string ends and the next begins. */
opi_hash opi_hash_strings(const char *const *strings);

#endif
