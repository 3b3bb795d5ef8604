/* The header of a .npy file (versions 1, 2, 3), read and written; pure functions that never end the command.
 * The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef TOOL_NPY_H
#define TOOL_NPY_H

#include "type.h"

#define NPY_MAGIC "\x93NUMPY"
enum {
    NPY_MAX_DIMS = 64,
    NPY_PREFIX = 12,           /* bytes that tell how long a header is */
    NPY_MAX_HEADER = 16 << 20, /* bytes; a longer one is not a header */
};

/* A member as it lies in the file. */
typedef struct npy_field {
    char name[32]; /* "" in a scalar */
    oplus_scalar scalar;
    size_t offset, count;
    bool swap;     /* its bytes are in the other order than ours */
    char dims[64]; /* if it is an array, as in C: "[2][3]" */
} npy_field;

typedef struct npy_header {
    size_t bytes; /* of the header; the data follow */
    bool fortran; /* column-major */
    int dims;
    uint64_t shape[NPY_MAX_DIMS];
    uint64_t count; /* elements */
    size_t item;    /* bytes of an element in the file */
    bool record;    /* a structured type */
    bool complex;   /* c64 or c128: two fields */
    int fields;
    npy_field field[TOOL_MAX_MEMBERS];
} npy_header;

bool npy_magic(const void *bytes, size_t n);
/* The length of the whole header, from its first NPY_PREFIX bytes.  0: error (TOOL_ERROR_BYTES) says why. */
size_t npy_header_bytes(const unsigned char *prefix, size_t n, char *error);
/* Reads a whole header of n bytes.  False: error says why, and what to do in NumPy. */
bool npy_parse(const unsigned char *bytes, size_t n, npy_header *header, char *error);
/* The element type: a scalar or complex type of the library, or a struct made of the fields; *made is then that
 * struct, for oplus_type_free, else NULL.  Returns NULL if there is an error. */
const oplus_type *npy_type(const npy_header *header, oplus_type **made, char *error);

/* The header of an array in C order; its length does not depend on shape[0], so shape[0] can be filled in later.
 * The caller frees it.  NULL: error. */
unsigned char *npy_write(const oplus_type *type, int dims, const uint64_t *shape, size_t *bytes, char *error);

#endif
