/* The keys of extremes.  Elements have OPI_SIZE bytes; OPI_IS_FLOAT and OPI_IS_SIGNED say how they are compared: side 0 is
 * the least, side 1 the greatest.
 *
 * A key is an unsigned number; the least key is what is looked for, and of equal ones the one in front (task/extreme.h). */

#define OPI_W (1u << OPI_LOG_W)
#undef OPI_UNROLL
#define OPI_UNROLL _Pragma("unroll")

#if OPI_SIZE == 1
typedef uint8_t opi_word;
#elif OPI_SIZE == 2
typedef uint16_t opi_word;
#elif OPI_SIZE == 4
typedef uint32_t opi_word;
#else
typedef uint64_t opi_word;
#endif
typedef opi_word opi_t; /* the name of an element in other texts */
#if OPI_SIZE == 8
typedef uint64_t opi_key;
#define OPI_INFINITY 0x7ff0000000000000ul
#define OPI_NAN      0x7ff8000000000000ul
#else
typedef uint32_t opi_key;
#define OPI_INFINITY 0x7f800000u
#define OPI_NAN      0x7fc00000u
#endif
#define OPI_TOP  ((opi_key)1 << (8 * OPI_SIZE - 1))
#define OPI_MASK (OPI_TOP | (OPI_TOP - 1))

OPI_FUNCTION opi_key opi_key_of(opi_word x, uint32_t side)
{
    opi_key key = x;
#if OPI_IS_FLOAT
    if ((key & ~OPI_TOP) > OPI_INFINITY) return 0;
    key = key & OPI_TOP ? ~key & OPI_MASK : key | OPI_TOP;
#elif OPI_IS_SIGNED
    key ^= OPI_TOP;
#endif
    return side ? ~key & OPI_MASK : key;
}

OPI_FUNCTION opi_word opi_value_of(opi_key key, uint32_t side)
{
    opi_key bits = side ? ~key & OPI_MASK : key;
#if OPI_IS_FLOAT
    if (key == 0) return OPI_NAN;
    bits = bits & OPI_TOP ? bits ^ OPI_TOP : ~bits & OPI_MASK;
#elif OPI_IS_SIGNED
    bits ^= OPI_TOP;
#endif
    return (opi_word)bits;
}
