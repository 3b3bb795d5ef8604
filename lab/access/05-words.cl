/* 4 bytes a work-item
 *
 * Changes: Nothing yet: each work-item copies one word.
 *
 * Why: Neighbouring work-items have neighbouring words, so that all of each sector is used. Still slow: a warp asks for
 * 128 bytes at a time; to keep memory busy, many warps have to wait for it together. */
KERNEL copy(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        out[i] = in[i];
}
