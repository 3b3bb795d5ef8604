/* The ways "thin" and "lines" of a transpose, in the memory of a device: matrices of any shape, elements of any size and
 * alignment, also in place, beside a plain loop; nothing outside of the result is touched.  On CUDA, or on OpenCL with the
 * kernels of a GPU.  It ends with 77 where there is neither. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "support/laws.h"

#include "task/make.h"
#include "task/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(five, uint8_t b[5];)
OPLUS_STRUCT(six, uint16_t w[3];)
OPLUS_STRUCT(twelve, float f[3];)
OPLUS_STRUCT(twenty_four, double d[3];)
OPLUS_STRUCT(sixteen, double d[2];)
OPLUS_STRUCT(sixty_four, double d[8];)

static const oplus_type *const types[] = {&oplus_u8,         &oplus_u16,    &small3_type,    &oplus_f32,
                                          &oplus_f64,        &twelve_type,  &six_type,       &five_type,
                                          &twenty_four_type, &sixteen_type, &sixty_four_type};
enum { TYPES = sizeof types / sizeof *types, MOST = 1 << 17 /* elements */, GUARD = 64, MOST_SKEW = 9 };

/* What all of these are at: edges of tiles, of the few rows that are thin, and of sectors. */
static const size_t edges[] = {1,  2,  3,  5,  15, 16,  17,  31,  32,  33,  63,
                               64, 65, 95, 96, 97, 127, 128, 129, 240, 256, 257};
enum { EDGES = sizeof edges / sizeof *edges };

static oplus_device *dev;
static unsigned char *x, *got, *expected, *mem; /* mem: of the device, two arrays with room around them */
static size_t room;

typedef struct call {
    const oplus_type *type;
    size_t rows, cols, from, to; /* from, to: elements before the matrices */
    bool in_place;
    size_t in_gap, out_gap; /* elements between the rows of the matrices, which are then parts of larger ones */
} call;

static call draw(rng *r)
{
    call c = {.type = types[rng_below(r, TYPES)], .from = rng_below(r, MOST_SKEW), .to = rng_below(r, MOST_SKEW)};
    c.rows = rng_below(r, 2) ? edges[rng_below(r, EDGES)] : 1 + rng_below(r, 300);
    c.cols = rng_below(r, 4) ? edges[rng_below(r, EDGES)] : 1 + rng_below(r, MOST / 2 / c.rows);
    if (rng_below(r, 4) == 0) {
        c.in_place = true;
        c.cols = c.rows;
        c.to = c.from;
    } else if (rng_below(r, 2)) {
        const size_t rows = c.rows;
        c.rows = c.cols;
        c.cols = rows;
    }
    if (!c.in_place && c.rows < 300 && c.cols < 300 && rng_below(r, 3) == 0) {
        c.in_gap = rng_below(r, 40);
        c.out_gap = rng_below(r, 40);
    }
    return c;
}

/* Parts of matrices have no call of their own. */
static void turn(const call *c, const unsigned char *in, unsigned char *out)
{
    opi_task task;
    if (c->in_gap + c->out_gap == 0) {
        must_be_ok(oplus_transpose(dev, c->type, in, c->rows, c->cols, out), "transpose");
        return;
    }
    opi_task_transpose(&task, c->type->size, in, c->rows, c->cols, out);
    task.matrix.in_pitch += c->in_gap;
    task.matrix.out_pitch += c->out_gap;
    must_be_ok(dev->machine->run(dev, "test", &task, NULL), "transpose of a part");
}

static void run(const call *c)
{
    const size_t size = c->type->size, in_pitch = c->cols + c->in_gap, out_pitch = c->rows + c->out_gap;
    const size_t bytes = c->rows * in_pitch * size, used = 2 * GUARD + (c->to + c->cols * out_pitch) * size;
    unsigned char *const in = mem + GUARD + c->from * size, *const out = mem + room + GUARD + c->to * size;
    memset(expected, 0xa5, used);
    for (size_t i = 0; i < c->rows; i++)
        for (size_t k = 0; k < c->cols; k++)
            memcpy(expected + GUARD + (c->to + k * out_pitch + i) * size, x + (i * in_pitch + k) * size, size);
    memset(got, 0xa5, used);
    must_be_ok(oplus_copy(dev, mem + room, got, used), "copy");
    must_be_ok(oplus_copy(dev, c->in_place ? out : in, x, bytes), "copy");
    turn(c, c->in_place ? out : in, out);
    must_be_ok(oplus_copy(dev, got, mem + room, used), "copy");
    if (memcmp(got, expected, used) != 0) {
        size_t i = 0;
        while (got[i] == expected[i]) i++;
        fail_msg("%zu x %zu elements of %zu bytes%s, at %zu and %zu: byte %td is wrong; OPLUS_TEST_SEED=%llu", c->rows,
                 c->cols, size, c->in_place ? " in place" : "", c->from, c->to, (ptrdiff_t)i - GUARD,
                 (unsigned long long)test_seed());
    }
}

static void any_matrix_is_turned(void **state)
{
    const size_t calls = test_quick() ? 300 : 3000;
    rng r = test_rng("transposes");
    (void)state;
    for (size_t i = 0; i < calls; i++) {
        const call c = draw(&r);
        run(&c);
    }
}

/* Each type once at shapes that have whole tiles and edges, so that no seed leaves out a program. */
static void each_type_is_turned(void **state)
{
    static const size_t shapes[][2] = {{3, 4001}, {4001, 3}, {96, 401}, {401, 96}, {401, 323}, {323, 401}, {256, 256}};
    (void)state;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int skew = 0; skew < 2; skew++) {
                const bool square = shapes[k][0] == shapes[k][1];
                run(&(call){types[t], shapes[k][0], shapes[k][1], skew ? 1 : 0, skew ? 3 : 0, false, 0, 0});
                if (square) run(&(call){types[t], shapes[k][0] + 1, shapes[k][0] + 1, 0, 0, true, 0, 0});
                if (square) run(&(call){types[t], shapes[k][0], shapes[k][0], 1, 1, true, 0, 0});
            }
}

static bool open_device(void)
{
    if (oplus_open("cuda:0", &dev) == OPLUS_OK) return true;
    setenv("OPLUS_SHAPE", "group", 1);
    if (oplus_open("opencl", &dev) == OPLUS_OK) return true;
    printf("not tried: %s\n", oplus_last_error());
    return false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_type_is_turned), cmocka_unit_test(any_matrix_is_turned)};
    setenv("OPLUS_WAY", "thin,lines", 0);
    if (!open_device()) return 77;
    room = (MOST + 2 * MOST_SKEW) * sizeof(sixty_four) + 2 * GUARD;
    x = must(malloc(room));
    got = must(malloc(room));
    expected = must(malloc(room));
    must_be_ok(oplus_alloc(dev, 2 * room, (void **)&mem), "alloc");
    for (size_t i = 0; i < room; i++) x[i] = (unsigned char)((i * 2654435761u) >> 13);
    const int failed = cmocka_run_group_tests_name("transposes", tests, NULL, NULL);
    oplus_free(dev, mem);
    oplus_close(dev);
    free(x);
    free(got);
    free(expected);
    return failed;
}
