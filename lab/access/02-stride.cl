/* a stride
 *
 * Changes: Work-item i reads element i * stride: neighbours in a warp are no longer neighbours in memory.
 *
 * Why: A sector holds 8 words and comes whole; with stride 1 all of them are used. Still slow: with stride 2 it is half
 * of each, from stride 8 on one word: the warp then needs 32 sectors for 32 words, and this is as bad as it gets.
 * Columns of a matrix, or one member of an array of structures, are read like this. */
#like 01-offset.cl
#swap offsets => strides
#swap const uint offset => const uint stride
#swap load * GROUPS * ITEMS + i + offset => (load * GROUPS * ITEMS + i) * stride
