#define _POSIX_C_SOURCE 200809L
#include "base/host.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* It is another one after each start of the host. */
uint64_t opi_host_name(void)
{
    char id[64];
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file) return 0;
    const size_t bytes = fread(id, 1, sizeof id, file);
    fclose(file);
    return bytes > 0 ? opi_hash_bytes(id, bytes).low | 1 : 0;
}

/* Processes in different containers may have the same number. */
uint64_t opi_process_name(void)
{
    char name[96];
    const ssize_t bytes = readlink("/proc/self/ns/pid", name, 64);
    const int length = bytes > 0 ? (int)bytes : 0;
    snprintf(name + length, sizeof name - (size_t)length, " %ld", (long)getpid());
    return opi_hash_bytes(name, strlen(name)).low;
}
