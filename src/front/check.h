/* Checks of arguments.  Only front makes them; other rooms have assertions.
 * The message of each names the call, the argument, its value and the remedy.  `call` is __func__ of the public
 * call. */
#ifndef OPI_CHECK_H
#define OPI_CHECK_H

#include "base/abi.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "task/identity.h"
#include "task/machine.h"

#include <oplus/ranks.h>

#include <stdbool.h>

oplus_status opi_fail_device(const char *call);
/* Each public call on a device begins with this check.  It also begins the explanation, if the call is to be
 * explained. */
static inline oplus_status opi_check_device(const char *call, oplus_device *dev)
{
    if (!dev) return opi_fail_device(call);
    if (dev->explained.text) {
        opi_say_begin(&dev->explained, dev->explained.text, dev->explained.bytes);
        opi_say(&dev->explained, "%s: nothing to compute\n", call);
    }
    return OPLUS_OK;
}

/* A name for a message; "?" if there is none. */
static inline const char *opi_name(const char *name) { return name ? name : "?"; }

static inline bool opi_type_is_valid(const oplus_type *type)
{
    return type && type->abi == OPLUS_ABI && type->size > 0 && type->align > 0 &&
           (type->align & (type->align - 1)) == 0 && (type->size & (type->align - 1)) == 0 &&
           type->align <= OPI_CACHE_LINE;
}

/* The checks of an argument are inlined: a map of 8 arrays makes 40 of them. */
oplus_status opi_fail_type(const char *call, const char *argument, const oplus_type *type);
static inline oplus_status opi_check_type(const char *call, const char *argument, const oplus_type *type)
{
    return opi_type_is_valid(type) ? OPLUS_OK : opi_fail_type(call, argument, type);
}

/* Checks that a type is small enough to be passed by value, on the stack. */
oplus_status opi_check_by_value(const char *call, const char *argument, const oplus_type *type);
/* Checks the type of a result: its floats must be known, as their NaNs are made canonical. */
oplus_status opi_check_record(const char *call, const char *argument, const oplus_type *type);
static inline oplus_status opi_check_layout(const char *call, const char *argument, const oplus_type *type)
{
    return type->scalar != OPLUS_RECORD ? OPLUS_OK : opi_check_record(call, argument, type);
}

oplus_status opi_check_op(const char *call, const oplus_op *op);
oplus_status opi_check_kind(const char *call, oplus_kind kind);
oplus_status opi_check_ranks_layout(const char *call, oplus_layout layout);

/* Whether elements of two types are the same: scalars of one kind, or structs of one name and text. */
bool opi_is_same_type(const oplus_type *a, const oplus_type *b);

/* Checks a pointer to n elements: NULL is allowed only if n is 0. */
oplus_status opi_fail_pointer(const char *call, const char *argument, size_t n);
static inline oplus_status opi_check_pointer(const char *call, const char *argument, const void *pointer, size_t n)
{
    if (pointer || n == 0) return OPLUS_OK;
    opi_fail_pointer(call, argument, n);
    return OPLUS_ERR_ARGUMENT;
}

/* Checks that n elements of `size` bytes fit the address space. */
oplus_status opi_fail_bytes(const char *call, const char *argument, size_t n, size_t size);
static inline oplus_status opi_check_bytes(const char *call, const char *argument, size_t n, size_t size)
{
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(n, size, &bytes) && bytes <= (size_t)PTRDIFF_MAX;
    return fits ? OPLUS_OK : opi_fail_bytes(call, argument, n, size);
}

/* Checks that two ranges do not overlap; if `same`, they may also be the same range. */
oplus_status opi_fail_overlap(const char *call, const char *in_name, const void *in, size_t in_bytes,
                              const char *out_name, const void *out, size_t out_bytes, bool same);
static inline oplus_status opi_check_overlap(const char *call, const char *in_name, const void *in, size_t in_bytes,
                                             const char *out_name, const void *out, size_t out_bytes, bool same)
{
    const uintptr_t i = (uintptr_t)in, o = (uintptr_t)out;
    if (in_bytes == 0 || out_bytes == 0) return OPLUS_OK;
    if (i + in_bytes <= o || o + out_bytes <= i) return OPLUS_OK;
    if (same && i == o && in_bytes == out_bytes) return OPLUS_OK;
    return opi_fail_overlap(call, in_name, in, in_bytes, out_name, out, out_bytes, same);
}

#endif
