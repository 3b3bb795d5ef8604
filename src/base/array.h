/* Arrays for the user, in which several threads may work. */
#ifndef OPI_ARRAY_H
#define OPI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates an array as opi_alloc does; NULL: no memory.  Nothing is written to it, so that an array of which little is
 * used takes little memory.
 *
 * spread: threads will work in it.  On a host with several memory nodes the pages of a large array then lie in turn on
 * the nodes that the process may use, unless the process has a policy of its own (numactl).  Which thread will work
 * where in the array nobody knows: blocks are dealt as threads come.  If pages lay where they are touched first, all
 * would lie on one node in a program that fills its array in one thread, and all threads would share that memory. */
void *opi_array_alloc(size_t bytes, bool spread);
void opi_array_free(void *mem); /* NULL allowed */

/* Arrays of at least so many bytes are spread. */
enum { OPI_SPREAD_BYTES = 64 << 20 };

/* The memory nodes that a process may use, as a set of bits; and how many they are.  None: the kernel does not say. */
enum { OPI_MOST_NODES = 1024, OPI_NODE_WORD = 8 * sizeof(unsigned long) };
typedef struct opi_nodes {
    unsigned long set[OPI_MOST_NODES / OPI_NODE_WORD];
    int count;
} opi_nodes;

opi_nodes opi_nodes_allowed(void);
/* Puts pages that are touched for the first time on these nodes in turn, but for pages that lie in the memory only in
 * part.  False: the kernel refuses, and nothing has changed. */
bool opi_nodes_interleave(void *mem, size_t bytes, const opi_nodes *nodes);

#endif
