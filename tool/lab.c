/* oplus lab: a program of its own (lab/), which takes the place of this one.  It is linked with the whole library,
 * kernels and drivers too, which the command does not see. */
#include "beside.h"
#include "die.h"
#include "tool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int tool_lab(int argc, char **argv)
{
    char built[4096], installed[4096];
    (void)argc;
    const char *const path = tool_beside("../lab/oplus-lab", built, sizeof built) ? built
                             : tool_beside(TOOL_MODULES_FROM_PROGRAM "/oplus-lab", installed, sizeof installed)
                                 ? installed
                                 : NULL;
    if (!path)
        tool_die(TOOL_FAILED, "its program is missing: neither %s nor %s; install oplus whole, or build all of it",
                 built, installed);
    execv(path, argv);
    tool_die(TOOL_FAILED, "%s cannot be run: %s", path, strerror(errno));
}
