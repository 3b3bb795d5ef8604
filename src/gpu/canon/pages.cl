/* Which accelerator has an element of an array whose pages are dealt out (gpu/deal.h), where work is not dealt out by items of
 * equal size.  Where OPI_DEALT is 0, nothing is dealt out. */

#if OPI_DEALT

/* Page k is memory of accelerator k % workers; the array begins `beyond` bytes behind page 0. */
typedef struct opi_pages {
    uint64_t beyond;
    uint32_t log_page, workers, own, none;
} opi_pages;

OPI_FUNCTION bool opi_is_in_own_page(const opi_pages *pages, uint64_t element)
{
    return (pages->beyond + element * OPI_SIZE >> pages->log_page) % pages->workers == pages->own;
}

#define OPI_PAGES_PARAM , const opi_pages pages
#else
#define OPI_PAGES_PARAM
#endif
