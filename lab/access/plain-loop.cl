/* loops
 *
 * Changes: Each turn of the loop does STEPS steps: 1, as it is written; or 2, 4, 8, 16, written out. The compiler is
 * told not to unroll any further.
 *
 * Why: A turn also counts, compares and jumps. With one step of two instructions in it, most of the loop is that; with
 * 16, next to nothing. Compilers unroll where the number of turns is known. Still slow: too much of it costs registers,
 * and room in the instruction cache. */
#ifndef STEPS
#define STEPS 1
#endif
#define DO_1  x = (x ^ by) + more;
#define DO_2  DO_1 DO_1
#define DO_4  DO_2 DO_2
#define DO_8  DO_4 DO_4
#define DO_16 DO_8 DO_8
#define JOIN(a, b) a##b
#define DO(steps) JOIN(DO_, steps)

KERNEL turns(ARRAY(uint, out), const uint by, const uint more, const uint count)
{
    uint x = ITEM * 2654435761u;

#pragma unroll 1
    for (uint i = 0; i < count; i += STEPS) {
        DO(STEPS)
    }
    out[GROUP * ITEMS + ITEM] = x + GROUP;
}
