/* What to do about a text that a device's compiler refuses. */
#ifndef OPI_REMEDY_H
#define OPI_REMEDY_H

/* Returns words to follow "does not compile".  If the compiler does not know a name, they say that a device knows no
 * names of the program, and what to do; else they are "".  said: the compiler's words. */
const char *opi_gpu_remedy(const char *said);

#endif
