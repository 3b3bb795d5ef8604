/* Names of this host and of this process that no other has at the same time. */
#ifndef OPI_HOST_H
#define OPI_HOST_H

#include <stdint.h>

uint64_t opi_host_name(void); /* 0: it has none */
uint64_t opi_process_name(void);

#endif
