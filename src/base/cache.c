#define _POSIX_C_SOURCE 200809L
#include "base/cache.h"
#include "base/file.h"

#include <dirent.h>
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

/* Makes the directory at path, and those above it. */
static void make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* Whether path is a directory of ours that grants none of the `refused` permissions. */
static bool is_ours(const char *path, mode_t refused)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & refused);
}

/* Writes the name of the cache's directory, but does not make it.  Returns NULL, or why there is none. */
static const char *name_directory(char path[OPI_PATH_BYTES])
{
    const char *const on = variable("OPLUS_CACHE"), *const given = variable("OPLUS_CACHE_DIR"),
                      *const xdg = variable("XDG_CACHE_HOME"), *const home = variable("HOME");
    int n = 0;
    *path = '\0';
    if (on && strcmp(on, "0") == 0) return "OPLUS_CACHE is 0 in the environment";
    if (given)
        n = snprintf(path, OPI_PATH_BYTES, "%s", given);
    else if (xdg && *xdg == '/')
        n = snprintf(path, OPI_PATH_BYTES, "%s/oplus", xdg);
    else if (home && *home == '/' && is_ours(home, 0))
        n = snprintf(path, OPI_PATH_BYTES, "%s/.cache/oplus", home);
    if (n > 0 && n <= OPI_PATH_BYTES - 128) return NULL; /* room for a file's name */
    *path = '\0';
    return n > 0 ? "its path is too long" : "HOME is no directory of this user; name one in OPLUS_CACHE_DIR";
}

/* Whether nobody else may write to it: the files there will be run. */
static bool is_safe(const char *path) { return is_ours(path, 022); }

static bool directory(char path[OPI_PATH_BYTES])
{
    if (name_directory(path)) return false;
    make(path);
    return is_safe(path);
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

/* Reads the file at a path, if it is whole; the caller frees the result. */
static char *read_whole(opi_hash key, const char *path, size_t *content)
{
    size_t bytes;
    char *const file = opi_file_read(path, LARGEST, &bytes);
    if (file && is_whole(key, file, bytes)) {
        *content = bytes - sizeof(footer);
        return file;
    }
    free(file);
    return NULL;
}

bool opi_cache_find(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES])
{
    size_t bytes;
    if (!path_of(key, suffix, path)) return false;
    char *const file = read_whole(key, path, &bytes);
    free(file);
    return file != NULL;
}

void *opi_cache_load(opi_hash key, const char *suffix, size_t *bytes)
{
    char path[OPI_PATH_BYTES];
    return path_of(key, suffix, path) ? read_whole(key, path, bytes) : NULL;
}

bool opi_cache_is_on(void)
{
    char path[OPI_PATH_BYTES];
    return directory(path) && access(path, W_OK) == 0;
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

/* --- all files ---------------------------------------------------------------------------------------------------- */

const char *opi_cache_where(char path[OPI_PATH_BYTES])
{
    struct stat info;
    const char *const why = name_directory(path);
    if (why || stat(path, &info) != 0 || is_safe(path)) return why;
    if (!S_ISDIR(info.st_mode)) return "it is no directory";
    return info.st_uid == geteuid() ? "others may write to it; take that away with chmod go-w"
                                    : "it belongs to another user";
}

/* The suffixes of all files that are ever stored. */
static const char *const suffixes[] = {".so", ".txt", ".bin", ".fig"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes, KEY_DIGITS = 32, DRAFT_BYTES = 7 /* ".XXXXXX" */ };

/* Whether a name is that of a file of ours; if so, tells its suffix, and whether it is a draft. */
static bool is_file_of_ours(const char *name, opi_cache_file *file)
{
    if (strspn(name, "0123456789abcdef") != KEY_DIGITS) return false;
    for (int i = 0; i < SUFFIXES; i++) {
        const size_t n = strlen(suffixes[i]);
        const char *const rest = name + KEY_DIGITS + n;
        if (strncmp(name + KEY_DIGITS, suffixes[i], n) != 0) continue;
        file->suffix = suffixes[i];
        file->draft = *rest == '.' && strlen(rest) == DRAFT_BYTES;
        if (file->draft || !*rest) return true;
    }
    return false;
}

int opi_cache_visit(const char *path, void (*visit)(void *context, const opi_cache_file *file), void *context)
{
    DIR *const entries = opendir(path);
    if (!entries) return errno == ENOENT ? 0 : errno;
    for (const struct dirent *entry; (errno = 0, entry = readdir(entries));) {
        struct stat info;
        opi_cache_file file = {.name = entry->d_name, .directory = dirfd(entries)};
        if (!is_file_of_ours(file.name, &file)) continue;
        if (fstatat(file.directory, file.name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
        file.bytes = (uint64_t)info.st_size;
        visit(context, &file);
    }
    const int error = errno;
    closedir(entries);
    return error;
}
