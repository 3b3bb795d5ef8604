/* The texts of src/gpu, embedded when the library is built. */
#ifndef OPI_KERNELS_H
#define OPI_KERNELS_H

typedef struct opi_kernel_text {
    const char *name, *text; /* name of a file without its ending, "scan", and its text */
} opi_kernel_text;

extern const opi_kernel_text opi_kernel_texts[]; /* ends with a name of NULL */

#endif
