/* The lifted operator on the host: a plain addition made into one that starts anew where a segment begins. */
#ifndef LAB_SCAN_LIFTED_H
#define LAB_SCAN_LIFTED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lifted {
    bool head;      /* a segment begins in the joined elements */
    uint32_t value; /* the sum since the last head */
} lifted;

/* a stands before b. */
static inline lifted lifted_join(lifted a, lifted b)
{
    return (lifted){a.head || b.head, b.head ? b.value : a.value + b.value};
}

#endif
