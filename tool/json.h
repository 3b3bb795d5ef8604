/* Values as JSON, exactly: what JSON's numbers (double in most readers) would lose becomes a string. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <cjson/cJSON.h>
#include <oplus/oplus.h>

#include <stdio.h>

/* What a call of cJSON made, or the end of the command for lack of memory. */
cJSON *tool_json_made(cJSON *item);

/* A number, in as few digits as read back the same; a string where it is not finite, or an integer beyond 2^53; of a
 * struct an object of its members. */
cJSON *tool_json_value(const oplus_type *type, const void *value);
/* The same with the bits of each number, in hexadecimal digits, most significant first. */
cJSON *tool_json_bits(const oplus_type *type, const void *value);
void tool_json_add_count(cJSON *object, const char *name, uint64_t count);
/* Prints it in one line, and frees it. */
void tool_json_print(FILE *to, cJSON *object);

#endif
