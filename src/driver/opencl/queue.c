/* Queues of an OpenCL device, and order among them. */
#include "driver/opencl/opencl.h"

oplus_status opi_cl_queue(opi_cl_gpu *gpu, const char *call, opi_gpu_queue which, cl_command_queue *queue)
{
    cl_int error = CL_SUCCESS;
    if (!gpu->queue[which]) {
        cl_command_queue made = gpu->cl->CreateCommandQueue(gpu->context, gpu->device, 0, &error);
        OPI_TRY(opi_cl_check(gpu, call, "clCreateCommandQueue", error));
        gpu->queue[which] = made;
    }
    *queue = gpu->queue[which];
    return OPLUS_OK;
}

void opi_cl_finish(opi_cl_gpu *gpu)
{
    for (int i = 0; i < OPI_QUEUES; i++)
        if (gpu->queue[i]) gpu->cl->Flush(gpu->queue[i]); /* all, for one may wait for another */
    for (int i = 0; i < OPI_QUEUES; i++)
        if (gpu->queue[i]) gpu->cl->Finish(gpu->queue[i]);
}

oplus_status opi_cl_sync(opi_gpu *base, const char *call, opi_gpu_queue which)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    if (!gpu->queue[which]) return OPLUS_OK; /* never used */
    return OPI_CL_CHECK(gpu, call, Finish, gpu->queue[which]);
}

/* A mark is an event.  Another queue, and whoever asks for its state, may wait for it only once it is flushed. */
oplus_status opi_cl_mark(opi_gpu *base, const char *call, opi_gpu_queue which, void **made)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_command_queue queue;
    cl_event event = NULL;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(OPI_CL_CHECK(gpu, call, EnqueueMarkerWithWaitList, queue, 0, NULL, &event));
    const oplus_status status = OPI_CL_CHECK(gpu, call, Flush, queue);
    if (status != OPLUS_OK)
        gpu->cl->ReleaseEvent(event);
    else
        *made = event;
    return status;
}

oplus_status opi_cl_after(opi_gpu *base, const char *call, opi_gpu_queue which, void *mark)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_event event = mark;
    cl_command_queue queue, marked = NULL;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetEventInfo, event, CL_EVENT_COMMAND_QUEUE, sizeof marked, &marked, NULL));
    if (marked == queue) return OPLUS_OK; /* a queue is in order */
    return OPI_CL_CHECK(gpu, call, EnqueueBarrierWithWaitList, queue, 1, &event, NULL);
}

oplus_status opi_cl_reached(opi_gpu *base, const char *call, void *mark)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    cl_event event = mark;
    return OPI_CL_CHECK(gpu, call, WaitForEvents, 1, &event);
}

oplus_status opi_cl_query(opi_gpu *base, const char *call, void *mark, bool *done)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    cl_int state = CL_COMPLETE;
    *done = false;
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetEventInfo, mark, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    *done = state <= CL_COMPLETE;
    return state < 0 ? opi_cl_check(gpu, call, "work enqueued before", state) : OPLUS_OK;
}

void opi_cl_drop(opi_gpu *base, void *mark)
{
    if (mark) ((opi_cl_gpu *)base)->cl->ReleaseEvent(mark);
}
