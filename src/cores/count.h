/* How many threads this process may keep busy. */
#ifndef OPI_COUNT_H
#define OPI_COUNT_H

enum { OPI_MOST_THREADS = 4096 };

/* As many as OMP_NUM_THREADS or omp_set_num_threads() asks for.  If they ask for just as many as there are cores:
 * the cores of the affinity mask, or fewer if the quotas of the process's control groups allow fewer; a quota of 1.5
 * cores allows 2 threads.  From 1 to OPI_MOST_THREADS. */
int opi_cores_count(void);

/* The number of cores that the quotas allow: those of the groups that `process` names (as /proc/self/cgroup), and of
 * those above them, in the file systems below `root` (as /sys/fs/cgroup), versions 1 and 2.  Infinite without a
 * quota. */
double opi_cores_quota(const char *process, const char *root);

#endif
