/* Keys of one width in their order: a template, included once a width with
 *     T    the unsigned integer of a key
 * Names end in that of T: K(mapped) is mapped_uint32_t. */
#define KEY_PASTE_(a, b) a##_##b
#define KEY_PASTE(a, b)  KEY_PASTE_(a, b)
#define K(name)          KEY_PASTE(name, T)

static inline T K(load)(const unsigned char *from, size_t i)
{
    T x;
    memcpy(&x, from + i * sizeof x, sizeof x);
    return x;
}

static inline T K(mapped)(const opi_key_order *order, T raw)
{
    const T negative = (T)(0 - (T)(raw >> (8 * sizeof raw - 1)));
    return (T)(raw ^ (negative & (T)order->float_mask) ^ (T)order->flip);
}
