/* A copy, 16 bytes a work-item: what the memory of the device can do. */
KERNEL copy(ARRAY(const uint4, in), ARRAY(uint4, out), const uint n)
{
    const uint i = GROUP * 256 + ITEM;
    if (i < n) out[i] = in[i];
}
