/* Items (tiles, or what a work-group does) that are dealt out to several accelerators: gpu/deal.h.  CUDA alone.  Where
 * OPI_DEALT is 0, all items are this accelerator's. */

#if OPI_DEALT

typedef struct opi_dealt {
    uint64_t state[8]; /* of each accelerator: what its groups look at (states.cl) */
    uint32_t workers, own;
    uint32_t log_run;
    uint32_t first, lead;
    uint32_t epoch;
} opi_dealt;

/* Which one of all items is item k of this accelerator. */
OPI_FUNCTION uint64_t opi_dealt_item(const opi_dealt *dealt, uint64_t k)
{
    const uint64_t own = dealt->first + k, run = own >> dealt->log_run;
    return (run * dealt->workers + dealt->own << dealt->log_run) + (own & (1u << dealt->log_run) - 1) - dealt->lead;
}

#define OPI_DEALT_PARAM    , const opi_dealt dealt
#define OPI_DEALT_ITEM(k)  opi_dealt_item(&dealt, k)
#else
#define OPI_DEALT_PARAM
#define OPI_DEALT_ITEM(k)  (k)
#endif
