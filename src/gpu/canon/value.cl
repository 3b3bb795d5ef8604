/* A value that travels with a key.  OPI_VALUE_SIZE: its bytes, 0: there are none; OPI_VALUE_UNIT: bytes of the integers that
 * it consists of. */

#if OPI_VALUE_SIZE
#if OPI_VALUE_UNIT == 1
typedef uint8_t opi_unit;
#elif OPI_VALUE_UNIT == 2
typedef uint16_t opi_unit;
#elif OPI_VALUE_UNIT == 4
typedef uint32_t opi_unit;
#else
typedef uint64_t opi_unit;
#endif
typedef struct opi_value {
    opi_unit unit[OPI_VALUE_SIZE / OPI_VALUE_UNIT];
} opi_value;
#endif
