/* 4. Input that comes in pieces.  The share of G and C along the chromosome, smoothed exponentially, while the file is
 * read: y = 0.992 y + 0.008 x.  A recurrence is a scan of affine maps, and a carry brings it from piece to piece. */
#include "tutorial.h"

OPLUS_STRUCT(affine, float a; float b;) /* y -> a * y + b */
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r = {a.a * b.a, a.b * b.a + b.b};
    return r;
})
/* A byte is four letters of two bits, C is 01 and G is 10.  125 bytes are 500 letters. */
OPLUS_MAP(step, affine, uint8_t, {
    const int either = (a ^ a >> 1) & 0x55;
    const int count = (either & 1) + (either >> 2 & 1) + (either >> 4 & 1) + (either >> 6);
    affine r = {0.992f, 0.002f * (float)count};
    return r;
})
OPLUS_MAP(value, float, affine, { return a.b; }) /* of the map at y = 0 */

enum { BYTES = (LETTERS + 3) / 4 };

/* Prints the end of the curve and its highest place; the memory for it does not grow with the file. */
static void in_pieces(oplus_device *dev, size_t piece)
{
    uint8_t *byte = room(piece, sizeof *byte);
    affine *map = room(piece, sizeof *map), last;
    float *y = room(piece, sizeof *y), highest = 0;
    oplus_carry *carry;
    FILE *file = fopen(GENOME, "rb");
    if (!file) stop("cannot read " GENOME);
    must(oplus_carry_open(&compose_op, 0, &carry));
    for (size_t n; (n = fread(byte, 1, piece, file)) > 0;) {
        must(OPLUS_MAP_ARRAYS(dev, step_fn, (byte), n, map));
        must(OPLUS_SCAN_FROM(dev, compose_op, carry, OPLUS_INCLUSIVE, map, n, map)); /* goes on where the last ended */
        must(OPLUS_MAP_ARRAYS(dev, value_fn, (map), n, y));
        must(OPLUS_FOLD(dev, OPLUS_MAX(y), &highest, y, n, &highest)); /* in front stands what was highest before */
    }
    if (ferror(file)) stop("cannot read " GENOME);
    must(OPLUS_CARRY_VALUE(compose_op, carry, &last));
    printf("pieces of %6zu  highest %.6f, last %.6f, bits %a %a\n", piece, highest, last.b, highest, last.b);
    oplus_carry_close(carry);
    fclose(file);
    free(byte), free(map), free(y);
}

/* Two parts summarised apart, the second one first, and joined. */
static void in_parts(oplus_device *dev, size_t cut)
{
    static uint8_t byte[BYTES];
    static affine map[BYTES];
    affine last;
    oplus_carry *left, *right;
    FILE *file = fopen(GENOME, "rb");
    if (!file || fread(byte, 1, BYTES, file) != BYTES) stop("cannot read " GENOME);
    fclose(file);
    must(OPLUS_MAP_ARRAYS(dev, step_fn, (byte), BYTES, map));
    must(oplus_carry_open(&compose_op, 0, &left));
    must(oplus_carry_open(&compose_op, cut, &right)); /* the index of its first element */
    must(OPLUS_CARRY_ADD(dev, compose_op, right, map + cut, BYTES - cut));
    must(OPLUS_CARRY_ADD(dev, compose_op, left, map, cut));
    must(oplus_carry_join(left, right));
    must(OPLUS_CARRY_VALUE(compose_op, left, &last));
    printf("cut at %9zu  last %.6f, bits %a\n", cut, last.b, last.b);
    oplus_carry_close(left), oplus_carry_close(right);
}

int main(int argc, char **argv)
{
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));
    in_pieces(dev, 100);
    in_pieces(dev, 65536);
    in_pieces(dev, BYTES);
    in_parts(dev, 77777);
    oplus_close(dev);
    return 0;
}
