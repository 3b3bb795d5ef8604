/* A program that is linked with -static: nothing can be loaded into it, so that it has the cores and no other device,
 * and says why; calls of "auto" that are large enough to look for an accelerator work. */
#include <oplus/oplus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, ROWS = 16 };

static float x[N];

static void good(const char *what, int is)
{
    if (is) return;
    fprintf(stderr, "%s: \"%s\"\n", what, oplus_last_error());
    exit(1);
}

static void add(void *out, const void *a, const void *b, const void *param)
{
    float left, right;
    (void)param;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    left += right;
    memcpy(out, &left, sizeof left);
}

static void calls_of_auto(void)
{
    oplus_device *dev;
    float sum = 0;
    char text[1024];
    for (int i = 0; i < N; i++) x[i] = 1;
    good("auto", oplus_open("auto", &dev) == OPLUS_OK);
    good("reduce", oplus_reduce(dev, &oplus_sum_f32, x, N, &sum) == OPLUS_OK && sum == N);
    good("scan", oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, x) == OPLUS_OK && x[N - 1] == N);
    good("why", oplus_auto(text, sizeof text) == OPLUS_OK && strstr(text, "no accelerator takes part"));
    printf("%s", text);
    oplus_close(dev);
}

static void notes(void)
{
    oplus_device_info row[ROWS] = {{.abi = OPLUS_ABI}};
    const int rows = oplus_devices(row, ROWS);
    int missing = 0;
    for (int i = 0; i < rows && i < ROWS; i++) {
        if (row[i].units > 0) continue;
        missing++;
        good(row[i].note, strstr(row[i].note, "linked statically") != NULL);
    }
    good("two kinds are missing", missing == 2);
    oplus_device *dev;
    good("opencl", oplus_open("opencl", &dev) == OPLUS_ERR_DEVICE && strstr(oplus_last_error(), "linked statically"));
}

/* Compiled text cannot be loaded either. */
static void texts(void)
{
    oplus_op *op;
    oplus_device *dev;
    const float zero = 0;
    float sum = 0;
    good("text", oplus_op_make("add", &oplus_f32, &zero, 0, NULL, "a + b", NULL, &op) == OPLUS_OK &&
                     oplus_op_compile(op) == OPLUS_ERR_COMPILE && strstr(oplus_last_error(), "linked statically"));
    oplus_op_free(op);
    good("call", oplus_op_make("add", &oplus_f32, &zero, 0, NULL, "a + b", add, &op) == OPLUS_OK);
    good("open", oplus_open("threads:2", &dev) == OPLUS_OK);
    for (int i = 0; i < N; i++) x[i] = 1;
    good("reduce by a call", oplus_reduce(dev, op, x, N, &sum) == OPLUS_OK && sum == N);
    oplus_close(dev);
    oplus_op_free(op);
}

int main(void)
{
    calls_of_auto();
    notes();
    texts();
    return 0;
}
