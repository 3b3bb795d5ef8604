/* oplus devices: where it can compute, and what it chooses. */
#include "job.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "devices",
    .operands = "",
    .least = 0,
    .most = 0,
    .about = "Lists what --device may name, whether it is there, and what \"auto\" chooses.\n",
    .options = "json help ",
    .examples = {"oplus devices", "oplus devices --json", "OMP_NUM_THREADS=1 oplus devices"},
    .exit_codes = "0 good, 1 failed, 2 wrong usage",
};

/* One line: place is "" where the device is not there, and why says so. */
typedef struct device_row {
    const char *where;
    tool_place place;
    char *why;
    size_t threads;
    bool available;
} device_row;

static const char *const places[] = {"serial", "threads", "cuda:0", "opencl:0", "auto"};
enum { PLACES = sizeof places / sizeof *places };

/* Why a place is not there; who asks for a list has not named it, so that its name and the choices are left out. */
static char *reason_without(const char *message)
{
    const char *const but = strstr(message, ", but "), *const from = but ? but + strlen(", but ") : message;
    char *const words = tool_words(from), *const use = strstr(words, "; use ");
    if (use) *use = '\0';
    return words;
}

static device_row look_at(const char *where)
{
    device_row row = {.where = where};
    oplus_device *dev;
    if (oplus_open(where, &dev) != OPLUS_OK) {
        row.why = reason_without(oplus_last_error());
        return row;
    }
    row.available = true;
    row.place = tool_place_of(dev);
    const char *const colon = strchr(row.place.name, ':');
    row.threads = colon && strncmp(row.place.name, "threads", 7) == 0 ? strtoul(colon + 1, NULL, 10) : 1;
    oplus_close(dev);
    return row;
}

static const char *reason(const device_row *chosen)
{
    return chosen->threads > 1
               ? "all cores that OpenMP may use; OMP_NUM_THREADS, --threads and --device change it"
               : "one core is all that OpenMP may use; OMP_NUM_THREADS, --threads and --device change it";
}

static void print_table(const device_row *rows)
{
    printf("%-10s %-12s %7s  %s\n", "device", "name", "threads", "instruction set");
    for (int i = 0; i + 1 < PLACES; i++) {
        const device_row *const row = &rows[i];
        if (row->available)
            printf("%-10s %-12s %7zu  %s\n", row->where, row->place.name, row->threads, row->place.isa);
        else
            printf("%-10s not available: %s\n", row->where, row->why);
    }
    const device_row *const chosen = &rows[PLACES - 1];
    if (chosen->available)
        printf("\nauto chooses %s: %s\n", chosen->place.name, reason(chosen));
    else
        printf("\nauto is not available: %s\n", chosen->why);
}

static void print_json(const device_row *rows)
{
    const device_row *const chosen = &rows[PLACES - 1];
    cJSON *const report = cJSON_CreateObject(), *const list = cJSON_AddArrayToObject(report, "devices");
    for (int i = 0; i + 1 < PLACES; i++) {
        const device_row *const row = &rows[i];
        cJSON *const item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "device", row->where);
        cJSON_AddBoolToObject(item, "available", row->available);
        if (row->available) {
            cJSON_AddStringToObject(item, "name", row->place.name);
            tool_json_add_count(item, "threads", row->threads);
            cJSON_AddStringToObject(item, "isa", row->place.isa);
        } else
            cJSON_AddStringToObject(item, "why", row->why);
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddStringToObject(report, "auto", chosen->place.name);
    cJSON_AddStringToObject(report, "why", chosen->available ? reason(chosen) : chosen->why);
    tool_json_print(stdout, report);
}

int tool_devices(int argc, char **argv)
{
    tool_options options;
    device_row rows[PLACES];
    tool_options_parse(&usage, argc, argv, &options);
    for (int i = 0; i < PLACES; i++) rows[i] = look_at(places[i]);
    (options.json ? print_json : print_table)(rows);
    for (int i = 0; i < PLACES; i++) free(rows[i].why);
    return TOOL_GOOD;
}
