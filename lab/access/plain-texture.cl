/* textures
 *
 * Changes: The same elements are read in the same order, once by plain loads and once through a texture: SOURCE is the
 * array or the texture, READ(i) its element i.
 *
 * Why: Before 2010 (Fermi) textures were the only cached way to a large array, and paid wherever neighbours read what
 * is close by. Today plain loads go through the same cache; a texture still converts formats, filters and clamps. */
#ifdef FROM_TEXTURE
#ifdef __OPENCL_VERSION__
#define SOURCE  read_only image1d_buffer_t in
#define READ(i) read_imageui(in, (int)(i)).x
#else
#define SOURCE  const unsigned long long in
#define READ(i) tex1Dfetch<uint>(in, (int)(i))
#endif
#else
#define SOURCE  ARRAY(const uint, in)
#define READ(i) in[i]
#endif

/* One after another. */
KERNEL sequential(SOURCE, ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    out[i] = READ(i);
}

/* All over the array, each element once; n is a power of two. */
KERNEL shuffled(SOURCE, ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    out[i] = READ((i * 2654435761u + 12345u) % n);
}

/* An image of 1024 columns: a work-group has a block of 8 x 16 of it, and each work-item adds the 3 x 3 elements around
 * its own. */
KERNEL around(SOURCE, ARRAY(uint, out), const uint n)
{
    const uint block_x = GROUP % (1024 / 8), block_y = GROUP / (1024 / 8);
    const uint x = block_x * 8 + ITEM % 8, y = block_y * 16 + ITEM / 8;
    uint sum = 0;

    UNROLLED
    for (uint k = 0; k < 9; k++)
        sum += READ(((y + k / 3) * 1024 + x + k % 3 - 1024 - 1) % n);
    out[y * 1024 + x] = sum;
}
