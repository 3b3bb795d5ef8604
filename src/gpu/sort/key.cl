/* A key is an unsigned integer of OPI_KEY_SIZE bytes. */
#if OPI_KEY_SIZE == 1
typedef uint8_t opi_key;
#elif OPI_KEY_SIZE == 2
typedef uint16_t opi_key;
#elif OPI_KEY_SIZE == 4
typedef uint32_t opi_key;
#else
typedef uint64_t opi_key;
#endif
