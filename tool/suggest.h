/* Did you mean ...?  The known name that is nearest to a word. */
#ifndef TOOL_SUGGEST_H
#define TOOL_SUGGEST_H

#include <stddef.h>

/* The name at the smallest edit distance, or NULL where none is near enough to be meant.  next(i) gives the i-th name,
 * and NULL after the last. */
const char *tool_nearest(const char *word, const char *(*next)(size_t i));

#endif
