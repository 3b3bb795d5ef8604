/* An offset of a segment is an integer of OPI_OFFSET_SIZE bytes; the caller chooses its type. */
#if OPI_OFFSET_SIZE == 4
typedef uint32_t opi_offset;
#else
typedef uint64_t opi_offset;
#endif
OPI_FUNCTION uint64_t opi_length(OPI_GLOBAL const opi_offset *at, uint64_t s) { return at[s + 1] - at[s]; }
