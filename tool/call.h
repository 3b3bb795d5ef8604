/* Calls of the library: a failure in the words of the command line, an explanation in place of a result. */
#ifndef TOOL_CALL_H
#define TOOL_CALL_H

#include "options.h"

#include <oplus/oplus.h>

/* Ends the command if a call of the library failed, with its message in the words of the command line. */
void tool_try(oplus_status status);
/* With --explain, the first call that computes on this device is explained instead of done; then tool_try ends the
 * command. */
void tool_explain_begin(const tool_options *options, oplus_device *dev);
/* For inputs without elements, where no such call may follow.  Does nothing without --explain. */
void tool_explain_nothing(const tool_options *options);

/* A message of the library in these words; the caller frees it. */
char *tool_words(const char *message);
/* A type in a sentence: "i64", "struct {float a; float b;}"; the caller frees it. */
char *tool_type_words(const oplus_type *type);

#endif
