/* The work-items of a group meet in local memory: a part of tree.cl. */

#define OPI_LANES(lane) OPI_LOCAL_MEMORY opi_node lane[OPI_W + 2];
typedef OPI_LOCAL opi_node *opi_lanes;
#define OPI_CLIMB(lane)

/* The work-items are cut into runs.  One work-item combines each run, so that there are few barriers. */
#define OPI_LOG_RUN   (OPI_LOG_W < 4 ? OPI_LOG_W : 4)
#define OPI_LOG_RUNS  (OPI_LOG_W - OPI_LOG_RUN)
#define OPI_IN_RUN(i) lane[(OPI_SELF << OPI_LOG_RUN) + (i)]
#define OPI_OF_RUN(i) lane[(((i) + 1) << OPI_LOG_RUN) - 1]

/* Combines the nodes of all work-items. */
OPI_FUNCTION void opi_lanes_up(opi_lanes lane, opi_node own, uint32_t used OPI_TAKE_P)
{
    lane[OPI_SELF] = own;
    OPI_BARRIER();
    if (OPI_SELF < 1u << OPI_LOG_RUNS) {
        OPI_UP(OPI_IN_RUN, OPI_LOG_RUN)
    }
    OPI_BARRIER();
    if (OPI_SELF == 0) {
        OPI_UP(OPI_OF_RUN, OPI_LOG_RUNS)
        OPI_TOTAL = lane[used - 1];
    }
}

/* Finds what precedes each work-item. */
OPI_FUNCTION opi_place opi_lanes_down(opi_lanes lane, uint32_t has_carry OPI_TAKE_P)
{
    opi_place place;
    if (OPI_SELF == 0) {
        if (has_carry) {
            const opi_node carry = OPI_CARRY;
            OPI_FRONT(OPI_OF_RUN, OPI_LOG_RUNS + 1, carry)
        }
        OPI_DOWN(OPI_OF_RUN, OPI_LOG_RUNS)
    }
    OPI_BARRIER();
    if (OPI_SELF < 1u << OPI_LOG_RUNS) {
        if (OPI_SELF > 0) {
            const opi_node before = lane[(OPI_SELF << OPI_LOG_RUN) - 1];
            OPI_FRONT(OPI_IN_RUN, OPI_LOG_RUN, before)
        } else if (has_carry) {
            const opi_node before = OPI_CARRY;
            OPI_FRONT(OPI_IN_RUN, OPI_LOG_RUN, before)
        }
        OPI_DOWN(OPI_IN_RUN, OPI_LOG_RUN)
    }
    OPI_BARRIER();
    place.has_before = OPI_SELF > 0 || has_carry;
    place.after = lane[OPI_SELF];
    place.before = place.after;
    if (OPI_SELF > 0)
        place.before = lane[OPI_SELF - 1];
    else if (has_carry)
        place.before = OPI_CARRY;
    return place;
}
