/* A group of a pipeline from its first step to its last. */

#define OPI_PIPE_KERNEL extern "C" __global__ __launch_bounds__(OPI_PIPE_ITEMS, 1)

/* Begins with what every work-item does alone; opi_meet follows. */
OPI_FUNCTION opi_pipe opi_pipe_of(opi_ring *ring, unsigned char *stages, const unsigned char *in, uint64_t bytes,
                                  unsigned char *out, uint64_t *state, uint32_t *fault)
{
    opi_pipe pipe;
    pipe.ring = ring;
    pipe.stages = stages;
    pipe.in = in;
    pipe.out = out;
    pipe.skew = OPI_MAKES ? 0 : (uint32_t)(unsigned long)in & 15;
    pipe.bytes = bytes;
    pipe.begin = 0;
    pipe.tiles = (uint32_t)((bytes + OPI_TILE_BYTES - 1) / OPI_TILE_BYTES);
    pipe.state = state;
    pipe.fault = fault;
    pipe.lane = OPI_SELF & 31;
    if (OPI_SELF == 0) {
        opi_ring_begin(ring);
        ring->epoch = ((const opi_states_head *)state)->epoch + 1;
    }
    return pipe;
}

#if OPI_DEALT
#define OPI_TAKE_DEALT(pipe)                                                                                           \
    if (OPI_SELF == 0) {                                                                                               \
        (pipe)->ring->dealt = dealt;                                                                                   \
        (pipe)->ring->epoch = dealt.epoch;                                                                             \
    }
#else
#define OPI_TAKE_DEALT(pipe)
#endif

/* All work-items of the group see what each has written. */
OPI_FUNCTION void opi_meet(opi_pipe *pipe)
{
    __syncthreads();
    pipe->epoch = pipe->ring->epoch;
}

/* The last group to finish makes the states ready for the next launch.  After 2^32 launches epochs begin again.  If tiles
 * are dealt out, the host numbers the launches. */
OPI_FUNCTION void opi_finish(const opi_pipe *pipe, uint64_t places)
{
    if (OPI_DEALT) return;
    opi_states_head *const head = (opi_states_head *)pipe->state;
    __syncthreads();
    if (OPI_SELF == 0) pipe->ring->is_last = atomicAdd(&head->finished, 1u) == (uint32_t)OPI_GROUPS - 1;
    __syncthreads();
    if (!pipe->ring->is_last) return;
    const bool again = pipe->epoch == 0xffffffffu;
    for (uint64_t k = OPI_FIRST_PUBLISHED + OPI_SELF; again && k < places; k += blockDim.x) pipe->state[k] = 0;
    if (OPI_SELF > 0) return;
    head->epoch = again ? 0 : pipe->epoch;
    head->finished = 0;
}

/* Makes new memory ready for the first launch. */
OPI_KERNEL void opi_clear_states(OPI_PARAM(states), const uint64_t places)
{
    const uint64_t step = OPI_GROUPS * blockDim.x;
    for (uint64_t k = OPI_GROUP * blockDim.x + OPI_SELF; k < places; k += step) OPI_AT(uint64_t, states)[k] = 0;
}
