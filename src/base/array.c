#define _DEFAULT_SOURCE /* syscall */
#include "base/array.h"

#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- memory nodes: calls of Linux that the C library lacks ---------------------------------------------------------- */

#if defined(SYS_mbind) && defined(SYS_get_mempolicy)

enum { BY_DEFAULT = 0, IN_TURN = 3, ASK_ALLOWED = 4 }; /* MPOL_DEFAULT, MPOL_INTERLEAVE, MPOL_F_MEMS_ALLOWED */

static bool has_policy(void)
{
    int policy = BY_DEFAULT;
    return syscall(SYS_get_mempolicy, &policy, NULL, 0ul, NULL, 0ul) != 0 || policy != BY_DEFAULT;
}

opi_nodes opi_nodes_allowed(void)
{
    opi_nodes nodes = {.count = 0};
    if (syscall(SYS_get_mempolicy, NULL, nodes.set, (unsigned long)OPI_MOST_NODES, NULL, (unsigned long)ASK_ALLOWED))
        return nodes;
    for (size_t i = 0; i < OPI_MOST_NODES; i++)
        nodes.count += (int)(nodes.set[i / OPI_NODE_WORD] >> i % OPI_NODE_WORD & 1);
    return nodes;
}

static bool set_policy(void *mem, size_t bytes, int policy, const opi_nodes *nodes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = opi_round_up((uintptr_t)mem, page), end = ((uintptr_t)mem + bytes) / page * page;
    const unsigned long most = nodes ? OPI_MOST_NODES + 1 : 0; /* the kernel counts one less */
    if (first >= end) return true;
    return syscall(SYS_mbind, first, end - first, (unsigned long)policy, nodes ? nodes->set : NULL, most, 0ul) == 0;
}

bool opi_nodes_interleave(void *mem, size_t bytes, const opi_nodes *nodes)
{
    return set_policy(mem, bytes, IN_TURN, nodes);
}

/* The C library may hand the pages out again. */
static void forget(void *mem, size_t bytes) { (void)set_policy(mem, bytes, BY_DEFAULT, NULL); }

#else

static bool has_policy(void) { return true; }
static void forget(void *mem, size_t bytes) { (void)mem, (void)bytes; }
opi_nodes opi_nodes_allowed(void) { return (opi_nodes){.count = 0}; }
bool opi_nodes_interleave(void *mem, size_t bytes, const opi_nodes *nodes)
{
    (void)mem, (void)bytes, (void)nodes;
    return false;
}

#endif

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static void spread_out(void *mem, size_t bytes)
{
    if (bytes < OPI_SPREAD_BYTES || has_policy()) return;
    const opi_nodes nodes = opi_nodes_allowed();
    if (nodes.count > 1) (void)opi_nodes_interleave(mem, bytes, &nodes); /* refused: as if there were one node */
}

void *opi_array_alloc(size_t bytes, bool spread)
{
    void *const mem = opi_alloc(bytes);
    if (mem && spread) spread_out(mem, bytes);
    return mem;
}

void opi_array_free(void *mem)
{
    const size_t bytes = mem ? malloc_usable_size(mem) : 0;
    if (bytes >= OPI_SPREAD_BYTES) forget(mem, bytes);
    opi_free(mem);
}
