/* The exact operators on integers of one width.  A part of builtin.c, included once a width with LANE_BITS = 8, 16, 32
 * or 64.  Where the sign of the elements does not matter, signed and unsigned integers share an operator. */
#define UNSIGNED LANES(opi_lane)
#define SIGNED   LANES(opi_signed_lane)
#define MOST     ((SIGNED)((UNSIGNED) ~(UNSIGNED)0 >> 1))
#define LEAST    (-MOST - 1)
#if LANE_BITS == 64
#define WIDE uint64_t
#else
#define WIDE uint32_t
#endif

#define LEAF       GLUE(sum_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   0
#define BODY       OPI_BODY_SUM(T, WIDE)
#define JOIN       LANES(sum)
#define ON_VECTORS ALL_LEAVES
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(and_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   -1
#define BODY       OPI_BODY_AND(T)
#define JOIN       LANES(and)
#define ON_VECTORS ALL_LEAVES
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(or_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   0
#define BODY       OPI_BODY_OR(T)
#define JOIN       LANES(or)
#define ON_VECTORS ALL_LEAVES
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(xor_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   0
#define BODY       OPI_BODY_XOR(T)
#define JOIN       LANES(xor)
#define ON_VECTORS ALL_LEAVES
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(prod_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   1
#define BODY       OPI_BODY_PROD(T, WIDE)
#define JOIN       LANES(prod)
#define ON_VECTORS LANES(PROD)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(land_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   1
#define BODY       OPI_BODY_LAND(T)
#define LOGICAL    1
#define JOIN       LANES(land)
#define ON_VECTORS LANES(LOGIC)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(lor_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   0
#define BODY       OPI_BODY_LOR(T)
#define LOGICAL    1
#define JOIN       LANES(lor)
#define ON_VECTORS LANES(LOGIC)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(min_i, LANE_BITS)
#define T          SIGNED
#define IDENTITY   MOST
#define BODY       OPI_BODY_MIN(T)
#define JOIN       LANES(min_i)
#define ON_VECTORS LANES(ORDER)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(max_i, LANE_BITS)
#define T          SIGNED
#define IDENTITY   LEAST
#define BODY       OPI_BODY_MAX(T)
#define JOIN       LANES(max_i)
#define ON_VECTORS LANES(ORDER)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(min_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   -1
#define BODY       OPI_BODY_MIN(T)
#define JOIN       LANES(min_u)
#define ON_VECTORS LANES(ORDER)
#include "cores/isa/exact_leaves.h"

#define LEAF       GLUE(max_u, LANE_BITS)
#define T          UNSIGNED
#define IDENTITY   0
#define BODY       OPI_BODY_MAX(T)
#define JOIN       LANES(max_u)
#define ON_VECTORS LANES(ORDER)
#include "cores/isa/exact_leaves.h"

#undef WIDE
#undef LEAST
#undef MOST
#undef SIGNED
#undef UNSIGNED
#undef LANE_BITS
