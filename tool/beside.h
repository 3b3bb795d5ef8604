/* Files that lie beside the program: in its build tree, or where they are installed with it. */
#ifndef TOOL_BESIDE_H
#define TOOL_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* From the installed command to what is installed with it and is no command; the build says where. */
#ifndef TOOL_MODULES_FROM_PROGRAM
#define TOOL_MODULES_FROM_PROGRAM "../lib/oplus"
#endif

/* The path of what lies at `relative`, seen from the program's own directory; whether it can be read. */
bool tool_beside(const char *relative, char *path, size_t bytes);

#endif
