/* What an error of OpenCL means for the caller, in words. */
#include "driver/opencl/opencl.h"

/* What an error is for the caller, and what can be done; others are OPLUS_ERR_DEVICE. */
static const struct {
    cl_int error;
    oplus_status status;
    const char *remedy;
} meanings[] = {
    {CL_OUT_OF_HOST_MEMORY, OPLUS_ERR_MEMORY, "free memory, of the host too, or work on fewer elements at once"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, OPLUS_ERR_MEMORY,
     "free memory of the device (oplus_free, oplus_trim; other programs use it too), or ask for less"},
    {CL_OUT_OF_RESOURCES, OPLUS_ERR_DEVICE,
     "the device's memory is full, or a kernel needs more registers or shared memory than there are, or went out of "
     "bounds; free memory, use a smaller element type, or look at what the operator indexes"},
    {CL_INVALID_WORK_GROUP_SIZE, OPLUS_ERR_DEVICE,
     "the kernel needs more registers than a work-group of this size leaves it; use a smaller element type"},
    {CL_INVALID_WORK_ITEM_SIZE, OPLUS_ERR_DEVICE, "work-groups of this device are smaller"},
    {CL_DEVICE_NOT_AVAILABLE, OPLUS_ERR_DEVICE, "see with clinfo whether its driver works"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, OPLUS_ERR_DEVICE,
     "work enqueued before has failed; open the device anew"},
    {CL_NVIDIA_ILLEGAL_ACCESS, OPLUS_ERR_DEVICE,
     "a kernel touched memory that is not its own; see whether the operator indexes out of bounds, and open the device "
     "anew"},
};

oplus_status opi_cl_check(const opi_cl_gpu *gpu, const char *call, const char *name, cl_int error)
{
    const opi_gpu_facts *const facts = &gpu->gpu.facts;
    oplus_status status = OPLUS_ERR_DEVICE;
    const char *remedy = "see with clinfo whether its driver works, or use another device";
    if (error == CL_SUCCESS) return OPLUS_OK;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].error == error) {
            status = meanings[i].status;
            remedy = meanings[i].remedy;
        }
    return opi_fail(status, "%s: %s failed: %s (%d) on %s (%s); %s", call, name, opi_cl_word(error), (int)error,
                    facts->where, facts->name, remedy);
}
