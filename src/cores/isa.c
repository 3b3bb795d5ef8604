#include "cores/isa.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what was compiled, least first ------------------------------------------------------------------------------ */

#if defined(__x86_64__)
#include <cpuid.h>

extern const opi_isa opi_isa_baseline, opi_isa_avx2, opi_isa_avx512;
static const opi_isa *const compiled[] = {&opi_isa_baseline, &opi_isa_avx2, &opi_isa_avx512};

static bool has_lzcnt(void) /* clang 14's __builtin_cpu_supports does not know it */
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* Whether the processor and the system have what the flags in CMakeLists.txt let the compiler use. */
static bool available(const opi_isa *isa)
{
    __builtin_cpu_init();
    if (isa == &opi_isa_baseline) return true;
    if (!has_lzcnt()) return false;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt"))
        return false;
    return isa == &opi_isa_avx2 || (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"));
}
#elif defined(__aarch64__)
extern const opi_isa opi_isa_neon;
static const opi_isa *const compiled[] = {&opi_isa_neon};
static bool available(const opi_isa *isa) { return isa != NULL; }
#else
extern const opi_isa opi_isa_baseline;
static const opi_isa *const compiled[] = {&opi_isa_baseline};
static bool available(const opi_isa *isa) { return isa != NULL; }
#endif

enum { COMPILED = sizeof compiled / sizeof *compiled };

/* --- the choice -------------------------------------------------------------------------------------------------- */

int opi_isa_list(const opi_isa *list[4])
{
    int count = 0;
    for (int i = 0; i < COMPILED; i++)
        if (available(compiled[i])) list[count++] = compiled[i];
    return count;
}

static const char *names_of(const opi_isa *const *list, int count, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", list[i]->name);
    return text;
}

oplus_status opi_isa_choose(const char *call, const opi_isa **isa)
{
    const opi_isa *list[4] = {NULL};
    const int count = opi_isa_list(list);
    const char *wanted = getenv("OPLUS_ISA");
    char names[64];
    *isa = list[count - 1];
    if (!wanted || !*wanted) return OPLUS_OK;
    for (int i = 0; i < count; i++) {
        *isa = list[i];
        if (strcmp(wanted, list[i]->name) == 0) return OPLUS_OK;
    }

    *isa = NULL;
    names_of(list, count, names, sizeof names);
    static const char *const known[] = {"baseline", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(wanted, known[i]) == 0)
            return opi_fail(OPLUS_ERR_UNSUPPORTED,
                            "%s: the environment variable OPLUS_ISA is \"%s\", which this processor does not "
                            "have; it has %s: set one of these, or unset OPLUS_ISA",
                            call, wanted, names);
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: the environment variable OPLUS_ISA is \"%s\", which is no instruction set; this "
                    "processor has %s: set one of these, or unset OPLUS_ISA",
                    call, wanted, names);
}
