/* What moves with a key: OPI_VALUE_SIZE bytes, as an unsigned integer. */
#if OPI_VALUE_SIZE == 1
typedef uint8_t opi_moved;
#elif OPI_VALUE_SIZE == 2
typedef uint16_t opi_moved;
#elif OPI_VALUE_SIZE == 4
typedef uint32_t opi_moved;
#else
typedef uint64_t opi_moved;
#endif
