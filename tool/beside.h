/* Files that lie beside the program: in its build tree, or where they are installed with it. */
#ifndef TOOL_BESIDE_H
#define TOOL_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The path from the installed command's directory to the installed files that are not commands; the build sets it. */
#ifndef TOOL_MODULES_FROM_PROGRAM
#define TOOL_MODULES_FROM_PROGRAM "../lib/oplus"
#endif

/* Writes the path of the file at `relative`, as seen from the program's own directory; returns whether the file can
 * be read. */
bool tool_beside(const char *relative, char *path, size_t bytes);

#endif
