/* CUB for comparison, if it is present: the benchmark's module for it (bench/peers/cub.cu), loaded at run time. */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "lab/device.h"

typedef struct lab_peer lab_peer;

/* NULL: the module is missing, or the device is not a CUDA device; lab_peer_missing says which. */
lab_peer *lab_peer_open(lab_device *dev);
void lab_peer_close(lab_peer *peer); /* NULL allowed */
const char *lab_peer_missing(const lab_device *dev);
/* "CUB 3.0.1" */
const char *lab_peer_name(const lab_peer *peer);

/* For n integers of 4 bytes in the device's memory.  Calls are enqueued; lab_wait waits for them too. */
void lab_peer_reduce(lab_peer *peer, const void *in, size_t n, void *out);
void lab_peer_scan(lab_peer *peer, const void *in, size_t n, void *out); /* inclusive */

#endif
