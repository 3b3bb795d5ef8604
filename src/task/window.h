/* How windows are reduced, on any machine.
 *
 * Let M(k)[s] be the node of the 2^k elements from s on, wherever s is:  M(0) = in,  M(k+1)[s] = M(k)[s] (+) M(k)[s + 2^k].
 * The window of w elements that begins at s is, by the tree of docs/tree-v1.md, the left fold of the nodes that the bits of
 * w name, the largest first.  So 13 elements are (M(3)[s] (+) M(2)[s + 8]) (+) M(0)[s + 12].
 *
 * A step makes some levels of nodes, tile by tile, in fast memory.  Where the window is long there are several: first those
 * that make M of the lowest level of each further step, for which there is an array of scratch memory, and then those that
 * fold nodes, from the highest levels down. */
#ifndef OPI_TASK_WINDOW_H
#define OPI_TASK_WINDOW_H

#include "task/task.h"

typedef struct opi_window_step {
    unsigned level;  /* it reads M(level): neighbours in a tile are 2^level elements apart */
    uint32_t digits; /* bit k: M(level + k) takes part */
    uint64_t ahead;  /* elements of a window before the first of these nodes */
    int from, to;    /* what it reads and writes.  0: the input, or the output; v > 0: array v of scratch memory */
    bool follows;    /* its nodes are joined to what the steps before have written to the output */
    bool last;
    uint64_t count; /* how many results it has */
} opi_window_step;

enum { OPI_WINDOW_STEPS = 128 };

/* Writes the steps of windows of 0 < w <= n elements; returns their number.  A step has `first` levels if it reads the
 * input, and else `more`, both at least 1.  *arrays: how many arrays of n elements there are to be. */
int opi_window_steps(uint64_t n, uint64_t w, unsigned first, unsigned more, opi_window_step *steps, int *arrays);

/* The task of the first w - 1 results, or of all if there are no more: windows that begin with the array. */
static inline size_t opi_window_head(const opi_task *task)
{
    return task->window > task->n ? task->n : task->window - 1;
}

#endif
