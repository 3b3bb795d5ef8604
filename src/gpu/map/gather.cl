/* Gather: this accelerator's items of an array that is dealt out, one behind the other.  An item is a unit (canon/unit.cl). */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

OPI_KERNEL void opi_gather(OPI_PARAM(from), OPI_PARAM(to), const uint64_t n OPI_DEALT_PARAM)
{
    const uint64_t first = OPI_GROUP * OPI_TILE + OPI_SELF;
    opi_unit x[OPI_E];
    _Pragma("unroll") for (uint32_t e = 0; e < OPI_E; e++) /* all loads are under way before the first store */
    {
        const uint64_t k = first + (e << OPI_LOG_W);
        if (k < n) x[e] = OPI_AT(const opi_unit, from)[OPI_DEALT_ITEM(k)];
    }
    _Pragma("unroll") for (uint32_t e = 0; e < OPI_E; e++)
    {
        const uint64_t k = first + (e << OPI_LOG_W);
        if (k < n) OPI_AT(opi_unit, to)[k] = x[e];
    }
}
