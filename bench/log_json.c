/* A log as JSON: times in nanoseconds, and also everything that a reader would otherwise have to compute. */
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "data.h"
#include "die.h"
#include "file.h"
#include "json.h"

static const char format[] = "oplus-bench 1";

/* --- write ---------------------------------------------------------------------------------------------------- */

static void text(cJSON *to, const char *name, const char *value)
{
    tool_json_made(cJSON_AddStringToObject(to, name, value));
}
static void number(cJSON *to, const char *name, double value)
{
    tool_json_made(cJSON_AddNumberToObject(to, name, value));
}
static void boolean(cJSON *to, const char *name, bool value) { tool_json_made(cJSON_AddBoolToObject(to, name, value)); }

static cJSON *next(cJSON *array)
{
    cJSON *item = tool_json_made(cJSON_CreateObject());
    cJSON_AddItemToArray(array, item);
    return item;
}

static void write_about(cJSON *root, const bench_log *log)
{
    const bench_about *about = &log->about;
    cJSON *machine = tool_json_made(cJSON_AddObjectToObject(root, "machine"));
    text(root, "format", format);
    text(root, "date", about->date);
    text(root, "command", about->command);
    text(machine, "processor", about->processor);
    number(machine, "processors", about->processors);
    number(machine, "load", about->load);
    text(root, "oplus", about->oplus);
    text(root, "device", about->device);
    text(root, "loops", about->isa);
    text(root, "built", about->built);
    cJSON *devices = tool_json_made(cJSON_AddArrayToObject(root, "devices"));
    for (size_t i = 0; i < log->device_count; i++) {
        cJSON *device = next(devices);
        text(device, "where", log->device[i].where);
        text(device, "name", log->device[i].name);
        text(device, "driver", log->device[i].driver);
    }
    cJSON *peers = tool_json_made(cJSON_AddArrayToObject(root, "peers"));
    for (size_t i = 0; i < log->peer_count; i++) {
        cJSON *peer = next(peers);
        text(peer, "title", log->peer[i].title);
        text(peer, "version", log->peer[i].version);
        text(peer, "built", log->peer[i].built);
    }
}

static void write_result(cJSON *to, const bench_case *c, const bench_result *r)
{
    text(to, "role", bench_role_name(r->role));
    if (r->peer) text(to, "peer", r->peer);
    text(to, "name", r->name);
    boolean(to, "stable", r->stable);
    boolean(to, "right", r->right);
    number(to, "median_ns", r->median * 1e9);
    number(to, "best_ns", r->best * 1e9);
    if (r->waited > 0) number(to, "waited_ns", r->waited * 1e9);
    if (r->bytes > 0) number(to, "bytes", r->bytes);
    number(to, "gb_per_s", bench_rate(c, r));
    cJSON *samples = tool_json_made(cJSON_AddArrayToObject(to, "samples_ns"));
    for (int i = 0; i < r->samples; i++)
        cJSON_AddItemToArray(samples, tool_json_made(cJSON_CreateNumber(r->time[i] * 1e9)));
}

static void write_case(cJSON *to, const bench_case *c)
{
    text(to, "primitive", bench_primitive_name(c->primitive));
    text(to, "type", bench_type_name(c->type));
    number(to, "n", (double)c->n);
    if (*c->shape) text(to, "shape", c->shape);
    if (c->device) {
        text(to, "device", c->device);
        text(to, "arrays", c->across ? "host" : "device");
    } else {
        number(to, "threads", c->threads);
    }
    number(to, "bytes", c->bytes);
    cJSON *contenders = tool_json_made(cJSON_AddArrayToObject(to, "contenders"));
    for (size_t i = 0; i < c->count; i++) write_result(next(contenders), c, &c->of[i]);
}

void bench_log_print_json(FILE *file, const void *data)
{
    const bench_log *log = data;
    cJSON *root = tool_json_made(cJSON_CreateObject());
    write_about(root, log);
    cJSON *cases = tool_json_made(cJSON_AddArrayToObject(root, "cases"));
    for (size_t i = 0; i < log->count; i++) write_case(next(cases), &log->cases[i]);
    char *printed = cJSON_Print(root);
    if (!printed) tool_json_made(NULL);
    fprintf(file, "%s\n", printed);
    cJSON_free(printed);
    cJSON_Delete(root);
}

/* --- read ----------------------------------------------------------------------------------------------------- */

static const char *read_path; /* for messages */

static const cJSON *member(const cJSON *from, const char *name, cJSON_bool (*is)(const cJSON *))
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, name);
    if (!is(item))
        tool_die(TOOL_FAILED, "%s: this is no output of oplus bench --json: \"%s\" is missing or of another kind",
                 read_path, name);
    return item;
}
static const char *text_of(const cJSON *from, const char *name)
{
    return bench_one_line(member(from, name, cJSON_IsString)->valuestring);
}
static double number_of(const cJSON *from, const char *name) { return member(from, name, cJSON_IsNumber)->valuedouble; }
static size_t count_of(const cJSON *from, const char *name, double most)
{
    const double count = number_of(from, name);
    if (!(count >= 1 && count <= most))
        tool_die(TOOL_FAILED, "%s: \"%s\" is %g; it is a number of 1 to %g", read_path, name, count, most);
    return (size_t)count;
}
static bool boolean_of(const cJSON *from, const char *name) { return cJSON_IsTrue(member(from, name, cJSON_IsBool)); }
/* A member that earlier versions did not write, or that not every case has: if missing, 0, NULL or no elements. */
static double number_if(const cJSON *from, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(from, name) ? number_of(from, name) : 0;
}
static const char *text_if(const cJSON *from, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(from, name) ? text_of(from, name) : NULL;
}
static const cJSON *array_of(const cJSON *from, const char *name) { return member(from, name, cJSON_IsArray); }

static char *read_whole(const char *path)
{
    size_t bytes = 0, room = 1 << 16;
    char *mem = tool_alloc(room);
    FILE *file = fopen(path, "r");
    while (file) {
        const size_t got = fread(mem + bytes, 1, room - bytes - 1, file);
        if (got == 0) break;
        bytes += got;
        if (bytes + 1 == room) mem = tool_realloc(mem, room *= 2);
    }
    if (!file || ferror(file)) tool_die(TOOL_FAILED, "--from: %s cannot be read", path);
    fclose(file);
    mem[bytes] = '\0';
    return mem;
}

static bench_role role_of(const char *name)
{
    int role = BENCH_LIMIT;
    while (role < BENCH_PEER && strcmp(name, bench_role_name((bench_role)role)) != 0) role++;
    return (bench_role)role;
}

static bench_result read_result(const cJSON *from)
{
    const cJSON *samples = array_of(from, "samples_ns"), *sample;
    bench_result r = {.role = role_of(text_of(from, "role")),
                      .name = text_of(from, "name"),
                      .peer = text_if(from, "peer"),
                      .stable = boolean_of(from, "stable"),
                      .right = boolean_of(from, "right"),
                      .waited = number_if(from, "waited_ns") * 1e-9,
                      .bytes = number_if(from, "bytes"),
                      .median = number_of(from, "median_ns") * 1e-9,
                      .best = number_of(from, "best_ns") * 1e-9};
    r.time = tool_alloc(((size_t)cJSON_GetArraySize(samples) + 1) * sizeof *r.time);
    cJSON_ArrayForEach (sample, samples) r.time[r.samples++] = cJSON_GetNumberValue(sample) * 1e-9;
    return r;
}

static bench_case read_case(const cJSON *from)
{
    const cJSON *contenders = array_of(from, "contenders"), *contender;
    bench_case c = {
        .n = count_of(from, "n", 0x1p50), .device = text_if(from, "device"), .bytes = number_of(from, "bytes")};
    snprintf(c.shape, sizeof c.shape, "%s", text_if(from, "shape") ? text_if(from, "shape") : "");
    if (c.device)
        c.across = strcmp(text_of(from, "arrays"), "host") == 0;
    else
        c.threads = (int)count_of(from, "threads", 1e6);
    if (!bench_primitive_find(text_of(from, "primitive"), &c.primitive) ||
        !bench_type_find(text_of(from, "type"), &c.type))
        tool_die(TOOL_FAILED, "%s: no such case: %s %s", read_path, text_of(from, "primitive"), text_of(from, "type"));
    c.of = tool_alloc(((size_t)cJSON_GetArraySize(contenders) + 1) * sizeof *c.of);
    cJSON_ArrayForEach (contender, contenders) c.of[c.count++] = read_result(contender);
    return c;
}

void bench_log_read(bench_log *log, const char *path)
{
    char *printed = read_whole(path);
    cJSON *root = cJSON_Parse(printed);
    const cJSON *item;
    free(printed);
    read_path = path;
    if (!root || strcmp(text_of(root, "format"), format) != 0)
        tool_die(TOOL_FAILED, "%s: this is no output of oplus bench --json", path);

    const cJSON *machine = member(root, "machine", cJSON_IsObject), *peers = array_of(root, "peers"),
                *cases = array_of(root, "cases"), *devices = cJSON_GetObjectItemCaseSensitive(root, "devices");
    *log = (bench_log){
        .source = root,
        .about = {.command = bench_format("%s", text_of(root, "command")), .built = text_of(root, "built")}};
    bench_about *about = &log->about;
    snprintf(about->date, sizeof about->date, "%s", text_of(root, "date"));
    snprintf(about->processor, sizeof about->processor, "%s", text_of(machine, "processor"));
    about->processors = (int)count_of(machine, "processors", 1e6);
    about->load = number_of(machine, "load");
    snprintf(about->device, sizeof about->device, "%s", text_of(root, "device"));
    snprintf(about->oplus, sizeof about->oplus, "%s", text_of(root, "oplus"));
    snprintf(about->isa, sizeof about->isa, "%s", text_of(root, "loops"));
    cJSON_ArrayForEach (item, devices) {
        if (log->device_count == BENCH_MAX_DEVICES) break;
        bench_about_device *const device = &log->device[log->device_count++];
        device->where = text_of(item, "where");
        snprintf(device->name, sizeof device->name, "%s", text_of(item, "name"));
        snprintf(device->driver, sizeof device->driver, "%s", text_of(item, "driver"));
    }
    cJSON_ArrayForEach (item, peers) {
        if (log->peer_count == BENCH_MAX_PEERS) break;
        log->peer[log->peer_count].title = text_of(item, "title");
        log->peer[log->peer_count].version = text_of(item, "version");
        log->peer[log->peer_count++].built = text_of(item, "built");
    }
    cJSON_ArrayForEach (item, cases) bench_log_add(log, read_case(item));
}
