// charconv: the one file of the command that is C++.  It throws nothing and allocates nothing.
#include "charconv.h"

#include <charconv>

namespace
{
enum { MOST = 24 };

template <typename T> charconv_verdict read(const char *at, const char *end, T *to)
{
    const std::from_chars_result got = std::from_chars(at, end, *to);
    if (got.ptr != end || got.ec == std::errc::invalid_argument) return CHARCONV_NONE;
    return got.ec == std::errc() ? CHARCONV_GOOD : CHARCONV_RANGE;
}

template <typename T> char *write(T value, char *to)
{
    return std::to_chars(to, to + MOST, value, std::chars_format::scientific).ptr;
}
} // namespace

charconv_verdict charconv_read_f32(const char *at, const char *end, float *to) { return read(at, end, to); }
charconv_verdict charconv_read_f64(const char *at, const char *end, double *to) { return read(at, end, to); }
char *charconv_write_f32(float value, char *to) { return write(value, to); }
char *charconv_write_f64(double value, char *to) { return write(value, to); }
char *charconv_write_u64(uint64_t value, char *to) { return std::to_chars(to, to + MOST, value).ptr; }
