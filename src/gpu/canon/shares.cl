/* Items of any size that are dealt out to several accelerators (gpu/deal.h).  Each belongs to the one in whose page it begins;
 * if items are larger than pages, to one after the other.  Where OPI_DEALT is 0, all items are this accelerator's. */

#if OPI_DEALT

typedef struct opi_shares {
    uint64_t beyond, page, bytes, items;
    uint64_t slots;
    uint32_t each, workers, own, by_parts;
} opi_shares;

/* The first item that begins in a page or behind it. */
OPI_FUNCTION uint64_t opi_first_in(const opi_shares *shares, uint64_t page)
{
    const uint64_t at = page * shares->page;
    const uint64_t first = at > shares->beyond ? (at - shares->beyond + shares->bytes - 1) / shares->bytes : 0;
    return first < shares->items ? first : shares->items;
}

/* The item in slot k of this accelerator; shares->items: there is none in it.  Of each page of its own it has so many slots as
 * items may begin there. */
OPI_FUNCTION uint64_t opi_item_in(const opi_shares *shares, uint64_t k)
{
    const uint64_t round = k / shares->each, page = round * shares->workers + shares->own;
    const uint64_t item = opi_first_in(shares, page) + (k - round * shares->each);
    return item < opi_first_in(shares, page + 1) ? item : shares->items;
}

#define OPI_SHARES_PARAM , const opi_shares shares
#define OPI_SHARED_ITEM(k) opi_item_in(&shares, k)
#else
#define OPI_SHARES_PARAM
#define OPI_SHARED_ITEM(k) (k)
#endif

/* Work-groups of a grid: group (p, s) is number p * strips + s, where items are the parts p, or the strips s. */
#define OPI_NO_GROUP (~(uint64_t)0)
#if OPI_DEALT

OPI_FUNCTION uint64_t opi_shared_group(const opi_shares *shares, uint64_t k, uint64_t strips)
{
    const uint64_t side = shares->by_parts ? strips : shares->slots, row = k / side;
    const uint64_t item = opi_item_in(shares, shares->by_parts ? row : k - row * side);
    if (item >= shares->items) return OPI_NO_GROUP;
    return shares->by_parts ? item * strips + (k - row * side) : row * strips + item;
}

#define OPI_SHARED_GROUP(strips) opi_shared_group(&shares, OPI_GROUP, strips)
#else
#define OPI_SHARED_GROUP(strips) OPI_GROUP
#endif
