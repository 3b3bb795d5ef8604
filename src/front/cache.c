/* oplus_cache_info, oplus_cache_clear: counting and removing the files of the cache on disk. */
#define _POSIX_C_SOURCE 200809L /* unlinkat */
#include "base/cache.h"
#include "base/abi.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(OPI_PATH_BYTES == sizeof((oplus_cache_usage *)0)->directory, "a path fits");

/* The members of oplus_cache_usage that count the files of a kind. */
static const struct kind {
    const char *suffix;
    size_t files, bytes; /* in oplus_cache_usage */
} kinds[] = {
    {".so", offsetof(oplus_cache_usage, texts), offsetof(oplus_cache_usage, text_bytes)},
    {".txt", offsetof(oplus_cache_usage, texts), offsetof(oplus_cache_usage, text_bytes)},
    {".bin", offsetof(oplus_cache_usage, programs), offsetof(oplus_cache_usage, program_bytes)},
    {".fig", offsetof(oplus_cache_usage, figures), offsetof(oplus_cache_usage, figure_bytes)},
};

static void add(oplus_cache_usage *usage, size_t place, uint64_t more)
{
    uint64_t sum;
    memcpy(&sum, (char *)usage + place, sizeof sum);
    sum += more;
    memcpy((char *)usage + place, &sum, sizeof sum);
}

static void count(void *context, const opi_cache_file *file)
{
    oplus_cache_usage *const usage = context;
    usage->files++;
    usage->bytes += file->bytes;
    for (size_t i = 0; !file->draft && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(file->suffix, kinds[i].suffix) != 0) continue;
        add(usage, kinds[i].files, 1);
        add(usage, kinds[i].bytes, file->bytes);
    }
}

static oplus_status unreadable(const char *call, const char *path, int error)
{
    return opi_fail(OPLUS_ERR_IO, "%s: the directory %s cannot be read: %s; see whose it is", call, path,
                    strerror(error));
}

oplus_status oplus_cache_info(oplus_cache_usage *usage)
{
    if (!usage)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: usage is NULL; give the address of an oplus_cache_usage", __func__);
    OPI_TRY(opi_check_abi(__func__, "usage", usage->abi, "filled in as oplus.h says"));
    *usage = (oplus_cache_usage){.abi = OPLUS_ABI};
    const char *const unused = opi_cache_where(usage->directory);
    if (unused) snprintf(usage->note, sizeof usage->note, "%s", unused);
    if (!*usage->directory) return OPLUS_OK;
    const int error = opi_cache_visit(usage->directory, count, usage);
    if (error && !unused) return unreadable(__func__, usage->directory, error); /* else the note says more */
    return OPLUS_OK;
}

/* The first file that could not be removed. */
typedef struct remains {
    int error;
    char name[64];
} remains;

static void discard(void *context, const opi_cache_file *file)
{
    remains *const left = context;
    if (unlinkat(file->directory, file->name, 0) == 0 || errno == ENOENT || left->error) return;
    left->error = errno;
    snprintf(left->name, sizeof left->name, "%s", file->name);
}

oplus_status oplus_cache_clear(void)
{
    char path[OPI_PATH_BYTES];
    remains left = {0};
    const char *const unused = opi_cache_where(path);
    if (!*path) return OPLUS_OK; /* no cache, no files */
    if (unused)
        return opi_fail(OPLUS_ERR_IO, "%s: %s is not used as a cache, and nothing was removed there: %s", __func__,
                        path, unused);
    const int error = opi_cache_visit(path, discard, &left);
    if (error) return unreadable(__func__, path, error);
    if (left.error)
        return opi_fail(OPLUS_ERR_IO, "%s: %s/%s cannot be removed: %s; see whether the directory may be written",
                        __func__, path, left.name, strerror(left.error));
    return OPLUS_OK;
}
