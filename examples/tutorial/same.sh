#!/bin/sh
# same.sh PROGRAM EXPECTED PROBE: the program says what was recorded on one thread, on all, on more than there are cores,
# and on OpenCL's and CUDA's first device where there is one.  PROBE is a program that fails on a device that is not there.
said=$(mktemp) && trap 'rm -f "$said"' EXIT || exit 1
places="serial threads threads:5"
for where in opencl cuda; do
    if grep -q OPLUS_HELPER "${2%.expected}.c"; then echo "without $where: a device does not see its helper"
    elif "$3" $where >"$said" 2>&1; then places="$places $where"; else echo "without $where: $(tail -n 1 "$said")"; fi
done
for where in $places; do
    "$1" $where >"$said" || { echo "$1 $where failed" && exit 1; }
    diff -u "$2" "$said" || { echo "$1 $where says otherwise (+) than was recorded (-)" && exit 1; }
done
