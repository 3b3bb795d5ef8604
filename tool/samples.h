/* Samples of a type, for oplus_op_check: the simplest first, so that a counterexample is easy to follow. */
#ifndef TOOL_SAMPLES_H
#define TOOL_SAMPLES_H

#include "type.h"

enum { TOOL_SAMPLES = 64 };

/* TOOL_SAMPLES elements; the caller frees them.  special: with NaN, infinities and -0 among them.  NULL: the members of
 * the type are not understood. */
void *tool_samples(const oplus_type *type, bool special);

#endif
