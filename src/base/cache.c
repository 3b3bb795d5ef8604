#define _POSIX_C_SOURCE 200809L
#include "base/cache.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 256 << 20 };

typedef struct footer {
    char magic[8];
    uint64_t length;
    opi_hash key, checksum;
} footer;

static const char magic[8] = "oplus 1";

/* --- the directory ------------------------------------------------------------------------------------------------ */

static const char *variable(const char *name)
{
    const char *const value = getenv(name);
    return value && *value ? value : NULL;
}

/* Makes the directory and those above it. */
static void make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* A directory of ours, with none of these permissions. */
static bool is_ours(const char *path, mode_t refused)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & refused);
}

static bool directory(char path[OPI_PATH_BYTES])
{
    const char *const on = variable("OPLUS_CACHE"), *const given = variable("OPLUS_CACHE_DIR"),
                      *const xdg = variable("XDG_CACHE_HOME"), *const home = variable("HOME");
    int n = -1;
    if (on && strcmp(on, "0") == 0) return false;
    if (given)
        n = snprintf(path, OPI_PATH_BYTES, "%s", given);
    else if (xdg && *xdg == '/')
        n = snprintf(path, OPI_PATH_BYTES, "%s/oplus", xdg);
    else if (home && *home == '/' && is_ours(home, 0))
        n = snprintf(path, OPI_PATH_BYTES, "%s/.cache/oplus", home);
    if (n < 1 || n > OPI_PATH_BYTES - 128) return false; /* room for a file's name */
    make(path);
    return is_ours(path, 022); /* nobody else's to write: what lies there will be run */
}

static bool path_of(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES])
{
    if (!directory(path)) return false;
    const size_t n = strlen(path);
    snprintf(path + n, OPI_PATH_BYTES - n, "/%016llx%016llx%s", (unsigned long long)key.high,
             (unsigned long long)key.low, suffix);
    return true;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static footer footer_of(opi_hash key, const void *content, size_t bytes)
{
    footer f = {.length = bytes, .key = key, .checksum = opi_hash_bytes(content, bytes)};
    memcpy(f.magic, magic, sizeof magic);
    return f;
}

static bool is_whole(opi_hash key, const char *file, size_t bytes)
{
    footer found;
    if (bytes < sizeof found) return false;
    memcpy(&found, file + bytes - sizeof found, sizeof found);
    const footer expected = footer_of(key, file, bytes - sizeof found);
    return memcmp(&found, &expected, sizeof found) == 0;
}

bool opi_cache_find(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES])
{
    size_t bytes;
    if (!path_of(key, suffix, path)) return false;
    char *const file = opi_file_read(path, LARGEST, &bytes);
    const bool whole = file && is_whole(key, file, bytes);
    free(file);
    return whole;
}

bool opi_cache_store(opi_hash key, const char *suffix, const void *content, size_t bytes, char path[OPI_PATH_BYTES])
{
    char draft[OPI_PATH_BYTES + 16];
    if (!path_of(key, suffix, path)) return false;
    snprintf(draft, sizeof draft, "%s.XXXXXX", path);
    const int fd = mkstemp(draft); /* 0600 */
    if (fd < 0) return false;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    const footer end = footer_of(key, content, bytes);
    bool good = opi_file_write(fd, content, bytes) && opi_file_write(fd, &end, sizeof end);
    good = close(fd) == 0 && good;
    if (good && rename(draft, path) == 0) return true;
    unlink(draft);
    return false;
}
