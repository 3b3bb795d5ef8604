#include "rounding.h"

#include "die.h"

#include <float.h>
#include <math.h>
#include <string.h>

void tool_rounding_see_whole(tool_rounding *rounding, bool whole, const oplus_type *type, const void *results, size_t n)
{
    if (rounding->beyond || type->scalar != OPLUS_F64 || !whole) return;
    const double *const x = results;
    bool beyond = false;
    for (size_t i = 0; i < n; i++) beyond |= fabs(x[i]) >= 0x1p53 && fabs(x[i]) <= DBL_MAX; /* inf is easy to see */
    rounding->beyond = beyond;
}

void tool_rounding_see(tool_rounding *rounding, const tool_source *source, const oplus_type *type, const void *results,
                       size_t n)
{
    tool_rounding_see_whole(rounding, tool_source_is_whole(source), type, results, n);
}

void tool_rounding_tell_whole(const tool_rounding *rounding, bool whole, const char *file, const char *name)
{
    static const char *const exact[] = {"min", "max", "copy", "neg", "abs", "floor", "ceil", "trunc", "round", "sign"};
    if (!rounding->beyond || !whole) return;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0) return;
    tool_warn("%s: numbers without -t are f64, and a result has reached 2^53, from which on f64 rounds integers; "
              "-t i64 is exact up to 2^63",
              file);
}

void tool_rounding_tell(const tool_rounding *rounding, const tool_source *source, const char *name)
{
    tool_rounding_tell_whole(rounding, tool_source_is_whole(source), tool_source_name(source), name);
}
