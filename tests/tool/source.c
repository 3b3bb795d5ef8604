/* tool/source: arrays from files and pipes, whole and in pieces. */
#define _POSIX_C_SOURCE 200809L
#include <oplus/oplus.h>

#include "command.h"
#include "npy.h"
#include "source.h"
#include "support/sanitized.h"
#include "threads.h"

OPLUS_STRUCT(record, int8_t flag; double x; uint16_t m[2];)

/* --- where the bytes come from: a file, a file from its middle on as stdin may be, a pipe ------------------------- */

enum { FROM_FILE, FROM_PIPE, WAYS };

typedef struct origin {
    char path[32];
    pid_t writer;
    int end;
} origin;

/* Makes the bytes available under a path; a pipe gives them in small parts of odd sizes. */
static origin offer(int way, const char *name, const void *bytes, size_t n)
{
    origin from = {"", 0, -1};
    if (way == FROM_FILE) {
        snprintf(from.path, sizeof from.path, "%s", name);
        write_file(name, bytes, n);
        return from;
    }
    int ends[2];
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    from.writer = fork();
    assert_true(from.writer >= 0);
    if (from.writer == 0) {
        close(ends[0]);
        size_t step = 1;
        for (size_t at = 0; at < n; step = step * 3 % 100003) {
            const size_t bit = n - at < step ? n - at : step;
            const ssize_t put = write(ends[1], (const char *)bytes + at, bit);
            if (put < 0) break;
            at += (size_t)put;
        }
        _exit(0);
    }
    close(ends[1]);
    from.end = ends[0];
    snprintf(from.path, sizeof from.path, "/dev/fd/%d", ends[0]);
    return from;
}

static void withdraw(const origin *from)
{
    if (from->end < 0) {
        unlink(from->path);
        return;
    }
    close(from->end);
    int status;
    waitpid(from->writer, &status, 0);
}

/* All elements, one piece after the other; *n their number. */
static unsigned char *gather(tool_source *source, size_t *n)
{
    const size_t size = tool_source_type(source)->size;
    unsigned char *all = malloc(1);
    const void *piece;
    size_t now;
    for (*n = 0; tool_source_next(source, &piece, &now); *n += now) {
        assert_int_equal((uintptr_t)piece % tool_source_type(source)->align, 0);
        assert_true(now * size <= 8 << 20);
        all = realloc(all, (*n + now) * size);
        memcpy(all + *n * size, piece, now * size);
    }
    return all;
}

/* Read whole, in pieces, and to be changed; from a file and from a pipe: the elements are the same. */
static void expect_elements(const char *name, const void *bytes, size_t size, tool_format format,
                            const oplus_type *type, const char *type_name, const void *elements, size_t count)
{
    for (int way = FROM_FILE; way < WAYS; way++)
        for (int how = 0; how < 3; how++) {
            const origin from = offer(way, name, bytes, size);
            const bool unnamed = way == FROM_PIPE && format == TOOL_AUTO && type && !npy_magic(bytes, size);
            tool_source *const source =
                tool_source_open(from.path, unnamed ? tool_format_of_name(name) : format, type, NULL);
            assert_string_equal(tool_type_name(tool_source_type(source)), type_name);
            const size_t element = tool_source_type(source)->size;
            size_t n;
            unsigned char *const pieces = how == 0 ? gather(source, &n) : NULL;
            const void *const all = how == 0   ? pieces
                                    : how == 1 ? tool_source_all(source, &n)
                                               : tool_source_own(source, &n);
            assert_int_equal(n, count);
            assert_memory_equal(all, elements, n * element);
            if (how == 2) memset((void *)(uintptr_t)all, 1, n * element);
            uint64_t known;
            if (tool_source_count(source, &known)) assert_int_equal(known, n);
            free(pieces);
            tool_source_close(source);
            if (way == FROM_FILE && size > 0) { /* the changed elements are ours */
                char *const after = read_file(name, NULL);
                assert_memory_equal(after, bytes, size);
                free(after);
            }
            withdraw(&from);
        }
}

/* A .npy of version 1; to be freed. */
static unsigned char *npy(const char *descr, const char *shape, bool fortran, const void *data, size_t bytes,
                          size_t *size)
{
    char text[512];
    const int n = snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n", descr,
                           fortran ? "True" : "False", shape);
    unsigned char *const file = malloc(10 + (size_t)n + bytes);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)(n & 255);
    file[9] = (unsigned char)(n >> 8);
    memcpy(file + 10, text, (size_t)n);
    memcpy(file + 10 + n, data, bytes);
    *size = 10 + (size_t)n + bytes;
    return file;
}

static void expect_npy(const char *descr, const char *shape, bool fortran, const void *data, size_t bytes,
                       const char *type_name, const void *elements, size_t count)
{
    size_t size;
    unsigned char *const file = npy(descr, shape, fortran, data, bytes, &size);
    expect_elements("x.npy", file, size, TOOL_AUTO, NULL, type_name, elements, count);
    expect_elements("x", file, size, TOOL_AUTO, NULL, type_name, elements, count); /* by its magic */
    free(file);
}

/* --- .npy --------------------------------------------------------------------------------------------------------- */

static void test_npy(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6};
    const uint8_t big[] = {0, 1, 2, 3, 255, 255, 255, 254};
    const int32_t big_values[] = {0x00010203, -2};
    const int16_t big_short[] = {1, 0x203, -1, -2};
    expect_npy("'<f4'", "(6,)", false, x, sizeof x, "f32", x, 6);
    expect_npy("'<f4'", "(2, 3)", false, x, sizeof x, "f32", x, 6);
    expect_npy("'<f4'", "()", false, x, 4, "f32", x, 1);
    expect_npy("'<f4'", "(0,)", false, x, 0, "f32", x, 0);
    expect_npy("'<f4'", "(3, 0)", true, x, 0, "f32", x, 0);
    expect_npy("'<c8'", "(3,)", false, x, sizeof x, "c64", x, 3);
    expect_npy("'>i4'", "(2,)", false, big, sizeof big, "i32", big_values, 2);
    expect_npy("'>i2'", "(4,)", false, big, sizeof big, "i16", big_short, 4);
    expect_npy("'|b1'", "(8,)", false, big, sizeof big, "u8", big, 8);
}

static void test_npy_structs(void **state)
{
    (void)state;
    record values[2], big_values[2];
    memset(values, 0, sizeof values);
    values[0].flag = -1, values[0].x = 0.5, values[0].m[0] = 7, values[0].m[1] = 8;
    values[1].flag = 2, values[1].x = -3, values[1].m[0] = 258, values[1].m[1] = 772;
    const char *const name = "int8_t flag; double x; uint16_t m[2];";

    /* as C has it, packed, and with the bytes of numbers in the other order */
    expect_npy("[('flag', '|i1'), ('', '|V7'), ('x', '<f8'), ('m', '<u2', (2,)), ('', '|V4')]", "(2,)", false, values,
               sizeof values, name, values, 2);
    unsigned char packed[2 * 13], swapped[2 * 13];
    for (int i = 0; i < 2; i++) {
        unsigned char *const at = packed + i * 13;
        memcpy(at, &values[i].flag, 1);
        memcpy(at + 1, &values[i].x, 8);
        memcpy(at + 9, values[i].m, 4);
        memcpy(swapped + i * 13, at, 1);
        for (int k = 0; k < 8; k++) swapped[i * 13 + 1 + k] = at[8 - k];
        for (int k = 0; k < 4; k++) swapped[i * 13 + 9 + k] = at[9 + (k ^ 1)];
    }
    memcpy(big_values, values, sizeof values);
    expect_npy("[('flag', '|i1'), ('x', '<f8'), ('m', '<u2', (2,))]", "(2,)", false, packed, sizeof packed, name,
               values, 2);
    expect_npy("[('flag', '|i1'), ('x', '>f8'), ('m', '>u2', (2,))]", "(2,)", false, swapped, sizeof swapped, name,
               values, 2);
}

/* x[i, j, k] = 100 i + 10 j + k, column by column. */
static void test_fortran(void **state)
{
    (void)state;
    enum { I = 2, J = 3, K = 4 };
    int16_t in_c[I * J * K], in_fortran[I * J * K];
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++)
                in_c[(i * J + j) * K + k] = in_fortran[i + I * (j + J * k)] = (int16_t)(100 * i + 10 * j + k);
    expect_npy("'<i2'", "(2, 3, 4)", true, in_fortran, sizeof in_fortran, "i16", in_c, I * J * K);
    expect_npy("'<i2'", "(24,)", true, in_fortran, sizeof in_fortran, "i16", in_fortran, I * J * K);
    expect_npy("'<i2'", "(1, 24, 1)", true, in_fortran, sizeof in_fortran, "i16", in_fortran, I * J * K);

    /* two dimensions: with a device and without */
    const int16_t flat[] = {0, 10, 1, 11, 2, 12}, right[] = {0, 1, 2, 10, 11, 12};
    expect_npy("'<i2'", "(2, 3)", true, flat, sizeof flat, "i16", right, 6);
    oplus_device *dev;
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    size_t size, n;
    unsigned char *const file = npy("'<i2'", "(2, 3)", true, flat, sizeof flat, &size);
    write_file("f.npy", file, size);
    tool_source *const source = tool_source_open("f.npy", TOOL_AUTO, NULL, dev);
    assert_memory_equal(tool_source_all(source, &n), right, sizeof right);
    const uint64_t *shape;
    assert_int_equal(tool_source_shape(source, &shape), 2);
    assert_int_equal(shape[0], 2);
    assert_int_equal(shape[1], 3);
    tool_source_close(source);
    oplus_close(dev);
    unlink("f.npy");
    free(file);
}

/* --- raw ---------------------------------------------------------------------------------------------------------- */

static void test_raw(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5};
    expect_elements("x.raw", x, sizeof x, TOOL_AUTO, &oplus_f64, "f64", x, 5);
    expect_elements("x", x, sizeof x, TOOL_RAW, &oplus_f64, "f64", x, 5);
    expect_elements("x.raw", x, sizeof x, TOOL_RAW, &oplus_u8, "u8", x, sizeof x);
    expect_elements("x.raw", x, 0, TOOL_RAW, &oplus_f64, "f64", x, 0);
}

/* More than one piece of every kind. */
static void test_long_ones(void **state)
{
    (void)state;
    enum { N = 2500001 };
    uint64_t *const x = malloc(N * sizeof *x);
    unsigned char *const big = malloc(N * sizeof *x);
    for (size_t i = 0; i < N; i++) {
        x[i] = i * 0x9e3779b97f4a7c15;
        for (size_t byte = 0; byte < 8; byte++) big[i * 8 + byte] = (unsigned char)(x[i] >> 8 * (7 - byte));
    }
    expect_elements("x.raw", x, N * sizeof *x, TOOL_RAW, &oplus_u64, "u64", x, N);
    expect_npy("'<u8'", "(2500001,)", false, x, N * sizeof *x, "u64", x, N);
    expect_npy("'>u8'", "(2500001,)", false, big, N * sizeof *x, "u64", x, N);

    char *const text = malloc(N * 21);
    size_t n = 0;
    for (size_t i = 0; i < N / 8; i++) n += (size_t)sprintf(text + n, "%llu\n", (unsigned long long)x[i]);
    expect_elements("x.txt", text, n, TOOL_AUTO, &oplus_u64, "u64", x, N / 8);
    free(text);
    free(big);
    free(x);
}

/* stdin may be a file that has been read in part. */
static void read_rest(void *argument)
{
    (void)argument;
    const int file = open("rest.raw", O_RDONLY);
    if (file < 0 || dup2(file, STDIN_FILENO) < 0 || lseek(STDIN_FILENO, 3, SEEK_SET) != 3) exit(9);
    tool_source *const source = tool_source_open("-", TOOL_RAW, &oplus_u8, NULL);
    size_t n;
    const uint8_t *const x = tool_source_all(source, &n);
    if (n != 2 || x[0] != 4 || x[1] != 5 || tool_source_total(source) != 2) exit(8);
    tool_source_close(source);
}

static void test_rest_of_stdin(void **state)
{
    (void)state;
    write_file("rest.raw", "\1\2\3\4\5", 5);
    expect_death(read_rest, NULL, 0, "");
    unlink("rest.raw");
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void expect_text(const char *text, const oplus_type *type, const char *type_name, const void *elements,
                        size_t count)
{
    expect_elements("x.txt", text, strlen(text), TOOL_AUTO, type, type_name, elements, count);
    expect_elements("x", text, strlen(text), TOOL_AUTO, type, type_name, elements, count);
}

static void test_text(void **state)
{
    (void)state;
    const int64_t integers[] = {1, 2, 3};
    const double reals[] = {1, 2.5, 3}, whole[] = {1, 2, 3};
    expect_text("1\n2\n3\n", NULL, "f64", whole, 3);
    expect_text("1\n2\n3\n", &oplus_i64, "i64", integers, 3);
    expect_text("1 2.5 3", NULL, "f64", reals, 3);
    expect_text("\xef\xbb\xbf"
                "1 2 3",
                NULL, "f64", whole, 3);
    expect_text("", NULL, "f64", whole, 0);
    expect_text("# nothing\n", &oplus_f64, "f64", reals, 0);
}

/* Comments, blanks and numbers across the edges of what is read at once. */
static void test_text_across_edges(void **state)
{
    (void)state;
    enum { BYTES = 3 << 20 };
    char *const text = malloc(BYTES + 64);
    const double x[] = {1.5, 2.5};
    memset(text, ' ', BYTES);
    memcpy(text, "1.5#", 4); /* a comment of 3 MiB */
    memcpy(text + BYTES, "\n2.5", 5);
    expect_text(text, NULL, "f64", x, 2);
    memset(text + 3, ' ', BYTES - 3); /* blanks */
    expect_text(text, NULL, "f64", x, 2);
    for (size_t at = (1 << 20) - 3; at < (1 << 20) + 1; at++) { /* a number at the edge */
        memset(text, '\n', BYTES + 4);
        memcpy(text, "1.5", 3);
        memcpy(text + at, "2.5", 3);
        expect_text(text, NULL, "f64", x, 2);
    }
    memset(text, '0', 1000000); /* a number of a million digits */
    strcpy(text + 1000000, "1.5 2.5");
    text[1000000] = '1';
    expect_text(text, NULL, "f64", x, 2);
    free(text);
}

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t columns;
    } rows[] = {{"1 2 3\n4 5 6\n", 3}, {"1 2 3\n4 5 6", 3}, {"1 2\n3", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n;
        write_file("x.txt", rows[i].text, strlen(rows[i].text));
        tool_source *const source = tool_source_open("x.txt", TOOL_AUTO, NULL, NULL);
        tool_source_all(source, &n);
        assert_int_equal(tool_source_columns(source), rows[i].columns);
        tool_source_close(source);
    }
    unlink("x.txt");
}

/* --- what ends the command ---------------------------------------------------------------------------------------- */

typedef struct attempt {
    const char *name, *bytes;
    size_t n; /* 0: up to the '\0' */
    tool_format format;
    const oplus_type *type;
    int code;
    const char *words;
} attempt;

#define HEADER(n, rest) "\x93NUMPY\1\0" n "\0{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}" rest
static const attempt attempts[] = {
    {"x.npy", "1 2 3", 0, TOOL_AUTO, NULL, 1, "no .npy file: it does not begin with \\x93NUMPY"},
    {"x.npy", "\x93NUMPY\1\0", 8, TOOL_AUTO, NULL, 1, "ends inside its header"},
    {"x.npy", HEADER("7", ""), 30, TOOL_AUTO, NULL, 1, "ends inside its header"},
    {"x.npy", HEADER("7", "12345678"), 73, TOOL_AUTO, NULL, 1, "3 elements of f32, and 2 are there"},
    {"x.npy", HEADER("7", "123456789abc"), 77, TOOL_AUTO, &oplus_f64, 2,
     "-t f64: x.npy holds f32; leave -t out, or convert the array in NumPy with astype"},
    {"x.raw", "12345", 0, TOOL_AUTO, &oplus_f32, 1, "5 bytes are no multiple of the 4 that f32 has"},
    {"x.raw", "1234", 0, TOOL_AUTO, NULL, 2, "its type is missing"},
    {"x.txt", "1\n2\nx\n", 0, TOOL_AUTO, NULL, 1, "x.txt: line 3: 'x' is not a number"},
    {"x.txt", "1 2 3 4", 0, TOOL_AUTO, &record_type, 0, ""},
    {"x.txt", "1 2 3", 0, TOOL_AUTO, &record_type, 1, "line 1 ends too early"},
};

static void attempt_of(void *argument)
{
    const attempt *const a = argument;
    size_t n;
    tool_source *const source = tool_source_open(a->name, a->format, a->type, NULL);
    tool_source_all(source, &n);
    tool_source_close(source);
}

/* --- by several threads ------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* Lines of 0 to 3 numbers of all lengths, blanks and comments; now and then so long a line that a block has none whole.
 */
static char *random_text(uint64_t seed, size_t bytes)
{
    uint64_t random = seed;
    char *const text = malloc(bytes + 64);
    size_t at = 0;
    while (at < bytes) {
        const bool long_line = next_random(&random) % 20000 == 0;
        for (uint64_t n = long_line ? 30000 : next_random(&random) % 4; n > 0 && at < bytes; n--)
            at += (size_t)sprintf(text + at, "%s%.*g", next_random(&random) % 3 ? " " : "\t ",
                                  (int)(next_random(&random) % 17) + 1, (double)next_random(&random) / 977 - 1e6);
        if (next_random(&random) % 16 == 0) at += (size_t)sprintf(text + at, " # 1 2");
        text[at++] = '\n';
    }
    text[at] = '\0';
    return text;
}

/* What one reader makes of the whole text: elements, or an error. */
static double *read_alone(const char *text, text_reader *reader, size_t *n)
{
    const size_t bytes = strlen(text);
    assert_true(text_reader_open(reader, &oplus_f64));
    double *const values = malloc((bytes + 1) * sizeof *values);
    text_read(reader, text, text + bytes, true, values, bytes, n, NULL);
    return values;
}

static const int teams[] = {1, 2, 3, 8};

typedef struct team_attempt {
    attempt attempt;
    int threads;
} team_attempt;

static void team_attempt_of(void *argument)
{
    team_attempt *const a = argument;
    tool_threads_set(a->threads);
    attempt_of(&a->attempt);
}

/* The first error in the file, with its line.  (In processes of their own: OpenMP must not have begun before a fork.)
 */
static void test_team_refuses(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    char *const text = random_text(5, BYTES);
    for (size_t i = 0; i < 6; i++) {
        char words[TOOL_ERROR_BYTES + 16];
        size_t n;
        text_reader reader;
        char *at = strchr(text + BYTES / 7 * (6 - i), '\n'); /* each before the last one */
        while ((at[1] != ' ' && at[1] != '\t') || at[2] == '#') at = strchr(at + 1, '\n');
        at[1] = 'x';
        free(read_alone(text, &reader, &n));
        assert_true(reader.error[0]);
        snprintf(words, sizeof words, ": %s", reader.error);
        for (size_t k = 0; k < sizeof teams / sizeof *teams; k++) {
            write_file("x.txt", text, strlen(text));
            team_attempt a = {{"x.txt", "", 0, TOOL_AUTO, &oplus_f64, 1, ""}, teams[k]};
            expect_death(team_attempt_of, &a, 1, words);
            unlink("x.txt");
        }
    }
    free(text);
}

static void test_team(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 5000, 70000, 1 << 20, 5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *const text = random_text(i + 1, sizes[i]);
        text_reader reader;
        size_t n;
        double *const values = read_alone(text, &reader, &n);
        assert_string_equal(reader.error, "");
        for (size_t k = 0; k < sizeof teams / sizeof *teams; k++) {
            tool_threads_set(teams[k]);
            expect_text(text, NULL, "f64", values, n);
            write_file("x.txt", text, strlen(text));
            tool_source *const source = tool_source_open("x.txt", TOOL_AUTO, NULL, NULL);
            const text_span *spans;
            const void *piece;
            double value;
            tool_source_keep_spans(source);
            for (size_t m, done = 0; tool_source_next(source, &piece, &m); done += m) {
                spans = tool_source_spans(source);
                for (size_t j = 0; j < m; j += 1 + m / 1000) {
                    assert_int_equal(number_read(OPLUS_F64, spans[j].at, spans[j].end, &value), NUMBER_GOOD);
                    assert_memory_equal(&value, &values[done + j], sizeof value);
                }
            }
            assert_int_equal(tool_source_columns(source), reader.ragged ? 0 : reader.columns);
            tool_source_close(source);
            unlink("x.txt");
        }
        free(values);
        free(text);
    }
    tool_threads_set(1);
}

static void test_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        attempt a = attempts[i];
        const size_t n = a.n ? a.n : strlen(a.bytes);
        write_file(a.name, a.bytes, n);
        expect_death(attempt_of, &a, a.code, a.words);
        unlink(a.name);

        const origin from = offer(FROM_PIPE, "", a.bytes, n);
        char words[256];
        const char *const name = strstr(a.words, a.name);
        snprintf(words, sizeof words, "%s",
                 name ? strchr(name, ':') ? strchr(name, ':') : name + strlen(a.name) : a.words);
        const tool_format by_name = tool_format_of_name(a.name); /* which a pipe has not */
        a.name = from.path;
        if (a.format == TOOL_AUTO) a.format = by_name;
        expect_death(attempt_of, &a, a.code, words);
        withdraw(&from);
    }
    attempt missing = {"none.npy", "", 0, TOOL_AUTO, NULL, 1, ""}, folder = {"/tmp", "", 0, TOOL_AUTO, NULL, 1, ""};
    expect_death(attempt_of, &missing, 1, "oplus test: cannot open none.npy: No such file or directory");
    expect_death(attempt_of, &folder, 1, "oplus test: cannot read /tmp: Is a directory");
}

/* The same where a file would be mapped into memory. */
static void test_ends_early(void **state)
{
    (void)state;
    char error[TOOL_ERROR_BYTES];
    const uint64_t shape[] = {3000};
    size_t bytes;
    unsigned char *const header = npy_write(&oplus_f32, 1, shape, &bytes, error);
    unsigned char *const file = calloc(1, bytes + 12000);
    memcpy(file, header, bytes);
    write_file("x.npy", file, bytes + 11998);
    attempt a = {"x.npy", "", 0, TOOL_AUTO, NULL, 1, ""};
    expect_death(
        attempt_of, &a, 1,
        "oplus test: x.npy ends early: its header says shape (3000,), 3000 elements of f32, and 2999 are there");
    write_file("x.npy", file, bytes + 12000);
    expect_death(attempt_of, &a, 0, "");
    write_file("x.npy", file, bytes + 11000);
    const int end = open("x.npy", O_WRONLY | O_APPEND);
    assert_int_equal(write(end, file, 1001), 1001);
    close(end);
    expect_death(attempt_of, &a, 0, "oplus test: warning: x.npy has 1 bytes behind its array, which are not read");
    unlink("x.npy");
    free(header);
    free(file);
}

/* A header may promise more than memory holds: on a pipe this is seen when the bytes end. */
static void test_promises(void **state)
{
    (void)state;
    size_t size;
    unsigned char *const file = npy("'<f4'", "(2000000000000000000,)", false, "1234", 4, &size);
    const origin from = offer(FROM_PIPE, "", file, size);
    attempt a = {from.path, "", 0, TOOL_AUTO, NULL, 1, ""};
    expect_death(attempt_of, &a, 1, "and 1 are there");
    withdraw(&from);
    free(file);

    /* 8 bytes in the file, 16 in memory: the sizes of both must fit */
    unsigned char *const packed =
        npy("[('a', '|i1'), ('b', '<f8')]", "(1000000000000000000,)", false, "123456789", 9, &size);
    const origin other = offer(FROM_PIPE, "", packed, size);
    a.name = other.path;
    expect_death(attempt_of, &a, 1, "more elements than memory has addresses");
    withdraw(&other);
    free(packed);
}

/* A file that becomes shorter while it is read is reported. */
static void shorten(void *argument)
{
    (void)argument;
    const void *piece;
    size_t n;
    tool_source *const source = tool_source_open("x.raw", TOOL_RAW, &oplus_u8, NULL);
    if (truncate("x.raw", 0) != 0) exit(9);
    unsigned char sum = 0;
    while (tool_source_next(source, &piece, &n))
        for (size_t i = 0; i < n; i++) sum = (unsigned char)(sum + ((const unsigned char *)piece)[i]);
    exit(sum ? 8 : 7);
}

static void test_shrinking_file(void **state)
{
    (void)state;
    char *const bytes = calloc(1, 1 << 20);
    write_file("x.raw", bytes, 1 << 20);
    expect_death(shorten, NULL, 1, "became shorter while it was read");
    unlink("x.raw");
    free(bytes);
}

static void long_token(void *argument)
{
    (void)argument;
    attempt a = {"x.txt", "", 0, TOOL_AUTO, NULL, 1, ""};
    attempt_of(&a);
}

static void test_long_token(void **state)
{
    (void)state;
    enum { BYTES = 3 << 20 };
    char *const text = malloc(BYTES);
    memset(text, '1', BYTES);
    memcpy(text, "1\n", 2);
    write_file("x.txt", text, BYTES);
    expect_death(long_token, NULL, 1, "x.txt: line 2: a number, or an element, of more than 1048576 letters");
    unlink("x.txt");
    free(text);
}

static void test_formats(void **state)
{
    (void)state;
    assert_int_equal(tool_format_of_name("a/x.npy"), TOOL_NPY);
    assert_int_equal(tool_format_of_name(".npy"), TOOL_AUTO);
    assert_int_equal(tool_format_of_name("x.bin"), TOOL_RAW);
    assert_int_equal(tool_format_of_name("x.csv"), TOOL_CSV);
    assert_int_equal(tool_format_of_name("x.txt"), TOOL_TEXT);
    assert_int_equal(tool_format_of_name("x"), TOOL_AUTO);
    assert_int_equal(tool_format_of_name(NULL), TOOL_AUTO);
    assert_int_equal(tool_format_parse("--to", "raw"), TOOL_RAW);
}

int main(void)
{
    if (THREAD_SANITIZER) { /* it ends a child of fork() that starts threads */
        print_message("[  SKIPPED ] ThreadSanitizer allows no threads after fork(), and children start some here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_npy_structs),
        cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_long_ones),
        cmocka_unit_test(test_rest_of_stdin),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_across_edges),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_ends_early),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_shrinking_file),
        cmocka_unit_test(test_long_token),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_team_refuses),
        cmocka_unit_test(test_team),
    };
    return cmocka_run_group_tests_name("tool/source", tests, enter_folder, leave_folder);
}
