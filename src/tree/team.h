/* How many threads a parallel region may have. */
#ifndef OPI_TEAM_H
#define OPI_TEAM_H

/* At least 1 and at most `wanted`, which is at least 1: what the region that follows is to ask for, by num_threads.
 * Where threads cannot start there are fewer, and OpenMP does not end the process.  Costs nothing if the last region of
 * the calling thread had as many; otherwise about as much as OpenMP itself for starting the new ones. */
int opi_team(int wanted);

#endif
