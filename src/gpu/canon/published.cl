/* What work-groups publish while they run.  Each word of a node is published together with the number of the launch, its
 * epoch, in one store of 8 bytes: a word is valid exactly if its epoch is this launch's.  So nothing has to be cleared
 * between launches, and the order of stores does not matter.  CUDA alone.
 *
 * OPI_DEALT: groups of several accelerators tell each other (gpu/deal.h). */

#if OPI_DEALT
#define OPI_SCOPE "sys"
#else
#define OPI_SCOPE "gpu"
#endif

#define OPI_FIRST_PUBLISHED 16 /* in units of 8 bytes; a head stands before the first node */

OPI_FUNCTION uint64_t opi_read_published(const uint64_t *p)
{
    uint64_t published;
    asm volatile("ld.relaxed." OPI_SCOPE ".global.u64 %0, [%1];" : "=l"(published) : "l"(p) : "memory");
    return published;
}

OPI_FUNCTION void opi_publish_word(uint64_t *p, uint32_t epoch, uint32_t word)
{
    asm volatile("st.relaxed." OPI_SCOPE ".global.u64 [%0], %1;" ::"l"(p), "l"((uint64_t)epoch << 32 | word) : "memory");
}
