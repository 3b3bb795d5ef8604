/* Values as JSON, exactly: a value that a JSON number (a double in most readers) cannot hold becomes a string. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <cjson/cJSON.h>
#include <oplus/oplus.h>

#include <stdio.h>

/* Returns what a call of cJSON made; ends the command if that is NULL, for lack of memory. */
cJSON *tool_json_made(cJSON *item);

/* A number, in as few digits as read back the same; a string if the number is not finite or is an integer beyond
 * 2^53.  A struct becomes an object of its members. */
cJSON *tool_json_value(const oplus_type *type, const void *value);
/* The same, but with the bits of each number as hexadecimal digits, most significant first. */
cJSON *tool_json_bits(const oplus_type *type, const void *value);
void tool_json_add_count(cJSON *object, const char *name, uint64_t count);
/* Prints it in one line, and frees it. */
void tool_json_print(FILE *to, cJSON *object);

#endif
