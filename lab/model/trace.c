#include "lab/model/trace.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined __GNUC__ && __GNUC__ >= 10 && !defined __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak" /* a false positive: lab_events keeps the array */
#endif

enum { WARP = 32, STACK_BYTES = 32 << 10 };

typedef enum item_state { READY, AT_WARP_SYNC, AT_BARRIER, DONE } item_state;

/* A work-item is a coroutine: it runs until it waits for others. */
typedef struct item {
    ucontext_t context;
    item_state state;
    lab_events *events;
    uint32_t path[2 * LAB_TRACE_LOOPS + 1];
    unsigned length;       /* of the path of the loops around it */
    unsigned shuffles;     /* so far */
    uint32_t exchanged[2]; /* the values of the last two shuffles */
} item;

/* The group that runs.  Kernels are plain functions without a parameter for it, so their calls find it here. */
static struct {
    item *item;
    unsigned items, self;
    uint32_t group, groups;
    ucontext_t scheduler;
    void (*call)(const void *context);
    const void *context;
    bool no_memory;
} run;

static item *self(void) { return &run.item[run.self]; }

/* --- work-items --------------------------------------------------------------------------------------------------- */

static void begin(void)
{
    run.call(run.context);
    self()->state = DONE; /* then back to the scheduler, the context's link */
}

static void wait_as(item_state state)
{
    self()->state = state;
    swapcontext(&self()->context, &run.scheduler);
}

uint32_t lab_trace_item(void) { return run.self; }
uint32_t lab_trace_group(void) { return run.group; }
uint32_t lab_trace_groups(void) { return run.groups; }
void lab_trace_barrier(void) { wait_as(AT_BARRIER); }
void lab_trace_warp_sync(void) { wait_as(AT_WARP_SYNC); }

/* Two values are kept: a lane that is ahead by one shuffle does not overwrite what others still have to read. */
uint32_t lab_trace_shuffle(uint32_t value, int by)
{
    const unsigned which = self()->shuffles++ % 2;
    self()->exchanged[which] = value;
    wait_as(AT_WARP_SYNC);
    const unsigned first = run.self / WARP * WARP;
    const unsigned last = first + WARP < run.items ? first + WARP : run.items;
    const long from = (long)run.self + by;
    return from < (long)first || from >= (long)last ? value : run.item[from].exchanged[which];
}

/* --- what they tell ----------------------------------------------------------------------------------------------- */

/* NULL: no memory. */
static lab_event *add(lab_event_kind kind)
{
    lab_events *const e = self()->events;
    if (e->count == e->room) {
        const size_t room = e->room ? 2 * e->room : 64;
        lab_event *const grown = realloc(e->event, room * sizeof *grown);
        if (!grown) return run.no_memory = true, NULL;
        e->event = grown;
        e->room = room;
    }
    lab_event *const added = &e->event[e->count++];
    *added = (lab_event){.kind = (uint8_t)kind, .length = (uint8_t)self()->length};
    memcpy(added->path, self()->path, self()->length * sizeof *added->path);
    return added;
}

static lab_event *add_at(lab_event_kind kind, uint32_t site)
{
    lab_event *const added = add(kind);
    if (added) added->path[added->length++] = site;
    return added;
}

void *lab_trace_access(uint32_t site, lab_trace_use use, lab_trace_space space, const volatile void *at, size_t bytes)
{
    lab_event *const added = add_at(LAB_EVENT_ACCESS, site);
    if (added) {
        added->use = (uint8_t)use;
        added->space = (uint8_t)space;
        added->address = (uintptr_t)at;
        added->bytes = (uint32_t)bytes;
    }
    return (void *)at;
}

bool lab_trace_branch(uint32_t site, bool taken)
{
    lab_event *const added = add_at(LAB_EVENT_BRANCH, site);
    if (added) added->taken = taken;
    return taken;
}

/* In a loop the path ends in the loop's site and its round; -1: no round yet. */
int lab_trace_enter(uint32_t site)
{
    item *const i = self();
    if (i->length + 2 >= sizeof i->path / sizeof *i->path) abort(); /* a kernel with more loops than LAB_TRACE_LOOPS */
    i->path[i->length++] = site;
    i->path[i->length++] = UINT32_MAX;
    return 1;
}

static void go_on(bool taken)
{
    self()->path[self()->length - 1]++;
    lab_event *const added = add(LAB_EVENT_BRANCH);
    if (added) added->taken = taken;
}

int lab_trace_round(void) { return go_on(true), 1; }

int lab_trace_leave(void)
{
    go_on(false);
    self()->length -= 2;
    return 0;
}

/* --- a group ------------------------------------------------------------------------------------------------------ */

static void resume(unsigned which)
{
    run.self = which;
    swapcontext(&run.scheduler, &run.item[which].context);
}

/* Makes all of [first, end) that are in this state ready; false if none are. */
static bool release(unsigned first, unsigned end, item_state state)
{
    bool any = false;
    for (unsigned i = first; i < end; i++)
        if (run.item[i].state == state) {
            run.item[i].state = READY;
            any = true;
        }
    return any;
}

/* Runs a warp until all lanes are at a barrier, or done. */
static void run_warp(unsigned first)
{
    const unsigned end = first + WARP < run.items ? first + WARP : run.items;
    do
        for (unsigned i = first; i < end; i++)
            if (run.item[i].state == READY) resume(i);
    while (release(first, end, AT_WARP_SYNC));
}

static void run_group(void)
{
    do
        for (unsigned first = 0; first < run.items; first += WARP) run_warp(first);
    while (release(0, run.items, AT_BARRIER));
}

static bool prepare(item *i, char *stack, lab_events *events)
{
    *i = (item){.events = events};
    events->count = 0;
    if (getcontext(&i->context) != 0) return false;
    i->context.uc_stack.ss_sp = stack;
    i->context.uc_stack.ss_size = STACK_BYTES;
    i->context.uc_link = &run.scheduler;
    makecontext(&i->context, begin, 0);
    return true;
}

bool lab_trace_run(void (*call)(const void *context), const void *context, uint32_t group, uint32_t groups,
                   unsigned items, lab_events *events)
{
    char *const stacks = malloc((size_t)items * STACK_BYTES);
    run.item = calloc(items, sizeof *run.item);
    run.no_memory = !stacks || !run.item;
    run.items = items;
    run.group = group;
    run.groups = groups;
    run.call = call;
    run.context = context;
    for (unsigned i = 0; !run.no_memory && i < items; i++)
        run.no_memory = !prepare(&run.item[i], stacks + (size_t)i * STACK_BYTES, &events[i]);
    if (!run.no_memory) run_group();
    free(run.item);
    free(stacks);
    return !run.no_memory;
}
