/* CUB beside ours, where it is: the benchmark's module of it (bench/peers/cub.cu), loaded at run time. */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "lab/device.h"

typedef struct lab_peer lab_peer;

/* NULL: it is not there, or the device is not CUDA's; lab_peer_missing says which. */
lab_peer *lab_peer_open(lab_device *dev);
void lab_peer_close(lab_peer *peer); /* NULL allowed */
const char *lab_peer_missing(const lab_device *dev);
/* "CUB 3.0.1" */
const char *lab_peer_name(const lab_peer *peer);

/* Of n integers of 4 bytes in the device's memory; enqueued, lab_wait waits for it too. */
void lab_peer_reduce(lab_peer *peer, const void *in, size_t n, void *out);
void lab_peer_scan(lab_peer *peer, const void *in, size_t n, void *out); /* inclusive */

#endif
