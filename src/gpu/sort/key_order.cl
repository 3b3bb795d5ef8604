/* The order of keys: they compare as unsigned integers, once some bits are inverted.  This text comes behind key.cl. */

#define OPI_KEY_BITS (8 * OPI_KEY_SIZE)
#define OPI_LAST_KEY ((opi_key) ~(opi_key)0)

/* The bits that are inverted. */
typedef struct opi_order {
    opi_key negative, flip; /* negative: only if the highest bit is set, which it does not have itself */
} opi_order;

OPI_FUNCTION opi_order opi_order_of(uint64_t negative, uint64_t flip)
{
    opi_order order;
    order.negative = (opi_key)negative;
    order.flip = (opi_key)flip;
    return order;
}

OPI_FUNCTION opi_order opi_order_if(bool is, uint64_t negative, uint64_t flip)
{
    return opi_order_of(is ? negative : 0, is ? flip : 0);
}

/* Whether keys are as they are when mapped. */
OPI_FUNCTION bool opi_is_identity(opi_order order) { return order.negative == 0 && order.flip == 0; }

OPI_FUNCTION opi_key opi_invert(opi_key key, opi_key negative)
{
    return key >> (OPI_KEY_BITS - 1) ? (opi_key)(key ^ negative) : key;
}
OPI_FUNCTION opi_key opi_mapped(opi_key key, opi_order order)
{
    return (opi_key)(opi_invert(key, order.negative) ^ order.flip);
}
OPI_FUNCTION opi_key opi_unmapped(opi_key x, opi_order order)
{
    return opi_invert((opi_key)(x ^ order.flip), order.negative);
}
