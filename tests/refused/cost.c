/* The same calls, plain and with their types checked; tests/refused/same compares what the compiler makes of both. */
#include <oplus/oplus.h>

OPLUS_ZIP(axpy, float, float, float, { return 2 * a + b; })
OPLUS_PREDICATE(negative, float, { return a < 0; })

oplus_status calls(oplus_device *dev, const float *x, float *y, const uint8_t *heads, const size_t *at, size_t n,
                   size_t *kept);
oplus_status calls(oplus_device *dev, const float *x, float *y, const uint8_t *heads, const size_t *at, size_t n,
                   size_t *kept)
{
#ifdef TYPED
    if (OPLUS_REDUCE(dev, oplus_sum_f32, x++, n, y)) return OPLUS_ERR_INTERNAL;
    if (OPLUS_SCAN(dev, OPLUS_MAX(x), OPLUS_INCLUSIVE, x, n, y)) return OPLUS_ERR_INTERNAL;
    if (OPLUS_SEGSCAN(dev, oplus_sum_f32, OPLUS_INCLUSIVE, x, heads, n, y)) return OPLUS_ERR_INTERNAL;
    if (OPLUS_SEGREDUCE(dev, oplus_sum_f32, x, n, at, n, y)) return OPLUS_ERR_INTERNAL;
    if (OPLUS_MAP_ARRAYS(dev, axpy_fn, (x, y), n, y)) return OPLUS_ERR_INTERNAL;
    if (OPLUS_SORT(dev, OPLUS_ASCENDING, y, n)) return OPLUS_ERR_INTERNAL;
    return OPLUS_FILTER(dev, negative_fn, x, n, y, kept);
#else
    if (oplus_reduce(dev, &oplus_sum_f32, x++, n, y)) return OPLUS_ERR_INTERNAL;
    if (oplus_scan(dev, &oplus_max_f32, OPLUS_INCLUSIVE, x, n, y)) return OPLUS_ERR_INTERNAL;
    if (oplus_segscan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, heads, n, y)) return OPLUS_ERR_INTERNAL;
    if (oplus_segreduce(dev, &oplus_sum_f32, x, n, &oplus_u64, at, n, y)) return OPLUS_ERR_INTERNAL;
    if (oplus_map(dev, &axpy_fn, OPLUS_IN(x, y), n, y)) return OPLUS_ERR_INTERNAL;
    if (oplus_sort(dev, &oplus_f32, OPLUS_ASCENDING, y, n)) return OPLUS_ERR_INTERNAL;
    return oplus_filter(dev, &negative_fn, x, n, y, kept);
#endif
}
