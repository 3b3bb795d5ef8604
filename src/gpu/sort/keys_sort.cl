/* The kernels that sort what groups can hold: all keys in one launch, or the buckets. */

#define OPI_SORT_BOUNDS  __launch_bounds__(OPI_SORT_W, OPI_SORT_GROUPS)
#define OPI_LARGE_BOUNDS __launch_bounds__(OPI_LARGE_W, 1)
typedef opi_local<OPI_SORT_W, OPI_SORT_V> opi_sort_memory;
typedef opi_local<OPI_LARGE_W, OPI_SORT_V> opi_large_memory;
static_assert(sizeof(opi_sort_memory) <= OPI_SORT_LOCAL && sizeof(opi_large_memory) <= OPI_LARGE_LOCAL, "memory");

#if OPI_ONE

/* Sorts all n keys, at most OPI_SORT_MOST. */
OPI_KERNEL OPI_SORT_BOUNDS void opi_keys_one(OPI_PARAM(keys), OPI_PARAM(to), const uint32_t n, const uint64_t negative,
                                  const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_raw_keys from;
    from.at = OPI_AT(const opi_key, keys);
    from.order = opi_order_of(negative, flip);
    opi_sort_piece<OPI_SORT_W, OPI_SORT_V>((opi_sort_memory *)opi_group_memory, from, OPI_AT(opi_key, to), n, 0, OPI_CROWD,
                                           from.order);
}

/* The same, at most OPI_LARGE_MOST. */
OPI_KERNEL OPI_LARGE_BOUNDS void opi_keys_one_large(OPI_PARAM(keys), OPI_PARAM(to), const uint32_t n, const uint64_t negative,
                                         const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_raw_keys from;
    from.at = OPI_AT(const opi_key, keys);
    from.order = opi_order_of(negative, flip);
    opi_sort_piece<OPI_LARGE_W, OPI_SORT_V>((opi_large_memory *)opi_group_memory, from, OPI_AT(opi_key, to), n, 0, OPI_CROWD,
                                            from.order);
}

#else

/* Sorts the buckets that fit; a group has one. */
OPI_KERNEL OPI_SORT_BOUNDS void opi_keys_sort(OPI_PARAM(keys), OPI_PARAM(to), OPI_PARAM(works), const uint64_t negative,
                                   const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    const opi_work *const work = OPI_AT(const opi_work, works);
    if (OPI_GROUP >= work->map.buckets) return;
    const uint32_t start = work->begin[OPI_GROUP], n = work->begin[OPI_GROUP + 1] - start;
    if (n == 0 || n > OPI_SORT_MOST) return;
    opi_mapped_keys from;
    from.at = OPI_AT(const opi_key, keys) + start;
    const uint32_t known = opi_is_plain(&work->map) ? 32 - work->map.right : 0;
    opi_sort_piece<OPI_SORT_W, OPI_SORT_V>((opi_sort_memory *)opi_group_memory, from, OPI_AT(opi_key, to) + start, n,
                                           known, OPI_ANY_CROWD, opi_order_of(negative, flip));
}

/* Sorts the buckets that a larger group can hold. */
OPI_KERNEL OPI_LARGE_BOUNDS void opi_keys_sort_large(OPI_PARAM(keys), OPI_PARAM(to), OPI_PARAM(works), const uint64_t most,
                                          const uint64_t negative, const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_work *const work = OPI_AT(opi_work, works);
    const opi_lists lists = opi_lists_of(work, most);
    for (uint32_t i = (uint32_t)OPI_GROUP; i < work->larges; i += (uint32_t)OPI_GROUPS) {
        const uint32_t b = lists.large[i], start = work->begin[b];
        opi_mapped_keys from;
        from.at = OPI_AT(const opi_key, keys) + start;
        opi_sort_piece<OPI_LARGE_W, OPI_SORT_V>((opi_large_memory *)opi_group_memory, from, OPI_AT(opi_key, to) + start,
                                                work->begin[b + 1] - start, 0, OPI_ANY_CROWD,
                                                 opi_order_of(negative, flip));
        __syncthreads();
    }
}

#endif
