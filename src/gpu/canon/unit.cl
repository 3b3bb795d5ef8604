/* An element consists of units of OPI_UNIT bytes.  OPI_UNIT is a power of two up to 16, and addresses of elements are
 * aligned to it. */
#if OPI_UNIT == 1
typedef uint8_t opi_unit;
#elif OPI_UNIT == 2
typedef uint16_t opi_unit;
#elif OPI_UNIT == 4
typedef uint32_t opi_unit;
#elif OPI_UNIT == 8
typedef uint64_t opi_unit;
#else
typedef opi_vector opi_unit;
#endif
#define OPI_UNITS (OPI_SIZE / OPI_UNIT)
#define OPI_PER_VECTOR (16 / OPI_UNIT)
#define OPI_UNITS_BEYOND(p) ((uint32_t)((ulong)(p) & 15) / OPI_UNIT) /* from a multiple of 16 bytes to p */
