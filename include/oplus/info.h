/* SPDX-License-Identifier: Apache-2.0 */
/** @file info.h
 *  What devices there are, what "auto" takes, and what lies in the cache. */
#ifndef OPLUS_INFO_H
#define OPLUS_INFO_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device that could be opened; or, with units 0, a kind of device that could not, and why (docs/gpu.md). */
typedef struct oplus_device_info {
    unsigned abi;     /**< OPLUS_ABI */
    char where[32];   /**< what oplus_open calls it: "threads", "cuda:0", "opencl:1"; of what is not there, "cuda" */
    char name[128];   /**< what it is, in its driver's words; cut if longer */
    char driver[192]; /**< versions of driver and compiler; of cores, the instruction set of the library's loops */
    uint64_t memory;  /**< bytes in all */
    unsigned units;   /**< threads, multiprocessors, compute units; 0: it is not there */
    int f64;          /**< whether it computes in double precision; if not, such calls are OPLUS_ERR_UNSUPPORTED */
    int same_bits;    /**< 0: floats of single precision may differ from other devices' in the bits that `note` names */
    char note[512];   /**< "not bit-exact: ..."; why it is not there, and what to do; "" if all is well */
} oplus_device_info;

/** Lists the devices: "serial" and "threads" first, then those of CUDA, then those of OpenCL.
 *
 *  Where a kind has none, or one of its devices cannot be used, there is a row with units 0 that says why.  Opens
 *  nothing; the first call loads the drivers.
 *  @param info      room for the rows, of which the first has its member abi set: `info[8] = {{.abi = OPLUS_ABI}}`;
 *                   NULL if capacity is 0
 *  @param capacity  of info, in rows
 *  @return how many rows there are, also where that is more than `capacity`; -1 and oplus_last_error(): no memory, or
 *          wrong arguments. */
OPLUS_API int oplus_devices(oplus_device_info *info, int capacity);

/** Says in words what "auto" takes, and why: which accelerator there is, or why none, and from what size on it is taken
 *  for arrays of the host.
 *
 *  Measures both, which takes a while, unless the cache has the figures.
 *  @param text   room for the words, lines that end in \n; 1024 bytes suffice
 *  @param bytes  of it */
OPLUS_API oplus_status oplus_auto(char *text, size_t bytes);

/** What lies in the cache of compiled texts and programs. */
typedef struct oplus_cache_usage {
    unsigned abi;           /**< OPLUS_ABI */
    char directory[4096];   /**< "" where there is none */
    char note[128];         /**< why it is not used: "OPLUS_CACHE is 0 in the environment"; "" if it is */
    uint64_t files;         /**< in all: below, and drafts that a process left behind when it was ended */
    uint64_t bytes;         /**< of these */
    uint64_t texts;         /**< files: operators and functions from text, and what compilers say of them (.so, .txt) */
    uint64_t text_bytes;    /**< of these */
    uint64_t programs;      /**< files: kernels, compiled for a device (.bin) */
    uint64_t program_bytes; /**< of these */
    uint64_t figures;       /**< files: what was measured for "auto" (.fig) */
    uint64_t figure_bytes;  /**< of these */
} oplus_cache_usage;

/** Counts the files of the cache; makes none, and no directory.
 *
 *  @param usage  filled in; its member abi is set before: `oplus_cache_usage usage = {.abi = OPLUS_ABI}`
 *  @return OPLUS_OK, also where there is no cache; OPLUS_ERR_ARGUMENT; OPLUS_ERR_IO: the directory cannot be read. */
OPLUS_API oplus_status oplus_cache_info(oplus_cache_usage *usage);

/** Removes the files of the cache: those whose names it gives, 32 hexadecimal digits and .so, .txt, .bin or .fig, and
 * no other.
 *
 *  What is loaded stays usable, in this process and in others; what is needed later is compiled anew.
 *  @return OPLUS_OK, also where there is nothing; OPLUS_ERR_IO: a file could not be removed (the others are), or others
 *          may write to the directory. */
OPLUS_API oplus_status oplus_cache_clear(void);

#ifdef __cplusplus
}
#endif
#endif
