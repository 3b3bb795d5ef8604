/* What the sections of this experiment share: a launch that is checked and timed. */
#ifndef LAB_ACCESS_ACCESS_H
#define LAB_ACCESS_ACCESS_H

#include "lab/access/sizes.h"
#include "lab/lab.h"

/* --- sections, in their order --- */
void access_global(lab *l);
void access_widths(lab *l);
void access_shared(lab *l);
void access_constant(lab *l);
void access_texture(lab *l);
void access_arithmetic(lab *l);
void access_sines(lab *l);
void access_loops(lab *l);
void access_flight(lab *l);

/* --- a launch --- */

enum { ACCESS_ARGUMENTS = 6 };

typedef struct access_trial {
    lab_device *dev;
    void *kernel;
    uint64_t groups;
    unsigned items;                              /* of a group; 0: ITEMS */
    opi_gpu_argument argument[ACCESS_ARGUMENTS]; /* the last is neither memory nor a value */
} access_trial;

/* Launches an access_trial: for lab_seconds and lab_count. */
void access_launch(void *trial);

/* Overwrites out, launches the trial once, and fetches what it has written to out. */
void access_run(const access_trial *trial, void *out, void *host, size_t bytes);
/* Seconds that the trial takes; NAN if the n words that it leaves in out are not the expected ones, which is then
 * reported and remembered. */
double access_seconds(lab *l, const char *what, access_trial *trial, void *out, const uint32_t *expected, size_t n);

/* --- small things --- */

/* A new array of the device with these n words. */
void *access_upload(lab_device *dev, const uint32_t *from, size_t n);
static inline bool access_on_cores(const lab *l) { return lab_facts(l->dev)->host_cores; }
/* The number of warps of a trial; its kernels are modelled or counted, so their work-items are a multiple of 32. */
static inline double access_warps(const access_trial *t) { return (double)t->groups * ITEMS / 32; }
/* The name of the device that counted, for a series of curves. */
const char *access_counted_by(const lab *l, char name[160]);

#endif
