/* Checks of indices. */
#ifndef OPI_FRONT_INDICES_H
#define OPI_FRONT_INDICES_H

#include "front/check.h"
#include "task/indices.h"

/* Checks that it is the type of an index. */
oplus_status opi_check_index_type(const char *call, const oplus_type *index);
/* The same, and that it can hold the index `most`. */
oplus_status opi_check_index_room(const char *call, const oplus_type *index, size_t most);
/* Arrays of a call by index: `count` indices name elements of one of them, the table, which has n. */
typedef struct opi_by_index_call {
    const oplus_type *type; /* of an element */
    const void *in, *out;
    size_t in_n, out_n;               /* elements of each */
    const char *in_count, *out_count; /* the names of these numbers */
    oplus_bounds bounds;
} opi_by_index_call;

/* Checks all arguments of such a call.  given: the indices; n, the number of places, is that of the table. */
oplus_status opi_check_by_index(const char *call, oplus_device *dev, const opi_by_index_call *arrays,
                                const opi_indices *given);

#endif
