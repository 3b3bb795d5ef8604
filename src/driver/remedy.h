/* What to do about a text that a device's compiler refuses. */
#ifndef OPI_REMEDY_H
#define OPI_REMEDY_H

/* To stand behind "does not compile": "" or, where a name is unknown to the compiler, that a device knows none of the
 * program's names, and the remedy. */
const char *opi_gpu_remedy(const char *said);

#endif
