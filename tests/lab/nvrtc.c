/* NVRTC compiles every kernel of the lab for GPUs that are not here.  It ends with 77 where NVRTC is not installed.
 *
 *     nvrtc               for one architecture
 *     nvrtc 75 ...        for those */
#include "driver/cuda/api.h"
#include "driver/cuda/nvrtc.h"
#include "lab/texts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static bool compiles(const lab_text *t, unsigned architecture)
{
    char *const source = lab_source_of("cuda", t->name, "");
    void *binary;
    size_t bytes;
    const oplus_status status = opi_nvrtc_compile("lab", t->name, source, architecture, &binary, &bytes);
    if (status != OPLUS_OK) fprintf(stderr, "%s, sm_%u: %s\n", t->name, architecture, oplus_last_error());
    free(source);
    free(binary);
    return status == OPLUS_OK;
}

int main(int argc, char **argv)
{
    static char *by_default[] = {"nvrtc", "90"};
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
            if (compiles(t, (unsigned)strtoul(argv[i], NULL, 10)))
                passed++;
            else
                failed++;
        }
    printf("[==========] %d kernels compiled, %d not\n[  PASSED  ] %d test(s).\n", passed, failed, passed);
    return failed > 0 || passed == 0;
}
