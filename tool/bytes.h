/* The bytes of a file or pipe: looked at, read, or mapped.  Every call ends the command if something is wrong. */
#ifndef TOOL_BYTES_H
#define TOOL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOOL_LOOK_BYTES = 64 }; /* how far tool_bytes_look sees */

typedef struct tool_bytes {
    char *name; /* for messages: the path, or "stdin" */
    int fd;
    uint64_t done;  /* bytes read */
    uint64_t total; /* bytes from the start, or 0: unknown, as for a pipe */
    uint64_t start; /* offset in the file where we began */
    unsigned char ahead[TOOL_LOOK_BYTES];
    size_t ahead_at, ahead_end; /* bytes that have been looked at, and not read */
    void *map;
    size_t map_bytes, map_done; /* the bytes before map_done have been given back */
} tool_bytes;

/* path NULL or "-": stdin. */
void tool_bytes_open(tool_bytes *bytes, const char *path);
void tool_bytes_close(tool_bytes *bytes);

/* The first bytes, up to TOOL_LOOK_BYTES or the end, without reading them. */
const unsigned char *tool_bytes_look(tool_bytes *bytes, size_t *n);
/* Reads n bytes, fewer only at the end. */
size_t tool_bytes_read(tool_bytes *bytes, void *to, size_t n);

/* Sets which byte of a regular file is read next, counted from the start. */
void tool_bytes_seek(tool_bytes *bytes, uint64_t byte);

/* All bytes of a regular file from the start on, as read-only memory; NULL if the file cannot be mapped. */
unsigned char *tool_bytes_map(tool_bytes *bytes);
/* From now on that memory may be written to; the file stays as it is. */
bool tool_bytes_map_own(tool_bytes *bytes);
/* Memory of the map before that byte is not needed any more. */
void tool_bytes_map_done(tool_bytes *bytes, uint64_t byte);

/* If stdin is a file: the program that reads it after us begins behind that byte. */
void tool_bytes_leave(const tool_bytes *bytes, uint64_t byte);

#endif
