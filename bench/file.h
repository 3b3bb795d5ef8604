/* Files that the benchmark writes: complete, or not at all. */
#ifndef BENCH_FILE_H
#define BENCH_FILE_H

#include <stdio.h>

/* Writes a file by print(file, data); "-" is the standard output.  Ends the command if that fails. */
void bench_file_write(const char *path, void (*print)(FILE *file, const void *data), const void *data);

/* As printf, into memory to be freed. */
char *bench_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Replaces control characters in the text by blanks: names from files and command lines must not break lines of the
 * output or control a terminal. */
char *bench_one_line(char *text);

/* path with another ending, "scan.svg" -> "scan.gp"; free it. */
char *bench_file_beside(const char *path, const char *ending);

#endif
