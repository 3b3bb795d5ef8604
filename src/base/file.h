/* Whole files in memory and back. */
#ifndef OPI_FILE_H
#define OPI_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The content in memory to be freed, followed by a 0 that does not count; NULL if it cannot be read or exceeds `limit`.
 */
char *opi_file_read(const char *path, size_t limit, size_t *bytes);
/* Writes everything, however often write() stops early. */
bool opi_file_write(int fd, const void *content, size_t bytes);

#endif
