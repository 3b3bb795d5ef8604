/* The fake NVRTC: programs are their sources.  Several threads may call it, as the real one, and take turns. */
#include "fake/books.h"

#include <elf.h>
#include <stdio.h>

/* NVRTC has another number for lack of memory. */
#define COMPILER_CALL(name)                                                                                            \
    __attribute__((cleanup(fake_end_turn), unused)) fake_turn turn = fake_take_turn();                                 \
    if (fake_fails("nvrtc" #name))                                                                                     \
    return fake_books.error == CUDA_ERROR_OUT_OF_MEMORY ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 8;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    return result == NVRTC_ERROR_OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR_INTERNAL_ERROR";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    COMPILER_CALL(GetNumSupportedArchs);
    *count = FAKE_ARCHS;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    static const int known[FAKE_ARCHS] = {75, 80, 90};
    COMPILER_CALL(GetSupportedArchs);
    memcpy(archs, known, sizeof known);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    (void)name;
    (void)headers;
    (void)names;
    COMPILER_CALL(CreateProgram);
    if (count != 0) return NVRTC_ERROR_INVALID_INPUT;
    *program = fake_make(sizeof **program + strlen(source) + 1);
    memcpy((*program)->source, source, strlen(source) + 1);
    fake_books.live[FAKE_PROGRAMS]++;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    COMPILER_CALL(DestroyProgram);
    fake_unmake(*program);
    *program = NULL;
    fake_books.live[FAKE_PROGRAMS]--;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    COMPILER_CALL(CompileProgram);
    for (int i = 0; i < count; i++)
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
            snprintf(fake_books.architecture, sizeof fake_books.architecture, "%s", options[i] + 19);
    program->text = strncmp(fake_books.architecture, "compute_", 8) == 0;
    return strstr(program->source, "#error") ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    COMPILER_CALL(GetProgramLogSize);
    *bytes = strlen(fake_books.log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    (void)program;
    COMPILER_CALL(GetProgramLog);
    memcpy(log, fake_books.log, strlen(fake_books.log) + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    COMPILER_CALL(GetPTXSize);
    *bytes = strlen("//\n") + strlen(program->source) + 1;
    return program->text ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text)
{
    COMPILER_CALL(GetPTX);
    sprintf(text, "//\n%s", program->source);
    return NVRTC_SUCCESS;
}

/* A header with nothing in it, and the source behind. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    COMPILER_CALL(GetCUBINSize);
    *bytes = sizeof(Elf64_Ehdr) + strlen(program->source) + 1;
    return program->text ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *binary)
{
    COMPILER_CALL(GetCUBIN);
    Elf64_Ehdr head = {.e_shoff = 0};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    memcpy(binary, &head, sizeof head);
    memcpy(binary + sizeof head, program->source, strlen(program->source) + 1);
    return NVRTC_SUCCESS;
}
