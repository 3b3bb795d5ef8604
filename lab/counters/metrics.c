#include "lab/counters/metrics.h"

#define L1 "l1tex__"

const lab_metric lab_metrics[LAB_METRICS] = {
    {LAB_DIVERGENT, 0, 1, "smsp__sass_branch_targets_threads_divergent.sum"},
    {LAB_CONFLICTS, 0, 1, L1 "data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {LAB_CONFLICTS, 1, 1, L1 "data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {LAB_CONFLICTS, 1, 1, L1 "data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {LAB_ACTIVE_WARPS, 0, 1, "sm__warps_active.sum"},
    {LAB_WARPS, 0, 1, "smsp__warps_launched.sum"},
    {LAB_WARPS, 1, 1, "sm__warps_launched.sum"},
    {LAB_REQUESTS, 0, 1, L1 "t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {LAB_REQUESTS, 0, 1, L1 "t_requests_pipe_lsu_mem_global_op_st.sum"},
    {LAB_SECTORS, 0, 1, L1 "t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {LAB_SECTORS, 0, 1, L1 "t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {LAB_BYTES, 0, 1, "dram__bytes_read.sum"},
    {LAB_BYTES, 0, 1, "dram__bytes_write.sum"},
    {LAB_BYTES, 1, 1, "dram__bytes_op_read.sum"}, /* the GB20x chips of Blackwell */
    {LAB_BYTES, 1, 1, "dram__bytes_op_write.sum"},
    {LAB_OCCUPANCY, 0, 0.01, "sm__warps_active.avg.pct_of_peak_sustained_active"},
};
