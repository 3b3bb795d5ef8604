#include "gpu/pipeline/groups.h"

#include "base/error.h"
#include "gpu/memory.h"

enum {
    ARCHITECTURE = 90,       /* the first that has bulk copies */
    LEVELS = 5,              /* of published nodes; each has 32 times the tiles of the one before */
    LOCAL_BYTES = 227 << 10, /* the most shared memory of a group */
    SPARE_BYTES = 128,       /* of a stage: arrays may begin anywhere, and stages begin at multiples of this,
                                or 16 bytes behind (OPI_STAGE_LEAD) */
    RING_HEAD_BYTES = 512,   /* what a ring has once, beside nodes; and for each stage its barriers */
    BARRIERS_BYTES = 40,
    LOG_LANES = 5,
    TEAM_WARPS = 8, /* that write a tile together, if it has so many parts */
    FEED_WARPS = 1,
    MAKE_WARPS = 8, /* that make what comes into the ring; half of them of elements larger than MAKE_NARROW bytes */
    MAKE_TEAMS = 4, /* in so many teams */
    MAKE_NARROW = 8,
    UNDER_WAY_BYTES = 128, /* that a work-item of them reads at once, */
    MADE_BYTES = 256,      /* and the most that they become */
    LARGEST_NARROW = 16,   /* bytes of an element whose nodes go through registers as a whole (OPI_WIDE) */
    POLL_PAUSE = 20, /* nanoseconds between two looks at what others publish, so that those who work are not slowed */
    CLEARED_ITEMS = 256
};

#define PATIENCE UINT64_C(20000000000) /* cycles that a warp waits before it gives up: some ten seconds */

/* --- the shape ----------------------------------------------------------------------------------------------------
 * A work-item has runs of whole vectors of 16 bytes: a line of a part is a run of each work-item of a warp.  Its registers
 * must hold five nodes for each line of a part.  Tiles of small elements have 16 KiB; those of structs are as large as
 * four stages allow, because what a tile costs beside its elements grows with the node (docs/performance.md). */
typedef struct cut {
    unsigned element; /* bytes */
    unsigned log_parts, log_lines;
} cut;

static cut cut_of(size_t element)
{
    static const cut cuts[] = {{1, 3, 2},  {2, 3, 2},  {4, 3, 2},  {8, 3, 2},  {12, 4, 0}, {16, 4, 1},
                               {20, 4, 0}, {24, 5, 0}, {32, 5, 0}, {40, 4, 0}, {48, 5, 0}, {64, 4, 0}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (cuts[i].element == element) return cuts[i];
    return (cut){.element = 0};
}

/* Of a run of whole vectors, as short as possible. */
static unsigned log_elements(size_t element)
{
    unsigned k = 0;
    while ((element << k) % OPI_VECTOR_BYTES > 0) k++;
    return k;
}

/* To the texts of the canonical tree, each run of a tile is a work-item's. */
opi_shape opi_groups_shape(size_t element)
{
    const cut c = cut_of(element);
    return (opi_shape){.log_w = c.log_parts + LOG_LANES + c.log_lines, .log_e = log_elements(element), .vectors = true};
}

static size_t tile_bytes(size_t element) { return element * (size_t)opi_groups_tile(element); }

/* The warps of the roles.  Up to 12 warps have 168 registers each, up to 16 have 128, up to 24 have 80.  The number of
 * stages is a multiple of `step`, and so of the teams and of the warps of each role. */
typedef struct roles {
    unsigned teams, reduce, carry; /* a team has a warp for each part of a tile */
    unsigned step;
} roles;

static roles roles_of(const opi_groups *groups)
{
    static const roles one_team = {1, 4, 3, 12}, two_teams = {2, 4, 3, 12}, with_heads = {2, 4, 2, 4},
                       large = {1, 4, 2, 4}, larger = {1, 3, 3, 3}, filter = {1, 4, 2, 4}, makes = {1, 2, 2, 4};
    if (groups->makes > 0) return groups->counts ? filter : makes;
    if (groups->element > 8) return groups->element % 32 == 0 ? larger : large;
    const bool is_crowded =
        groups->beside > LOCAL_BYTES / 8; /* indices, wider than elements, leave room for few stages */
    if (groups->counts && groups->slow) return with_heads;
    if (groups->counts && (groups->element >= 4 || is_crowded)) return filter;
    return groups->lifted ? with_heads : groups->slow ? two_teams : one_team;
}

static unsigned team_of(size_t element) { return (unsigned)opi_smaller(TEAM_WARPS, 1u << cut_of(element).log_parts); }

/* Warps that fill the ring. */
static unsigned make_warps(size_t element) { return element > MAKE_NARROW ? MAKE_WARPS / 2 : MAKE_WARPS; }
static unsigned fill_warps(const opi_groups *groups)
{
    return groups->makes > 0 ? make_warps(groups->element) : FEED_WARPS;
}

/* How many elements a work-item makes at once: a power of two. */
static unsigned made_at_once(const opi_groups *groups)
{
    const uint64_t makers = make_warps(groups->element) / MAKE_TEAMS << LOG_LANES;
    const uint64_t most = opi_groups_tile(groups->element) / makers;
    unsigned made = 1;
    while (2 * made <= most && 2 * made * groups->makes <= UNDER_WAY_BYTES && 2 * made * groups->element <= MADE_BYTES)
        made *= 2;
    return made;
}

static unsigned items_of(const opi_groups *groups)
{
    const roles r = roles_of(groups);
    return (r.teams * team_of(groups->element) + r.reduce + r.carry + fill_warps(groups)) << LOG_LANES;
}

/* Each warp that writes puts what is kept of a part side by side, and begins up to 16 bytes behind the beginning; before it
 * there are 16 more (sieve.cl). */
size_t opi_groups_heaps(size_t element, size_t widest)
{
    const size_t items = (size_t)opi_groups_tile(element) >> cut_of(element).log_parts;
    return team_of(element) * (items * widest + 2 * OPI_VECTOR_BYTES);
}

static size_t stage_bytes(const opi_groups *groups)
{
    const size_t own = tile_bytes(groups->element) + SPARE_BYTES;
    return groups->lifted ? own + (size_t)opi_groups_tile(groups->element) + SPARE_BYTES : own;
}

/* At least the bytes of a node in whole words, as the ring has it. */
static size_t node_bytes(const opi_groups *groups) { return opi_round_up(groups->node, sizeof(uint64_t)); }

/* Bytes that the kernel declares beside its stages (opi_ring): for each stage, and once. */
static size_t beside_stage(const opi_groups *groups)
{
    return BARRIERS_BYTES + node_bytes(groups) * (2 * (1u << cut_of(groups->element).log_parts) + 1);
}

static size_t beside_ring(const opi_groups *groups)
{
    return RING_HEAD_BYTES + node_bytes(groups) * 5 * LEVELS * (roles_of(groups).carry + 1);
}

static unsigned stages_of(const opi_groups *groups)
{
    const size_t left = LOCAL_BYTES - beside_ring(groups) - groups->beside;
    const unsigned most = (unsigned)(left / (stage_bytes(groups) + beside_stage(groups)));
    return most - most % roles_of(groups).step;
}

static size_t ring_bytes(const opi_groups *groups) { return stages_of(groups) * stage_bytes(groups); }

uint64_t opi_groups_tile(size_t element) { return opi_tile(opi_groups_shape(element)); }
uint64_t opi_groups_tiles(size_t element, uint64_t n)
{
    const uint64_t tile = opi_groups_tile(element);
    return n / tile + (n % tile > 0);
}
uint64_t opi_groups_most_tiles(void) { return (uint64_t)1 << (5 * LEVELS); }

bool opi_groups_fit(const opi_gpu_facts *facts, const opi_groups *groups)
{
    return cut_of(groups->element).element > 0 && stages_of(groups) > 0 && facts->architecture >= ARCHITECTURE &&
           facts->resident && facts->lanes == 1 << LOG_LANES && facts->group >= items_of(groups) &&
           facts->local_most >= LOCAL_BYTES;
}

/* --- the program --------------------------------------------------------------------------------------------------- */

opi_shape opi_groups_write_shape(opi_gpu_source *source, const opi_job *job, const opi_groups *groups)
{
    const size_t element = groups->element;
    const opi_shape shape = opi_groups_shape(element);
    const roles r = roles_of(groups);
    opi_gpu_write_shape(source, shape, element);
    opi_gpu_define(source, "OPI_LOG_PARTS", cut_of(element).log_parts);
    opi_gpu_define(source, "OPI_LOG_LINES", cut_of(element).log_lines);
    opi_gpu_define(source, "OPI_TEAM_WARPS", TEAM_WARPS);
    opi_gpu_define(source, "OPI_WIDE", element > LARGEST_NARROW);
    opi_gpu_define(source, "OPI_TEAMS", r.teams);
    opi_gpu_define(source, "OPI_STAGES", stages_of(groups));
    opi_gpu_define(source, "OPI_LIFTED", groups->lifted);
    opi_gpu_define(source, "OPI_MAKES", groups->makes > 0);
    opi_gpu_define(source, "OPI_MAKE_TEAMS", MAKE_TEAMS);
    opi_gpu_define(source, "OPI_MAKE_TEAM", make_warps(element) / MAKE_TEAMS);
    opi_gpu_define(source, "OPI_MADE", made_at_once(groups));
    opi_deal_write(job->deal, source);
    opi_gpu_define(source, "OPI_STAGE_SPARE", SPARE_BYTES);
    opi_gpu_define(source, "OPI_REDUCE_WARPS", r.reduce);
    opi_gpu_define(source, "OPI_CARRY_WARPS", r.carry);
    opi_gpu_define(source, "OPI_PIPE_ITEMS", items_of(groups));
    opi_gpu_define(source, "OPI_PIPE_LEVELS", LEVELS);
    opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
    opi_gpu_define(source, "OPI_POLL_PAUSE", POLL_PAUSE);
    return shape;
}

void opi_groups_write_kernels(opi_gpu_source *source)
{
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_kernels(source, "ring");
    opi_gpu_write_kernels(source, "published");
    opi_gpu_write_kernels(source, "states");
    opi_gpu_write_kernels(source, "groups");
    opi_gpu_write_kernels(source, "make");
}

/* Asks how many groups run at the same time, once for each program. */
static oplus_status count_residents(const opi_job *job, const opi_groups *groups)
{
    opi_gpu *const gpu = job->g->gpu;
    const size_t bytes = ring_bytes(groups) + groups->beside;
    opi_launch launch = {.items = items_of(groups), .local = bytes, .resident = true};
    if (groups->program->residents > 0) return OPLUS_OK;
    const char *const names[] = {groups->kernel, "opi_clear_states"};
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, groups->program, names, 2));
    OPI_TRY(opi_kernel_allow(&job->g->programs, job->call, groups->program, groups->kernel, bytes));
    OPI_TRY(opi_kernel_get(&job->g->programs, job->call, groups->program, groups->kernel, &launch.kernel));
    return gpu->driver->residents(gpu, job->call, &launch, &groups->program->residents);
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

enum { STATES_HEAD = 16 }; /* as OPI_FIRST_PUBLISHED of published.cl */

/* Bound of the places of `tiles` tiles on all levels, of 8 bytes each, wherever the tiles begin. */
static uint64_t places_of(uint64_t tiles, size_t node)
{
    const uint64_t words = (node + 3) / 4;
    uint64_t nodes = 0;
    for (int level = 0; level < LEVELS; level++) nodes += (tiles >> 5 * level) + 64;
    return STATES_HEAD + nodes * words;
}

/* What groups of several accelerators tell each other has memory of its own: its launches are numbered together. */
static opi_states *states_of(const opi_job *job) { return job->deal ? &job->g->pipeline.dealt : &job->g->pipeline.own; }

/* Makes the states ready for their first launch, or for numbers that begin again. */
static oplus_status clear(const opi_job *job, opi_program *program)
{
    opi_states *const s = states_of(job);
    const uint64_t places = s->buffer.bytes / sizeof(uint64_t);
    const opi_gpu_argument list[] = {opi_memory(s->buffer.mem), opi_value(places)};
    if (s->is_clear || job->g->rehearsal) return OPLUS_OK;
    OPI_TRY(opi_gpu_launch_of(job, program, "opi_clear_states", job->g->gpu->facts.units, CLEARED_ITEMS, list, 2));
    s->is_clear = !opi_gpu_see_recording(job->g); /* a recorded launch has cleared nothing yet */
    return OPLUS_OK;
}

static unsigned share_of(const opi_job *job) { return job->deal ? job->deal->share : 1; }

/* Accelerator 0 numbers the launches of all.  They write into each other's states from the next step on. */
static oplus_status number_launch(const opi_job *job, const opi_groups *groups)
{
    opi_states *const own = states_of(job), *const all = &job->deal->all[0]->pipeline.dealt;
    if (groups->program->residents < share_of(job))
        return opi_fail(OPLUS_ERR_UNSUPPORTED,
                        "%s: %s has no room for groups that wait for others; OPLUS_WAY=one in the "
                        "environment takes another way",
                        job->call, job->g->dev.name);
    if (job->deal->own == 0 && !job->g->rehearsal) all->epoch++;
    if (all->epoch == 0) all->epoch = 1;
    if (all->epoch < own->seen) own->is_clear = false;
    own->seen = all->epoch;
    OPI_TRY(opi_gpu_check_layout(job, groups->program)); /* it waits: later, others wait for this accelerator */
    return clear(job, groups->program);
}

oplus_status opi_groups_prepare(const opi_job *job, const opi_groups *groups, uint64_t tiles)
{
    opi_states *const s = states_of(job);
    const size_t bytes = places_of(tiles, groups->node) * sizeof(uint64_t);
    OPI_TRY(count_residents(job, groups));
    if (bytes > s->buffer.bytes) s->is_clear = false;
    OPI_TRY(job->deal ? opi_deal_reserve(job->deal, job->call, &s->buffer, bytes)
                      : opi_gpu_reserve(job->g, job->call, &s->buffer, bytes));
    OPI_TRY(opi_fault_reserve(job->g, job->call));
    return job->deal ? number_launch(job, groups) : OPLUS_OK;
}

void opi_groups_add(const opi_job *job, const opi_groups *groups, uint64_t tiles, opi_arguments *to,
                    opi_groups_told *told)
{
    const opi_states *const s = states_of(job);
    told->places = s->buffer.bytes / sizeof(uint64_t);
    told->tiles = tiles;
    opi_add(to, opi_memory(s->buffer.mem));
    opi_add(to, opi_memory(job->g->pipeline.fault.mem));
    opi_add(to, opi_value(told->places));
    if (!job->deal) return;
    told->tiles = opi_deal_items(job->deal, tiles, tile_bytes(groups->element), &told->dealt);
    for (unsigned w = 0; w < job->deal->workers; w++)
        told->dealt.state[w] = (uint64_t)(uintptr_t)job->deal->all[w]->pipeline.dealt.buffer.mem;
    told->dealt.epoch = job->deal->all[0]->pipeline.dealt.epoch;
    opi_add(to, opi_value(told->dealt));
}

size_t opi_groups_makes(const opi_task *task)
{
    size_t bytes = 0;
    if (!task->before) return task->backward ? task->array[OPI_IN].size : 0;
    for (unsigned k = 0; k < task->before->arity; k++) bytes += task->before->input[k]->size;
    return bytes;
}

unsigned opi_groups_last_owner(const opi_job *job, size_t element)
{
    opi_dealt dealt = {.epoch = 0};
    const uint64_t tiles = opi_groups_tiles(element, job->task->n);
    opi_deal_items(job->deal, tiles, tile_bytes(element), &dealt);
    return opi_deal_owner(&dealt, tiles - 1);
}

/* --- launches ------------------------------------------------------------------------------------------------------ */

oplus_status opi_groups_launch(const opi_job *job, const opi_groups *groups, const opi_groups_told *told,
                               const opi_arguments *a)
{
    const unsigned share = share_of(job);
    const opi_launch all = {.groups = opi_smaller(told->tiles, groups->program->residents / share),
                            .items = items_of(groups),
                            .local = ring_bytes(groups) + groups->beside,
                            .resident = share == 1, /* the driver would not run two such launches at the same time */
                            .argument = a->list,
                            .arguments = a->count};
    if (!job->deal) OPI_TRY(clear(job, groups->program));
    return opi_gpu_launch_as(job, groups->program, groups->kernel, &all);
}
