/* A reduce or a scan along an axis, on the cores. */
#ifndef OPI_CORES_AXIS_H
#define OPI_CORES_AXIS_H

#include "cores/cores.h"

/* In how many pieces an array of elements of `size` bytes is cut, at least, so that all threads have work. */
size_t opi_axis_pieces(opi_cores *cores, const opi_axis *axis, size_t size);
/* Whether each slab of n x inner elements is dealt out by itself.  pieces: in how many all slabs can be cut otherwise. */
bool opi_axis_is_dealt_by_slab(opi_cores *cores, const opi_axis *axis, size_t size, size_t pieces);
void opi_axis_say_slabs(opi_saying *to, size_t slabs); /* then, for an explanation */

oplus_status opi_axis_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_axis_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
