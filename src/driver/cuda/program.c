#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "driver/cuda/cuda.h"

#include "base/error.h"
#include "driver/cuda/nvrtc.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_BYTES = 256 };

typedef struct program {
    CUmodule module;
    size_t bytes;
    char binary[]; /* a cubin, or PTX; and a 0 */
} program;

/* --- 1. is it whole? ---------------------------------------------------------------------------------------------- */

static bool inside(uint64_t first, uint64_t count, uint64_t each, size_t bytes)
{
    return first <= bytes && (each == 0 || count <= (bytes - first) / each);
}

/* The driver is not told how long a cubin is: what its headers point to has to be there. */
static bool is_whole_elf(const char *binary, size_t bytes)
{
    Elf64_Ehdr head;
    Elf64_Shdr section;
    Elf64_Phdr segment;
    if (bytes < sizeof head) return false;
    memcpy(&head, binary, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || !inside(head.e_shoff, head.e_shnum, sizeof section, bytes) ||
        !inside(head.e_phoff, head.e_phnum, sizeof segment, bytes))
        return false;
    for (size_t i = 0; i < head.e_shnum; i++) {
        memcpy(&section, binary + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && !inside(section.sh_offset, section.sh_size, 1, bytes)) return false;
    }
    for (size_t i = 0; i < head.e_phnum; i++) {
        memcpy(&segment, binary + head.e_phoff + i * sizeof segment, sizeof segment);
        if (!inside(segment.p_offset, segment.p_filesz, 1, bytes)) return false;
    }
    return true;
}

/* PTX is text, and begins with a comment or a directive. */
static bool is_text(const char *binary, size_t bytes)
{
    return bytes > 0 && (binary[0] == '/' || binary[0] == '.') && strnlen(binary, bytes) + 1 >= bytes;
}

static bool is_elf(const char *binary, size_t bytes)
{
    return bytes >= SELFMAG && memcmp(binary, ELFMAG, SELFMAG) == 0;
}

static bool is_whole(const char *binary, size_t bytes)
{
    if (is_elf(binary, bytes)) return is_whole_elf(binary, bytes);
    return is_text(binary, bytes);
}

/* --- 2. load ------------------------------------------------------------------------------------------------------ */

static oplus_status load_module(const opi_cuda_gpu *g, const char *call, program *p)
{
    char said[SAID_BYTES] = "", words[SAID_BYTES + 16] = "";
    const uintptr_t room = sizeof said - 1;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {said, NULL};
    memcpy(&values[1], &room, sizeof room); /* the number itself */
    const CUresult result =
        g->cu->ModuleLoadDataEx(&p->module, p->binary, sizeof options / sizeof *options, options, values);
    if (result == CUDA_SUCCESS) return OPLUS_OK;
    if (*said) snprintf(words, sizeof words, "; it says: %s", said);
    return opi_cuda_fail(g, call, "cuModuleLoadDataEx", result, words);
}

oplus_status opi_cuda_load(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **out)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    *out = NULL;
    OPI_TRY(opi_cuda_not_recording(g, call, "load its program"));
    if (!is_whole(binary, bytes))
        return opi_fail(OPLUS_ERR_DEVICE, "%s: a program of %zu bytes for %s is damaged; compile it anew", call, bytes,
                        g->gpu.facts.where);
    program *const p = malloc(sizeof *p + bytes + 1);
    if (!p) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory (%zu bytes) to load a program; free some", call, bytes);
    p->bytes = bytes;
    memcpy(p->binary, binary, bytes);
    p->binary[bytes] = '\0'; /* PTX ends in a 0 */
    g->translates |= !is_elf(binary, bytes);
    const oplus_status status = load_module(g, call, p);
    if (status == OPLUS_OK)
        *out = p;
    else
        free(p);
    return status;
}

oplus_status opi_cuda_translate(const opi_gpu *gpu, const char *call, const char *what, const char *source,
                                void **binary, size_t *bytes)
{
    return opi_nvrtc_compile(call, what, source, gpu->facts.architecture, binary, bytes);
}

oplus_status opi_cuda_compile(opi_gpu *gpu, const char *call, const char *what, const char *source, void **out)
{
    void *binary;
    size_t bytes;
    *out = NULL;
    oplus_status status = opi_cuda_translate(gpu, call, what, source, &binary, &bytes);
    if (status == OPLUS_OK) status = opi_cuda_load(gpu, call, binary, bytes, out);
    free(binary);
    return status;
}

oplus_status opi_cuda_binary(opi_gpu *gpu, const char *call, void *from, void **binary, size_t *bytes)
{
    const program *const p = from;
    (void)gpu;
    *bytes = 0;
    *binary = malloc(p->bytes);
    if (!*binary)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory (%zu bytes) for a program; free some", call, p->bytes);
    memcpy(*binary, p->binary, p->bytes);
    *bytes = p->bytes;
    return OPLUS_OK;
}

/* --- 3. kernels --------------------------------------------------------------------------------------------------- */

oplus_status opi_cuda_kernel(opi_gpu *gpu, const char *call, void *from, const char *name, void **kernel)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const program *const p = from;
    CUfunction function = NULL;
    char said[128];
    const CUresult result = g->cu->ModuleGetFunction(&function, p->module, name);
    *kernel = function;
    if (result == CUDA_SUCCESS) return OPLUS_OK;
    snprintf(said, sizeof said, " (the kernel is %s)", name);
    return opi_cuda_fail(g, call, "cuModuleGetFunction", result, said);
}

void opi_cuda_unload(opi_gpu *gpu, void *from)
{
    program *const p = from;
    if (p) opi_cuda_self(gpu)->cu->ModuleUnload(p->module);
    free(p);
}
