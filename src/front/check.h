/* Checks of arguments, made at the front only: inside there are assertions.
 * Each names the call, the argument, its value and the remedy.  `call` is the caller's __func__. */
#ifndef OPI_CHECK_H
#define OPI_CHECK_H

#include "base/error.h"
#include "base/fpenv.h"
#include "tree/device.h"

#include <oplus/ranks.h>

#include <stdbool.h>

oplus_status opi_check_device(const char *call, const oplus_device *dev);
/* A name for a message, where there may be none. */
static inline const char *opi_name(const char *name) { return name ? name : "?"; }

bool opi_type_is_valid(const oplus_type *type);
oplus_status opi_check_type(const char *call, const char *argument, const oplus_type *type);
/* The type of what functions take and return by value, on the stack, is not too large for it. */
oplus_status opi_check_by_value(const char *call, const char *argument, const oplus_type *type);
/* The type of a result: its floats are known, as their NaNs are made canonical. */
oplus_status opi_check_layout(const char *call, const char *argument, const oplus_type *type);
oplus_status opi_check_op(const char *call, const oplus_op *op);
oplus_status opi_check_kind(const char *call, oplus_kind kind);
oplus_status opi_check_deal(const char *call, oplus_deal deal);
/* An exclusive scan needs an identity to begin with. */
oplus_status opi_check_identity(const char *call, const oplus_op *op, const char *why);
/* NULL is fine where there is nothing to read or write. */
oplus_status opi_check_pointer(const char *call, const char *argument, const void *pointer, size_t n);
/* n elements of size bytes fit the address space. */
oplus_status opi_check_bytes(const char *call, const char *argument, size_t n, size_t size);
/* Two ranges are apart, or (if `same` is allowed) begin and end together. */
oplus_status opi_check_overlap(const char *call, const char *in_name, const void *in, size_t in_bytes,
                               const char *out_name, const void *out, size_t out_bytes, bool same);

#endif
