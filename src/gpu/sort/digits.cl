/* The way "digits": a stable sort from the lowest digit to the highest, which reads and writes each element once a
 * digit.  CUDA, compute capability 8.0.  This text comes behind sums.cl, sort.cl, key_order.cl, warps.cl and numbers.cl.
 *
 *     begin   clears memory
 *     count   reads all keys and counts the values of all their digits; digits that do not vary are left out
 *     pass    moves the elements by one digit; a work-group has a tile
 *     end     copies the result to its place, if the number of passes was odd
 *
 * In a pass a group tells how many keys of each digit its tile has, and looks back over the tiles before until it knows
 * how many all of them have.  Tiles are taken in order, so that those before run already or are done; every wait gives up
 * after OPI_PATIENCE cycles.
 *
 * Numbering the keys of a tile: each warp has counters of its own.  An atomic addition to them gives a key the next
 * number of its digit.  Which of a warp's additions to one counter comes first is nowhere promised, so that the group
 * looks afterwards whether the order is right; if not, it numbers again with votes, which need no promise.
 *
 * OPI_LIMITED: keys are compared by some of their bits.  They are cut into digits; the last one has eight bits, too, if there
 * are so many, some of which are then also those of the one before.  As also keys alone must keep their order where these bits
 * are equal, and nobody could see whether they do, they are numbered with votes at once.
 *
 * OPI_WIDE: there are too many elements for the 30 bits of a tile, or for 32 bits.  A pass is then several launches, one for
 * each portion of the tiles, whose states begin anew.  The last tile of a portion tells the next one where its keys go.
 *
 * Defined before this text: the numbers of gpu/sort/digits.c. */

#define OPI_WARPS    (OPI_DIGITS_W / 32)
#define OPI_COUNT_BOUNDS  __launch_bounds__(OPI_DIGITS_W)
#define OPI_DIGITS_BOUNDS __launch_bounds__(OPI_DIGITS_W, OPI_DIGITS_GROUPS)

/* How many elements there are; where one is.  A launch has one portion of `portions`; each but the last has `tiles`. */
#if OPI_WIDE
typedef uint64_t opi_index;
#define OPI_PORTION_PARAMS const uint32_t portion, const uint32_t portions,
#define OPI_PORTION        portion
#define OPI_PORTIONS       portions
#else
typedef uint32_t opi_index;
#define OPI_PORTION_PARAMS
#define OPI_PORTION  0u
#define OPI_PORTIONS 1u
#endif

/* What a tile tells of a digit: 30 bits of a number, and in the highest two what the number is. */
#define OPI_OWN     (1u << 30) /* keys of this tile */
#define OPI_UP_TO   (2u << 30) /* keys of this tile and all before */
#define OPI_GAVE_UP (3u << 30) /* none: a group waited in vain */

/* --- what the launches of a sort tell each other ------------------------------------------------------------------- */

typedef struct opi_digits_work {
    uint32_t finished; /* groups of `count` that are done */
    uint32_t gave_up;  /* a group waited in vain: launches that follow leave everything as it is */
    uint32_t passes;
    uint32_t digit[OPI_KEY_SIZE];              /* the number of the digit of each pass, */
    uint32_t shift[OPI_KEY_SIZE];              /* ... and where it begins */
    uint32_t ticket[OPI_KEY_SIZE];             /* tiles that each pass has begun, of all portions */
    opi_index count[OPI_KEY_SIZE][OPI_DIGITS]; /* keys of each digit, then where they begin */
#if OPI_WIDE
    opi_index start[2][OPI_DIGITS]; /* the same of the rest, from a portion of an even, and of an odd number on */
#endif
} opi_digits_work;
static_assert(sizeof(opi_digits_work) <= OPI_DIGITS_BYTES, "the host reserves less");

/* Behind it are twice OPI_DIGITS words for each tile: for launches of even, and of odd numbers. */
OPI_FUNCTION uint32_t *opi_states(opi_digits_work *work, uint32_t launch, uint32_t tiles)
{
    return (uint32_t *)((unsigned char *)work + OPI_DIGITS_BYTES) + (launch & 1) * (uint64_t)tiles * OPI_DIGITS;
}

/* --- counting ------------------------------------------------------------------------------------------------------ */

OPI_KERNEL void opi_digits_begin(OPI_PARAM(works), const uint32_t tiles)
{
    OPI_AFTER_LAUNCHES();
    opi_digits_work *const work = OPI_AT(opi_digits_work, works);
    uint32_t *const states = opi_states(work, 0, tiles);
    const uint64_t self = OPI_GROUP * blockDim.x + OPI_SELF, all = OPI_GROUPS * blockDim.x;
    for (uint64_t i = self; i < sizeof *work / sizeof(uint32_t); i += all) ((uint32_t *)work)[i] = 0;
    for (uint64_t i = self; i < (uint64_t)tiles * OPI_DIGITS; i += all) states[i] = 0;
}

typedef uint32_t opi_digit_counts[OPI_KEY_SIZE][OPI_DIGITS];

/* The bits that are compared: [low, high). */
typedef struct opi_bits {
    uint32_t low, high;
} opi_bits;

/* How many digits there are, and where one of them begins. */
OPI_FUNCTION uint32_t opi_digits_of(opi_bits bits)
{
    return OPI_LIMITED ? (bits.high - bits.low + OPI_DIGIT_BITS - 1) / OPI_DIGIT_BITS : OPI_KEY_SIZE;
}
OPI_FUNCTION uint32_t opi_digit_begin(opi_bits bits, uint32_t digit)
{
    const uint32_t begin = OPI_DIGIT_BITS * digit;
    if (!OPI_LIMITED) return begin;
    const uint32_t last = bits.high - bits.low > OPI_DIGIT_BITS ? bits.high - OPI_DIGIT_BITS : bits.low;
    return bits.low + begin < last ? bits.low + begin : last;
}

OPI_FUNCTION void opi_count_key(opi_digit_counts count, opi_key key, opi_order order, opi_bits bits)
{
    const opi_key x = opi_mapped(key, order);
    OPI_UNROLL for (uint32_t b = 0; b < OPI_KEY_SIZE; b++)
        if (b < opi_digits_of(bits)) atomicAdd(&count[b][opi_digit_at(x, opi_digit_begin(bits, b))], 1u);
}

/* Adds to a count of all groups. */
OPI_FUNCTION void opi_add_count(opi_index *to, uint32_t count)
{
#if OPI_WIDE
    atomicAdd((unsigned long long *)to, (unsigned long long)count);
#else
    atomicAdd(to, count);
#endif
}

/* The sum of what is at count[0 .. OPI_SELF - 1], of which `own` is at count[OPI_SELF].  It ends with a barrier. */
OPI_FUNCTION opi_index opi_count_before(const volatile opi_index *count, opi_index own, uint32_t *sum)
{
#if OPI_WIDE
    opi_index before = 0;
    for (uint32_t d = 0; d < OPI_SELF && OPI_SELF < OPI_DIGITS; d++) before += count[d];
    __syncthreads();
    return before;
#else
    return opi_sum_before(own, sum);
#endif
}

/* All groups have counted: finds where the digits begin, and which of them vary. */
OPI_FUNCTION void opi_plan_passes(opi_digits_work *work, opi_index n, opi_bits bits, uint32_t *sum)
{
    uint32_t passes = 0;
    for (uint32_t b = 0; b < opi_digits_of(bits); b++) {
        const opi_index own = OPI_SELF < OPI_DIGITS ? *(volatile opi_index *)&work->count[b][OPI_SELF] : 0;
        const opi_index start = opi_count_before(work->count[b], own, sum);
        if (OPI_SELF < OPI_DIGITS) work->count[b][OPI_SELF] = start;
        if (__syncthreads_or(own == n)) continue;
        if (OPI_SELF == 0) {
            work->digit[passes] = b;
            work->shift[passes] = opi_digit_begin(bits, b);
        }
        passes++;
    }
    if (OPI_SELF > 0) return;
    if (passes == 0) work->shift[0] = opi_digit_begin(bits, 0);
    work->passes = passes > 0 ? passes : 1; /* indices are made even if all keys are equal */
}

OPI_KERNEL OPI_COUNT_BOUNDS void opi_digits_count(OPI_PARAM(keys), OPI_PARAM(works), const opi_index n,
                                                  const uint64_t negative, const uint64_t flip, const uint32_t low,
                                                  const uint32_t high)
{
    __shared__ opi_digit_counts count;
    __shared__ uint32_t sum[32], is_last;
    OPI_AFTER_LAUNCHES();
    opi_digits_work *const work = OPI_AT(opi_digits_work, works);
    const opi_key *const from = OPI_AT(const opi_key, keys);
    const opi_order order = opi_order_if(true, negative, flip);
    const opi_bits bits = {low, high};
    for (uint32_t i = OPI_SELF; i < OPI_KEY_SIZE * OPI_DIGITS; i += OPI_DIGITS_W) (&count[0][0])[i] = 0;
    __syncthreads();
    const uint64_t all = OPI_GROUPS * OPI_DIGITS_W;
    uint64_t i = OPI_GROUP * OPI_DIGITS_W + OPI_SELF;
    for (; i + 7 * all < n; i += 8 * all) {
        opi_key own[8]; /* all are under way before the first is looked at */
        OPI_UNROLL for (uint32_t u = 0; u < 8; u++) own[u] = from[i + u * all];
        OPI_UNROLL for (uint32_t u = 0; u < 8; u++) opi_count_key(count, own[u], order, bits);
    }
    for (; i < n; i += all) opi_count_key(count, from[i], order, bits);
    __syncthreads();
    for (uint32_t j = OPI_SELF; j < OPI_KEY_SIZE * OPI_DIGITS; j += OPI_DIGITS_W)
        if ((&count[0][0])[j] > 0) opi_add_count(&(&work->count[0][0])[j], (&count[0][0])[j]);
    __threadfence();
    __syncthreads();
    if (OPI_SELF == 0) is_last = atomicAdd(&work->finished, 1u) == (uint32_t)OPI_GROUPS - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    opi_plan_passes(work, n, bits, sum);
}
