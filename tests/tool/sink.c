/* tool/sink: arrays to files and pipes; a file appears when it is complete, and not before. */
#define _XOPEN_SOURCE 700
#include <oplus/oplus.h>

#include "command.h"
#include "npy.h"
#include "sink.h"
#include "threads.h"

OPLUS_STRUCT(record, int8_t flag; double x[2];)

static const int32_t numbers[] = {1, -2, 3, 4, 5, 6};

static void write_array(const char *path, tool_format format, const oplus_type *type, int dims, const uint64_t *shape,
                        const void *in, size_t n)
{
    tool_sink *const sink = tool_sink_open(path, format, type, dims, shape);
    for (size_t i = 0; i < n; i++) tool_sink_write(sink, (const char *)in + i * type->size, 1);
    assert_int_equal(tool_sink_count(sink), n);
    tool_sink_close(sink);
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

static void test_text(void **state)
{
    (void)state;
    const uint64_t rows[] = {2, 3}, cube[] = {1, 3, 2}, none[] = {0, 3};
    const double x[] = {0.1, -0.0, 1e300};
    const record r[] = {{1, {2, 3}}, {-4, {5.5, 6}}};
    write_array("x", TOOL_TEXT, &oplus_i32, -1, NULL, numbers, 3);
    expect_file("x", "1\n-2\n3\n");
    write_array("x", TOOL_TEXT, &oplus_i32, 2, rows, numbers, 6);
    expect_file("x", "1 -2 3\n4 5 6\n");
    write_array("x", TOOL_TEXT, &oplus_i32, 3, cube, numbers, 6);
    expect_file("x", "1 -2\n3 4\n5 6\n");
    write_array("x", TOOL_TEXT, &oplus_i32, 2, none, numbers, 0);
    expect_file("x", "");
    write_array("x", TOOL_TEXT, &oplus_i32, 0, NULL, numbers, 1);
    expect_file("x", "1\n");
    write_array("x", TOOL_TEXT, &oplus_f64, -1, NULL, x, 3);
    expect_file("x", "0.1\n-0\n1e+300\n");
    write_array("x", TOOL_TEXT, &record_type, -1, NULL, r, 2);
    expect_file("x", "1 2 3\n-4 5.5 6\n");
    assert_int_equal(count_files(), 1);
    empty_folder();
}

/* Side by side, in order: the same bytes by any number of threads, in any pieces. */
static void test_text_by_threads(void **state)
{
    (void)state;
    enum { N = 300000, COLUMNS = 7 };
    double *const x = malloc(N * sizeof *x);
    for (size_t i = 0; i < N; i++) x[i] = (double)i / 7 - 1000;
    const uint64_t shapes[][2] = {{N, 1}, {N / COLUMNS, COLUMNS}};
    for (int s = 0; s < 2; s++) {
        char *first = NULL;
        size_t first_bytes = 0, bytes, n = shapes[s][0] * shapes[s][1];
        for (int threads = 1; threads < 5; threads++) {
            tool_threads_set(threads);
            tool_sink *const sink = tool_sink_open("x.txt", TOOL_TEXT, &oplus_f64, s == 0 ? -1 : 2, shapes[s]);
            for (size_t done = 0, m = 1; done < n; done += m, m *= 10) {
                if (m > n - done) m = n - done;
                tool_sink_write(sink, x + done, m);
            }
            tool_sink_close(sink);
            char *const text = read_file("x.txt", &bytes);
            if (!first) first = text, first_bytes = bytes;
            assert_int_equal(bytes, first_bytes);
            assert_memory_equal(text, first, bytes);
            if (text != first) free(text);
        }
        assert_memory_equal(first, s == 0 ? "-1000\n-999.85714" : "-1000 -999.8571", 15);
        free(first);
    }
    tool_threads_set(1);
    unlink("x.txt");
    free(x);
}

static void test_raw(void **state)
{
    (void)state;
    size_t n;
    write_array("x.raw", TOOL_RAW, &oplus_i32, -1, NULL, numbers, 6);
    char *const bytes = read_file("x.raw", &n);
    assert_int_equal(n, sizeof numbers);
    assert_memory_equal(bytes, numbers, n);
    free(bytes);
    empty_folder();
}

static void expect_npy(const char *path, int dims, const uint64_t *shape, const void *data, size_t bytes)
{
    size_t n;
    char error[TOOL_ERROR_BYTES];
    npy_header header;
    char *const file = read_file(path, &n);
    assert_true(npy_parse((const unsigned char *)file, n, &header, error));
    assert_int_equal(header.dims, dims);
    for (int i = 0; i < dims; i++) assert_int_equal(header.shape[i], shape[i]);
    assert_int_equal(n, header.bytes + bytes);
    assert_memory_equal(file + header.bytes, data, bytes);
    free(file);
}

/* Of known and of unknown length: the same file. */
static void test_npy(void **state)
{
    (void)state;
    const uint64_t shape[] = {6}, rows[] = {3, 2}, none[] = {0};
    write_array("known.npy", TOOL_NPY, &oplus_i32, 1, shape, numbers, 6);
    write_array("unknown.npy", TOOL_NPY, &oplus_i32, -1, NULL, numbers, 6);
    expect_npy("known.npy", 1, shape, numbers, sizeof numbers);
    size_t n, m;
    char *const x = read_file("known.npy", &n), *const y = read_file("unknown.npy", &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
    write_array("x.npy", TOOL_NPY, &oplus_i32, 2, rows, numbers, 6);
    expect_npy("x.npy", 2, rows, numbers, sizeof numbers);
    write_array("x.npy", TOOL_NPY, &oplus_i32, -1, NULL, numbers, 0);
    expect_npy("x.npy", 1, none, numbers, 0);
    write_array("x.npy", TOOL_NPY, &oplus_i32, 0, NULL, numbers, 1);
    expect_npy("x.npy", 0, NULL, numbers, 4);
    empty_folder();
}

/* To a pipe, where nothing can be filled in later. */
static void test_npy_to_pipe(void **state)
{
    (void)state;
    enum { N = 5000 }; /* fits a pipe */
    int16_t x[N];
    const uint64_t shape[] = {N};
    for (int i = 0; i < N; i++) x[i] = (int16_t)(i * 7);
    for (int dims = -1; dims < 2; dims += 2) {
        int ends[2];
        char path[32], *const file = malloc(N * 2 + 1024);
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
        write_array(path, TOOL_NPY, &oplus_i16, dims, shape, x, N);
        close(ends[1]);
        size_t n = 0;
        for (ssize_t got; (got = read(ends[0], file + n, N * 2 + 1024 - n)) > 0;) n += (size_t)got;
        close(ends[0]);
        write_file("copy.npy", file, n);
        expect_npy("copy.npy", 1, shape, x, sizeof x);
        free(file);
    }
    assert_int_equal(count_files(), 1);
    empty_folder();
}

/* Behind what others have written, as in (echo; oplus ...) > file, and with >>. */
static void test_npy_to_stdout(void **state)
{
    (void)state;
    const uint64_t shape[] = {6};
    const int before = dup(STDOUT_FILENO);
    for (int append = 0; append < 2; append++) {
        write_file("out", "hello", 5);
        const int file = open("out", O_WRONLY | (append ? O_APPEND : 0));
        lseek(file, 5, SEEK_SET);
        fflush(stdout);
        dup2(file, STDOUT_FILENO);
        tool_sink *const sink = tool_sink_open("-", TOOL_NPY, &oplus_i32, -1, NULL);
        assert_true(tool_sink_is_stdout(sink));
        tool_sink_write(sink, numbers, 6);
        tool_sink_close(sink);
        assert_int_equal(write(STDOUT_FILENO, "end", 3), 3); /* it stays open, and at the end */
        dup2(before, STDOUT_FILENO);
        close(file);

        size_t n;
        char *const all = read_file("out", &n);
        assert_memory_equal(all, "hello", 5);
        assert_memory_equal(all + n - 3, "end", 3);
        write_file("x.npy", all + 5, n - 8);
        expect_npy("x.npy", 1, shape, numbers, sizeof numbers);
        free(all);
    }
    close(before);
    empty_folder();
}

/* --- when and how it appears -------------------------------------------------------------------------------------- */

static void test_appears_when_complete(void **state)
{
    (void)state;
    write_file("x", "before", 6);
    tool_sink *const sink = tool_sink_open("x", TOOL_TEXT, &oplus_i32, -1, NULL);
    tool_sink_write(sink, numbers, 2);
    expect_file("x", "before");
    assert_int_equal(count_files(), 2);
    tool_sink_close(sink);
    expect_file("x", "1\n-2\n");
    assert_int_equal(count_files(), 1);
    empty_folder();
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

static void test_mode_and_links(void **state)
{
    (void)state;
    const mode_t mask = umask(027);
    write_array("new", TOOL_TEXT, &oplus_i32, -1, NULL, numbers, 1);
    assert_int_equal(mode_of("new") & 07777, 0640);
    assert_int_equal(chmod("new", 0604), 0);
    assert_int_equal(symlink("new", "link"), 0);
    write_array("link", TOOL_TEXT, &oplus_i32, -1, NULL, numbers, 2);
    assert_true(S_ISLNK(mode_of("link")));
    assert_int_equal(mode_of("new") & 07777, 0604);
    expect_file("new", "1\n-2\n");
    umask(mask);
    empty_folder();
}

/* A file that is read may be written to. */
static void test_over_the_input(void **state)
{
    (void)state;
    const void *piece;
    size_t n;
    write_file("x.raw", numbers, sizeof numbers);
    tool_source *const source = tool_source_open("x.raw", TOOL_AUTO, &oplus_i32, NULL);
    tool_sink *const sink = tool_sink_open("x.raw", TOOL_RAW, &oplus_i32, -1, NULL);
    for (int twice = 0; twice < 2; twice++) tool_sink_write(sink, numbers, 6);
    while (tool_source_next(source, &piece, &n)) tool_sink_write(sink, piece, n);
    tool_sink_close(sink);
    tool_source_close(source);
    char *const after = read_file("x.raw", &n);
    assert_int_equal(n, 3 * sizeof numbers);
    assert_memory_equal(after + 2 * sizeof numbers, numbers, sizeof numbers);
    free(after);
    empty_folder();
}

static void test_devices_and_fifos(void **state)
{
    (void)state;
    write_array("/dev/null", TOOL_NPY, &oplus_i32, -1, NULL, numbers, 6);
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_int_equal(mkfifo("fifo", 0600), 0);
    const int end = open("fifo", O_RDONLY | O_NONBLOCK);
    write_array("fifo", TOOL_TEXT, &oplus_i32, -1, NULL, numbers, 2);
    char text[16] = "";
    assert_int_equal(read(end, text, sizeof text), 5);
    assert_string_equal(text, "1\n-2\n");
    close(end);
    assert_true(S_ISFIFO(mode_of("fifo")));
    empty_folder();
}

/* --- when it fails ------------------------------------------------------------------------------------------------ */

typedef struct attempt {
    const char *path;
    tool_format format;
    int signal; /* sent when half is written */
    bool die;
} attempt;

static void attempt_of(void *argument)
{
    const attempt *const a = argument;
    tool_sink *const sink = tool_sink_open(a->path, a->format, &oplus_i32, -1, NULL);
    for (int i = 0; i < 500000; i++) tool_sink_write(sink, numbers, 6);
    if (a->die) tool_die(TOOL_FAILED, "enough");
    if (a->signal) raise(a->signal);
    tool_sink_close(sink);
}

static void test_nothing_unfinished(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    attempt a = {"x.npy", TOOL_NPY, 0, true};
    write_file("x.npy", "before", 6);
    expect_death(attempt_of, &a, 1, "oplus test: enough\n");
    assert_int_equal(count_files(), 1);
    a.die = false;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        a.signal = signals[i];
        const outcome out = in_child(attempt_of, &a);
        assert_int_equal(out.signal, signals[i]);
        assert_string_equal(out.said, "");
        assert_int_equal(count_files(), 1);
    }
    expect_file("x.npy", "before");
    empty_folder();
}

static void ignore_and_attempt(void *argument)
{
    signal(SIGPIPE, SIG_IGN);
    attempt_of(argument);
}

static void test_failures(void **state)
{
    (void)state;
    attempt full = {"/dev/full", TOOL_TEXT, 0, false}, missing = {"none/x", TOOL_TEXT, 0, false};
    expect_death(attempt_of, &full, 1, "oplus test: cannot write /dev/full: No space left on device\n");
    expect_death(attempt_of, &missing, 1, "oplus test: cannot write none/x: No such file or directory\n");
    attempt folder = {".", TOOL_TEXT, 0, false};
    expect_death(attempt_of, &folder, 1, "oplus test: cannot write .: Is a directory\n");

    /* the reader goes: the command ends without a word, as other filters do */
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    close(ends[0]);
    attempt hung = {path, TOOL_RAW, 0, false};
    for (int ignored = 0; ignored < 2; ignored++) {
        const outcome out = in_child(ignored ? ignore_and_attempt : attempt_of, &hung);
        assert_int_equal(out.signal, SIGPIPE);
        assert_string_equal(out.said, "");
    }
    close(ends[1]);
    assert_int_equal(count_files(), 0);
}

/* A file that may not be written is not replaced either. */
static void write_protected(void *argument)
{
    if (geteuid() == 0 && setuid(65534) != 0) exit(9); /* nobody: root may write everything */
    attempt_of(argument);
}

static void test_protected(void **state)
{
    (void)state;
    attempt a = {"x", TOOL_TEXT, 0, false};
    write_file("x", "before", 6);
    assert_int_equal(chmod("x", 0444), 0);
    assert_int_equal(chmod(".", 0777), 0);
    expect_death(write_protected, &a, 1, "oplus test: cannot write x: Permission denied\n");
    expect_file("x", "before");
    empty_folder();
}

/* If stdout is closed, the file must not become the place that is printed to. */
static void print_without_stdout(void *argument)
{
    (void)argument;
    tool_sink *const sink = tool_sink_open("x", TOOL_TEXT, &oplus_i32, -1, NULL);
    printf("this belongs elsewhere\n");
    if (fflush(stdout) == 0) exit(9);
    tool_sink_write(sink, numbers, 1);
    tool_sink_close(sink);
}

static void test_closed_stdout(void **state)
{
    (void)state;
    const int before = dup(STDOUT_FILENO);
    fflush(stdout);
    close(STDOUT_FILENO);
    const outcome out = in_child(print_without_stdout, NULL);
    dup2(before, STDOUT_FILENO);
    close(before);
    assert_int_equal(out.code, 0);
    expect_file("x", "1\n");
    empty_folder();
}

static void promise_more(void *argument)
{
    (void)argument;
    const uint64_t shape[] = {7};
    write_array("x.npy", TOOL_NPY, &oplus_i32, 1, shape, numbers, 6);
}

static void test_broken_promise(void **state)
{
    (void)state;
    expect_death(promise_more, NULL, 1, "6 elements for x.npy instead of 7");
    assert_int_equal(count_files(), 0);
}

static void test_choice(void **state)
{
    (void)state;
    assert_int_equal(tool_sink_choose(TOOL_RAW, "x.npy", TOOL_TEXT), TOOL_RAW);
    assert_int_equal(tool_sink_choose(TOOL_AUTO, "x.npy", TOOL_TEXT), TOOL_NPY);
    assert_int_equal(tool_sink_choose(TOOL_AUTO, "x.txt", TOOL_NPY), TOOL_TEXT);
    assert_int_equal(tool_sink_choose(TOOL_AUTO, "x", TOOL_NPY), TOOL_NPY);
    assert_int_equal(tool_sink_choose(TOOL_AUTO, "x", TOOL_AUTO), TOOL_TEXT);
    assert_int_equal(tool_sink_choose(TOOL_RAW, NULL, TOOL_NPY), TOOL_RAW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_npy_to_pipe),
        cmocka_unit_test(test_npy_to_stdout),
        cmocka_unit_test(test_appears_when_complete),
        cmocka_unit_test(test_mode_and_links),
        cmocka_unit_test(test_over_the_input),
        cmocka_unit_test(test_devices_and_fifos),
        cmocka_unit_test(test_nothing_unfinished),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_broken_promise),
        cmocka_unit_test(test_protected),
        cmocka_unit_test(test_closed_stdout),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_text_by_threads),
    };
    return cmocka_run_group_tests_name("tool/sink", tests, enter_folder, leave_folder);
}
