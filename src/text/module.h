/* A module: C source, compiled by the system's compiler into a shared object, cached, and loaded. */
#ifndef OPI_MODULE_H
#define OPI_MODULE_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* Compiles a source and loads it; *module is set to a handle of dlopen.  call: name of the public call, for messages;
 * what: the text in words, "operator \"a + b\"".  *absent is set to whether the failure is that there is no compiler,
 * as the caller may have another way then. */
oplus_status opi_module_open(const char *call, const char *what, const char *source, void **module, bool *absent);
/* Sets *address to the address of a symbol, which must be there. */
oplus_status opi_module_symbol(const char *call, void *module, const char *name, void **address);
void opi_module_close(void *module);

#endif
