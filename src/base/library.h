/* Libraries that are loaded while the program runs. */
#ifndef OPI_LIBRARY_H
#define OPI_LIBRARY_H

/* Returns NULL, or why no library can be loaded; call it before dlopen and dlsym.  In a program that was linked with
 * -static, glibc's dlopen loads a second C library, whose first call crashes. */
const char *opi_library_refusal(void);

#endif
