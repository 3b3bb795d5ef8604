/* The run of a work-item that has neighbours: a part of tree.cl.  All loops have constant bounds, so that compilers
 * keep the run in registers. */
#define OPI_N(size) OPI_E
#define OPI_X(i)    item->x[i]
typedef struct opi_item {
    opi_node x[OPI_E];
    uint32_t n;
} opi_item;

OPI_FUNCTION uint32_t opi_run_size(uint32_t count) { return OPI_E; }

OPI_FUNCTION opi_node opi_item_up(opi_item *item, uint32_t count OPI_TAKE_P)
{
    OPI_UP(OPI_X, OPI_LOG_E)
    opi_node own = item->x[OPI_E - 1];
    if (count < OPI_E)
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            if (j == count - 1) own = item->x[j];
    return own;
}

OPI_FUNCTION void opi_item_down(opi_item *item, const opi_place *place OPI_TAKE_P)
{
    if (place->has_before) {
        OPI_FRONT(OPI_X, OPI_LOG_E, place->before)
    }
    OPI_DOWN(OPI_X, OPI_LOG_E)
    item->x[OPI_E - 1] = place->after;
}

OPI_FUNCTION void opi_item_close(opi_item *item, uint32_t count, opi_node last)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (first + j == count - 1) item->x[j] = last;
}
