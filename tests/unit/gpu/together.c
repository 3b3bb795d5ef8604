/* Kernels that are compiled at the same time, by a driver whose compiler gives each source back: they are those that are
 * compiled one after the other, from the cache too, and a failure of one is told as if it were alone. */
#include "support/laws.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/program.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS = 7 };
static const char *const names[KERNELS] = {"opi_a", "opi_ab", "opi_b", "opi_c", "opi_d", "opi_e", "opi_f"};
static const char *const text = "#line 1 \"oplus/texts.cl\"\n"
                                "OPI_KERNEL void opi_a(OPI_PARAM(x))\n{\n}\n"
                                "OPI_WHOLE_KERNEL void opi_ab(OPI_PARAM(x))\n{\n}\n"
                                "static void helper(void);\n"
                                "OPI_KERNEL OPI_SOME_BOUNDS void opi_b(OPI_PARAM(x))\n{\n}\n"
                                "OPI_PIPE_KERNEL void opi_c(OPI_PARAM(x) OPI_KERNEL_P)\n{\n}\n"
                                "OPI_KERNEL void opi_d(const uint64_t n,\n                  OPI_PARAM(x))\n{\n}\n"
                                "OPI_RESIDENT_KERNEL void opi_e(OPI_PARAM(x))\n{\n}\n"
                                "OPI_KERNEL void opi_f(OPI_PARAM(x))\n{\n}\n";

/* --- the driver --------------------------------------------------------------------------------------------------- */

static atomic_int translated;
static int loaded, refusals, unloaded;
static const char *failing; /* the kernel that does not compile, or NULL */

/* Whether a source has this kernel: its declaration has not been replaced. */
static bool has(const char *source, const char *name)
{
    char declared[64], absent[64];
    const char *const line = strstr(source, "OPI_ABSENT ");
    snprintf(declared, sizeof declared, " void %s(", name);
    snprintf(absent, sizeof absent, "void %s(", name);
    if (!strstr(source, declared)) return false;
    for (const char *at = line; at; at = strstr(at + 1, "OPI_ABSENT "))
        if (strncmp(at + strcspn(at, "v"), absent, strlen(absent)) == 0) return false;
    return true;
}

static oplus_status translate(const opi_gpu *gpu, const char *call, const char *what, const char *source, void **binary,
                              size_t *bytes)
{
    (void)gpu;
    atomic_fetch_add(&translated, 1);
    *binary = NULL;
    if (failing && has(source, failing))
        return opi_fail(OPLUS_ERR_COMPILE, "%s: %s does not compile: %s is wrong", call, what, failing);
    *bytes = strlen(source) + 1;
    *binary = must(malloc(*bytes));
    memcpy(*binary, source, *bytes);
    return OPLUS_OK;
}

static oplus_status load(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **program)
{
    (void)gpu;
    if (refusals > 0 && refusals--) return opi_fail(OPLUS_ERR_DEVICE, "%s: refused", call);
    *program = must(malloc(bytes));
    memcpy(*program, binary, bytes);
    loaded++;
    return OPLUS_OK;
}

/* A kernel is the source that it was made from, which has no other. */
static oplus_status kernel(opi_gpu *gpu, const char *call, void *program, const char *name, void **made)
{
    (void)gpu, (void)call;
    for (int i = 0; i < KERNELS; i++) assert_int_equal(has(program, names[i]), strcmp(names[i], name) == 0);
    assert_non_null(strstr(program, "\nstatic void helper(void);\n"));
    *made = program;
    return OPLUS_OK;
}

static void unload(opi_gpu *gpu, void *program)
{
    (void)gpu;
    unloaded++;
    free(program);
}

static const opi_driver driver = {
    .name = "source", .dialect = "cuda", .load = load, .translate = translate, .kernel = kernel, .unload = unload};
static opi_gpu gpu = {.driver = &driver, .facts = {.where = "source", .name = "none", .architecture = 90}};

static void write_source(opi_gpu_source *source, const void *context) { fputs(context, source->to); }

static opi_program *program_of(opi_programs *programs)
{
    opi_program *made;
    programs->gpu = &gpu;
    programs->first = NULL;
    assert_int_equal(opi_program_get(programs, "oplus_call", "operator \"mine\" (user.c:42)", (opi_hash){1, 2},
                                     write_source, text, &made),
                     OPLUS_OK);
    return made;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static const char *source_of(opi_programs *programs, opi_program *made, const char *name)
{
    void *found;
    assert_int_equal(opi_kernel_get(programs, "oplus_call", made, name, &found), OPLUS_OK);
    return found;
}

static void same_as_alone(void **state)
{
    (void)state;
    setenv("OPLUS_CACHE", "0", 1);
    for (size_t count = 1; count <= KERNELS; count++) {
        opi_programs alone, together;
        opi_program *const one = program_of(&alone), *const all = program_of(&together);
        for (size_t i = 0; i < count; i++) source_of(&alone, one, names[i]);
        translated = 0;
        assert_int_equal(opi_kernels_make(&together, "oplus_call", all, names, count), OPLUS_OK);
        assert_int_equal(translated, count);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(source_of(&together, all, names[i]), source_of(&alone, one, names[i]));
        assert_int_equal(opi_kernels_make(&together, "oplus_call", all, names, KERNELS), OPLUS_OK);
        assert_int_equal(translated, KERNELS); /* the others alone */
        loaded = unloaded = 0;
        opi_programs_release(&alone);
        opi_programs_release(&together);
        assert_int_equal(unloaded, count + KERNELS);
    }
}

static void one_fails(void **state)
{
    (void)state;
    setenv("OPLUS_CACHE", "0", 1);
    for (int i = 0; i < KERNELS; i++) {
        opi_programs programs;
        opi_program *const made = program_of(&programs);
        char words[256];
        failing = names[i];
        snprintf(words, sizeof words, "oplus_call: operator \"mine\" (user.c:42) does not compile: %s is wrong",
                 failing);
        assert_int_equal(opi_kernels_make(&programs, "oplus_call", made, names, KERNELS), OPLUS_ERR_COMPILE);
        assert_string_equal(oplus_last_error(), words);
        failing = NULL;
        translated = 0; /* it is remembered */
        assert_int_equal(opi_kernels_make(&programs, "oplus_call", made, names, KERNELS), OPLUS_ERR_COMPILE);
        assert_string_equal(oplus_last_error(), words);
        assert_int_equal(translated, 0);
        opi_programs_release(&programs);
    }
}

static void empty(const char *directory)
{
    DIR *const open = opendir(directory);
    char path[512];
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (*entry->d_name != '.') remove(path);
    }
    closedir(open);
    rmdir(directory);
}

/* The second time nothing is compiled, but for what the driver refuses. */
static void from_the_cache(void **state)
{
    char directory[] = "/tmp/oplus-together-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(directory));
    setenv("OPLUS_CACHE_DIR", directory, 1);
    setenv("OPLUS_CACHE", "1", 1);
    for (int round = 0; round < 3; round++) {
        opi_programs programs;
        opi_program *const made = program_of(&programs);
        translated = 0;
        refusals = round == 2;
        assert_int_equal(opi_kernels_make(&programs, "oplus_call", made, names, KERNELS), OPLUS_OK);
        assert_int_equal(translated, round == 0 ? KERNELS : round == 1 ? 0 : 1);
        for (int i = 0; i < KERNELS; i++) assert_true(has(source_of(&programs, made, names[i]), names[i]));
        opi_programs_release(&programs);
    }
    empty(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_alone), cmocka_unit_test(one_fails),
                                       cmocka_unit_test(from_the_cache)};
    return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
