/* the yardstick: elements stay in place
 *
 * Changes: Each element stays in its place. The result is a copy: this is no transpose, but moves the same bytes.
 *
 * Why: Reads and writes both go along rows: a warp touches 4 sectors each time and uses all of each. No transpose that
 * moves one word a work-item can be expected to be faster. */
KERNEL copy(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;
    const uint row = i / n, col = i % n;

    if (row < n)
        out[row * n + col] = in[row * n + col];
}
