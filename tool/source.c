#include "source.h"

#include "bytes.h"
#include "die.h"
#include "npy.h"
#include "progress.h"
#include "rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE_BYTES = 8 << 20, /* of elements: the most that tool_source_next gives */
    MAX_ITEM = 1 << 20,    /* of an element */
    ALIGN = 64
};

struct tool_source {
    tool_bytes bytes;
    tool_format format;
    const oplus_type *type;
    const char *option; /* the option that names the type; NULL: none does */
    oplus_type *made;   /* to be freed by tool_source_close */
    oplus_device *dev;
    size_t size;          /* of an element in memory */
    unsigned char *piece; /* PIECE_BYTES */

    /* npy and raw */
    npy_header header;      /* for raw files: elements and fields as in memory */
    tool_layout layout;     /* where the fields go */
    bool known;             /* header.count is known */
    bool as_is;             /* the elements of the file are those of memory */
    uint64_t taken;         /* elements read */
    unsigned char *map;     /* the elements in the mapped file, or NULL */
    unsigned char *scratch; /* a piece as in the file, unless as_is */

    /* text */
    bool free; /* no option has named its type */
    text_reader reader;
    tool_rounds *rounds; /* NULL until something is read */
    const unsigned char *round;
    const text_span *round_spans, *spans; /* of the round; of the last piece */
    size_t round_at, round_n;
    bool keep_spans;

    tool_outside *outside; /* if there is one, it reads */

    /* a part of a file */
    bool narrow;
    uint64_t extent; /* elements of the file */

    /* the whole array */
    unsigned char *whole; /* in the map, or in */
    unsigned char *own;
    size_t whole_n, whole_given;
};

/* --- formats ------------------------------------------------------------------------------------------------------ */

static const char *const formats[] = {[TOOL_AUTO] = "auto", [TOOL_NPY] = "npy", [TOOL_RAW] = "raw",
                                      [TOOL_TEXT] = "text", [TOOL_CSV] = "csv", [TOOL_TSV] = "tsv"};

static const struct {
    const char *ending;
    tool_format format;
} endings[] = {
    {".npy", TOOL_NPY},  {".raw", TOOL_RAW}, {".bin", TOOL_RAW},
    {".txt", TOOL_TEXT}, {".csv", TOOL_CSV}, {".tsv", TOOL_TSV},
};

const char *tool_format_name(tool_format format) { return formats[format]; }

tool_format tool_format_parse(const char *option, const char *text)
{
    for (size_t i = TOOL_NPY; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(text, formats[i]) == 0) return (tool_format)i;
    tool_die(TOOL_USAGE, "%s: '%s' is no format; there are npy, raw, text, csv and tsv", option, text);
}

tool_format tool_format_of_name(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t length = strlen(endings[i].ending);
        if (n > length && strcmp(path + n - length, endings[i].ending) == 0) return endings[i].format;
    }
    return TOOL_AUTO;
}

static tool_format recognise(tool_source *source, const char *path)
{
    size_t n;
    const unsigned char *const first = tool_bytes_look(&source->bytes, &n);
    if (npy_magic(first, n)) return TOOL_NPY;
    const tool_format named = tool_format_of_name(path);
    return named == TOOL_NPY || named == TOOL_RAW ? named : TOOL_TEXT;
}

/* --- opening: .npy ------------------------------------------------------------------------------------------------ */

static const char *shape_of(const npy_header *header, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "(");
    for (int i = 0; i < header->dims && used < bytes; i++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%llu", i ? ", " : "", (unsigned long long)header->shape[i]);
    if (used < bytes) snprintf(text + used, bytes - used, header->dims == 1 ? ",)" : ")");
    return text;
}

_Noreturn static void ends_early(const tool_source *source, uint64_t there)
{
    char shape[128];
    tool_die(TOOL_FAILED, "%s ends early: its header says shape %s, %llu elements of %s, and %llu are there",
             source->bytes.name, shape_of(&source->header, shape, sizeof shape),
             (unsigned long long)source->header.count, tool_type_name(source->type), (unsigned long long)there);
}

static void read_header(tool_source *source)
{
    char error[TOOL_ERROR_BYTES];
    unsigned char prefix[NPY_PREFIX];
    const size_t n = tool_bytes_read(&source->bytes, prefix, sizeof prefix);
    const size_t length = npy_header_bytes(prefix, n, error);
    if (length == 0) tool_die(TOOL_FAILED, "%s: %s", source->bytes.name, error);

    unsigned char *const bytes = tool_alloc(length > n ? length : n);
    memcpy(bytes, prefix, n);
    const size_t rest = length > n ? tool_bytes_read(&source->bytes, bytes + n, length - n) : 0;
    const bool good = npy_parse(bytes, n + rest, &source->header, error);
    free(bytes);
    if (!good) tool_die(TOOL_FAILED, "%s: %s", source->bytes.name, error);
    source->known = true;
}

static void choose_npy_type(tool_source *source, const oplus_type *asked)
{
    char error[TOOL_ERROR_BYTES];
    source->type = npy_type(&source->header, &source->made, error);
    if (!source->type) tool_die(TOOL_FAILED, "%s: %s", source->bytes.name, error);
    if (!asked) return;
    if (!tool_type_same(source->type, asked))
        tool_die(TOOL_USAGE, "%s %s: %s holds %s; leave %s out, or convert the array in NumPy with astype",
                 source->option, tool_type_name(asked), source->bytes.name, tool_type_name(source->type),
                 source->option);
    source->type = asked;
}

static bool has_layout(const npy_header *header, const tool_layout *layout)
{
    if (header->item != layout->size) return false;
    for (int i = 0; i < header->fields; i++)
        if (header->field[i].swap || header->field[i].offset != layout->member[i].offset) return false;
    return true;
}

static void open_npy(tool_source *source, const oplus_type *asked)
{
    read_header(source);
    choose_npy_type(source, asked);
    if (!tool_layout_of(source->type, &source->layout))
        tool_die(TOOL_FAILED, "%s: the members of '%s' are not understood", source->bytes.name,
                 tool_type_name(source->type));
    source->as_is = has_layout(&source->header, &source->layout);

    const tool_bytes *const bytes = &source->bytes;
    if (bytes->total == 0) return;
    const uint64_t there = bytes->total - bytes->done, promised = source->header.count * source->header.item;
    if (there < promised) ends_early(source, there / source->header.item);
    if (there > promised)
        tool_warn("%s has %llu bytes behind its array, which are not read", bytes->name,
                  (unsigned long long)(there - promised));
}

/* --- opening: raw ------------------------------------------------------------------------------------------------- */

_Noreturn static void ends_inside(const tool_source *source, uint64_t bytes)
{
    tool_die(TOOL_FAILED, "%s ends inside an element: %llu bytes are no multiple of the %zu that %s has",
             source->bytes.name, (unsigned long long)bytes, source->size, tool_type_name(source->type));
}

static void open_raw(tool_source *source, const oplus_type *asked)
{
    if (!asked && !source->option)
        tool_die(TOOL_USAGE, "%s is raw binary, which does not say its type; write it as text or .npy",
                 source->bytes.name);
    if (!asked)
        tool_die(TOOL_USAGE, "%s is raw binary: its type is missing; say %s f32, or what it is", source->bytes.name,
                 source->option);
    source->type = asked;
    source->header.item = source->size = asked->size;
    source->as_is = true;
    source->known = source->bytes.total > 0;
    source->header.count = source->bytes.total / asked->size;
    if (source->bytes.total % asked->size) ends_inside(source, source->bytes.total);
}

/* --- opening: text ------------------------------------------------------------------------------------------------ */

static void open_reader(tool_source *source)
{
    if (!text_reader_open(&source->reader, source->type))
        tool_die(TOOL_USAGE, "%s %s: its members are not understood, so that it cannot be read from text",
                 source->option, tool_type_name(source->type));
    source->reader.option = source->option;
}

static void open_text(tool_source *source, const oplus_type *asked)
{
    source->free = !asked && source->option;
    source->type = asked ? asked : source->free ? &oplus_f64 : &oplus_i64;
    open_reader(source);
    source->reader.free = source->free;
}

bool tool_source_is_free(const tool_source *source) { return source->outside ? source->outside->free : source->free; }

void tool_source_take_integers(tool_source *source, const char *what)
{
    source->type = &oplus_i64;
    if (source->outside) {
        source->outside->take_integers(source->outside, what);
        return;
    }
    open_reader(source);
    source->reader.integers_for = what;
    source->free = false;
}

void tool_source_take_numbers(tool_source *source)
{
    if (source->format != TOOL_TEXT || source->outside) return;
    source->type = &oplus_f64;
    open_reader(source);
    source->reader.free = true;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void (*const openers[])(tool_source *source, const oplus_type *asked) = {
    [TOOL_NPY] = open_npy, [TOOL_RAW] = open_raw, [TOOL_TEXT] = open_text};

tool_source *tool_source_open(const char *path, tool_format format, const oplus_type *type, oplus_device *dev)
{
    return tool_source_open_as(path, format, type, "-t", dev);
}

tool_source *tool_source_open_as(const char *path, tool_format format, const oplus_type *type, const char *option,
                                 oplus_device *dev)
{
    tool_source *const source = tool_alloc(sizeof *source);
    memset(source, 0, sizeof *source);
    source->dev = dev;
    source->option = option;
    tool_bytes_open(&source->bytes, path);
    source->format = format == TOOL_AUTO ? recognise(source, path) : format;
    openers[source->format](source, type);
    source->size = source->type->size;
    if (source->size > MAX_ITEM)
        tool_die(TOOL_USAGE, "%s: an element of %zu bytes is more than %d; its type is %s", source->bytes.name,
                 source->size, MAX_ITEM, tool_type_name(source->type));
    if (source->known && source->header.count > PTRDIFF_MAX / source->size)
        tool_die(TOOL_FAILED, "%s: a damaged header: more elements than memory has addresses", source->bytes.name);
    if (source->format != TOOL_TEXT) {
        unsigned char *const map = tool_bytes_map(&source->bytes);
        if (map) source->map = map + source->header.bytes;
    }
    return source;
}

tool_source *tool_source_of(tool_outside *outside, const oplus_type *type)
{
    tool_source *const source = tool_alloc(sizeof *source);
    memset(source, 0, sizeof *source);
    source->outside = outside;
    source->bytes.name = tool_copy(outside->name);
    source->bytes.fd = STDIN_FILENO; /* there is nothing to close */
    source->format = outside->format;
    source->type = type;
    source->size = type->size;
    return source;
}

void tool_source_close(tool_source *source)
{
    if (!source) return;
    if (source->outside) source->outside->close(source->outside);
    if (source->format == TOOL_NPY)
        tool_bytes_leave(&source->bytes, source->header.bytes + source->header.count * source->header.item);
    if (source->rounds) tool_bytes_leave(&source->bytes, source->bytes.total);
    tool_rounds_close(source->rounds);
    tool_bytes_close(&source->bytes);
    oplus_type_free(source->made);
    free(source->piece);
    free(source->scratch);
    free(source->own);
    free(source);
}

/* --- what is known of it ------------------------------------------------------------------------------------------ */

const char *tool_source_name(const tool_source *source) { return source->bytes.name; }
tool_format tool_source_format(const tool_source *source) { return source->format; }
const oplus_type *tool_source_type(const tool_source *source) { return source->type; }
uint64_t tool_source_done(const tool_source *source)
{
    return source->outside ? source->outside->done : source->bytes.done;
}
uint64_t tool_source_total(const tool_source *source)
{
    return source->outside ? source->outside->total : source->bytes.total;
}

bool tool_source_count(const tool_source *source, uint64_t *count)
{
    if (!source->known) return false;
    *count = source->header.count;
    return true;
}

int tool_source_shape(const tool_source *source, const uint64_t **shape)
{
    *shape = source->header.shape;
    return source->format == TOOL_NPY ? source->header.dims : -1;
}

char tool_source_between(const tool_source *source)
{
    if (source->outside) return source->outside->between;
    return ' ';
}

size_t tool_source_lanes(const tool_source *source) { return source->outside ? source->outside->columns : 1; }

static const text_reader *reader_of(const tool_source *source)
{
    return source->rounds ? tool_rounds_reader(source->rounds) : &source->reader;
}

uint64_t tool_source_columns(const tool_source *source)
{
    if (source->outside) return source->outside->columns;
    if (source->format != TOOL_TEXT) return 0;
    const text_reader *const reader = reader_of(source);
    return reader->record ? 1 : reader->ragged ? 0 : reader->columns;
}

bool tool_source_is_whole(const tool_source *source)
{
    return source->outside ? source->outside->whole : source->free && reader_of(source)->whole;
}

void tool_source_keep_spans(tool_source *source) { source->keep_spans = true; }

const text_span *tool_source_spans(const tool_source *source) { return source->spans; }

/* --- elements as they lie in the file ----------------------------------------------------------------------------- */

static void copy_scalars(unsigned char *to, const unsigned char *from, size_t size, size_t count, bool swap)
{
    if (!swap) {
        memcpy(to, from, size * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < size; byte++) to[i * size + byte] = from[i * size + size - 1 - byte];
}

/* Copies each member to its place in memory, in our byte order; bytes between members become 0. */
static void convert(const tool_source *source, const unsigned char *from, size_t n, unsigned char *to)
{
    memset(to, 0, n * source->size);
    for (int i = 0; i < source->header.fields; i++) {
        const npy_field *const field = &source->header.field[i];
        const oplus_member *const member = &source->layout.member[i];
        const size_t size = tool_scalar_size(field->scalar);
        for (size_t k = 0; k < n; k++)
            copy_scalars(to + k * source->size + member->offset, from + k * source->header.item + field->offset, size,
                         field->count, field->swap);
    }
}

/* Reads up to n elements as they lie in the file, fewer only at the end. */
static size_t read_items(tool_source *source, unsigned char *to, size_t n)
{
    const size_t item = source->header.item;
    const size_t got = tool_bytes_read(&source->bytes, to, n * item);
    if (got == n * item) return n;
    if (source->known) ends_early(source, source->taken + got / item);
    if (got % item) ends_inside(source, source->taken * item + got);
    return got / item;
}

static size_t fill_binary(tool_source *source, unsigned char *to, size_t n)
{
    if (source->known && n > source->header.count - source->taken) n = (size_t)(source->header.count - source->taken);
    if (source->as_is) {
        n = read_items(source, to, n);
    } else {
        const size_t most = PIECE_BYTES / source->header.item;
        if (n > most) n = most;
        if (!source->scratch) source->scratch = tool_alloc(PIECE_BYTES);
        n = read_items(source, source->scratch, n);
        convert(source, source->scratch, n, to);
    }
    source->taken += n;
    return n;
}

/* --- elements as text --------------------------------------------------------------------------------------------- */

/* The next round, if all of this one was given; false at the end. */
static bool have_round(tool_source *source)
{
    if (source->round_at < source->round_n) return true;
    const void *elements;
    if (!source->rounds) {
        source->rounds = tool_rounds_open(&source->bytes, &source->reader);
        if (source->keep_spans) tool_rounds_keep_spans(source->rounds);
    }
    source->round_at = 0;
    source->round_n = tool_rounds_next(source->rounds, &elements, &source->round_spans);
    source->round = elements;
    return source->round_n > 0;
}

static const unsigned char *next_of_round(tool_source *source, size_t most, size_t *n)
{
    const size_t left = have_round(source) ? source->round_n - source->round_at : 0;
    const unsigned char *const at = left > 0 ? source->round + source->round_at * source->size : NULL;
    *n = left < most ? left : most;
    if (source->keep_spans && left > 0) source->spans = source->round_spans + source->round_at;
    source->round_at += *n;
    source->taken += *n;
    return at;
}

static size_t fill_text(tool_source *source, unsigned char *to, size_t n)
{
    const unsigned char *const from = next_of_round(source, n, &n);
    if (from) memcpy(to, from, n * source->size); /* NULL at the end */
    return n;
}

/* Some of the next n elements; 0 at the end. */
static size_t fill(tool_source *source, unsigned char *to, size_t n)
{
    if (source->outside) return source->outside->fill(source->outside, to, n);
    return source->format == TOOL_TEXT ? fill_text(source, to, n) : fill_binary(source, to, n);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static bool is_aligned(const void *mem, size_t align) { return (uintptr_t)mem % align == 0; }

static bool is_usable_map(const tool_source *source)
{
    return source->map && source->as_is && is_aligned(source->map, source->type->align);
}

static void read_whole(tool_source *source)
{
    size_t n = 0, room = source->known && source->header.count * source->size <= PIECE_BYTES
                             ? (size_t)source->header.count
                             : PIECE_BYTES / source->size;
    unsigned char *all = tool_alloc(room * source->size);
    tool_progress_phase("reading");
    for (size_t got; (got = fill(source, all + n * source->size, room - n)) > 0;) {
        n += got;
        tool_progress_show(source->bytes.done, source->bytes.total);
        if (n < room) continue;
        if (source->known && n == source->header.count) break;
        if (room > PTRDIFF_MAX / 2 / source->size)
            tool_die(TOOL_FAILED, "out of memory: %s is too long", source->bytes.name);
        room *= 2;
        if (source->known && room > source->header.count) room = (size_t)source->header.count;
        all = tool_realloc(all, room * source->size);
    }
    source->own = all;
    source->whole = all;
    source->whole_n = n;
}

/* Fortran order is the C order of the reversed shape: in[i0 + d0 * (i1 + d1 * ...)] goes to out[i0, i1, ...]. */
static void reverse_axes(int dims, const uint64_t *shape, size_t size, const unsigned char *in, uint64_t n,
                         unsigned char *out)
{
    uint64_t stride[NPY_MAX_DIMS] = {0}, index[NPY_MAX_DIMS] = {0}, from = 0;
    for (int i = 0; i < dims; i++) stride[i] = i ? stride[i - 1] * shape[i - 1] : 1;
    for (uint64_t to = 0; to < n; to++) {
        memcpy(out + to * size, in + from * size, size);
        for (int i = dims - 1; i >= 0; i--) {
            from += stride[i];
            if (++index[i] < shape[i]) break;
            from -= stride[i] * shape[i];
            index[i] = 0;
        }
    }
}

bool tool_source_is_fortran(const tool_source *source)
{
    int longer = 0;
    for (int i = 0; i < source->header.dims; i++) longer += source->header.shape[i] > 1;
    return source->header.fortran && longer > 1 && source->header.count > 0;
}

static void undo_fortran(tool_source *source)
{
    const npy_header *const header = &source->header;
    unsigned char *const out = tool_alloc(source->whole_n * source->size);
    if (header->dims == 2 && source->dev) {
        if (oplus_transpose(source->dev, source->type, source->whole, (size_t)header->shape[1],
                            (size_t)header->shape[0], out) != OPLUS_OK ||
            oplus_sync(source->dev) != OPLUS_OK)
            tool_die(TOOL_FAILED, "%s: %s", source->bytes.name, oplus_last_error());
    } else {
        reverse_axes(header->dims, header->shape, source->size, source->whole, source->whole_n, out);
    }
    free(source->own);
    source->own = out;
    source->whole = out;
}

static void load(tool_source *source)
{
    if (source->whole) return;
    if (is_usable_map(source)) {
        source->whole = source->map;
        source->whole_n = (size_t)source->header.count;
    } else {
        read_whole(source);
    }
    if (tool_source_is_fortran(source)) undo_fortran(source);
    if (source->bytes.total > 0) source->bytes.done = source->bytes.total;
}

void tool_source_narrow(tool_source *source, uint64_t first, uint64_t n)
{
    const uint64_t before = first * source->header.item;
    source->narrow = true;
    source->extent = source->header.count;
    source->header.count = n;
    if (source->map) source->map += before;
    if (source->known) tool_bytes_seek(&source->bytes, source->header.bytes + before);
}

uint64_t tool_source_extent(const tool_source *source) { return source->narrow ? source->extent : source->whole_n; }

const void *tool_source_all(tool_source *source, size_t *n)
{
    load(source);
    *n = source->whole_n;
    return source->whole;
}

void *tool_source_own(tool_source *source, size_t *n)
{
    load(source);
    *n = source->whole_n;
    if (source->own) return source->own;
    if (tool_bytes_map_own(&source->bytes)) return source->whole;
    source->own = tool_alloc(source->whole_n * source->size);
    memcpy(source->own, source->whole, source->whole_n * source->size);
    return source->own;
}

/* --- piece by piece ----------------------------------------------------------------------------------------------- */

static const unsigned char *next_of_whole(tool_source *source, size_t most, size_t *n)
{
    const unsigned char *const at = source->whole + source->whole_given * source->size;
    const size_t left = source->whole_n - source->whole_given;
    *n = left < most ? left : most;
    source->whole_given += *n;
    return at;
}

static const unsigned char *next_of_map(tool_source *source, size_t most, size_t *n)
{
    const uint64_t left = source->header.count - source->taken, before = source->taken * source->size;
    if (source->taken > 0) tool_bytes_map_done(&source->bytes, source->header.bytes + before);
    *n = left < most ? (size_t)left : most;
    source->taken += *n;
    return source->map + before;
}

bool tool_source_next(tool_source *source, const void **piece, size_t *n)
{
    const size_t most = PIECE_BYTES / source->size;
    if (!source->whole && tool_source_is_fortran(source)) load(source);
    if (source->whole) {
        *piece = next_of_whole(source, most, n);
    } else if (source->format == TOOL_TEXT && !source->outside) {
        *piece = next_of_round(source, most, n);
    } else if (is_usable_map(source)) {
        *piece = next_of_map(source, most, n);
    } else {
        if (!source->piece) source->piece = aligned_alloc(ALIGN, PIECE_BYTES);
        if (!source->piece) tool_die(TOOL_FAILED, "out of memory: no %d bytes to be had", PIECE_BYTES);
        *n = fill(source, source->piece, most);
        *piece = source->piece;
    }
    return *n > 0;
}
