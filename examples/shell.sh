#!/usr/bin/env bash
# shell.sh DIR: the first question of demo.c again, asked at the shell; DIR holds the command oplus.
#
# Where copying begins, G begins to outnumber C on the strand that is read: the running count of C minus G has its peak
# there.  The largest prefix of a sum is one reduce, over a struct: how much a stretch adds, the best of its prefixes,
# and where that ends.
set -euo pipefail
PATH=$1:$PATH
data=$(dirname "${BASH_SOURCE[0]}")/data/chlamydia.bases # four letters a byte: A 0, C 1, G 2, T 3

letter='((a >> S & 3) == 1) - ((a >> S & 3) == 2)'
step="${letter//S/0} + ${letter//S/2} + ${letter//S/4} + ${letter//S/6}"
stretch='int32_t sum; int32_t best; int32_t at; int32_t bytes'
join='r.sum = a.sum + b.sum;
      r.bytes = a.bytes + b.bytes;
      r.best = a.sum + b.best > a.best ? a.sum + b.best : a.best;
      r.at = a.sum + b.best > a.best ? a.bytes + b.at : a.at'

echo
echo "The same at the shell, in bytes of four letters: oplus map ... $(basename "$data") | oplus reduce ..."
gpu=$(oplus devices | sed -n 's/^\(\(cuda\|opencl\):[0-9]*\) .*/\1/p' | head -n 1) # or whatever has CUDA or OpenCL
for device in threads:1 threads:2 $gpu; do
    oplus map "r.sum = $step; r.best = r.sum; r.at = 1; r.bytes = 1" --result "$stretch" -t u8 --format raw "$data" --to raw |
        oplus reduce "$join" -t "$stretch" --format raw --device $device |
        while read -r _ best at _; do
            echo "  $device: the peak of C - G, $best, ends with letters $((4 * at - 3)) to $((4 * at))"
        done
done
