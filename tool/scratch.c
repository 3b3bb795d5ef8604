#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */
#include "scratch.h"

#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tool_scratch tool_scratch_begin(void)
{
    tool_scratch scratch = {0};
    const char *const asked = getenv("TMPDIR"), *const parent = asked && *asked ? asked : "/tmp";
    const size_t bytes = strlen(parent) + sizeof "/oplus.XXXXXX";
    scratch.path = tool_alloc(bytes);
    snprintf(scratch.path, bytes, "%s/oplus.XXXXXX", parent);
    if (!mkdtemp(scratch.path)) { /* the library reports it if it needs a directory */
        free(scratch.path);
        return (tool_scratch){0};
    }
    scratch.slot = tool_unfinished(scratch.path);
    scratch.asked = asked ? tool_copy(asked) : NULL;
    setenv("TMPDIR", scratch.path, 1);
    return scratch;
}

void tool_scratch_end(tool_scratch *scratch)
{
    if (!scratch->path) return;
    if (scratch->asked)
        setenv("TMPDIR", scratch->asked, 1);
    else
        unsetenv("TMPDIR");
    tool_unfinished_remove(scratch->slot);
    free(scratch->path);
    free(scratch->asked);
}
