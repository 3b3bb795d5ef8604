/* Memory of a device that other ranks of the same host may copy from, named so that another device or process can find it. */
#ifndef OPI_OFFER_H
#define OPI_OFFER_H

#include <stdint.h>

typedef struct opi_offer {
    uint64_t host;            /* names the host (opi_host_name); 0: nothing is offered */
    uint64_t process;         /* ... and the process there */
    uint64_t address;         /* in that process */
    uint64_t beyond;          /* bytes from the beginning of the allocation, */
    uint64_t bytes;           /* ... which has so many */
    uint64_t context;         /* of the driver, in that process */
    int32_t device;           /* number of the device, in that process */
    uint32_t is_exported;     /* handle is set: other processes can open the allocation */
    unsigned char handle[64]; /* the driver's */
} opi_offer;

#endif
