/* The minimum and the maximum of floats of one width.  A part of builtin.c, included once a width with LANE_BITS = 32 or
 * 64.
 *
 * Keys are floats in the order of their bits as signed integers, -0 < +0; a NaN becomes the one key that wins. */
#define N(name)   LANES(name)
#define V         N(opi_vector)
#define SIGNED    N(opi_signed)
#define MAGNITUDE (~(N(opi_lane))0 >> 1)
#if LANE_BITS == 32
#define FLOAT      float
#define KEY_OF_INF INT32_C(0x7f800000)
#else
#define FLOAT      double
#define KEY_OF_INF INT64_C(0x7ff0000000000000)
#endif

OPI_INLINE V N(unkey)(V k) { return k ^ ((V)((SIGNED)k < 0) & MAGNITUDE); }
OPI_INLINE V N(key)(V v, N(opi_lane) nan)
{
    const V is_nan = (V)((SIGNED)(v & MAGNITUDE) > KEY_OF_INF);
    return N(select)(is_nan, N(splat)(nan), N(unkey)(v));
}
OPI_INLINE V N(key_min)(V v) { return N(key)(v, MAGNITUDE + 1); }
OPI_INLINE V N(key_max)(V v) { return N(key)(v, MAGNITUDE); }

#undef V
#undef N

#define LEAF            GLUE(min_f, LANE_BITS)
#define T               FLOAT
#define IDENTITY        __builtin_inf()
#define BODY            OPI_BODY_FLOAT_MIN(T)
#define JOIN            LANES(min_i)
#define KEY             LANES(key_min)
#define UNKEY           LANES(unkey)
#define KEY_OF_IDENTITY KEY_OF_INF
#define ON_VECTORS      LANES(FLOAT_ORDER)
#include "cores/isa/exact_leaves.h"

#define LEAF            GLUE(max_f, LANE_BITS)
#define T               FLOAT
#define IDENTITY        -__builtin_inf()
#define BODY            OPI_BODY_FLOAT_MAX(T)
#define JOIN            LANES(max_i)
#define KEY             LANES(key_max)
#define UNKEY           LANES(unkey)
#define KEY_OF_IDENTITY ~KEY_OF_INF
#define ON_VECTORS      LANES(FLOAT_ORDER)
#include "cores/isa/exact_leaves.h"

#undef KEY_OF_INF
#undef FLOAT
#undef MAGNITUDE
#undef SIGNED
#undef LANE_BITS
