/* Histogram equalisation of an image of bytes, in the memory of a device.  How many pixels are at most as bright as each
 * level is found by a put: of the sorted pixels, the last one of each level says it. */
#include "../tutorial/tutorial.h"

#include <string.h>

enum { PIXELS = 300007, LEVELS = 256 };

OPLUS_MAP(widened, uint32_t, uint8_t, { return a; })
OPLUS_MAP(level_of, uint8_t, uint32_t, { return (uint8_t)((uint64_t)a * 255 / 300007); }) /* of PIXELS */

static void *there(oplus_device *dev, const void *from, size_t bytes)
{
    void *memory;
    must(oplus_alloc(dev, bytes, &memory));
    if (from) must(oplus_copy(dev, memory, from, bytes));
    return memory;
}

static void equalise(oplus_device *dev, const uint8_t *image, const uint32_t *ones, uint8_t *equal)
{
    const uint32_t nothing[LEVELS] = {0};
    uint8_t *pixel = there(dev, image, PIXELS), *sorted = there(dev, image, PIXELS), *level = there(dev, NULL, LEVELS);
    uint32_t *at = there(dev, NULL, PIXELS * sizeof *at), *count = there(dev, ones, PIXELS * sizeof *count);
    uint32_t *up_to = there(dev, nothing, sizeof nothing);
    must(OPLUS_SORT(dev, OPLUS_ASCENDING, sorted, PIXELS));
    must(OPLUS_MAP_ARRAYS(dev, widened_fn, (sorted), PIXELS, at));
    must(OPLUS_SCAN(dev, oplus_sum_u32, OPLUS_INCLUSIVE, count, PIXELS, count)); /* 1, 2, 3, ... */
    must(OPLUS_PUT(dev, OPLUS_REFUSE, count, at, PIXELS, up_to, LEVELS));        /* the last of each level counts */
    must(OPLUS_SCAN(dev, oplus_max_u32, OPLUS_INCLUSIVE, up_to, LEVELS, up_to)); /* levels that no pixel has */
    must(OPLUS_MAP_ARRAYS(dev, level_of_fn, (up_to), LEVELS, level));
    must(OPLUS_MAP_ARRAYS(dev, widened_fn, (pixel), PIXELS, at));
    must(OPLUS_TAKE(dev, OPLUS_REFUSE, level, LEVELS, at, PIXELS, sorted));
    must(oplus_copy(dev, equal, sorted, PIXELS));
    oplus_free(dev, pixel), oplus_free(dev, sorted), oplus_free(dev, level), oplus_free(dev, at);
    oplus_free(dev, count), oplus_free(dev, up_to);
}

static void equalise_by_loops(const uint8_t *image, uint8_t *equal)
{
    uint32_t up_to[LEVELS] = {0};
    for (int i = 0; i < PIXELS; i++) up_to[image[i]]++;
    for (int v = 1; v < LEVELS; v++) up_to[v] += up_to[v - 1];
    for (int i = 0; i < PIXELS; i++) equal[i] = (uint8_t)((uint64_t)up_to[image[i]] * 255 / PIXELS);
}

int main(int argc, char **argv)
{
    static uint8_t image[PIXELS], equal[PIXELS], expected[PIXELS];
    static uint32_t ones[PIXELS];
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "threads", &dev));
    uint64_t random = 1;
    for (int i = 0; i < PIXELS; i++) { /* a dark image: levels from 40 to 101, most of them low */
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t u = (uint32_t)(random >> 40) % 63;
        image[i] = (uint8_t)(40 + u * u / 63);
        ones[i] = 1;
    }
    equalise(dev, image, ones, equal);
    equalise_by_loops(image, expected);
    uint8_t darkest = 255, brightest = 0;
    for (int i = 0; i < PIXELS; i++) {
        if (equal[i] < darkest) darkest = equal[i];
        if (equal[i] > brightest) brightest = equal[i];
    }
    printf("levels 40 to 101 become %d to %d\n", darkest, brightest);
    if (memcmp(equal, expected, sizeof equal) != 0) stop("plain loops say otherwise");
    printf("plain loops give the same image\n");
    oplus_close(dev);
    return 0;
}
