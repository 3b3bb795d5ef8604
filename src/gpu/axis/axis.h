/* Reduce and scan along an axis, in device memory: the ways (gpu/ways.h). */
#ifndef OPI_GPU_AXIS_H
#define OPI_GPU_AXIS_H

#include "gpu/job.h"

/* The way that all devices have, for any array: a work-item for each column. */
oplus_status opi_columns_prepare(opi_job *job, uint64_t n);
oplus_status opi_columns_run(opi_job *job, const opi_part *part);

/* The same, dealt out (gpu/deals.h): each accelerator does chunks, or strips of columns, and finds their nodes first if there are
 * several chunks. */
oplus_status opi_columns_prepare_dealt(opi_job *job);
oplus_status opi_columns_look_dealt(opi_job *job, const opi_part *part);
oplus_status opi_columns_run_dealt(opi_job *job, const opi_part *part);

/* Rows of neighbours: their offsets are made, and they are reduced as segments; or a work-group scans each. */
bool opi_rows_can(const opi_job *job, uint64_t n);
bool opi_rows_suit(const opi_job *job, uint64_t n);
oplus_status opi_rows_prepare(opi_job *job, uint64_t n);
oplus_status opi_rows_run(opi_job *job, const opi_part *part);

/* The same, dealt out.  Which rows begin in its own pages, an accelerator scans. */
bool opi_rows_deal(opi_job *job);
oplus_status opi_rows_prepare_dealt(opi_job *job);
oplus_status opi_rows_look_dealt(opi_job *job);
oplus_status opi_rows_run_dealt(opi_job *job, const opi_part *part);

/* Short rows of neighbours, for devices whose work-groups have local memory: a work-group copies whole rows there.  A row has at
 * most 16 times what a work-item has in registers. */
bool opi_short_rows_can(const opi_job *job, uint64_t n);
oplus_status opi_short_rows_prepare(opi_job *job, uint64_t n);
oplus_status opi_short_rows_run(opi_job *job, const opi_part *part);

/* A reduce of rows of neighbours, each by a work-group.  CUDA alone. */
bool opi_row_groups_can(const opi_job *job, uint64_t n);
bool opi_row_groups_suit(const opi_job *job, uint64_t n);
oplus_status opi_row_groups_prepare(opi_job *job, uint64_t n);
oplus_status opi_row_groups_run(opi_job *job, const opi_part *part);

/* Few rows of neighbours that are long: each is a reduce or a scan of its own. */
bool opi_long_rows_can(const opi_job *job, uint64_t n);
bool opi_long_rows_suit(const opi_job *job, uint64_t n);
oplus_status opi_long_rows_run(opi_job *job, const opi_part *part);

/* The task, dealt out (gpu/deals.h), by the way that one accelerator would take; long rows in turn, if there are enough. */
bool opi_axis_deals(opi_job *job);
oplus_status opi_axis_prepare_dealt(opi_job *job);
oplus_status opi_axis_look_dealt(opi_job *job);
oplus_status opi_axis_run_dealt(opi_job *job);

#endif
