/* Hillis-Steele on doubles, sums by the host
 *
 * Changes: The first rung above with elements of 8 bytes.
 *
 * Why: Twice the bytes an element leave more time for barriers and additions. Still slow: shared memory serves 4 bytes
 * a bank, so that a warp of doubles is served in two halves; and a GPU may have few units for double precision. */
#like 01-hillis-steele.cl
#swap KERNEL scan => #ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n\nKERNEL scan
#swap ARRAY(const uint => ARRAY(const double
#swap ARRAY(uint => ARRAY(double
#swap SHARED uint => SHARED double
#swap uint own => double own

KERNEL add(ARRAY(double, out), ARRAY(const double, sums), const uint n, const uint block)
{
    const uint first = (GROUP + 1) * block;
    const double before = sums[GROUP];

    for (uint k = ITEM; k < block; k += ITEMS)
        if (first + k < n)
            out[first + k] += before;
}
