/* A drawing of pieces on their way through three queues. */
#ifndef LAB_TRANSFERS_GANTT_H
#define LAB_TRANSFERS_GANTT_H

#include <stdio.h>

enum { LAB_STAGES = 3 }; /* up, kernel, down */

/* Pieces that take so many seconds each in every stage, alone: a stage has one piece at a time, in order, and a piece
 * is in one stage at a time.  Draws it, `scale` seconds wide, and returns when the last piece is down. */
double lab_gantt(FILE *to, unsigned pieces, const double each[LAB_STAGES], double scale);

#endif
