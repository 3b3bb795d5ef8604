/* The calls by which a kernel on the host traces its run (host.h), and what its work-group gives it. */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lab_trace_use { LAB_TRACE_LOAD, LAB_TRACE_STORE, LAB_TRACE_UPDATE } lab_trace_use; /* update: both */
typedef enum lab_trace_space { LAB_TRACE_SHARED, LAB_TRACE_GLOBAL } lab_trace_space;

/* --- in a work-item --- */
uint32_t lab_trace_item(void);
uint32_t lab_trace_group(void);
uint32_t lab_trace_groups(void);
void lab_trace_barrier(void);
void lab_trace_warp_sync(void);
/* The value of the lane that is `by` higher, or of this lane if there is none. */
uint32_t lab_trace_shuffle(uint32_t value, int by);

/* --- sites --- */
void *lab_trace_access(uint32_t site, lab_trace_use use, lab_trace_space space, const volatile void *at, size_t bytes);
bool lab_trace_branch(uint32_t site, bool taken); /* taken */
int lab_trace_enter(uint32_t site);               /* 1 */
int lab_trace_round(void);                        /* 1 */
int lab_trace_leave(void);                        /* 0 */

/* --- what was told --- */

enum { LAB_TRACE_LOOPS = 6 }; /* nested loops */

typedef enum lab_event_kind { LAB_EVENT_ACCESS, LAB_EVENT_BRANCH } lab_event_kind;

/* One thing that a work-item did.  Its place is a path: for each loop around it the site and the round, then its own
 * site; a lane's events are in the order of their paths. */
typedef struct lab_event {
    uint32_t path[2 * LAB_TRACE_LOOPS + 1];
    uint8_t length; /* of the path */
    uint8_t kind;
    bool taken; /* for a branch or a loop's end: its body runs (again) */
    uint8_t use, space;
    uint32_t bytes;
    uintptr_t address;
} lab_event;

typedef struct lab_events {
    lab_event *event;
    size_t count, room;
} lab_events;

/* Runs the work-items of one group, and leaves what each did in events[item] (emptied first).  false: no memory. */
bool lab_trace_run(void (*call)(const void *context), const void *context, uint32_t group, uint32_t groups,
                   unsigned items, lab_events *events);

#endif
