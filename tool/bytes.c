#define _DEFAULT_SOURCE /* madvise */
#include "bytes.h"

#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Noreturn static void cannot(const char *what, const char *name)
{
    tool_die(TOOL_FAILED, "cannot %s %s: %s", what, name, strerror(errno));
}

void tool_bytes_open(tool_bytes *bytes, const char *path)
{
    const bool is_stdin = !path || strcmp(path, "-") == 0;
    memset(bytes, 0, sizeof *bytes);
    const char *const name = is_stdin ? "stdin" : path;
    bytes->name = tool_copy(name);
    bytes->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (bytes->fd < 0) cannot("open", name);

    struct stat status;
    if (fstat(bytes->fd, &status) != 0) cannot("read", name);
    const off_t start = lseek(bytes->fd, 0, SEEK_CUR);
    if (!S_ISREG(status.st_mode) || start < 0) return;
    bytes->start = (uint64_t)start;
    bytes->total = status.st_size > start ? (uint64_t)(status.st_size - start) : 0; /* files in /proc have 0, too */
}

void tool_bytes_close(tool_bytes *bytes)
{
    if (bytes->map) munmap(bytes->map, bytes->map_bytes);
    if (bytes->fd != STDIN_FILENO) close(bytes->fd);
    free(bytes->name);
}

void tool_bytes_leave(const tool_bytes *bytes, uint64_t byte)
{
    if (bytes->fd == STDIN_FILENO && bytes->total > 0) lseek(bytes->fd, (off_t)(bytes->start + byte), SEEK_SET);
}

static size_t read_fully(tool_bytes *bytes, unsigned char *to, size_t n)
{
    size_t got = 0;
    while (got < n) {
        const ssize_t now = read(bytes->fd, to + got, n - got);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) cannot("read", bytes->name);
        if (now == 0) break;
        got += (size_t)now;
    }
    return got;
}

const unsigned char *tool_bytes_look(tool_bytes *bytes, size_t *n)
{
    if (bytes->ahead_end == 0) bytes->ahead_end = read_fully(bytes, bytes->ahead, sizeof bytes->ahead);
    *n = bytes->ahead_end - bytes->ahead_at;
    return bytes->ahead + bytes->ahead_at;
}

size_t tool_bytes_read(tool_bytes *bytes, void *to, size_t n)
{
    size_t got = bytes->ahead_end - bytes->ahead_at;
    if (got > n) got = n;
    memcpy(to, bytes->ahead + bytes->ahead_at, got);
    bytes->ahead_at += got;
    got += read_fully(bytes, (unsigned char *)to + got, n - got);
    bytes->done += got;
    return got;
}

void tool_bytes_seek(tool_bytes *bytes, uint64_t byte)
{
    if (lseek(bytes->fd, (off_t)(bytes->start + byte), SEEK_SET) < 0) cannot("read", bytes->name);
    bytes->ahead_at = bytes->ahead_end; /* the bytes that had been looked at */
}

/* --- mapped ------------------------------------------------------------------------------------------------------- */

unsigned char *tool_bytes_map(tool_bytes *bytes)
{
    if (bytes->total == 0 || bytes->start + bytes->total > SIZE_MAX) return NULL;
    if (!bytes->map) {
        const size_t whole = (size_t)(bytes->start + bytes->total); /* from 0 on: offsets of maps are whole pages */
        void *const map = mmap(NULL, whole, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, bytes->fd, 0);
        if (map == MAP_FAILED) return NULL;
        madvise(map, whole, MADV_SEQUENTIAL); /* a hint: refused is fine */
        bytes->map = map;
        bytes->map_bytes = whole;
    }
    return (unsigned char *)bytes->map + bytes->start;
}

bool tool_bytes_map_own(tool_bytes *bytes)
{
    return mprotect(bytes->map, bytes->map_bytes, PROT_READ | PROT_WRITE) == 0;
}

void tool_bytes_map_done(tool_bytes *bytes, uint64_t byte)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t end = (size_t)(bytes->start + byte) / page * page, from = bytes->map_done;
    if (end > from) madvise((char *)bytes->map + from, end - from, MADV_DONTNEED);
    bytes->map_done = end;
    bytes->done = byte;
}
