#!/bin/sh
# same.sh PROGRAM EXPECTED: the program says what was recorded on one thread, on all, and on more than there are cores.
said=$(mktemp) && trap 'rm -f "$said"' EXIT || exit 1
for where in serial threads threads:5; do
    "$1" $where >"$said" || { echo "$1 $where failed" && exit 1; }
    diff -u "$2" "$said" || { echo "$1 $where says otherwise (+) than was recorded (-)" && exit 1; }
done
