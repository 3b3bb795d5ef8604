/* json: a value member by member; cJSON does the rest. */
#include "json.h"

#include "die.h"
#include "text.h"
#include "type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

cJSON *tool_json_made(cJSON *item)
{
    if (!item) tool_die(TOOL_FAILED, "out of memory");
    return item;
}

/* --- one scalar --------------------------------------------------------------------------------------------------- */

/* Up to here a double holds every integer. */
static const long long EXACT = 1LL << 53;

static cJSON *scalar_value(oplus_scalar scalar, const void *value)
{
    char text[NUMBER_MAX + 1];
    *number_write(scalar, value, text) = '\0';
    const bool finite = isdigit((unsigned char)text[*text == '-']);
    const bool floating = scalar == OPLUS_F32 || scalar == OPLUS_F64;
    const long long integer = strtoll(text, NULL, 10); /* if it does not fit: the largest or smallest long long */
    const bool exact = floating || (integer >= -EXACT && integer <= EXACT);
    return tool_json_made(finite && exact ? cJSON_CreateRaw(text) : cJSON_CreateString(text));
}

static cJSON *scalar_bits(oplus_scalar scalar, const void *value)
{
    char text[2 * sizeof(uint64_t) + 1];
    uint64_t bits = 0;
    const size_t size = tool_scalar_size(scalar);
    memcpy(&bits, value, size); /* little-endian: see type.h */
    snprintf(text, sizeof text, "%0*llx", (int)(2 * size), (unsigned long long)bits);
    return tool_json_made(cJSON_CreateString(text));
}

/* --- one element -------------------------------------------------------------------------------------------------- */

static cJSON *element(const oplus_type *type, const void *value, cJSON *(*scalar)(oplus_scalar, const void *))
{
    tool_layout layout;
    if (!tool_layout_of(type, &layout)) return tool_json_made(cJSON_CreateNull());
    if (type->scalar != OPLUS_RECORD) return scalar(type->scalar, value);
    cJSON *const object = tool_json_made(cJSON_CreateObject());
    for (int m = 0; m < layout.members; m++) {
        const oplus_member *member = &layout.member[m];
        const char *const at = (const char *)value + member->offset;
        cJSON *item = member->count == 1 ? scalar(member->scalar, at) : tool_json_made(cJSON_CreateArray());
        for (size_t i = 0; member->count > 1 && i < member->count; i++)
            cJSON_AddItemToArray(item, scalar(member->scalar, at + i * tool_scalar_size(member->scalar)));
        cJSON_AddItemToObject(object, member->name, item);
    }
    return object;
}

cJSON *tool_json_value(const oplus_type *type, const void *value) { return element(type, value, scalar_value); }
cJSON *tool_json_bits(const oplus_type *type, const void *value) { return element(type, value, scalar_bits); }

void tool_json_add_count(cJSON *object, const char *name, uint64_t count)
{
    cJSON_AddItemToObject(object, name, scalar_value(OPLUS_U64, &count));
}

/* The well-formed characters of several bytes (The Unicode Standard, table 3-7); further bytes are 80 to BF. */
static const struct {
    unsigned char first, last, second_first, second_last, bytes;
} characters[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

/* The length of the character at `at`; 0: no well-formed character. */
static size_t character_bytes(const unsigned char *at)
{
    if (*at < 0x80) return 1;
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        if (*at < characters[i].first || *at > characters[i].last) continue;
        if (at[1] < characters[i].second_first || at[1] > characters[i].second_last) return 0;
        size_t n = 2;
        while (n < characters[i].bytes && (at[n] & 0xC0) == 0x80) n++;
        return n == characters[i].bytes ? n : 0;
    }
    return 0;
}

/* JSON is UTF-8, but file names may have any bytes. */
static void make_utf8(char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = character_bytes((const unsigned char *)text);
        if (n == 0) *text = '?';
    }
}

void tool_json_print(FILE *to, cJSON *object)
{
    char *const text = cJSON_PrintUnformatted(object);
    if (!text) tool_die(TOOL_FAILED, "out of memory");
    make_utf8(text);
    fprintf(to, "%s\n", text); /* a full disk is seen at the end, in main */
    cJSON_free(text);
    cJSON_Delete(object);
}
