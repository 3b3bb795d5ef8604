/* Where does a bacterium begin to copy its chromosome?  Three questions to the 1,042,519 letters of Chlamydia
 * trachomatis (data/README.md says where they come from), answered on one thread, on all, and on a GPU or what else has
 * CUDA or OpenCL, with the same bits. */
#include <oplus/oplus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 1042519, WORD = 16, WORDS = LETTERS - WORD + 1 };

/* --- operators and functions, each written once; the letters A C G T are 0 1 2 3 ------------------------------- */

OPLUS_STRUCT(peak, float value; uint32_t at;)
OPLUS_SEMIGROUP(higher, peak, OPLUS_EXACT, { return b.value > a.value ? b : a; }) /* of equals, the earlier */
OPLUS_ZIP(peak_at, peak, int32_t, uint32_t, {
    peak r = {(float)a, b};
    return r;
})

OPLUS_STRUCT(affine, float a; float b;) /* y -> a * y + b */
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r = {a.a * b.a, a.b * b.a + b.b};
    return r;
})
OPLUS_STRUCT(smoothing, float keep; float start;)
OPLUS_MAP_WITH(smooth, affine, uint8_t, smoothing, {
    affine r = {p.keep, a == 1 || a == 2 ? 1 - p.keep : 0};
    return r;
})
OPLUS_ZIP_WITH(share_at, peak, affine, uint32_t, smoothing, {
    peak r = {a.a * p.start + a.b, b};
    return r;
})

OPLUS_MAP(c_over_g, int32_t, uint8_t, { return (a == 1) - (a == 2); })

OPLUS_STRUCT(place, uint32_t at; uint32_t again;)
OPLUS_ZIP4(mark, place, uint32_t, uint32_t, uint32_t, uint32_t, {
    place r = {d, a == b || b == c};
    return r;
})
OPLUS_PREDICATE(repeated, place, { return a.again != 0; })
OPLUS_MAP(where, uint32_t, place, { return a.at; })
OPLUS_ZIP(gap, uint8_t, uint32_t, uint32_t, { return b != a + 1; })

/* --- the three questions ---------------------------------------------------------------------------------------- */

typedef struct genome {
    uint8_t letter[LETTERS];
    uint32_t index[LETTERS]; /* 0, 1, 2, ... */
    uint32_t word[WORDS];    /* word[i]: the letters i ... i + 15, two bits each */
} genome;

typedef struct answers {
    peak origin, island, repeat;
    uint32_t repeated_words, curve_bits; /* curve_bits: every bit of the smoothed curve, joined by exclusive or */
} answers;

static void stop(const char *why)
{
    fprintf(stderr, "demo: %s\n", why);
    exit(1);
}

static void must(oplus_status status)
{
    if (status != OPLUS_OK) stop(oplus_last_error());
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) stop("out of memory");
    return memory;
}

/* Copying leaves the leading strand with more G than C: seen along the chromosome, the running count of C over G
 * climbs up to the origin and falls after it (J. R. Lobry, Mol. Biol. Evol. 13, 1996). */
static void find_origin(oplus_device *dev, const genome *g, answers *found)
{
    int32_t *count = room(LETTERS, sizeof *count);
    peak *peaks = room(LETTERS, sizeof *peaks);
    must(OPLUS_MAP_ARRAYS(dev, c_over_g_fn, (g->letter), LETTERS, count));
    must(OPLUS_SCAN(dev, OPLUS_SUM(count), OPLUS_INCLUSIVE, count, LETTERS, count));
    must(OPLUS_MAP_ARRAYS(dev, peak_at_fn, (count, g->index), LETTERS, peaks));
    must(OPLUS_REDUCE(dev, higher_op, peaks, LETTERS, &found->origin));
    free(count), free(peaks);
}

/* The share of G and C, smoothed exponentially over 500 letters: a recurrence, hence a scan of affine maps. */
static void find_island(oplus_device *dev, const genome *g, answers *found)
{
    const smoothing over_500 = {1 - 1.0f / 500, 0.41f};
    const oplus_fn step = oplus_with(&smooth_fn, &over_500), share = oplus_with(&share_at_fn, &over_500);
    affine *curve = room(LETTERS, sizeof *curve);
    peak *peaks = room(LETTERS, sizeof *peaks);
    must(oplus_map(dev, &step, OPLUS_IN(g->letter), LETTERS, curve));
    must(OPLUS_SCAN(dev, compose_op, OPLUS_INCLUSIVE, curve, LETTERS, curve));
    must(oplus_map(dev, &share, OPLUS_IN(curve, g->index), LETTERS, peaks));
    must(OPLUS_REDUCE(dev, higher_op, peaks, LETTERS, &found->island));
    must(oplus_reduce(dev, &oplus_xor_u32, curve, 2 * (size_t)LETTERS, &found->curve_bits));
    free(curve), free(peaks);
}

/* Sorted, equal words are neighbours.  The longest unbroken run of places with such a word is the longest repeat. */
static void find_repeat(oplus_device *dev, const genome *g, answers *found)
{
    uint32_t *word = room(WORDS + 2, sizeof *word), *at = room(LETTERS + 1, sizeof *at);
    place *places = room(WORDS, sizeof *places);
    memcpy(word + 1, g->word, sizeof g->word);
    memcpy(at + 1, g->index, sizeof g->index);
    must(OPLUS_SORT_PAIRS(dev, OPLUS_ASCENDING, word + 1, at + 1, WORDS));
    word[0] = ~word[1], word[WORDS + 1] = ~word[WORDS]; /* no neighbour at either end */
    must(OPLUS_MAP_ARRAYS(dev, mark_fn, (word, word + 1, word + 2, at + 1), WORDS, places));

    size_t n;
    must(OPLUS_FILTER(dev, repeated_fn, places, WORDS, places, &n));
    must(OPLUS_MAP_ARRAYS(dev, where_fn, (places), n, at + 1));
    must(OPLUS_SORT(dev, OPLUS_ASCENDING, at + 1, n));
    found->repeated_words = (uint32_t)n;

    uint8_t *heads = room(n, sizeof *heads);
    int32_t *run = room(n, sizeof *run);
    peak *peaks = room(n, sizeof *peaks);
    for (size_t i = 0; i < n; i++) run[i] = 1;
    must(OPLUS_MAP_ARRAYS(dev, gap_fn, (at, at + 1), n, heads)); /* the first is a head whatever at[0] is */
    must(OPLUS_SEGSCAN(dev, OPLUS_SUM(run), OPLUS_INCLUSIVE, run, heads, n, run));
    must(OPLUS_MAP_ARRAYS(dev, peak_at_fn, (run, at + 1), n, peaks));
    must(OPLUS_REDUCE(dev, higher_op, peaks, n, &found->repeat));
    free(word), free(at), free(places), free(heads), free(run), free(peaks);
}

/* --- input, report ---------------------------------------------------------------------------------------------- */

static genome *load(const char *path)
{
    genome *g = room(1, sizeof *g);
    static uint8_t packed[(LETTERS + 3) / 4]; /* four letters a byte, the first in the lowest bits */
    FILE *file = fopen(path, "rb");
    if (!file || fread(packed, 1, sizeof packed, file) != sizeof packed) stop("cannot read the genome");
    fclose(file);
    uint32_t word = 0;
    for (uint32_t i = 0; i < LETTERS; i++) {
        g->letter[i] = packed[i / 4] >> 2 * (i % 4) & 3;
        g->index[i] = i;
        word = word << 2 | g->letter[i];
        if (i + 1 >= WORD) g->word[i + 1 - WORD] = word;
    }
    return g;
}

/* On a device, which is closed. */
static answers ask(oplus_device *dev, const genome *g)
{
    answers found = {{0, 0}, {0, 0}, {0, 0}, 0, 0};
    find_origin(dev, g, &found);
    find_island(dev, g, &found);
    find_repeat(dev, g, &found);
    uint32_t bits;
    memcpy(&bits, &found.island.value, sizeof bits);
    printf("  peak %08x, curve %08x: %s\n", bits, found.curve_bits, oplus_device_name(dev));
    oplus_close(dev);
    return found;
}

/* Everywhere: all answers must be the same, bit for bit; there is no padding in them. */
static answers ask_all(const genome *g)
{
    static const char *const places[] = {"serial", "threads", "cuda", "opencl"};
    oplus_device *dev;
    answers first = {{0, 0}, {0, 0}, {0, 0}, 0, 0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (oplus_open(places[i], &dev) != OPLUS_OK) {
            printf("  there is no %s here; oplus devices says why\n", places[i]);
            continue;
        }
        const answers found = ask(dev, g);
        if (i == 0) first = found;
        if (memcmp(&first, &found, sizeof found) != 0) stop("the answers differ");
    }
    return first;
}

int main(int argc, char **argv)
{
    genome *g = load(argc > 1 ? argv[1] : DATA "/chlamydia.bases");
    printf("Chlamydia trachomatis, one circular chromosome of %d letters\n\nbits of the answers\n", LETTERS);
    const answers one = ask_all(g);
    free(g);

    const unsigned length = (unsigned)one.repeat.value + WORD - 1, first = one.repeat.at + WORD + 1 - length;
    printf("  same bits\n\n"
           "Copying begins at letter %u (annotated origin: 719988 to 720258).\n"
           "G and C are densest at letter %u: %.1f %% over some 500 (16S ribosomal RNA gene: 854128 to 855677).\n"
           "%u of %d words of 16 letters occur again. The longest repeat has %u letters and ends at %u:\n"
           "the ribosomal RNA genes, which are there twice.\n",
           one.origin.at + 1, one.island.at + 1, 100 * one.island.value, one.repeated_words, WORDS, length,
           first + length - 1);
    return 0;
}
