/* The elements of a task, as the leaves see them: those of an array; or, piece by piece in a first-level cache, what a
 * function makes of the elements of several arrays (a fused task), or those of an array in the opposite order. */
#ifndef OPI_LENS_H
#define OPI_LENS_H

#include "cores/isa.h"
#include "cores/quiet.h"
#include "task/task.h"

typedef struct opi_lens {
    const oplus_fn *fn; /* NULL: elements are those of in[0] */
    bool backward;      /* element 0 is the last of in[0]; there is no fn then */
    size_t n;           /* elements, if backward */
    uint64_t index;     /* the index i of element 0, for fn */
    const opi_isa *isa;
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out);
    opi_quiet quiet;
    size_t size;  /* of an element, bytes */
    size_t piece; /* elements that are made at a time: a power of two; if none are made, there is no limit */
    const char *in[OPLUS_MAX_ARITY];
} opi_lens;

/* size: of an element of the task, bytes. */
void opi_lens_plan(opi_lens *lens, const opi_isa *isa, const opi_task *task, size_t size);

/* Whether elements have to be made. */
static inline bool opi_lens_makes(const opi_lens *lens) { return lens->fn || lens->backward; }

/* Bytes of room for a piece; 0 if elements need not be made. */
size_t opi_lens_room(const opi_lens *lens);

/* The number of elements of the piece that begins at i, whose global index is `at`, and ends at `end` at the latest:
 * pieces end at multiples of their length, so that blocks of the tree are whole. */
static inline size_t opi_lens_piece(const opi_lens *lens, size_t i, size_t end, uint64_t at)
{
    if (!opi_lens_makes(lens)) return end - i;
    const size_t left = lens->piece - (size_t)(at & (lens->piece - 1));
    return left < end - i ? left : end - i;
}

/* Makes n elements from element i on, at most a piece. */
void opi_lens_make(const opi_lens *lens, size_t i, size_t n, char *room);

/* Elements [i, i + n), at most a piece: where they lie, or in `room`, if they have to be made. */
static inline const char *opi_lens_see(const opi_lens *lens, size_t i, size_t n, char *room)
{
    if (!opi_lens_makes(lens)) return lens->in[0] + i * lens->size;
    opi_lens_make(lens, i, n, room);
    return room;
}

/* Where the elements of the first input lie that a piece from element i on is made of, to be prefetched. */
static inline const char *opi_lens_ahead(const opi_lens *lens, size_t i)
{
    if (lens->backward) return lens->in[0] + (lens->n - i < lens->piece ? 0 : lens->n - i - lens->piece) * lens->size;
    return lens->in[0] + i * (lens->fn ? lens->fn->input[0]->size : lens->size);
}

/* Whether what is written to `out` takes the place of an input. */
bool opi_lens_sees(const opi_lens *lens, const void *out);

#endif
