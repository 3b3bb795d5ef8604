/* Element types by name, what they are made of, and single values as text ("1.5", "1, 0.25"). */
#ifndef TOOL_TYPE_H
#define TOOL_TYPE_H

#include <oplus/oplus.h>

#include <stdbool.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "oplus: the command takes it that the first byte of a number is its lowest: .npy, --json, small integers"
#endif

enum { TOOL_MAX_MEMBERS = 64, TOOL_ERROR_BYTES = 512 };

/* The type that `text` names: "f32", "float", or the members of a struct, "float scale; float shift".  It lives as
 * long as the command.  NULL: error (TOOL_ERROR_BYTES) says why. */
const oplus_type *tool_type_parse(const char *text, char *error);
/* The same; if there is no such type, ends the command with a usage error that names the option. */
const oplus_type *tool_type(const char *option, const char *text);

/* "f32", "c64", or the members of a struct as they were written: what -t would take. */
const char *tool_type_name(const oplus_type *type);
/* The same members in the same places; their names may differ. */
bool tool_type_same(const oplus_type *x, const oplus_type *y);
bool tool_type_is_complex(const oplus_type *type); /* c64, c128 */

/* --- what an element is made of */

typedef struct tool_layout {
    size_t size;                           /* bytes of an element */
    size_t scalars;                        /* in an element, arrays counted in full */
    int members;                           /* 1 for a scalar */
    oplus_member member[TOOL_MAX_MEMBERS]; /* name "" for a scalar */
} tool_layout;

/* False where the members are not understood (more than TOOL_MAX_MEMBERS): then only raw bytes can be read. */
bool tool_layout_of(const oplus_type *type, tool_layout *layout);
size_t tool_scalar_size(oplus_scalar scalar);
const char *tool_scalar_name(oplus_scalar scalar); /* "f32" */

/* --- single values */

/* Reads one element: its members separated by blanks or commas.  False: error (TOOL_ERROR_BYTES) says why. */
bool tool_value_parse(const oplus_type *type, const char *text, void *value, char *error);
/* The same, but an error ends the command as a usage error that names the option: tool_value(type, "--init", "x",
 * &v). */
void tool_value(const oplus_type *type, const char *option, const char *text, void *value);
/* The value in the fewest digits that read back to the same bits; members separated by blanks.  The caller frees it. */
char *tool_value_print(const oplus_type *type, const void *value);

#endif
