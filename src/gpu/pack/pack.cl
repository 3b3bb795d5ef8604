/* Pack: of some members of each element a number that is in their order.  This text comes behind unit.cl and key.cl.
 *
 * Defined before it: OPI_MEMBERS(X), which is X(at, units, bits, negative, flip) for each member, the most important one first:
 * it has `units` units from unit `at` of the element on, and is mapped as opi_packed (task/task.h) says.  OPI_DEALT: tiles are
 * dealt out to several accelerators. */

#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

/* Puts a member behind those before; one of 64 bits is alone. */
#define OPI_ADD_MEMBER(at, units, bits, negative, flip)                                                                \
    {                                                                                                                  \
        uint64_t x = 0;                                                                                                \
        _Pragma("unroll") for (uint32_t u = 0; u < (units); u++)                                                       \
            x |= (uint64_t)from[(at) + u] << (8 * OPI_UNIT * u);                                                       \
        x ^= (x >> ((bits) - 1) ? (uint64_t)(negative) : (uint64_t)0) ^ (uint64_t)(flip);                              \
        key = key << ((bits) & 63) | x;                                                                                \
    }

OPI_FUNCTION uint64_t opi_number_of(OPI_GLOBAL const opi_unit *from)
{
    uint64_t key = 0;
    OPI_MEMBERS(OPI_ADD_MEMBER)
    return key;
}

OPI_KERNEL void opi_pack(OPI_PARAM(elements), OPI_PARAM(keys), const uint64_t n OPI_DEALT_PARAM)
{
    const uint64_t first = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE;
    const uint32_t count = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    OPI_GLOBAL const opi_unit *const from = OPI_AT(const opi_unit, elements) + first * OPI_UNITS;
    OPI_GLOBAL opi_key *const to = OPI_AT(opi_key, keys) + first;
    for (uint32_t i = OPI_SELF; i < count; i += OPI_W) to[i] = (opi_key)opi_number_of(from + (uint64_t)i * OPI_UNITS);
}
