/* oplus_devices: lists the cores, then the devices of each driver. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "base/abi.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "driver/driver.h"
#include "cores/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHY_BYTES = 1024 };

/* The rows of the caller.  If there are more devices than rows, the others are only counted. */
typedef struct rows {
    oplus_device_info *info;
    int capacity, count;
} rows;

static void add(rows *to, const oplus_device_info *row)
{
    if (to->count < to->capacity) to->info[to->count] = *row;
    to->count++;
}

static void copy_text(char *to, size_t bytes, const char *text)
{
    const int n = opi_cut(text, (int)bytes - 1);
    memcpy(to, text, (size_t)n);
    to[n] = '\0';
}

/* Adds a row for a kind of device that is missing, and why. */
static void add_absent(rows *to, const char *where, const char *why)
{
    oplus_device_info row = {.abi = OPLUS_ABI};
    copy_text(row.where, sizeof row.where, where);
    copy_text(row.note, sizeof row.note, why);
    add(to, &row);
}

/* --- the cores ---------------------------------------------------------------------------------------------------- */

/* The name of the first processor in Linux; "processor" if it has none. */
static void processor_name(char *name, size_t bytes)
{
    static const char key[] = "model name";
    char line[512];
    FILE *const file = fopen("/proc/cpuinfo", "re");
    copy_text(name, bytes, "processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');
        if (!colon || strncmp(line, key, sizeof key - 1) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        copy_text(name, bytes, colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file) fclose(file);
}

static void add_cores(rows *to, const char *where)
{
    oplus_device *dev;
    oplus_device_info row = {.abi = OPLUS_ABI, .f64 = 1, .same_bits = 1};
    if (oplus_open(where, &dev) != OPLUS_OK) {
        const char *const message = opi_last_error(), *const call = strstr(message, ": ");
        add_absent(to, where, call ? call + 2 : message);
        return;
    }
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    copy_text(row.where, sizeof row.where, where);
    processor_name(row.name, sizeof row.name);
    copy_text(row.driver, sizeof row.driver, dev->cores->isa->name);
    row.memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    row.units = (unsigned)dev->cores->workers;
    oplus_close(dev);
    add(to, &row);
}

/* --- accelerators ------------------------------------------------------------------------------------------------- */

/* Says in words what a device lacks, and what that means for its results. */
static void note(oplus_device_info *row, const opi_gpu_facts *facts)
{
    const struct {
        bool lacks;
        const char *words;
    } lacks[] = {
        {!facts->denormals, "not bit-exact: numbers of single precision below 1.2e-38 (denormals) become 0"},
        {!facts->divides, "not bit-exact: division and square root of single precision are not rounded correctly"},
        {!facts->f64, "no double precision: calls with f64 are refused"},
    };
    char words[sizeof row->note] = "";
    for (size_t i = 0, n = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (lacks[i].lacks) n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? "; " : "", lacks[i].words);
    memcpy(row->note, words, sizeof words);
}

static void add_accelerator(rows *to, const opi_gpu_facts *facts)
{
    oplus_device_info row = {.abi = OPLUS_ABI,
                             .memory = facts->memory,
                             .units = facts->units ? facts->units : 1, /* 0 means: not available */
                             .f64 = facts->f64,
                             .same_bits = facts->denormals && facts->divides};
    copy_text(row.where, sizeof row.where, facts->where);
    copy_text(row.name, sizeof row.name, facts->name);
    copy_text(row.driver, sizeof row.driver, facts->driver);
    note(&row, facts);
    add(to, &row);
}

static oplus_status add_driver(rows *to, const opi_driver *driver)
{
    char why[WHY_BYTES] = "";
    const int room = driver->list(NULL, 0, why, sizeof why);
    opi_gpu_facts *const facts = room > 0 ? calloc((size_t)room, sizeof *facts) : NULL;
    if (room > 0 && !facts)
        return opi_fail(OPLUS_ERR_MEMORY, "oplus_devices: no memory for the list of %d devices of %s; free some", room,
                        driver->name);
    const int found = facts ? driver->list(facts, room, why, sizeof why) : 0;
    for (int i = 0; facts && i < found && i < room; i++) add_accelerator(to, &facts[i]);
    free(facts);
    if (*why) add_absent(to, driver->name, why); /* even beside other devices: nothing is left out in silence */
    return OPLUS_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int oplus_devices(oplus_device_info *info, int capacity)
{
    OPI_OWN_MODE;
    static const char *const cores[] = {"serial", "threads"};
    rows all = {.info = info, .capacity = capacity};
    if (capacity < 0 || (capacity > 0 && !info)) {
        opi_fail(OPLUS_ERR_ARGUMENT, "oplus_devices: info is %s and capacity is %d; give room for that many, or 0",
                 info ? "set" : "NULL", capacity);
        return -1;
    }
    if (capacity > 0 && opi_check_abi("oplus_devices", "info", info->abi, "an array as oplus.h says") != OPLUS_OK)
        return -1;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) add_cores(&all, cores[i]);
    for (size_t i = 0; opi_drivers[i]; i++)
        if (add_driver(&all, opi_drivers[i]) != OPLUS_OK) return -1;
    return all.count;
}
