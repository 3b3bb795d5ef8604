/* A key and the number of its segment as one number, whose order is that of both.  OPI_PACKED_SIZE: its bytes, 4 or 8,
 * or 0: they do not fit one.  This text comes behind key.cl and key_order.cl. */

#if OPI_PACKED_SIZE
#if OPI_PACKED_SIZE == 4
typedef uint32_t opi_packed;
#else
typedef uint64_t opi_packed;
#endif

/* unused: bits that both do not need.  The lowest ones: a sort looks at the highest first. */
OPI_FUNCTION opi_packed opi_pack(opi_key key, uint64_t number, opi_order order, uint32_t unused)
{
    return ((opi_packed)number << OPI_KEY_BITS | opi_mapped(key, order)) << unused;
}
OPI_FUNCTION opi_key opi_unpacked(opi_packed packed, opi_order order, uint32_t unused)
{
    return opi_unmapped((opi_key)(packed >> unused), order);
}
#endif
