/* number: decimals of few digits are read by one exact operation, other decimals by charconv, everything else by
 * strtod. */
#include "number.h"

#include "charconv.h"
#include "type.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- digits ------------------------------------------------------------------------------------------------------- */

enum { SAFE_DIGITS = 19 }; /* this many never overflow 64 bits */

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Sets the high bit of each of eight letters that is no digit; bits behind the first such letter may be wrong. */
static uint64_t find_other(uint64_t letters)
{
    const uint64_t value = letters ^ 0x3030303030303030; /* a digit becomes less than 10 */
    return ((value + 0x7676767676767676) | value) & 0x8080808080808080;
}

/* Eight digits as a number: pairs, then fours, then all, in three multiplications; bytes of 0 count as digits 0. */
static uint64_t number_of_digits(uint64_t letters)
{
    letters = (letters & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    letters = (letters & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (letters & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

/* Reads digits and appends them to the number *m, which wraps around if there are too many; returns where they end. */
static inline const char *read_digits(const char *at, const char *end, uint64_t *m)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (uint64_t eight; end - at >= 8; at += 8) {
        memcpy(&eight, at, sizeof eight);
        const uint64_t other = find_other(eight);
        const unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
        if (n == 0) return at;
        *m = *m * tens[n] + number_of_digits(eight << (64 - 8 * n));
        if (n < 8) return at + n;
    }
    for (; at < end && is_digit(*at); at++) *m = *m * 10 + (uint64_t)(*at - '0');
    return at;
}

static bool is_sign(char c) { return c == '-' || c == '+'; }

static const char *behind_sign(const char *at, const char *end) { return at + (at < end && is_sign(*at)); }

static bool is_hexadecimal(const char *at, const char *end)
{
    return end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x';
}

/* --- integers ----------------------------------------------------------------------------------------------------- */

static const struct {
    uint64_t below, above; /* the largest magnitudes of negative and of other numbers */
} ranges[] = {
    [OPLUS_I8] = {128, INT8_MAX},          [OPLUS_I16] = {32768, INT16_MAX},
    [OPLUS_I32] = {2147483648, INT32_MAX}, [OPLUS_I64] = {(uint64_t)1 << 63, INT64_MAX},
    [OPLUS_U8] = {0, UINT8_MAX},           [OPLUS_U16] = {0, UINT16_MAX},
    [OPLUS_U32] = {0, UINT32_MAX},         [OPLUS_U64] = {0, UINT64_MAX},
};

typedef struct integer {
    bool negative;
    uint64_t magnitude;
} integer;

static bool fits(const integer *value, oplus_scalar scalar)
{
    return value->magnitude <= (value->negative ? ranges[scalar].below : ranges[scalar].above);
}

static unsigned digit_of(char c)
{
    if (is_digit(c)) return (unsigned)(c - '0');
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a' + 10) : 16;
}

/* Any number of digits of a base. */
static number_verdict read_long(const char *at, const char *end, unsigned base, uint64_t *value)
{
    number_verdict verdict = NUMBER_GOOD;
    for (*value = 0; at < end; at++) {
        const unsigned digit = digit_of(*at);
        if (digit >= base) return NUMBER_NONE;
        if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, digit, value))
            verdict = NUMBER_NO_FIT;
    }
    return verdict;
}

/* [+-]digits or [+-]0xdigits */
static number_verdict read_integer(const char *at, const char *end, integer *out)
{
    out->negative = at < end && *at == '-';
    at = behind_sign(at, end);
    if (at == end) return NUMBER_NONE;
    if (is_hexadecimal(at, end)) return read_long(at + 2, end, 16, &out->magnitude);
    if (end - at > SAFE_DIGITS) return read_long(at, end, 10, &out->magnitude);
    out->magnitude = 0;
    return read_digits(at, end, &out->magnitude) == end ? NUMBER_GOOD : NUMBER_NONE;
}

const char *number_integer_type(const char *at, const char *end)
{
    integer value;
    const number_verdict read = read_integer(at, end, &value);
    if (read == NUMBER_NONE) return NULL;
    if (read == NUMBER_GOOD && fits(&value, OPLUS_I64)) return "i64";
    return read == NUMBER_GOOD && fits(&value, OPLUS_U64) ? "u64" : "f64";
}

static void store_integer(oplus_scalar scalar, uint64_t bits, void *to)
{
    /* Two's complement, little-endian (type.h), so that the low bytes are the value. */
    switch (tool_scalar_size(scalar)) {
    case 1:
        memcpy(to, &bits, 1);
        break;
    case 2:
        memcpy(to, &bits, 2);
        break;
    case 4:
        memcpy(to, &bits, 4);
        break;
    default:
        memcpy(to, &bits, 8);
    }
}

/* --- floats ------------------------------------------------------------------------------------------------------- */

static bool is_float(oplus_scalar scalar) { return scalar == OPLUS_F32 || scalar == OPLUS_F64; }

/* m * 10^e */
typedef struct decimal {
    uint64_t m;
    int e;
    bool negative;
    bool whole; /* written without a point and an exponent */
} decimal;

/* The exponent behind e; NULL: none, or one of more than four digits. */
static const char *read_exponent(const char *at, const char *end, int *e)
{
    enum { MOST = 4 };
    uint64_t size = 0;
    const bool down = at < end && *at == '-';
    const char *const first = behind_sign(at, end), *const stop = read_digits(first, end, &size);
    if (stop == first || stop - first > MOST) return NULL;
    *e += down ? -(int)size : (int)size;
    return stop;
}

/* Reads the plain decimal number that [at, end) begins with; returns where it ends.  NULL: no number, or too many
 * digits. */
static inline const char *read_decimal(const char *at, const char *end, decimal *d)
{
    *d = (decimal){.negative = at < end && *at == '-', .whole = true};
    at = behind_sign(at, end);
    const char *const first = at;
    at = read_digits(at, end, &d->m);
    ptrdiff_t digits = at - first;
    if (at < end && *at == '.') {
        const char *const point = ++at;
        at = read_digits(at, end, &d->m);
        digits += at - point;
        d->e = -(int)(at - point);
        d->whole = false;
    }
    if (digits == 0 || digits > SAFE_DIGITS) return NULL;
    if (at == end || (*at | 32) != 'e') return at;
    d->whole = false;
    return read_exponent(at + 1, end, &d->e);
}

static void store_float(oplus_scalar scalar, double value, bool negative, void *to)
{
    const double wide = negative ? -value : value;
    const float narrow = (float)wide;
    if (scalar == OPLUS_F64)
        memcpy(to, &wide, sizeof wide);
    else
        memcpy(to, &narrow, sizeof narrow);
}

/* If the digits and the power of ten are both exact in the type, one operation rounds correctly (Clinger 1990). */
static bool scale_exactly(oplus_scalar scalar, const decimal *d, void *to)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { EXACT_F64 = 22, EXACT_F32 = 10 };
    const bool wide = scalar == OPLUS_F64;
    const int most = wide ? EXACT_F64 : EXACT_F32;
    if (d->m > (uint64_t)1 << (wide ? DBL_MANT_DIG : FLT_MANT_DIG) || d->e < -most || d->e > most) return false;
    if (wide) {
        store_float(scalar, d->e < 0 ? (double)d->m / tens[-d->e] : (double)d->m * tens[d->e], d->negative, to);
    } else {
        const float m = (float)d->m;
        store_float(scalar, (double)(d->e < 0 ? m / (float)tens[-d->e] : m * (float)tens[d->e]), d->negative, to);
    }
    return true;
}

/* The same in a wider type, if there is one with a significand of 64 bits.  Rounding twice gives the same as
 * rounding once unless the first result lies exactly between two neighbours of the second type.  (Valgrind computes
 * in 53 bits, and the bits behind them are 0: the slow way is taken then, too.) */
static bool scale_widely(oplus_scalar scalar, const decimal *d, void *to)
{
#if LDBL_MANT_DIG == 64
    static const long double tens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                       1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                       1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    enum { EXACT = 27 }; /* 5^27 < 2^64 */
    if (d->e < -EXACT || d->e > (scalar == OPLUS_F64 ? EXACT : 0)) return false;
    const long double value = d->e < 0 ? (long double)d->m / tens[-d->e] : (long double)d->m * tens[d->e];
    const unsigned spare = LDBL_MANT_DIG - (scalar == OPLUS_F64 ? DBL_MANT_DIG : FLT_MANT_DIG);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & (((uint64_t)1 << (LDBL_MANT_DIG - DBL_MANT_DIG)) - 1)) == 0) return false;
    if ((bits & (((uint64_t)1 << spare) - 1)) == (uint64_t)1 << (spare - 1)) return false;
    store_float(scalar, scalar == OPLUS_F64 ? (double)value : (double)(float)value, d->negative, to);
    return true;
#else
    return (void)scalar, (void)d, (void)to, false;
#endif
}

/* For numbers that only C's library reads: hexadecimal, inf, nan; and to find out whether a number is too large or
 * too small. */
static number_verdict read_by_strtod(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    enum { SHORT = 64 };
    char brief[SHORT], *stop;
    const size_t n = (size_t)(end - at);
    if (n == 0 || isspace((unsigned char)*at)) return NUMBER_NONE;
    char *const text = n < SHORT ? brief : malloc(n + 1);
    if (!text) return NUMBER_NONE;
    memcpy(text, at, n);
    text[n] = '\0';
    errno = 0;
    const double value = scalar == OPLUS_F64 ? strtod(text, &stop) : (double)strtof(text, &stop);
    const bool all = stop == text + n, too_large = isinf(value) && errno == ERANGE;
    if (text != brief) free(text);
    if (!all) return NUMBER_NONE;
    store_float(scalar, value, false, to);
    return too_large ? NUMBER_NO_FIT : NUMBER_GOOD;
}

static number_verdict read_slowly(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    const char *const first = behind_sign(at, end);
    if (first == end || (!is_digit(*first) && *first != '.') || is_hexadecimal(first, end))
        return read_by_strtod(scalar, at, end, to);
    float narrow = 0;
    double wide = 0;
    const charconv_verdict read =
        scalar == OPLUS_F64 ? charconv_read_f64(first, end, &wide) : charconv_read_f32(first, end, &narrow);
    if (read == CHARCONV_NONE) return NUMBER_NONE;
    if (read == CHARCONV_RANGE) return read_by_strtod(scalar, at, end, to);
    store_float(scalar, scalar == OPLUS_F64 ? wide : (double)narrow, *at == '-', to);
    return NUMBER_GOOD;
}

static bool scale(oplus_scalar scalar, const decimal *d, void *to)
{
    return scale_exactly(scalar, d, to) || scale_widely(scalar, d, to);
}

static number_verdict read_float(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    decimal d;
    return read_decimal(at, end, &d) == end && scale(scalar, &d, to) ? NUMBER_GOOD : read_slowly(scalar, at, end, to);
}

/* --- what is read quickly ----------------------------------------------------------------------------------------- */

static const char *float_front(oplus_scalar scalar, const char *at, const char *end, void *to, bool *whole)
{
    decimal d;
    const char *const stop = read_decimal(at, end, &d);
    if (!stop || (d.whole && d.m > (uint64_t)1 << DBL_MANT_DIG) || !scale(scalar, &d, to)) return NULL;
    *whole &= d.whole;
    return stop;
}

const char *number_front(oplus_scalar scalar, const char *at, const char *end, void *to, bool *whole)
{
    if (is_float(scalar)) return float_front(scalar, at, end, to, whole);
    integer value = {at < end && *at == '-', 0};
    const char *const first = behind_sign(at, end), *const stop = read_digits(first, end, &value.magnitude);
    if (stop == first || stop - first > SAFE_DIGITS || !fits(&value, scalar)) return NULL;
    store_integer(scalar, value.negative ? -value.magnitude : value.magnitude, to);
    return stop;
}

/* --- any of them -------------------------------------------------------------------------------------------------- */

number_verdict number_read(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    if (is_float(scalar)) return read_float(scalar, at, end, to);
    integer value;
    const number_verdict read = read_integer(at, end, &value);
    if (read == NUMBER_NONE) {
        double number;
        return read_float(OPLUS_F64, at, end, &number) == NUMBER_NONE ? NUMBER_NONE : NUMBER_FRACTION;
    }
    if (read != NUMBER_GOOD || !fits(&value, scalar)) return NUMBER_NO_FIT;
    store_integer(scalar, value.negative ? -value.magnitude : value.magnitude, to);
    return NUMBER_GOOD;
}

/* Does f64 hold an integer of many digits?  All digits of a double are known to printf. */
static bool is_held(const char *at, const char *end, double value)
{
    enum { LONGEST = DBL_MAX_10_EXP + 4 };
    char digits[LONGEST];
    at = behind_sign(at, end);
    if (is_hexadecimal(at, end)) {
        integer read; /* for more than 64 bits the answer is no */
        return read_integer(at, end, &read) == NUMBER_GOOD && value != 0x1p64 && (uint64_t)value == read.magnitude;
    }
    while (end - at > 1 && *at == '0') at++;
    const int n = snprintf(digits, sizeof digits, "%.0f", value);
    return n == end - at && memcmp(digits, at, (size_t)n) == 0;
}

number_verdict number_read_exact(const char *at, const char *end, double *to, bool *whole)
{
    if (number_front(OPLUS_F64, at, end, to, whole) == end) return NUMBER_GOOD;
    const number_verdict read = read_float(OPLUS_F64, at, end, to);
    if (read == NUMBER_NONE) return read;
    const bool integral = number_integer_type(at, end) != NULL;
    *whole &= integral;
    if (read != NUMBER_GOOD || !integral || fabs(*to) < 0x1p53) return read;
    return is_held(at, end, fabs(*to)) ? NUMBER_GOOD : NUMBER_INEXACT;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static char *write_signed(int64_t value, char *to)
{
    if (value >= 0) return charconv_write_u64((uint64_t)value, to);
    *to++ = '-';
    return charconv_write_u64(-(uint64_t)value, to);
}

static char *write_text(const char *text, size_t n, char *to)
{
    memcpy(to, text, n);
    return to + n;
}

static char *write_zeros(int n, char *to)
{
    while (n-- > 0) *to++ = '0';
    return to;
}

/* Up to 17 digits are copied.  A copy of fixed size takes few instructions, so source and target both have this many
 * bytes. */
enum { DIGITS_COPY = 24, SCIENTIFIC = 64 };
static char *write_digits(const char *digits, int n, char *to)
{
    memcpy(to, digits, DIGITS_COPY);
    return to + n;
}

/* Writes d.ddd * 10^exponent, with `digits` digits, as a number without an exponent. */
static char *write_fixed(const char *text, int digits, int exponent, char *to)
{
    const char *const rest = text + 2; /* digits behind the first one */
    if (exponent < 0) {
        to = write_zeros(-exponent - 1, write_text("0.", 2, to));
        *to++ = *text;
        return write_digits(rest, digits - 1, to);
    }
    const int before = exponent < digits ? exponent : digits - 1; /* of the rest, before the point */
    *to++ = *text;
    to = write_digits(rest, before, to);
    if (exponent >= digits - 1) return write_zeros(exponent - before, to);
    *to++ = '.';
    return write_digits(rest + before, digits - 1 - before, to);
}

/* As %g would, in the fewest digits that read back the same. */
static char *write_float(oplus_scalar scalar, double value, char *to)
{
    const bool wide = scalar == OPLUS_F64;
    const double countable = wide ? 0x1p53 : 0x1p24;
    if (isnan(value)) return write_text("nan", 3, to);
    if (fabs(value) <= countable && value == (double)(int64_t)value && (value != 0 || !signbit(value)))
        return write_signed((int64_t)value, to);
    if (signbit(value)) *to++ = '-';
    if (isinf(value)) return write_text("inf", 3, to);
    if (value == 0) return write_text("0", 1, to);

    char text[SCIENTIFIC] = {0};
    const char *const end = wide ? charconv_write_f64(fabs(value), text) : charconv_write_f32((float)fabs(value), text);
    const char *const e = end[-4] == 'e' ? end - 4 : end - 5;
    const int size = (e[2] - '0') * 10 + (e[3] - '0');
    const int exponent = (e[1] == '-' ? -1 : 1) * (end - e > 4 ? size * 10 + (e[4] - '0') : size);
    const int digits = e - text > 1 ? (int)(e - text) - 1 : 1, least = wide ? DBL_DIG : FLT_DIG;
    if (exponent < -4 || exponent >= (digits > least ? digits : least))
        return write_text(text, (size_t)(end - text), to);
    return write_fixed(text, digits, exponent, to);
}

char *number_write(oplus_scalar scalar, const void *value, char *to)
{
#define WRITE(KIND, T, how)                                                                                            \
    case KIND: {                                                                                                       \
        T x;                                                                                                           \
        memcpy(&x, value, sizeof x);                                                                                   \
        return how;                                                                                                    \
    }
    switch (scalar) {
        WRITE(OPLUS_I8, int8_t, write_signed(x, to))
        WRITE(OPLUS_I16, int16_t, write_signed(x, to))
        WRITE(OPLUS_I32, int32_t, write_signed(x, to))
        WRITE(OPLUS_I64, int64_t, write_signed(x, to))
        WRITE(OPLUS_U8, uint8_t, charconv_write_u64(x, to))
        WRITE(OPLUS_U16, uint16_t, charconv_write_u64(x, to))
        WRITE(OPLUS_U32, uint32_t, charconv_write_u64(x, to))
        WRITE(OPLUS_U64, uint64_t, charconv_write_u64(x, to))
        WRITE(OPLUS_F32, float, write_float(scalar, (double)x, to))
        WRITE(OPLUS_F64, double, write_float(scalar, x, to))
    case OPLUS_RECORD:
        break;
    }
#undef WRITE
    return to;
}
