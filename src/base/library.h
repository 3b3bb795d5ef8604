/* Libraries that are loaded while the program runs. */
#ifndef OPI_LIBRARY_H
#define OPI_LIBRARY_H

/* NULL, or why nothing can be loaded: into a program that was linked by -static glibc's dlopen brings a second C
 * library, whose first call crashes.  To be asked before dlopen and dlsym. */
const char *opi_library_refusal(void);

#endif
