/* Sums over one work-group, and over many: opi_sums has 32 bits, opi_wide_sums 64 bits; opi_rows sums what the
 * work-groups have counted.  The work-items are cut into runs, and one work-item sums each run, so that there are few
 * barriers. */

#define OPI_W (1u << OPI_LOG_W)

/* A gap every 32 places, so that places whose distance is a power of two are in different banks. */
#define OPI_PADDED(i)     ((i) + ((i) >> 5))

/* sum[] has OPI_SUMS places.  Returns the sum of `own` over all work-items up to this one; *all becomes the sum over
 * all work-items.  The last step is a barrier. */
#define OPI_LOG_RUN  (OPI_LOG_W < 4 ? OPI_LOG_W : 4)
#define OPI_LOG_RUNS (OPI_LOG_W - OPI_LOG_RUN)
#define OPI_SUMS     OPI_WITH_GAPS(OPI_W)
#define OPI_DEFINE_SUMS(name, T)                                                                                       \
    OPI_FUNCTION T name(OPI_LOCAL T *sum, T own, T *all)                                                               \
    {                                                                                                                  \
        sum[OPI_PADDED(OPI_SELF)] = own;                                                                               \
        OPI_BARRIER();                                                                                                 \
        if (OPI_SELF < 1u << OPI_LOG_RUNS) {                                                                           \
            T run = 0;                                                                                                 \
            _Pragma("unroll") for (uint32_t i = 0; i < 1u << OPI_LOG_RUN; i++) {                                       \
                run += sum[OPI_PADDED((OPI_SELF << OPI_LOG_RUN) + i)];                                                 \
                sum[OPI_PADDED((OPI_SELF << OPI_LOG_RUN) + i)] = run;                                                  \
            }                                                                                                          \
        }                                                                                                              \
        OPI_BARRIER();                                                                                                 \
        T before = 0, total = 0;                                                                                       \
        _Pragma("unroll") for (uint32_t r = 0; r < 1u << OPI_LOG_RUNS; r++) {                                          \
            if (r == OPI_SELF >> OPI_LOG_RUN) before = total;                                                          \
            total += sum[OPI_PADDED((r << OPI_LOG_RUN) + (1u << OPI_LOG_RUN) - 1)];                                    \
        }                                                                                                              \
        own = before + sum[OPI_PADDED(OPI_SELF)];                                                                      \
        *all = total;                                                                                                  \
        OPI_BARRIER();                                                                                                 \
        return own;                                                                                                    \
    }
OPI_DEFINE_SUMS(opi_sums, uint32_t)
OPI_DEFINE_SUMS(opi_wide_sums, uint64_t)

/* counts[r * parts + p] is how many things of kind r work-group p has counted.  It becomes how many things of kind r
 * are before that work-group's; totals[r] becomes their number.  There is a work-group for each kind. */
OPI_WHOLE_KERNEL void opi_rows(OPI_PARAM(counts), const uint64_t parts, OPI_PARAM(totals))
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL uint64_t *const row = OPI_AT(uint64_t, counts) + OPI_GROUP * parts;
    uint64_t before = 0, all;
    for (uint64_t first = 0; first < parts; first += OPI_W) {
        const uint64_t p = first + OPI_SELF, own = p < parts ? row[p] : 0;
        const uint64_t up_to = opi_wide_sums(sum, own, &all);
        if (p < parts) row[p] = before + up_to - own;
        before += all;
    }
    if (OPI_SELF == 0) OPI_AT(uint64_t, totals)[OPI_GROUP] = before;
}
