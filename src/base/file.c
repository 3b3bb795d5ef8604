#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, char *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = read(fd, to + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

char *opi_file_read(const char *path, size_t limit, size_t *bytes)
{
    struct stat info;
    char *content = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe put in its place must not hold us up */
    if (fd < 0) return NULL;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uintmax_t)info.st_size <= limit) {
        *bytes = (size_t)info.st_size;
        content = malloc(*bytes + 1);
        if (content && !read_all(fd, content, *bytes)) {
            free(content);
            content = NULL;
        }
        if (content) content[*bytes] = '\0';
    }
    close(fd);
    return content;
}

bool opi_file_write(int fd, const void *content, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = write(fd, (const char *)content + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}
