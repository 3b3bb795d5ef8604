/* One instruction set's table of leaves. */
#include "cores/isa.h"
#include "cores/isa/leaves.h"

const opi_isa OPI_ISA_NAME(opi_isa) = {
    .name = OPI_ISA_STRING,
    .builtin = OPI_ISA_NAME(opi_builtins),
    .moments = OPI_ISA_NAME(opi_moments),
    .stream = OPI_ISA_NAME(opi_stream),
    .fence = OPI_ISA_NAME(opi_fence),
    .quiet_f32 = OPI_ISA_NAME(opi_quiet_f32),
    .quiet_f64 = OPI_ISA_NAME(opi_quiet_f64),
    .falls_u32 = OPI_ISA_NAME(opi_falls_u32),
    .falls_u64 = OPI_ISA_NAME(opi_falls_u64),
    .exceed_u32 = OPI_ISA_NAME(opi_exceed_u32),
    .exceed_u64 = OPI_ISA_NAME(opi_exceed_u64),
    .below = {OPI_ISA_NAME(opi_below_8), OPI_ISA_NAME(opi_below_16), OPI_ISA_NAME(opi_below_32),
              OPI_ISA_NAME(opi_below_64)},
    .compact = OPI_ISA_NAME(opi_compact),
    .least = {OPI_ISA_NAME(opi_least_8), OPI_ISA_NAME(opi_least_16), OPI_ISA_NAME(opi_least_32),
              OPI_ISA_NAME(opi_least_64)},
    .reverse = OPI_ISA_NAME(opi_reverse),
    .sort = OPI_ISA_NAME(opi_sort_formats),
    .transpose = OPI_ISA_NAME(opi_transpose),
    .transpose_lines = OPI_ISA_NAME(opi_transpose_lines),
};
