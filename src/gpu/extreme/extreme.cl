/* Extremes: the least element (side 0), the greatest (side 1) or both, and where they are.  There are OPI_SIDES sides, from
 * OPI_FIRST_SIDE on. */

/* What is loaded at once. */
#define OPI_PACKED (OPI_VECTOR_BYTES / OPI_SIZE)
typedef struct __attribute__((aligned(OPI_VECTOR_BYTES))) opi_pack {
    opi_word x[OPI_PACKED];
} opi_pack;
#define OPI_PACKS 4 /* loads of a work-item that are under way at the same time */

/* What has been found of each side: its key, and its place. */
typedef struct opi_found {
    opi_key key[OPI_SIDES];
    uint64_t at[OPI_SIDES];
} opi_found;

/* The extreme of all that the work-items of the group have found, in the first one; key and at: OPI_W of each. */
OPI_FUNCTION opi_found opi_found_by_all(OPI_LOCAL opi_key *key, OPI_LOCAL uint64_t *at, opi_found own)
{
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        key[OPI_SELF] = own.key[s];
        at[OPI_SELF] = own.at[s];
        OPI_BARRIER();
        for (uint32_t by = OPI_W / 2; by > 0; by /= 2) {
            if (OPI_SELF < by) {
                const uint32_t other = OPI_SELF + by;
                if (key[other] < key[OPI_SELF] || (key[other] == key[OPI_SELF] && at[other] < at[OPI_SELF])) {
                    key[OPI_SELF] = key[other];
                    at[OPI_SELF] = at[other];
                }
            }
            OPI_BARRIER();
        }
        own.key[s] = key[0];
        own.at[s] = at[0];
        OPI_BARRIER();
    }
    return own;
}

/* Looks through so many packs, whole rounds of all work-items, with what has been found so far.  In a round only the least
 * key of a pack is compared; which element of the pack it was is looked up at the end. */
OPI_FUNCTION void opi_see_packs(OPI_GLOBAL const opi_pack *packs, uint32_t count, opi_key *found, uint32_t *place)
{
    if (count == 0) return;
    for (uint32_t at = OPI_SELF; at < count; at += OPI_PACKS * OPI_W) {
        opi_pack pack[OPI_PACKS];
        OPI_UNROLL for (uint32_t k = 0; k < OPI_PACKS; k++) pack[k] = packs[at + k * OPI_W];
        OPI_UNROLL for (uint32_t k = 0; k < OPI_PACKS; k++)
        {
            OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
            {
                opi_key least = opi_key_of(pack[k].x[0], OPI_FIRST_SIDE + s);
                OPI_UNROLL for (uint32_t e = 1; e < OPI_PACKED; e++)
                {
                    const opi_key key = opi_key_of(pack[k].x[e], OPI_FIRST_SIDE + s);
                    least = key < least ? key : least;
                }
                if (least < found[s]) {
                    found[s] = least;
                    place[s] = at + k * OPI_W;
                }
            }
        }
    }
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++) /* the element 0, too, is that of a pack */
    {
        const opi_pack pack = packs[place[s]];
        uint32_t first = 0;
        OPI_UNROLL for (uint32_t e = OPI_PACKED; e > 0; e--)
            if (opi_key_of(pack.x[e - 1], OPI_FIRST_SIDE + s) == found[s]) first = e - 1;
        place[s] = place[s] * OPI_PACKED + first;
    }
}

/* Each work-group looks through a part of `part` elements, at most 2^31, and writes what it finds there, with places in the
 * whole array, of which in[0] is element `first`.  If parts are dealt out, all accelerators write to the same memory. */
OPI_WHOLE_KERNEL void opi_extreme_look(OPI_PARAM(in), const uint64_t n, const uint64_t part, const uint64_t first,
                                       OPI_PARAM(found) OPI_DEALT_PARAM)
{
    OPI_LOCAL_MEMORY opi_key keys[OPI_W];
    OPI_LOCAL_MEMORY uint64_t places[OPI_W];
    const uint64_t item = OPI_DEALT_ITEM(OPI_GROUP), begin = item * part, left = n - begin;
    const uint32_t count = (uint32_t)(left < part ? left : part);
    OPI_GLOBAL const opi_word *const x = OPI_AT(const opi_word, in) + begin;
    const opi_word here = x[0]; /* every work-item begins with it: it is in front of all others */
    uint32_t place[OPI_SIDES], seen = 0; /* all elements before `seen` have been seen */
    opi_found own;
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        own.key[s] = opi_key_of(here, OPI_FIRST_SIDE + s);
        place[s] = 0;
    }
    if (OPI_ALIGNED(x)) {
        seen = count / (OPI_PACKS * OPI_W * OPI_PACKED) * (OPI_PACKS * OPI_W * OPI_PACKED);
        opi_see_packs((OPI_GLOBAL const opi_pack *)x, seen / OPI_PACKED, own.key, place);
    }
    for (uint32_t i = seen + OPI_SELF; i < count; i += OPI_W) {
        const opi_word element = x[i];
        OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
        {
            const opi_key key = opi_key_of(element, OPI_FIRST_SIDE + s);
            if (key < own.key[s]) {
                own.key[s] = key;
                place[s] = i;
            }
        }
    }
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++) own.at[s] = place[s];
    own = opi_found_by_all(keys, places, own);
    if (OPI_SELF > 0) return;
    OPI_GLOBAL uint64_t *const to = OPI_AT(uint64_t, found) + item * 4 + 2 * OPI_FIRST_SIDE;
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        to[2 * s] = own.key[s];
        to[2 * s + 1] = first + begin + own.at[s];
    }
}

/* One work-group compares what `parts` others have found.  state: what is known of the elements before, unless OPI_FRESH is
 * set, and afterwards of all.  It writes the result, if there is memory for it. */
OPI_WHOLE_KERNEL void opi_extreme_compare(OPI_PARAM(found), const uint64_t parts, OPI_PARAM(state), const uint32_t flags,
                                          OPI_PARAM(result))
{
    OPI_LOCAL_MEMORY opi_key keys[OPI_W];
    OPI_LOCAL_MEMORY uint64_t places[OPI_W];
    OPI_GLOBAL const uint64_t *const from = OPI_AT(const uint64_t, found) + 2 * OPI_FIRST_SIDE;
    OPI_GLOBAL uint64_t *const known = OPI_AT(uint64_t, state);
    opi_found own;
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        own.key[s] = (opi_key)from[2 * s];
        own.at[s] = from[2 * s + 1];
        for (uint64_t k = OPI_SELF; k < parts; k += OPI_W)
            if ((opi_key)from[4 * k + 2 * s] < own.key[s]) {
                own.key[s] = (opi_key)from[4 * k + 2 * s];
                own.at[s] = from[4 * k + 2 * s + 1];
            }
    }
    own = opi_found_by_all(keys, places, own);
    if (OPI_SELF > 0) return;
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        OPI_GLOBAL uint64_t *const before = known + 2 * (OPI_FIRST_SIDE + s);
        if (!(flags & OPI_FRESH) && (opi_key)before[0] <= own.key[s]) {
            own.key[s] = (opi_key)before[0];
            own.at[s] = before[1];
        }
        before[0] = own.key[s];
        before[1] = own.at[s];
    }
    if (!OPI_GIVEN(result)) return;
#if OPI_GIVES_PLACE
    *OPI_AT(uint64_t, result) = own.at[0];
#elif OPI_GIVES_VALUES
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++) OPI_AT(opi_word, result)[s] = opi_value_of(own.key[s], s);
#else
    for (uint32_t w = 0; w < 4; w++) OPI_AT(uint64_t, result)[w] = ~(uint64_t)0; /* nothing is known of the other side */
    OPI_UNROLL for (uint32_t s = 0; s < OPI_SIDES; s++)
    {
        OPI_AT(uint64_t, result)[2 * (OPI_FIRST_SIDE + s)] = own.key[s];
        OPI_AT(uint64_t, result)[2 * (OPI_FIRST_SIDE + s) + 1] = own.at[s];
    }
#endif
}
