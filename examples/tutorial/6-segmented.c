/* 6. Many pieces of any length in one call.  A gene is read in words of three letters and ends at TAA, TAG or TGA.
 * Which is the longest stretch without such a stop, in each of the three ways to cut the chromosome into words? */
#include "tutorial.h"

OPLUS_STRUCT(codon, uint8_t x; uint8_t y; uint8_t z;)
OPLUS_MAP(stops, uint8_t, codon, { return a.x == 3 && (a.y == 0 ? a.z == 0 || a.z == 2 : a.y == 2 && a.z == 0); })
OPLUS_MAP(g_and_c, uint32_t, codon,
          { return (uint32_t)((a.x == 1 || a.x == 2) + (a.y == 1 || a.y == 2) + (a.z == 1 || a.z == 2)); })
OPLUS_ZIP(place, uint64_t, uint8_t, uint64_t, { return a ? b : ~(uint64_t)0; }) /* the index of a head, or no index */
OPLUS_PREDICATE(is_place, uint64_t, { return a != ~(uint64_t)0; })

static void read_frame(oplus_device *dev, const uint8_t *letter, size_t frame)
{
    const size_t n = (LETTERS - frame) / 3;
    const codon *codons = (const codon *)(letter + frame); /* a codon is three bytes, so letters are codons already */
    uint8_t *heads = room(n, sizeof *heads);
    uint32_t *since = room(n, sizeof *since), *gc = room(n, sizeof *gc), longest;
    uint64_t *offsets = room(n + 1, sizeof *offsets);
    size_t segments;
    for (size_t i = 0; i < n; i++) offsets[i] = i, since[i] = 1;

    /* --- a result for each codon: how many since the last stop? --- */
    must(OPLUS_MAP_ARRAYS(dev, stops_fn, (codons), n, heads));
    must(OPLUS_SEGSCAN(dev, OPLUS_SUM(since), OPLUS_INCLUSIVE, since, heads, n, since));
    must(OPLUS_REDUCE(dev, OPLUS_MAX(since), since, n, &longest));

    /* --- a result for each stretch: its letters G and C --- */
    heads[0] = 1; /* as the segmented scan takes it anyway */
    must(OPLUS_MAP_ARRAYS(dev, place_fn, (heads, offsets), n, offsets));
    must(OPLUS_FILTER(dev, is_place_fn, offsets, n, offsets, &segments));
    offsets[segments] = n;
    must(OPLUS_MAP_ARRAYS(dev, g_and_c_fn, (codons), n, gc));
    uint32_t *gc_of = room(segments, sizeof *gc_of);
    must(OPLUS_SEGREDUCE(dev, OPLUS_SUM(gc), gc, n, offsets, segments, gc_of));

    size_t s = 0;
    while (offsets[s + 1] - offsets[s] != longest) s++;
    printf("frame %zu  %zu stretches; the longest, %u codons from letter %zu, has %.1f %% of G and C\n", frame,
           segments, longest, frame + 3 * offsets[s] + 1, 100.0 * gc_of[s] / (3.0 * longest));
    free(heads), free(since), free(gc), free(offsets), free(gc_of);
}

int main(int argc, char **argv)
{
    uint8_t *letter = read_letters();
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));
    for (size_t frame = 0; frame < 3; frame++) read_frame(dev, letter, frame);
    oplus_close(dev);
    free(letter);
    return 0;
}
