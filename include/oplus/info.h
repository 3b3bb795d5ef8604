/* SPDX-License-Identifier: Apache-2.0 */
/** @file info.h
 *  Which devices there are, what "auto" takes, and what the cache holds. */
#ifndef OPLUS_INFO_H
#define OPLUS_INFO_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device that oplus_open can open; or, where units is 0, a kind of device that it cannot open, and why
 *  (docs/gpu.md). */
typedef struct oplus_device_info {
    unsigned abi;     /**< OPLUS_ABI */
    char where[32];   /**< name of the device for oplus_open: "threads", "cuda:0", "opencl:1"; only "cuda" or "opencl"
                           if there is no such device */
    char name[128];   /**< the device in the words of its driver; cut if longer */
    char driver[192]; /**< versions of driver and compiler; for cores, the instruction set of the library's loops */
    uint64_t memory;  /**< memory of the device, in bytes */
    unsigned units;   /**< number of threads, multiprocessors or compute units; 0: there is no such device */
    int f64;          /**< 1: the device computes in double precision; 0: such calls return OPLUS_ERR_UNSUPPORTED */
    int same_bits;    /**< 0: single-precision floats may differ from those of other devices in the bits that `note`
                           names */
    char note[512];   /**< "not bit-exact: ..."; or why there is no such device, and what to do; "" if all is well */
} oplus_device_info;

/** Lists the devices: "serial" and "threads" first, then those of CUDA, then those of OpenCL.
 *
 *  If a kind has no device, or one of its devices cannot be used, a row with units 0 says why.  The call opens no
 *  device; the first call loads the drivers.
 *  @param info      room for the rows; the caller sets the member abi of the first: `info[8] = {{.abi = OPLUS_ABI}}`;
 *                   NULL if capacity is 0
 *  @param capacity  how many rows info has room for
 *  @return how many rows there are, even if that is more than `capacity`; -1 if memory or an argument is at fault,
 *          see oplus_last_error(). */
OPLUS_API int oplus_devices(oplus_device_info *info, int capacity);

/** Says in words what "auto" takes, and why: which accelerator it found, or why none, and from what size on it takes
 *  the accelerator for arrays in host memory.
 *
 *  Measures cores and accelerator, which takes a while, unless the cache has the measured figures.
 *  @param text   room for the words, lines that end in \n; 1024 bytes suffice
 *  @param bytes  size of text
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_auto(char *text, size_t bytes);

/** What the cache of compiled texts and programs holds. */
typedef struct oplus_cache_usage {
    unsigned abi;           /**< OPLUS_ABI */
    char directory[4096];   /**< directory of the cache; "" if there is none */
    char note[128];         /**< why the cache is not used: "OPLUS_CACHE is 0 in the environment"; "" if it is used */
    uint64_t files;         /**< number of all files: texts, programs, figures, and unfinished files that a process
                                 left behind when it was ended */
    uint64_t bytes;         /**< size of all files */
    uint64_t texts;         /**< number of files of operators and functions from text, and of compilers' answers about
                                 them (.so, .txt) */
    uint64_t text_bytes;    /**< size of the files that `texts` counts */
    uint64_t programs;      /**< number of files of kernels, compiled for a device (.bin) */
    uint64_t program_bytes; /**< size of the files that `programs` counts */
    uint64_t figures;       /**< number of files of times that were measured for "auto" (.fig) */
    uint64_t figure_bytes;  /**< size of the files that `figures` counts */
} oplus_cache_usage;

/** Counts the files of the cache.  Creates no file and no directory.
 *
 *  @param usage  filled in by the call; the caller sets its member abi: `oplus_cache_usage usage = {.abi = OPLUS_ABI}`
 *  @return OPLUS_OK, also if there is no cache; OPLUS_ERR_ARGUMENT; OPLUS_ERR_IO: the directory cannot be read. */
OPLUS_API oplus_status oplus_cache_info(oplus_cache_usage *usage);

/** Removes the files of the cache.  Only files with the names that the library gives are removed: 32 hexadecimal
 *  digits and .so, .txt, .bin or .fig.
 *
 *  Code that a process has loaded stays usable there; code that is needed later is compiled again.
 *  @return OPLUS_OK, also if there are no files; OPLUS_ERR_IO: a file could not be removed (the others are removed),
 *          or other users may write to the directory. */
OPLUS_API oplus_status oplus_cache_clear(void);

#ifdef __cplusplus
}
#endif
#endif
