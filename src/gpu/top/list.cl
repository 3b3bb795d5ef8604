/* A list in global memory that all work-groups write elements to, in any order: keys, and, where OPI_LISTS_SPOTS is 1,
 * their places.  This text comes behind top.cl. */

/* Elements that are written down go to a bucket in local memory first, and from there to the list, many at a time: a
 * work-group counts and waits once for several rounds.  What finds the bucket full goes to the list by itself. */
#if OPI_LISTS_SPOTS
#define OPI_LISTED_BYTES (sizeof(opi_key) + sizeof(opi_spot))
#else
#define OPI_LISTED_BYTES sizeof(opi_key)
#endif
#define OPI_BUCKET_BYTES 16384
#define OPI_BUCKET_HOLDS (OPI_BUCKET_BYTES / OPI_LISTED_BYTES)
#define OPI_BUCKET       (OPI_BUCKET_HOLDS < OPI_ROUND ? OPI_BUCKET_HOLDS : OPI_ROUND)
#define OPI_MOST_EACH    64u /* rounds between two visits to the list */

typedef struct opi_list {
    OPI_GLOBAL uint32_t *written; /* how many elements, also those for which there is no room */
    OPI_GLOBAL opi_key *keys;
    uint64_t room;
    OPI_LOCAL opi_key *bucket_keys;
#if OPI_LISTS_SPOTS
    OPI_GLOBAL opi_spot *spots;
    OPI_LOCAL opi_spot *bucket_spots;
#endif
    OPI_LOCAL uint32_t *taken; /* of the bucket, and where its elements come to in the list */
    bool full;                 /* the list, as far as this work-item knows: so its count does not wrap around */
} opi_list;

#if OPI_LISTS_SPOTS
#define OPI_BUCKET_SPOTS OPI_LOCAL_MEMORY opi_spot bucket_spots[OPI_BUCKET];
#define OPI_LIST_SPOTS(to) list.spots = to, list.bucket_spots = bucket_spots;
#else
#define OPI_BUCKET_SPOTS
#define OPI_LIST_SPOTS(to)
#endif
#define OPI_BUCKET_MEMORY                                                                                              \
    OPI_LOCAL_MEMORY opi_key bucket_keys[OPI_BUCKET];                                                                  \
    OPI_LOCAL_MEMORY uint32_t bucket_taken[2];                                                                         \
    OPI_BUCKET_SPOTS

/* Behind OPI_BUCKET_MEMORY and a declaration of `list`, and before a barrier. */
#define OPI_LIST_BEGINS(to_written, to_keys, to_spots, of_room)                                                        \
    list.written = to_written;                                                                                         \
    list.keys = to_keys;                                                                                               \
    list.room = of_room;                                                                                               \
    list.bucket_keys = bucket_keys;                                                                                    \
    list.taken = bucket_taken;                                                                                         \
    list.full = false;                                                                                                 \
    OPI_LIST_SPOTS(to_spots)                                                                                           \
    if (OPI_SELF == 0) bucket_taken[0] = 0;

/* Takes so many places of the bucket for each work-item, and returns the first of its own. */
OPI_FUNCTION uint32_t opi_places(OPI_LOCAL uint32_t *taken, uint32_t count)
{
#if OPI_HAS_WARPS
    const uint32_t lane = OPI_SELF & 31u;
    uint32_t up_to = count, first = 0;
    if (!OPI_ANY(count > 0)) return 0;
    OPI_UNROLL for (uint32_t by = 1; by < 32; by *= 2)
    {
        const uint32_t left = OPI_SHUFFLE(up_to, lane - by & 31u);
        if (lane >= by) up_to += left;
    }
    if (lane == 31) first = OPI_ADD(taken, up_to);
    return OPI_SHUFFLE(first, 31u) + up_to - count;
#else
    return count > 0 ? OPI_ADD(taken, count) : 0;
#endif
}

#if OPI_LISTS_SPOTS
#define OPI_SPOT_PARAM , opi_spot spot
#else
#define OPI_SPOT_PARAM
#endif

/* Writes an element down at a place of the bucket, or, if there is no such place, in the list. */
OPI_FUNCTION void opi_write_down(opi_list *list, uint32_t place, opi_key key OPI_SPOT_PARAM)
{
    if (place < OPI_BUCKET) {
        list->bucket_keys[place] = key;
#if OPI_LISTS_SPOTS
        list->bucket_spots[place] = spot;
#endif
        return;
    }
    if (list->full) return;
    const uint64_t to = OPI_ADD(list->written, 1u);
    list->full = to >= list->room;
    if (list->full) return;
    list->keys[to] = key;
#if OPI_LISTS_SPOTS
    list->spots[to] = spot;
#endif
}

/* Whether so many elements from a place on fit the bucket: then they can be written there as they are. */
#define OPI_FITS_BUCKET(place, count) ((place) + (count) <= OPI_BUCKET)

/* Empties the bucket into the list.  Returns how many elements there were for it. */
OPI_FUNCTION uint32_t opi_empty(opi_list *list)
{
    OPI_BARRIER();
    const uint32_t all = list->taken[0], some = all < OPI_BUCKET ? all : OPI_BUCKET;
    if (OPI_SELF == 0) list->taken[1] = some > 0 && !list->full ? OPI_ADD(list->written, some) : 0;
    OPI_BARRIER();
    const uint64_t first = list->taken[1];
    if (OPI_SELF == 0) list->taken[0] = 0;
    for (uint32_t i = OPI_SELF; i < some; i += OPI_W)
        if (!list->full && first + i < list->room) {
            list->keys[first + i] = list->bucket_keys[i];
#if OPI_LISTS_SPOTS
            list->spots[first + i] = list->bucket_spots[i];
#endif
        }
    list->full |= first + some > list->room;
    OPI_BARRIER();
    return all;
}

/* After how many rounds the bucket is emptied next, if so many elements came in the last `each`: mostly before it is
 * full. */
OPI_FUNCTION uint32_t opi_next_each(uint32_t each, uint32_t elements)
{
    if (4 * elements <= OPI_BUCKET) return each < OPI_MOST_EACH ? 2 * each : each;
    return 2 * elements > OPI_BUCKET && each > 1 ? each / 2 : each;
}

