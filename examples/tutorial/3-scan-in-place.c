/* 3. Running totals, in place.  Where does a bacterium begin to copy its chromosome?  There the running count of C over
 * G, taken along the letters, is highest (J. R. Lobry, Mol. Biol. Evol. 13, 1996). */
#include "tutorial.h"

OPLUS_MAP(c_over_g, int32_t, uint8_t, { return (a == 1) - (a == 2); }) /* C: 1, G: -1, A and T: 0 */

int main(int argc, char **argv)
{
    uint8_t *letter = read_letters();
    int32_t *count = room(LETTERS, sizeof *count), total, highest;
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));

    must(OPLUS_MAP_ARRAYS(dev, c_over_g_fn, (letter), LETTERS, count));
    must(OPLUS_REDUCE(dev, OPLUS_SUM(count), count, LETTERS, &total));
    must(OPLUS_SCAN(dev, OPLUS_SUM(count), OPLUS_INCLUSIVE, count, LETTERS, count)); /* out is in: no second array */
    must(OPLUS_REDUCE(dev, OPLUS_MAX(count), count, LETTERS, &highest));
    oplus_close(dev);

    if (count[LETTERS - 1] != total) stop("a scan ends in the reduce; this one does not");
    size_t at = 0;
    while (count[at] != highest) at++;

    for (int i = 100000; i <= LETTERS; i += 100000) printf("%7d letters  %6d\n", i, count[i - 1]);
    printf("%7d letters  %6d\n", LETTERS, total);
    printf("highest  %d at letter %zu (annotated origin: 719988 to 720258)\n", highest, at + 1);
    free(letter), free(count);
    return 0;
}
