/* 8. On a GPU, where there is one.  The share of G and C along the chromosome, smoothed as in program 4: the letters go
 * to the device once, the arrays between the steps stay there, and two numbers come back, with the bits of one core. */
#include "tutorial.h"

#include <string.h>

OPLUS_STRUCT(affine, float a; float b;) /* y -> a * y + b */
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r = {a.a * b.a, a.b * b.a + b.b};
    return r;
})
/* y = 0.998 y + 0.002 x, x being 1 for C and G */
OPLUS_MAP(step, affine, uint8_t, {
    affine r = {0.998f, a == 1 || a == 2 ? 0.002f : 0};
    return r;
})
OPLUS_MAP(value, float, affine, { return a.b; }) /* of the map at y = 0 */

/* The first of these that there is, and a word about those that there are not. */
static oplus_device *open_first(void)
{
    static const char *const places[] = {"cuda", "opencl", "threads"};
    oplus_device *dev = NULL;
    for (int i = 0; i < 3 && !dev; i++)
        if (oplus_open(places[i], &dev) != OPLUS_OK) fprintf(stderr, "%s\n", oplus_last_error());
    if (!dev) stop("there is nothing to compute on");
    return dev;
}

typedef struct answers {
    float highest, sum;
} answers;

/* An address of the device: to be given to calls, not to be followed. */
static void *room_there(oplus_device *dev, size_t bytes)
{
    void *memory;
    must(oplus_alloc(dev, bytes, &memory));
    return memory;
}

static answers ask(oplus_device *dev, const uint8_t *letter)
{
    answers found;
    uint8_t *letters = room_there(dev, LETTERS);
    affine *maps = room_there(dev, LETTERS * sizeof *maps);
    float *y = room_there(dev, LETTERS * sizeof *y);
    must(oplus_copy(dev, letters, letter, LETTERS));
    must(OPLUS_MAP_ARRAYS(dev, step_fn, (letters), LETTERS, maps)); /* these three need not be waited for */
    must(OPLUS_SCAN(dev, compose_op, OPLUS_INCLUSIVE, maps, LETTERS, maps));
    must(OPLUS_MAP_ARRAYS(dev, value_fn, (maps), LETTERS, y));
    must(OPLUS_REDUCE(dev, oplus_max_f32, y, LETTERS, &found.highest)); /* this one waits: the result is ours */
    must(OPLUS_REDUCE(dev, oplus_sum_f32, y, LETTERS, &found.sum));
    oplus_free(dev, letters), oplus_free(dev, maps), oplus_free(dev, y);
    return found;
}

int main(int argc, char **argv)
{
    uint8_t *letter = read_letters();
    oplus_device *dev, *core;
    if (argc > 1)
        must(oplus_open(argv[1], &dev));
    else
        dev = open_first();
    must(oplus_open("serial", &core));
    const answers there = ask(dev, letter), here = ask(core, letter);
    fprintf(stderr, "computed on %s\n", oplus_device_name(dev));
    printf("highest %.6f, mean %.6f\nbits %a %a\n", there.highest, there.sum / LETTERS, there.highest, there.sum);
    if (memcmp(&there, &here, sizeof here) != 0) stop("one core says otherwise");
    printf("one core says the same\n");
    oplus_close(dev), oplus_close(core);
    free(letter);
    return 0;
}
