/* The offsets of segments of n elements each: at[s] = s * n. */
OPI_KERNEL void opi_row_offsets(OPI_PARAM(at), const uint64_t rows, const uint64_t n)
{
    const uint64_t s = (OPI_GROUP << OPI_LOG_W) + OPI_SELF;
    if (s <= rows) OPI_AT(uint64_t, at)[s] = s * n;
}
