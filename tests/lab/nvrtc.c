/* NVRTC compiles every kernel of the lab for GPUs that are not here.  It ends with 77 where NVRTC is not installed.
 *
 *     nvrtc               for one target
 *     nvrtc sm_75 ...     for those */
#include "gpu/cuda_api.h"
#include "gpu/nvrtc.h"
#include "lab/texts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* The sizes.h of its folder, or "". */
static const char *sizes_of(const char *name)
{
    char path[128];
    const char *const slash = strrchr(name, '/');
    snprintf(path, sizeof path, "%.*s/sizes.h", slash ? (int)(slash - name) : 0, name);
    for (const lab_text *t = lab_texts; t->name; t++)
        if (strcmp(t->name, path) == 0) return t->text;
    return "";
}

static bool compiles(const lab_text *t, const char *target)
{
    const char *const part[] = {lab_text_of("dialect/cuda.cl"), sizes_of(t->name), t->text};
    char *const source = malloc(strlen(part[0]) + strlen(part[1]) + strlen(part[2]) + 1);
    void *binary;
    size_t bytes;
    if (!source) abort();
    sprintf(source, "%s%s%s", part[0], part[1], part[2]);
    const oplus_status status = opi_nvrtc_compile("lab", t->name, source, target, &binary, &bytes);
    if (status != OPLUS_OK) fprintf(stderr, "%s, %s: %s\n", t->name, target, oplus_last_error());
    free(source);
    free(binary);
    return status == OPLUS_OK;
}

int main(int argc, char **argv)
{
    static char *by_default[] = {"nvrtc", "sm_90"};
    int passed = 0, failed = 0;
    const char *why;
    if (!opi_nvrtc_open(&why)) {
        printf("[  SKIPPED ] NVRTC is not installed: %s\n", why);
        return 77;
    }
    if (argc < 2) argc = 2, argv = by_default;
    for (int i = 1; i < argc; i++)
        for (const lab_text *t = lab_texts; t->name; t++) {
            if (!ends_with(t->name, ".cl") || strncmp(t->name, "dialect/", 8) == 0) continue;
            if (compiles(t, argv[i]))
                passed++;
            else
                failed++;
        }
    printf("[==========] %d kernels compiled, %d not\n[  PASSED  ] %d test(s).\n", passed, failed, passed);
    return failed > 0 || passed == 0;
}
