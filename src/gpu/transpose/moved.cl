/* What a transpose moves at once: a word.  It is a unit of OPI_UNIT bytes, or 4 bytes of smaller units. */
#if OPI_UNIT < 4
typedef uint32_t opi_word;
#define OPI_PER_WORD (4 / OPI_UNIT)
#else
typedef opi_unit opi_word;
#define OPI_PER_WORD 1
#endif
#define OPI_WORD_BYTES (OPI_UNIT * OPI_PER_WORD)

/* The matrix that is read: the bytes from `begin` on and before `end`. */
typedef struct opi_source {
    ulong begin, end;
} opi_source;

/* A word at any address of a unit is made of the two aligned words that it touches, or is the first one: it begins `by` bits
 * behind where that begins. */
#if OPI_PER_WORD > 1
#define OPI_ALIGNED_WORD(at)        ((OPI_GLOBAL const opi_word *)((at) & ~(ulong)3))
#define OPI_BITS_BEYOND(at)         (8 * (uint32_t)((at) & 3))
#define OPI_JOINED(first, last, by) ((uint32_t)(((uint64_t)(last) << 32 | (first)) >> (by)))
#else
#define OPI_ALIGNED_WORD(at)        ((OPI_GLOBAL const opi_word *)(at))
#define OPI_BITS_BEYOND(at)         0
#define OPI_JOINED(first, last, by) (first)
#endif

/* Reads a word; units behind the matrix are left out. */
OPI_FUNCTION opi_word opi_read_word(const opi_source *matrix, ulong at)
{
    OPI_GLOBAL const opi_word *const from = OPI_ALIGNED_WORD(at);
#if OPI_PER_WORD > 1
    if ((ulong)from >= matrix->begin && at + 7 <= matrix->end) {
        const uint32_t by = OPI_BITS_BEYOND(at);
        return OPI_JOINED(from[0], by ? from[1] : 0, by);
    }
    opi_word x = 0;
    for (uint32_t i = 0; i < OPI_PER_WORD && at + i * OPI_UNIT < matrix->end; i++)
        x |= (opi_word) * (OPI_GLOBAL const opi_unit *)(at + i * OPI_UNIT) << 8 * OPI_UNIT * i;
    return x;
#else
    return from[0];
#endif
}
