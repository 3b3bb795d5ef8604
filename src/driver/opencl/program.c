/* Programs of an OpenCL device and their kernels. */
#define _GNU_SOURCE /* strcasestr */
#include "driver/opencl/opencl.h"
#include "driver/remedy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opi_cl_program {
    cl_program program;
    opi_cl_kernel *kernels; /* to be released with it */
};

/* --- building ----------------------------------------------------------------------------------------------------- */

/* Contraction is switched off in the text (gpu/words/opencl.cl): no option of 1.2 does it.  -w: PoCL prints the number
 * of warnings to stderr. */
static const char *options(const opi_cl_gpu *gpu)
{
    return gpu->gpu.facts.divides ? "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-w -cl-std=CL1.2";
}

/* The log from the line of the first error on: before it are warnings and remarks of the driver. */
static const char *first_error(const char *log)
{
    const char *const error = strcasestr(log, "error:");
    const char *begin = error ? error : log;
    while (begin > log && begin[-1] != '\n') begin--;
    return begin + strspn(begin, " \t\r\n");
}

static oplus_status broken(const opi_cl_gpu *gpu, const char *call, const char *what, cl_program program)
{
    size_t bytes = 0;
    char *log = NULL;
    if (gpu->cl->GetProgramBuildInfo(program, gpu->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS)
        log = calloc(bytes + 1, 1);
    if (!log ||
        gpu->cl->GetProgramBuildInfo(program, gpu->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
        bytes = 0;
    const char *const said = bytes ? first_error(log) : "";
    size_t n = strlen(said);
    while (n > 0 && (said[n - 1] == '\n' || said[n - 1] == ' ')) n--;
    const oplus_status status =
        opi_fail(OPLUS_ERR_COMPILE, "%s: %s does not compile for %s (%s)%s:\n%.*s", call, what, gpu->gpu.facts.where,
                 gpu->gpu.facts.name, opi_gpu_remedy(said), n ? (int)n : 20, n ? said : "(no word from it)");
    free(log);
    return status;
}

/* Builds the program `made`, and releases it if that fails. */
static oplus_status build(opi_cl_gpu *gpu, const char *call, const char *what, cl_program made, void **program)
{
    opi_cl_program *const built = calloc(1, sizeof *built);
    if (!built) {
        gpu->cl->ReleaseProgram(made);
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for a program of %s", call, gpu->gpu.facts.where);
    }
    const cl_int error = gpu->cl->BuildProgram(made, 1, &gpu->device, options(gpu), NULL, NULL);
    if (error != CL_SUCCESS) {
        const oplus_status status = error == CL_BUILD_PROGRAM_FAILURE
                                        ? broken(gpu, call, what, made)
                                        : opi_cl_check(gpu, call, "clBuildProgram", error);
        gpu->cl->ReleaseProgram(made);
        free(built);
        return status;
    }
    built->program = made;
    *program = built;
    return OPLUS_OK;
}

oplus_status opi_cl_compile(opi_gpu *base, const char *call, const char *what, const char *source, void **program)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_int error = CL_SUCCESS;
    cl_program made = gpu->cl->CreateProgramWithSource(gpu->context, 1, &source, NULL, &error);
    OPI_TRY(opi_cl_check(gpu, call, "clCreateProgramWithSource", error));
    return build(gpu, call, what, made, program);
}

oplus_status opi_cl_load(opi_gpu *base, const char *call, const void *binary, size_t bytes, void **program)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    const unsigned char *const content = binary;
    const unsigned char *contents[] = {content};
    cl_int error = CL_SUCCESS, loaded = CL_SUCCESS;
    cl_program made =
        gpu->cl->CreateProgramWithBinary(gpu->context, 1, &gpu->device, &bytes, contents, &loaded, &error);
    OPI_TRY(opi_cl_check(gpu, call, "clCreateProgramWithBinary", error));
    if (loaded != CL_SUCCESS) {
        gpu->cl->ReleaseProgram(made);
        return opi_cl_check(gpu, call, "clCreateProgramWithBinary", loaded);
    }
    return build(gpu, call, "a binary", made, program);
}

/* --- what was built ----------------------------------------------------------------------------------------------- */

/* A context of a caller's queue may have several devices: each has its entry in these lists, one of which is ours. */
typedef struct entries {
    cl_uint n;
    cl_device_id *device;
    size_t *bytes;
    unsigned char **content;
} entries;

static oplus_status ask_entries(const opi_cl_gpu *gpu, const char *call, cl_program program, entries *e)
{
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetProgramInfo, program, CL_PROGRAM_NUM_DEVICES, sizeof e->n, &e->n, NULL));
    e->device = calloc(e->n, sizeof *e->device);
    e->bytes = calloc(e->n, sizeof *e->bytes);
    e->content = calloc(e->n, sizeof *e->content);
    if (!e->device || !e->bytes || !e->content)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for a list of %u devices", call, (unsigned)e->n);
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetProgramInfo, program, CL_PROGRAM_DEVICES, e->n * sizeof *e->device, e->device,
                         NULL));
    return OPI_CL_CHECK(gpu, call, GetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, e->n * sizeof *e->bytes, e->bytes,
                        NULL);
}

/* Entries without a place are passed over. */
static oplus_status ask_content(const opi_cl_gpu *gpu, const char *call, cl_program program, const entries *e,
                                void **content, size_t *bytes)
{
    cl_uint ours = 0;
    while (ours < e->n && e->device[ours] != gpu->device) ours++;
    if (ours == e->n || e->bytes[ours] == 0)
        return opi_fail(OPLUS_ERR_DEVICE, "%s: the driver of %s (%s) keeps no binary of a program", call,
                        gpu->gpu.facts.where, gpu->gpu.facts.name);
    void *const place = malloc(e->bytes[ours]);
    if (!place)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for a program of %zu bytes", call, e->bytes[ours]);
    e->content[ours] = place;
    const oplus_status status = OPI_CL_CHECK(gpu, call, GetProgramInfo, program, CL_PROGRAM_BINARIES,
                                             e->n * sizeof *e->content, e->content, NULL);
    if (status != OPLUS_OK) {
        free(place);
        return status;
    }
    *content = place;
    *bytes = e->bytes[ours];
    return OPLUS_OK;
}

oplus_status opi_cl_binary(opi_gpu *base, const char *call, void *program, void **binary, size_t *bytes)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    const opi_cl_program *const of = program;
    entries e = {0};
    oplus_status status = ask_entries(gpu, call, of->program, &e);
    if (status == OPLUS_OK) status = ask_content(gpu, call, of->program, &e, binary, bytes);
    free(e.device);
    free(e.bytes);
    free(e.content);
    return status;
}

oplus_status opi_cl_find_kernel(opi_gpu *base, const char *call, void *program, const char *name, void **made)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    opi_cl_program *const of = program;
    const size_t name_bytes = strlen(name) + 1;
    opi_cl_kernel *const k = malloc(sizeof *k + name_bytes);
    if (!k)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for kernel %s of %s", call, name, gpu->gpu.facts.where);
    cl_int error = CL_SUCCESS;
    k->kernel = gpu->cl->CreateKernel(of->program, name, &error);
    memcpy(k->name, name, name_bytes);
    k->next = of->kernels;
    if (error != CL_SUCCESS) {
        char created[160];
        free(k);
        snprintf(created, sizeof created, "clCreateKernel of %s", name);
        return opi_cl_check(gpu, call, created, error);
    }
    of->kernels = k;
    *made = k;
    return OPLUS_OK;
}

/* Commands under way keep what they use. */
void opi_cl_unload(opi_gpu *base, void *program)
{
    const opi_cl_api *const cl = ((opi_cl_gpu *)base)->cl;
    opi_cl_program *const of = program;
    if (!of) return;
    for (opi_cl_kernel *k = of->kernels, *next; k; k = next) {
        next = k->next;
        cl->ReleaseKernel(k->kernel);
        free(k);
    }
    cl->ReleaseProgram(of->program);
    free(of);
}
