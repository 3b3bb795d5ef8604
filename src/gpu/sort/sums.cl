/* Sums over a work-group and over many, for what counts and then places: opi_sums of 32 bits, opi_wide_sums of 64,
 * opi_rows.  Runs of work-items are summed by one of them each, so that there are few barriers. */

#define OPI_W (1u << OPI_LOG_W)

/* A gap every 32 places: neighbours that are a power of two apart then use different banks. */
#define OPI_PADDED(i)     ((i) + ((i) >> 5))

/* sum[]: of OPI_SUMS.  The sum of the work-items' own up to this one's, and of all; a barrier comes last. */
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

/* What `parts` work-groups counted of something, a row counts[r * parts ...] for each kind of it, becomes how much of
 * it comes before each; totals[r]: all of it.  A work-group for each row. */
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
