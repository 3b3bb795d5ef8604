/* sines
 *
 * Changes: SINE(x) is the library's sine (sinf; in OpenCL sin), or the hardware's (__sinf; in OpenCL native_sin).
 *
 * Why: GPUs have units of their own that look sines up and interpolate: fast, with an absolute error that is small near
 * 0 and grows with x. Still slow: the library's, which first reduces x to a small angle and then evaluates a
 * polynomial, to the last digits. Which one a computation needs is not a question of speed. */

#ifndef SINE
#define SINE(x) sin(x)
#endif

/* To see how long it takes: equal steps from a start in [-4, 0). */
KERNEL steps(ARRAY(float, out), const uint rounds)
{
    float x = (float)ITEM * (4.0f / ITEMS) - 4.0f, sum = 0.0f;

    for (uint round = 0; round < rounds; round++) {
        UNROLLED
        for (uint k = 0; k < READS; k++) {
            sum += SINE(x);
            x += 1.0f / 64.0f;
        }
    }
    out[GROUP * ITEMS + ITEM] = sum;
}

/* To see how wrong it is. */
KERNEL each(ARRAY(const float, in), ARRAY(float, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        out[i] = SINE(in[i]);
}
