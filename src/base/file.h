/* Reading and writing whole files. */
#ifndef OPI_FILE_H
#define OPI_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the content of a file in memory that the caller frees, with a 0 behind it that *bytes does not count; NULL
 * if it cannot be read or is larger than `limit` bytes. */
char *opi_file_read(const char *path, size_t limit, size_t *bytes);
/* Writes all bytes, also if write() writes only a part at a time; false if it fails. */
bool opi_file_write(int fd, const void *content, size_t bytes);

#endif
