/* The ranks of a command that mpirun has started several times: mpirun -n 4 oplus sort --all.  They end together, and
 * rank 0 prints.
 *
 * tool_die on one rank waits for the others to come to their next call of this file, and ends all of them.  So
 * everything that may end the command is done before tool_ranks_agree, and nothing of the kind between
 * tool_ranks_agree and a call of the library with these ranks. */
#ifndef TOOL_RANKS_H
#define TOOL_RANKS_H

#include <oplus/ranks.h>

#include <stdbool.h>
#include <stdint.h>

/* Is --all among the arguments?  Asked before they are read, so that the ranks complain of wrong ones together. */
bool tool_ranks_asked(int argc, char **argv);

/* Meets the other ranks; without mpirun there is one.  Only rank 0 has a stdout from here on. */
const oplus_comm *tool_ranks_open(void);
/* Ends the connection of the ranks after success.  Does nothing if they have not met. */
void tool_ranks_close(void);

/* How many cores this rank has to itself; 0: not started by mpirun. */
int tool_ranks_cores(void);

/* Ends the command if another rank has ended by tool_die.  Does nothing if the ranks have not met. */
void tool_ranks_agree(void);
/* The same; then all[r] is what rank r gave in `mine`. `bytes` is the same on all ranks. */
void tool_ranks_gather(const void *mine, size_t bytes, void *all);

/* Copies these bytes from rank 0 to all ranks. */
void tool_ranks_hear(void *from_first, size_t bytes);

#endif
