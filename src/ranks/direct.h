#ifndef OPI_RANKS_DIRECT_H
#define OPI_RANKS_DIRECT_H

#include "ranks/ranks.h"

/* Exchanges the elements of a parcel between devices, if all ranks can; *done is set to whether they have.  As
 * opi_ranks_exchange otherwise. */
oplus_status opi_ranks_directly(opi_ranks *ranks, const opi_parcel *parcel, bool *done);

#endif
