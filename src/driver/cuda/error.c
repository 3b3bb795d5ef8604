#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <stdio.h>

/* --- what to do --- */

#define RESTART "the process cannot use this device any more: restart it"

static const struct {
    CUresult result;
    const char *remedy;
} remedies[] = {
    {CUDA_ERROR_OUT_OF_MEMORY,
     "free some of the device's memory, or of the host's if that was to be pinned (oplus_free, "
     "oplus_trim, other programs), or ask for less"},
    {CUDA_ERROR_NOT_INITIALIZED, "if this is a child of fork(), use CUDA in the parent, or in a program that the child "
                                 "executes"},
    {CUDA_ERROR_DEINITIALIZED, "the process is ending: close the device earlier"},
    {CUDA_ERROR_STUB_LIBRARY, "this libcuda is the empty one for linking: take the directory \"stubs\" out of "
                              "LD_LIBRARY_PATH, and install NVIDIA's driver"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, "another process has it for itself: wait for that to end, or change the compute "
                                    "mode (nvidia-smi -c 0)"},
    {CUDA_ERROR_NO_DEVICE, "see that nvidia-smi shows one, and that CUDA_VISIBLE_DEVICES does not hide it"},
    {CUDA_ERROR_INVALID_DEVICE, "see what nvidia-smi and CUDA_VISIBLE_DEVICES say"},
    {CUDA_ERROR_INVALID_IMAGE, "it was not compiled for this device, or is damaged: compile it anew"},
    {CUDA_ERROR_INVALID_CONTEXT, "the program has destroyed or reset the context: close the device and open it again"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "it was not compiled for this device: compile it anew"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "the device's memory is failing; " RESTART ", and see nvidia-smi -q -d ECC"},
    {CUDA_ERROR_INVALID_PTX, "it was not compiled for this device, or is damaged: compile it anew"},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "nothing links the two devices: open each by itself"},
    {CUDA_ERROR_TOO_MANY_PEERS, "the device reaches no more others: open fewer together"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, "the link between devices is failing; " RESTART},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "the driver lacks libnvidia-ptxjitcompiler: install the driver whole, or an "
                                        "NVRTC that knows this device"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "NVRTC is newer than the driver: update the driver, or name an older NVRTC in "
                                         "OPLUS_NVRTC_LIBRARY"},
    {CUDA_ERROR_INVALID_HANDLE, "a stream that was given to the device must live until it is closed"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel left its arrays: see that each has the size that was said, and is not freed "
                                 "too early; " RESTART},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the operator needs too many registers: make it or its type smaller"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "a kernel ran longer than a device with a display allows; " RESTART},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "the program has destroyed or reset the context: close the device and open it "
                                      "again"},
    {CUDA_ERROR_ASSERT, RESTART},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, RESTART},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, RESTART},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "an array is not aligned to its type; " RESTART},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, RESTART},
    {CUDA_ERROR_INVALID_PC, RESTART},
    {CUDA_ERROR_LAUNCH_FAILED, RESTART},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "other programs may hold a part of the device: end them, or take fewer "
                                              "elements"},
    {CUDA_ERROR_SYSTEM_NOT_READY, "start what the machine needs first (nvidia-fabricmanager)"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "the driver's library and its kernel module are of different versions: restart "
                                        "the machine"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "the stream is being captured into a graph: end the capture first"},
};

static const char *remedy_of(CUresult result)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].result == result) return remedies[i].remedy;
    return "see nvidia-smi and the system's log (dmesg) for what is wrong with the device";
}

/* --- in words --- */

void opi_cuda_words(const opi_cuda_calls *cu, const char *name, CUresult result, const char *where, char *text,
                    size_t bytes)
{
    const char *error, *means;
    char number[32];
    snprintf(number, sizeof number, "error %d", (int)result);
    if (cu->GetErrorName(result, &error) != CUDA_SUCCESS || !error) error = number; /* newer than the driver */
    if (cu->GetErrorString(result, &means) != CUDA_SUCCESS || !means) means = "unknown to the driver";
    snprintf(text, bytes, "%s failed: %s (%s)%s; %s", name, error, means, where, remedy_of(result));
}

oplus_status opi_cuda_fail(const opi_cuda_gpu *g, const char *call, const char *name, CUresult result, const char *said)
{
    char where[sizeof g->gpu.facts.where + sizeof g->gpu.facts.name + 8], words[640];
    snprintf(where, sizeof where, g->gpu.facts.name[0] ? " on %s (%s)" : " on %s", g->gpu.facts.where,
             g->gpu.facts.name);
    opi_cuda_words(g->cu, name, result, where, words, sizeof words);
    return opi_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? OPLUS_ERR_MEMORY : OPLUS_ERR_DEVICE, "%s: %s%s", call, words,
                    said);
}
