/* oplus devices: lists the devices, and what "auto" chooses. */
#include "job.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "devices",
    .operands = "",
    .least = 0,
    .most = 0,
    .about = "Lists what --device may name.  For each device it shows its memory, how many threads or\n"
             "compute units it has, whether it computes in double precision (f64), and whether its\n"
             "results have the same bits as everywhere.  If a kind of device is missing, a line says\n"
             "why.  The last line says what \"auto\" chooses.\n",
    .options = "json help ",
    .examples = {"oplus devices", "oplus devices --json", "OMP_NUM_THREADS=1 oplus devices"},
    .exit_codes = "0 good, 1 failed, 2 wrong usage",
};

/* --- the list ----------------------------------------------------------------------------------------------------- */

typedef struct device_list {
    oplus_device_info *row;
    int n;
} device_list;

static device_list look(void)
{
    device_list list = {.n = oplus_devices(NULL, 0)};
    const int room = list.n;
    if (room >= 0) {
        list.row = tool_alloc(((size_t)room + 1) * sizeof *list.row);
        list.row->abi = OPLUS_ABI;
        list.n = oplus_devices(list.row, room);
    }
    if (list.n < 0) tool_die(TOOL_FAILED, "%s", tool_words(oplus_last_error()));
    if (list.n > room) list.n = room; /* a device was added between the two calls */
    return list;
}

static bool is_there(const oplus_device_info *row) { return row->units > 0; }

/* --- what auto chooses -------------------------------------------------------------------------------------------- */

typedef struct choice {
    char *name, *why, *accelerator; /* where, why, and whether an accelerator takes part */
    bool available;
} choice;

static choice choose(void)
{
    oplus_device *dev;
    if (oplus_open("auto", &dev) != OPLUS_OK)
        return (choice){.name = tool_copy(""), .why = tool_words(oplus_last_error())};
    const tool_place place = tool_place_of(dev);
    oplus_close(dev);
    const char *const why =
        strcmp(place.name, "serial") == 0 ? "one core is all that OpenMP may use" : "all cores that OpenMP may use";
    static const char change[] = "; OMP_NUM_THREADS, --threads and --device change it";
    char *const words = tool_alloc(strlen(why) + sizeof change);
    sprintf(words, "%s%s", why, change);
    char text[1024];
    const oplus_status status = oplus_auto(text, sizeof text);
    return (choice){.name = tool_copy(place.name),
                    .why = words,
                    .accelerator = tool_copy(status == OPLUS_OK ? text : oplus_last_error()),
                    .available = true};
}

/* --- as a table --------------------------------------------------------------------------------------------------- */

static int widest_name(const device_list *list)
{
    int width = (int)strlen("name");
    for (int i = 0; i < list->n; i++) {
        const int length = (int)strlen(list->row[i].name);
        if (length > width) width = length;
    }
    return width;
}

static void print_memory(uint64_t bytes)
{
    if (bytes)
        printf("%6.1f GiB", (double)bytes / (1 << 30));
    else
        printf("%10s", "unknown");
}

/* As much of a driver's versions as fits; --json shows all. */
static void print_driver(const char *driver)
{
    enum { ROOM = 64 };
    size_t n = strlen(driver);
    if (n > ROOM)
        for (n = ROOM; n > 0 && driver[n] != ' ';) n--;
    while (n > 0 && strchr(" ,", driver[n - 1])) n--;
    printf("%.*s\n", (int)n, driver);
}

static void print_row(const oplus_device_info *row, int width)
{
    printf("%-10s", row->where);
    if (!is_there(row)) {
        printf(" not available: %s\n", row->note);
        return;
    }
    printf(" %-*s ", width, row->name);
    print_memory(row->memory);
    printf(" %5u  %-3s  %-6s  ", row->units, row->f64 ? "yes" : "no", row->same_bits ? "same" : "differ");
    print_driver(row->driver);
    if (*row->note) printf("%-10s %s\n", "", row->note);
}

/* Says how several devices of CUDA are named together. */
static void print_together(const device_list *list)
{
    int count = 0;
    for (int i = 0; i < list->n; i++) count += is_there(&list->row[i]) && strncmp(list->row[i].where, "cuda:", 5) == 0;
    if (count > 1)
        printf("%-10s the %d devices of CUDA together, as one; also some of them: cuda:0-1\n", "cuda:*", count);
}

static void print_table(const device_list *list, const choice *automatic)
{
    const int width = widest_name(list);
    printf("%-10s %-*s %10s %5s  %-3s  %-6s  %s\n", "device", width, "name", "memory", "units", "f64", "bits",
           "instruction set or driver");
    for (int i = 0; i < list->n; i++) print_row(&list->row[i], width);
    print_together(list);
    printf(automatic->available ? "\nauto chooses %s: %s\n" : "\nauto%s is not available: %s\n", automatic->name,
           automatic->why);
    if (automatic->available) printf("%s", automatic->accelerator);
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

static cJSON *row_as_json(const oplus_device_info *row)
{
    cJSON *const item = tool_json_made(cJSON_CreateObject());
    cJSON_AddStringToObject(item, "device", row->where);
    cJSON_AddBoolToObject(item, "available", is_there(row));
    if (!is_there(row)) {
        cJSON_AddStringToObject(item, "why", row->note);
        return item;
    }
    cJSON_AddStringToObject(item, "name", row->name);
    cJSON_AddStringToObject(item, "driver", row->driver);
    tool_json_add_count(item, "memory", row->memory);
    tool_json_add_count(item, "units", row->units);
    cJSON_AddBoolToObject(item, "f64", row->f64 != 0);
    cJSON_AddBoolToObject(item, "same_bits", row->same_bits != 0);
    cJSON_AddStringToObject(item, "note", row->note);
    return item;
}

static void print_json(const device_list *list, const choice *automatic)
{
    cJSON *const report = tool_json_made(cJSON_CreateObject());
    cJSON *const rows = tool_json_made(cJSON_AddArrayToObject(report, "devices"));
    for (int i = 0; i < list->n; i++) cJSON_AddItemToArray(rows, row_as_json(&list->row[i]));
    cJSON_AddStringToObject(report, "auto", automatic->name);
    cJSON_AddStringToObject(report, "why", automatic->why);
    if (automatic->available) cJSON_AddStringToObject(report, "accelerator", automatic->accelerator);
    tool_json_print(stdout, report);
}

int tool_devices(int argc, char **argv)
{
    tool_options options;
    tool_options_parse(&usage, argc, argv, &options);
    device_list list = look();
    choice automatic = choose();
    (options.json ? print_json : print_table)(&list, &automatic);
    free(list.row);
    free(automatic.name);
    free(automatic.why);
    free(automatic.accelerator);
    return TOOL_GOOD;
}
