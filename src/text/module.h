/* A module: C source, compiled by the system's compiler into a shared object, cached, and loaded. */
#ifndef OPI_MODULE_H
#define OPI_MODULE_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* Compiles and loads; *module is a handle of dlopen.  call: for messages; what: "operator \"a + b\"".
 * *absent: there is no compiler (an error too; the caller may know another way). */
oplus_status opi_module_open(const char *call, const char *what, const char *source, void **module, bool *absent);
/* The address of a symbol, which must be there. */
oplus_status opi_module_symbol(const char *call, void *module, const char *name, void **address);
void opi_module_close(void *module);

#endif
