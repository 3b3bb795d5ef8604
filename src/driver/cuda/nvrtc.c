#include "driver/cuda/nvrtc.h"

#include "base/error.h"
#include "driver/cuda/api.h"
#include "driver/remedy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_BYTES = 800 }; /* of a message of 1024 */

typedef struct compilation {
    const opi_nvrtc_calls *rtc;
    const char *call, *what;
    unsigned architecture; /* of the device */
    nvrtcProgram program;
    char option[48]; /* names an architecture that NVRTC knows */
    bool text;       /* PTX is wanted: NVRTC does not know the device's own architecture */
} compilation;

/* --- 1. what NVRTC answers ---------------------------------------------------------------------------------------- */

static oplus_status fail(const compilation *c, const char *name, nvrtcResult result)
{
    if (result == NVRTC_ERROR_OUT_OF_MEMORY)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: %s: %s failed: %s; free some memory", c->call, c->what, name,
                        c->rtc->GetErrorString(result));
    return opi_fail(OPLUS_ERR_COMPILE,
                    "%s: %s: %s failed: %s; see that NVRTC is installed whole, or name another in the environment "
                    "variable OPLUS_NVRTC_LIBRARY",
                    c->call, c->what, name, c->rtc->GetErrorString(result));
}

static oplus_status answered(const compilation *c, const char *name, nvrtcResult result)
{
    return result == NVRTC_SUCCESS ? OPLUS_OK : fail(c, name, result);
}

static oplus_status no_memory(const compilation *c, size_t bytes)
{
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory (%zu bytes) to compile %s; free some", c->call, bytes, c->what);
}

/* TRY(c, CompileProgram, ...) */
#define TRY(c, name, ...) answered(c, "nvrtc" #name, (c)->rtc->name(__VA_ARGS__))

/* --- 2. the architecture ------------------------------------------------------------------------------------------ */

/* The highest known architecture that is not above the wanted one; 0 if there is none. */
static unsigned nearest(const int *known, int count, unsigned wanted)
{
    unsigned best = 0;
    for (int i = 0; i < count; i++)
        if ((unsigned)known[i] <= wanted && (unsigned)known[i] > best) best = (unsigned)known[i];
    return best;
}

static oplus_status choose(compilation *c, const int *known, int count)
{
    const unsigned best = nearest(known, count, c->architecture);
    if (best == 0)
        return opi_fail(OPLUS_ERR_COMPILE,
                        "%s: %s: this NVRTC does not compile for sm_%u any more; name an older one in the environment "
                        "variable OPLUS_NVRTC_LIBRARY",
                        c->call, c->what, c->architecture);
    c->text = best != c->architecture;
    snprintf(c->option, sizeof c->option, "--gpu-architecture=%s_%u", c->text ? "compute" : "sm", best);
    return OPLUS_OK;
}

static oplus_status choose_architecture(compilation *c)
{
    int count = 0;
    oplus_status status = TRY(c, GetNumSupportedArchs, &count);
    if (status != OPLUS_OK) return status;
    int *const known = calloc((size_t)count + 1, sizeof *known);
    if (!known) return no_memory(c, (size_t)count * sizeof *known);
    status = TRY(c, GetSupportedArchs, known);
    if (status == OPLUS_OK) status = choose(c, known, count);
    free(known);
    return status;
}

/* --- 3. compile --------------------------------------------------------------------------------------------------- */

/* Whether a line is empty, or only counts others ("2 errors detected in the compilation of"); the text ends in 0. */
static bool is_noise(const char *line, size_t length)
{
    static const char count[] = "detected in the compilation of";
    if (strspn(line, " \t\r") >= length) return true;
    const char *const at = strstr(line, count);
    return at && at < line + length;
}

/* Drops, in place, the lines that say nothing. */
static void tidy(char *said)
{
    char *to = said;
    for (const char *line = said, *next; *line; line = next) {
        const char *const end = strchr(line, '\n');
        const size_t length = end ? (size_t)(end - line) : strlen(line);
        next = line + length + (end != NULL);
        if (is_noise(line, length)) continue;
        memmove(to, line, length);
        to += length;
        *to++ = '\n';
    }
    if (to > said) to--; /* the last end of line */
    *to = '\0';
}

static oplus_status does_not_compile(const compilation *c)
{
    size_t bytes = 0;
    oplus_status status = TRY(c, GetProgramLogSize, c->program, &bytes);
    if (status != OPLUS_OK) return status;
    char *const said = malloc(bytes + 2); /* the last line may lack its end, */
    if (!said) return no_memory(c, bytes);
    said[bytes] = '\0'; /* and an empty log its 0 */
    said[0] = '\0';
    status = TRY(c, GetProgramLog, c->program, said);
    if (status == OPLUS_OK) {
        tidy(said);
        const char *const words = *said ? said : "NVRTC does not say why";
        status = opi_fail(OPLUS_ERR_COMPILE, "%s: %s does not compile%s:\n%.*s", c->call, c->what,
                          opi_gpu_remedy(words), opi_cut(words, SAID_BYTES), words);
    }
    free(said);
    return status;
}

static oplus_status compile(const compilation *c)
{
    /* Values must not depend on options: no contraction, denormals kept, division and square root rounded correctly. */
    const char *const options[] = {c->option,     "--std=c++17",     "-default-device",  "--fmad=false",
                                   "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "--disable-warnings"};
    const nvrtcResult result = c->rtc->CompileProgram(c->program, sizeof options / sizeof *options, options);
    return result == NVRTC_ERROR_COMPILATION ? does_not_compile(c) : answered(c, "nvrtcCompileProgram", result);
}

static oplus_status take(const compilation *c, void **binary, size_t *bytes)
{
    size_t size = 0;
    oplus_status status = c->text ? TRY(c, GetPTXSize, c->program, &size) : TRY(c, GetCUBINSize, c->program, &size);
    if (status != OPLUS_OK) return status;
    char *const content = malloc(size);
    if (!content) return no_memory(c, size);
    status = c->text ? TRY(c, GetPTX, c->program, content) : TRY(c, GetCUBIN, c->program, content);
    if (status != OPLUS_OK) {
        free(content);
        return status;
    }
    *binary = content;
    *bytes = size;
    return OPLUS_OK;
}

oplus_status opi_nvrtc_compile(const char *call, const char *what, const char *source, unsigned architecture,
                               void **binary, size_t *bytes)
{
    const char *why;
    compilation c = {.rtc = opi_nvrtc_open(&why), .call = call, .what = what, .architecture = architecture};
    *binary = NULL;
    *bytes = 0;
    if (!c.rtc) return opi_fail(OPLUS_ERR_COMPILE, "%s: %s cannot be compiled for CUDA: %s", call, what, why);
    oplus_status status = choose_architecture(&c);
    if (status == OPLUS_OK) status = TRY(&c, CreateProgram, &c.program, source, "oplus.cu", 0, NULL, NULL);
    if (status != OPLUS_OK) return status;
    status = compile(&c);
    if (status == OPLUS_OK) status = take(&c, binary, bytes);
    c.rtc->DestroyProgram(&c.program);
    return status;
}
