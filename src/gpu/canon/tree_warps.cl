/* The work-items of a warp exchange their registers: a part of tree.cl.
 *
 * A butterfly in each warp: in step k work-items at distance 2^k exchange their nodes, and the right one keeps for the
 * way down what it got.  Work-item 0 joins the warps, which are few. */
#define OPI_CLIMB(lane) opi_climb lane##_climb;
#define OPI_LANES(lane)                                                                                                \
    OPI_LOCAL_MEMORY opi_node lane[OPI_W + 2];                                                                         \
    OPI_CLIMB(lane)
typedef OPI_LOCAL opi_node *opi_lanes;
typedef struct opi_climb {
    opi_node left[5];
} opi_climb;

#define OPI_LOG_WARPS  (OPI_LOG_W - 5)
#define OPI_OF_WARP(i) lane[i]

#define opi_lanes_up(lane, own, used)      opi_warps_up(lane, &lane##_climb, own, used)
#define opi_lanes_down(lane, has_carry)    opi_warps_down(lane, &lane##_climb, has_carry)

OPI_FUNCTION void opi_warps_up(opi_lanes lane, opi_climb *climb, opi_node own, uint32_t used OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) {
        if (OPI_SELF == 0 && used == 1u << k) OPI_TOTAL = own;
        climb->left[k] = opi_node_across(own, 1u << k);
        own = OPI_SELF >> k & 1 ? opi_join(climb->left[k], own) : opi_join(own, climb->left[k]);
    }
    if ((OPI_SELF & 31) == 31) OPI_OF_WARP(OPI_SELF >> 5) = own;
    OPI_BARRIER();
    if (OPI_SELF == 0) {
        OPI_UP(OPI_OF_WARP, OPI_LOG_WARPS)
        if (used >= 32) OPI_TOTAL = OPI_OF_WARP((used >> 5) - 1);
    }
}

OPI_FUNCTION opi_place opi_warps_down(opi_lanes lane, const opi_climb *climb, uint32_t has_carry OPI_TAKE_P)
{
    const uint32_t warp = OPI_SELF >> 5;
    opi_place place;
    if (OPI_SELF == 0) {
        if (has_carry) {
            const opi_node carry = OPI_CARRY;
            OPI_FRONT(OPI_OF_WARP, OPI_LOG_WARPS + 1, carry)
        }
        OPI_DOWN(OPI_OF_WARP, OPI_LOG_WARPS)
    }
    OPI_BARRIER();
    place.has_before = warp > 0 || has_carry;
    place.before = climb->left[0];
    if (place.has_before) place.before = warp > 0 ? OPI_OF_WARP(warp - 1) : OPI_CARRY;
    OPI_UNROLL for (uint32_t up = 0; up < 5; up++) {
        const uint32_t k = 4 - up;
        if (!(OPI_SELF >> k & 1)) continue;
        place.before = place.has_before ? opi_join(place.before, climb->left[k]) : climb->left[k];
        place.has_before = 1;
    }
    place.after = opi_node_behind(place.before, 1);
    if ((OPI_SELF & 31) == 31) place.after = OPI_OF_WARP(warp);
    OPI_BARRIER(); /* all have read; lane[] may change now */
    return place;
}
