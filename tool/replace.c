/* replace: a temporary file in the target's directory, so that renaming it is one step of the file system. */
#define _XOPEN_SOURCE 700 /* realpath, mkstemp */
#include "replace.h"

#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tool_cannot_write(const char *name)
{
    if (errno == EPIPE) tool_hung_up();
    tool_die(TOOL_FAILED, "cannot write %s: %s", name, strerror(errno));
}

/* --- where -------------------------------------------------------------------------------------------------------- */

/* Pipes, devices and what other programs have opened for us keep their identity. */
static bool is_written_in_place(const char *path)
{
    static const char *const links[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/"};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (strncmp(path, links[i], strlen(links[i])) == 0) return true;
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static mode_t mode_for(const char *target)
{
    struct stat status;
    if (stat(target, &status) == 0) return status.st_mode & 07777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int directory_bytes(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

/* DIRECTORY/.oplus.XXXXXX: a name made from the target's might be too long. */
static char *beside(const char *target)
{
    static const char name[] = ".oplus.XXXXXX";
    const int directory = directory_bytes(target);
    const size_t bytes = (size_t)directory + sizeof name;
    char *const path = tool_alloc(bytes);
    snprintf(path, bytes, "%.*s%s", directory, target, name);
    return path;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void open_temporary(tool_replacement *file)
{
    char *const resolved = realpath(file->path, NULL); /* a link stays a link; NULL: no such file yet */
    file->target = tool_copy(resolved ? resolved : file->path);
    free(resolved);
    if (access(file->target, F_OK) == 0 && access(file->target, W_OK) != 0)
        tool_cannot_write(file->path); /* it is write-protected */
    file->temporary = beside(file->target);
    file->fd = mkstemp(file->temporary);
    if (file->fd < 0) tool_cannot_write(file->path);
    file->slot = tool_unfinished(file->temporary);
    fcntl(file->fd, F_SETFD, FD_CLOEXEC);
}

void tool_replace_begin(tool_replacement *file, const char *path)
{
    *file = (tool_replacement){.path = path, .slot = -1};
    if (!*path) tool_die(TOOL_USAGE, "the name of an output is empty");
    if (is_written_in_place(path)) {
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (file->fd < 0) tool_cannot_write(path);
    } else {
        open_temporary(file);
    }
}

void tool_replace_join(tool_replacement *file, const char *path, const char *temporary)
{
    *file = (tool_replacement){.path = path, .fd = open(temporary, O_WRONLY | O_CLOEXEC)};
    if (file->fd < 0)
        tool_die(TOOL_FAILED, "cannot write %s: the file %s, which rank 0 has made for it, %s: %s", path, temporary,
                 errno == ENOENT ? "is not there" : "cannot be opened", strerror(errno));
    file->slot = tool_unfinished(temporary);
}

static void forget(tool_replacement *file)
{
    if (file->slot >= 0) tool_finished(file->slot);
    free(file->temporary);
    free(file->target);
}

void tool_replace_end(tool_replacement *file)
{
    /* Only now: other ranks may have had to open it, and the target's mode need not let them. */
    if (file->target && fchmod(file->fd, mode_for(file->target)) != 0) tool_cannot_write(file->path);
    if (close(file->fd) != 0) tool_cannot_write(file->path); /* only now do some file systems say they are full */
    if (file->target && rename(file->temporary, file->target) != 0) tool_cannot_write(file->path);
    forget(file);
}

void tool_replace_check(const char *path)
{
    tool_replacement file;
    if (is_written_in_place(path)) { /* not opened: that would wait for the pipe's reader */
        if (access(path, W_OK) != 0) tool_cannot_write(path);
        errno = EISDIR;
        if (is_directory(path)) tool_cannot_write(path);
        return;
    }
    tool_replace_begin(&file, path);
    close(file.fd);
    if (file.temporary) unlink(file.temporary); /* NULL: a pipe or a device has come there meanwhile */
    forget(&file);
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

static bool is_stdout(const char *path) { return strcmp(path, "-") == 0; }

static bool status_of(const char *path, struct stat *status)
{
    return (is_stdout(path) ? fstat(STDOUT_FILENO, status) : stat(path, status)) == 0;
}

/* The directory that path is in: files that do not exist yet are compared by directory and name. */
static bool directory_status(const char *path, struct stat *status)
{
    const size_t bytes = strlen(path) + sizeof "./";
    char *const directory = tool_alloc(bytes);
    snprintf(directory, bytes, "%.*s./", directory_bytes(path), path);
    const bool found = stat(directory, status) == 0;
    free(directory);
    return found;
}

bool tool_same_target(const char *a, const char *b)
{
    struct stat x, y;
    if (is_stdout(a) && is_stdout(b)) return true;
    const bool there = status_of(a, &x);
    if (there != status_of(b, &y)) return false;
    const bool known = there || (directory_status(a, &x) && directory_status(b, &y));
    if (!known || x.st_dev != y.st_dev || x.st_ino != y.st_ino) return false;
    if (there) return !S_ISCHR(x.st_mode); /* /dev/null and a terminal may have several writers */
    return strcmp(a + directory_bytes(a), b + directory_bytes(b)) == 0;
}
