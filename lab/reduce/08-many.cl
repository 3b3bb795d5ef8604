/* many elements per item
 *
 * Changes: There are n / log n items, not n / 2: each adds about log n elements on its own before they meet.
 *
 * Why: That is cost-optimal: p processors times the time grow no faster than n additions (see the experiment cost). The
 * tree, in which most items idle, is climbed by few, and everything before it is plain addition. All items of the grid
 * go through the array side by side, so that a warp reads one whole line at a time. Still slow: a round of the last
 * warp is a write, a wait and a read of shared memory. */
#like 07-unrolled.cl
#swap     const uint i = GROUP * ITEMS * 2 + self;\n\n    uint own = (i < n ? in[i] : 0) + (i + ITEMS < n ? in[i + ITEMS] : 0); => \n    uint own = 0;\n    for (uint i = GROUP * ITEMS + self; i < n; i += GROUPS * ITEMS)\n        own += in[i];
