/* What <charconv> of C++ does best, for C: floats in the shortest digits, and back.  No locale, no memory. */
#ifndef TOOL_CHARCONV_H
#define TOOL_CHARCONV_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum charconv_verdict { CHARCONV_GOOD = 0, CHARCONV_NONE, CHARCONV_RANGE } charconv_verdict;

/* [at, end) is a decimal number without a sign, and nothing else; RANGE: too large, or too small. */
charconv_verdict charconv_read_f32(const char *at, const char *end, float *to);
charconv_verdict charconv_read_f64(const char *at, const char *end, double *to);

/* Writes a finite number as d.ddde+XX, in at most 24 bytes; returns the end. */
char *charconv_write_f32(float value, char *to);
char *charconv_write_f64(double value, char *to);
/* Writes at most 20 bytes; returns the end. */
char *charconv_write_u64(uint64_t value, char *to);

#ifdef __cplusplus
}
#endif

#endif
