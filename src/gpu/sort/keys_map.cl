/* The map from keys to buckets, made of a sample.
 *
 * The bits that all keys of the sample share, a few at either end left out, are passed over; the 32 bits behind them
 * are the key's place.  Where integers of all sizes would crowd near zero, the place is scaled, as a float is.
 *
 * If the sample is even, the highest bits of the place are the bucket.  Else they choose a cell, and each cell has
 * buckets of its own, as many as its part of the sample asks for, between the least and the largest place that the
 * sample has there: floats lie close together near zero, and integers often share a high half.  Cells with few keys
 * share a bucket, and a key that is frequent has a bucket of its own. */

#define OPI_LAST_PLACE_IN_CELL (0xffffffffu >> OPI_LOG_CELLS)

/* How many bits a key has, and the bits behind the highest. */
#define OPI_LOG_SIZES (OPI_KEY_SIZE == 4 ? 6 : 7)
OPI_FUNCTION uint32_t opi_scaled_place(opi_key x)
{
    const uint32_t zeros = opi_leading_zeros(x);
    return OPI_KEY_BITS - zeros << 32 - OPI_LOG_SIZES | opi_bits_behind(x, zeros + 1) >> OPI_LOG_SIZES;
}

OPI_FUNCTION uint32_t opi_straight_place(opi_key x, const opi_map *map)
{
    x = x < map->least ? map->least : x;
    return opi_bits_behind((x > map->most ? map->most : x) - map->least, map->lead);
}

OPI_FUNCTION uint32_t opi_place_of(opi_key x, const opi_map *map)
{
    if (map->scaled) return opi_scaled_place(x);
    return map->lead > 0 ? opi_straight_place(x, map) : opi_bits_behind(x, 0);
}

#if OPI_KEY_SIZE == 4

OPI_FUNCTION opi_cell opi_make_cell(uint32_t low, uint32_t last, uint32_t first, uint32_t shift)
{
    opi_cell cell;
    cell.low = low;
    cell.last = last;
    cell.shift = shift;
    cell.first = first;
    return cell;
}

OPI_FUNCTION uint32_t opi_bucket_in(const opi_cell *at, uint32_t place)
{
    const opi_cell cell = *at;
    const uint32_t above = ((place > cell.low ? place : cell.low) - cell.low) >> cell.shift;
    return cell.first + (above < cell.last ? above : cell.last);
}

#else

/* A cell in two words, so that a look-up is one load of eight bytes: 23 bits of the least place (the others are the
 * cell's number), 17 bits of the number of buckets less one, 17 of the first bucket, 5 of the shift. */
#define OPI_CELL_BITS 23
#define OPI_CELL_MASK ((1u << OPI_CELL_BITS) - 1)

OPI_FUNCTION opi_cell opi_make_cell(uint32_t low, uint32_t last, uint32_t first, uint32_t shift)
{
    opi_cell cell;
    cell.low = (low & OPI_LAST_PLACE_IN_CELL) | last >> 8 << OPI_CELL_BITS;
    cell.place = first | shift << 17 | last << 24 >> 2;
    return cell;
}

OPI_FUNCTION uint32_t opi_bucket_in(const opi_cell *at, uint32_t place)
{
    const opi_cell cell = *at;
    const uint32_t own = place & OPI_LAST_PLACE_IN_CELL, low = cell.low & OPI_CELL_MASK;
    const uint32_t above = (own > low ? own - low : 0) >> (cell.place >> 17 & 31);
    const uint32_t last = cell.low >> OPI_CELL_BITS << 8 | cell.place >> 22 & 255;
    return (cell.place & 0x1ffff) + (above < last ? above : last);
}

#endif

OPI_FUNCTION uint32_t opi_bucket_at(uint32_t place, const opi_map *map, const opi_cell *cell)
{
    return map->right ? place >> map->right : opi_bucket_in(&cell[place >> (32 - OPI_LOG_CELLS)], place);
}

/* A value that the compiler knows nothing of: it would make a copy of a whole loop for each case. */
OPI_FUNCTION uint32_t opi_opaque(uint32_t x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* The bucket of a key, or of COUNT keys, for loops that are compiled once for a plain map, the most frequent one, and once
 * for any. */
struct opi_plain_bucket {
    static constexpr bool IS_LIGHT = true;
    uint32_t right;
    __device__ uint32_t of(opi_key x) const { return opi_bits_behind(x, 0) >> right; }
};
struct opi_any_bucket {
    static constexpr bool IS_LIGHT = false; /* it takes many instructions */
    opi_map map;
    const opi_cell *cell;
    __device__ uint32_t of(opi_key x) const { return opi_bucket_at(opi_place_of(x, &map), &map, cell); }
    template <int COUNT> __device__ void of_few(const opi_key *x, uint32_t *bucket) const
    {
        const uint32_t right = opi_opaque(map.right);
        if (opi_opaque(map.scaled)) {
            OPI_UNROLL for (int j = 0; j < COUNT; j++) bucket[j] = opi_scaled_place(x[j]);
        } else if (opi_opaque(map.lead) > 0) {
            OPI_UNROLL for (int j = 0; j < COUNT; j++) bucket[j] = opi_straight_place(x[j], &map);
        } else {
            OPI_UNROLL for (int j = 0; j < COUNT; j++) bucket[j] = opi_bits_behind(x[j], 0);
        }
        if (right > 0) {
            OPI_UNROLL for (int j = 0; j < COUNT; j++) bucket[j] >>= right;
        } else {
            OPI_UNROLL for (int j = 0; j < COUNT; j++)
                bucket[j] = opi_bucket_in(&cell[bucket[j] >> (32 - OPI_LOG_CELLS)], bucket[j]);
        }
    }
};

/* Whether a warp may have one digit only: the first and the last work-item have the same. */
OPI_FUNCTION bool opi_may_be_one(uint32_t digit)
{
    return __shfl_sync(OPI_ALL, digit, 0) == __shfl_sync(OPI_ALL, digit, 31);
}

/* Whether all keys of a warp, COUNT of each work-item, have one digit; *digit: of the first.  Digits never fall where
 * keys rise, so that the least and the largest key tell. */
template <int COUNT, class D> OPI_FUNCTION bool opi_is_one_digit(const D &digits, const opi_key *own, uint32_t *digit)
{
    opi_key least = own[0], most = own[0];
    *digit = __shfl_sync(OPI_ALL, digits.of(own[0]), 0);
    OPI_UNROLL for (int u = 1; u < COUNT; u++) {
        least = own[u] < least ? own[u] : least;
        most = own[u] > most ? own[u] : most;
    }
    return __all_sync(OPI_ALL, digits.of(least) == *digit && digits.of(most) == *digit);
}

/* The same of digits. */
template <int COUNT> OPI_FUNCTION bool opi_are_one(const uint32_t *digit)
{
    const uint32_t one = __shfl_sync(OPI_ALL, digit[0], 0);
    bool same = true;
    OPI_UNROLL for (int u = 0; u < COUNT; u++) same &= digit[u] == one;
    return __all_sync(OPI_ALL, same);
}

/* Whether a bucket is one place, and that place one key. */
OPI_FUNCTION bool opi_is_pure(const opi_work *work, uint32_t bucket)
{
    return !work->map.right && work->pure[bucket / 32] >> bucket % 32 & 1;
}

/* Brings the cells to shared memory, if they are needed.  A barrier must follow. */
OPI_FUNCTION void opi_bring_cells(const opi_work *work, opi_cell *cell)
{
    if (work->map.right) return;
    for (uint32_t i = OPI_SELF; i < OPI_CELLS; i += blockDim.x) cell[i] = work->cell[i];
}
