# oplus_trace(kernel id sizes out): makes of a kernel's text the C source `out`, with the table lab_model_<id>, for the
# model of a GPU (lab/model).  sizes: the header with its sizes, or "".
find_program(AWK NAMES awk mawk gawk REQUIRED)
function(oplus_trace kernel id sizes out)
  set(trace ${PROJECT_SOURCE_DIR}/lab/model/trace.awk)
  cmake_path(GET out PARENT_PATH dir)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(OUTPUT ${out} VERBATIM DEPENDS ${kernel} ${trace}
    COMMAND sh -c "\"$1\" -v NAME=\"$2\" -v SIZES=\"$3\" -f \"$4\" \"$5\" >\"$6.part\" && mv \"$6.part\" \"$6\"" trace ${AWK} ${id} "${sizes}" ${trace}
            ${kernel} ${out})
endfunction()

# What such sources are compiled with: parameters that a kernel does not look at, and loops made by macros.
set(oplus_trace_options -Wno-unused-parameter -Wno-unused-variable -Wno-misleading-indentation -Wno-pedantic)
