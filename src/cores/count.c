#include "cores/count.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTORY_BYTES = 4096, PATH_BYTES = DIRECTORY_BYTES + 64, TEXT_BYTES = 128 };

/* --- one group ---------------------------------------------------------------------------------------------------- */

/* Reads the beginning of the file directory/name; false: it cannot be read. */
static bool read_in(const char *directory, const char *name, char text[TEXT_BYTES])
{
    char path[PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *const file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    if (!file) return false;
    text[fread(text, 1, TEXT_BYTES - 1, file)] = '\0';
    fclose(file);
    return true;
}

/* A quota of microseconds in each period; neither is above 0 where there is none. */
static double cores_of(double quota, double period) { return quota > 0 && period > 0 ? quota / period : INFINITY; }

/* Version 2: one file, "150000 100000" or "max 100000". */
static double quota_2(const char *directory)
{
    char limit[TEXT_BYTES], *end;
    if (!read_in(directory, "cpu.max", limit)) return INFINITY;
    const double quota = strtod(limit, &end);
    return cores_of(quota, strtod(end, NULL));
}

/* Version 1: quota and period have a file each; a quota of -1 is none. */
static double quota_1(const char *directory)
{
    char quota[TEXT_BYTES], period[TEXT_BYTES];
    if (!read_in(directory, "cpu.cfs_quota_us", quota) || !read_in(directory, "cpu.cfs_period_us", period))
        return INFINITY;
    return cores_of(strtod(quota, NULL), strtod(period, NULL));
}

/* --- a group, and those above it ---------------------------------------------------------------------------------- */

/* Where a container does not see the groups above its own, the group's path is not below the mount: the mount's own
 * files, which are looked at last, are those of the container. */
static double least_upwards(const char *mount, const char *group, double (*quota)(const char *directory))
{
    char directory[DIRECTORY_BYTES];
    const size_t top = strlen(mount);
    const int length = snprintf(directory, sizeof directory, "%s%s", mount, group);
    double least = INFINITY;
    if (length < 0 || (size_t)length >= sizeof directory) return INFINITY;
    for (;;) {
        least = fmin(least, quota(directory));
        char *const last = strrchr(directory, '/');
        if (!last || last < directory + top) return least;
        *last = '\0';
    }
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* The quota of a line "number:controllers:path"; version 2 has no controllers there. */
static double quota_of_line(char *line, const char *root)
{
    char mount[DIRECTORY_BYTES];
    char *const controllers = strchr(line, ':') ? strchr(line, ':') + 1 : NULL;
    char *const path = controllers ? strchr(controllers, ':') : NULL;
    if (!path || strlen(root) + strlen(controllers) + sizeof "/unified" > sizeof mount) return INFINITY;
    *path = '\0';
    const char *const group = strcmp(path + 1, "/") == 0 ? "" : path + 1;
    if (*controllers == '\0') {
        snprintf(mount, sizeof mount, "%s/unified", root); /* beside version 1 */
        return fmin(least_upwards(root, group, quota_2), least_upwards(mount, group, quota_2));
    }
    if (!has_word(controllers, "cpu")) return INFINITY;
    snprintf(mount, sizeof mount, "%s/%s", root, controllers);
    return least_upwards(mount, group, quota_1);
}

double opi_cores_quota(const char *process, const char *root)
{
    char line[DIRECTORY_BYTES];
    double least = INFINITY;
    FILE *const file = fopen(process, "re");
    if (!file) return INFINITY;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        least = fmin(least, quota_of_line(line, root));
    }
    fclose(file);
    return least;
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static int at_most(double cores) { return cores < OPI_MOST_THREADS ? (int)cores : OPI_MOST_THREADS; }

int opi_cores_count(void)
{
    const int asked = omp_get_max_threads(), cores = omp_get_num_procs();
    if (asked != cores) return at_most(asked);
    return at_most(fmin(cores, fmax(1, ceil(opi_cores_quota("/proc/self/cgroup", "/sys/fs/cgroup")))));
}
