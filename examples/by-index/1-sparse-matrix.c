/* A sparse matrix times a vector, three times over, in the memory of a device: products are made of gathered elements, and
 * each row is a segment.  The matrix is that of a walk on a ring with shortcuts; rows have 1 to 5 elements. */
#include "../tutorial/tutorial.h"

#include <string.h>

enum { ROWS = 100003, TIMES = 3 };

OPLUS_ZIP(product, double, double, double, { return a * b; })

typedef struct matrix {
    uint32_t offsets[ROWS + 1]; /* row r has the elements offsets[r] ... offsets[r + 1] - 1 */
    uint32_t *column;
    double *element;
} matrix;

static void fill(matrix *m)
{
    m->column = room(5 * (size_t)ROWS, sizeof *m->column);
    m->element = room(5 * (size_t)ROWS, sizeof *m->element);
    for (uint32_t r = 0, at = 0; r < ROWS; r++) {
        for (uint32_t k = 0; k <= r % 5; k++, at++) {
            m->column[at] = (uint32_t)((r + (uint64_t)k * k * 7919) % ROWS);
            m->element[at] = 1.0 / (r % 5 + 1);
        }
        m->offsets[r + 1] = at;
    }
}

static void *there(oplus_device *dev, const void *from, size_t bytes)
{
    void *memory;
    must(oplus_alloc(dev, bytes, &memory));
    if (from) must(oplus_copy(dev, memory, from, bytes));
    return memory;
}

/* x becomes the product, TIMES over. */
static void multiply(oplus_device *dev, const matrix *m, double *x)
{
    const size_t n = m->offsets[ROWS];
    uint32_t *offsets = there(dev, m->offsets, sizeof m->offsets), *column = there(dev, m->column, n * sizeof *column);
    double *element = there(dev, m->element, n * sizeof *element), *taken = there(dev, NULL, n * sizeof *taken);
    double *vector = there(dev, x, ROWS * sizeof *x);
    for (int i = 0; i < TIMES; i++) {
        must(OPLUS_TAKE(dev, OPLUS_REFUSE, vector, ROWS, column, n, taken));
        must(OPLUS_MAP_ARRAYS(dev, product_fn, (element, taken), n, taken));
        must(OPLUS_SEGREDUCE(dev, oplus_sum_f64, taken, n, offsets, ROWS, vector));
    }
    must(oplus_copy(dev, x, vector, ROWS * sizeof *x));
    oplus_free(dev, offsets), oplus_free(dev, column), oplus_free(dev, element), oplus_free(dev, taken);
    oplus_free(dev, vector);
}

/* Up to five products, added as oplus_reduce does: in pairs. */
static double sum_of(const double *p, uint32_t n)
{
    const double pair = n > 1 ? p[0] + p[1] : p[0], four = n > 3 ? pair + (p[2] + p[3]) : n > 2 ? pair + p[2] : pair;
    return n > 4 ? four + p[4] : four;
}

static void multiply_by_loops(const matrix *m, double *x)
{
    double *y = room(ROWS, sizeof *y), p[5] = {0};
    for (int i = 0; i < TIMES; i++) {
        for (uint32_t r = 0; r < ROWS; r++) {
            const uint32_t begin = m->offsets[r], n = m->offsets[r + 1] - begin;
            for (uint32_t k = 0; k < n; k++) p[k] = m->element[begin + k] * x[m->column[begin + k]];
            y[r] = sum_of(p, n);
        }
        memcpy(x, y, ROWS * sizeof *x);
    }
    free(y);
}

int main(int argc, char **argv)
{
    static matrix m;
    static double x[ROWS], expected[ROWS];
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "threads", &dev));
    fill(&m);
    x[12349] = expected[12349] = 1;
    multiply(dev, &m, x);
    multiply_by_loops(&m, expected);
    double largest = 0;
    for (int r = 0; r < ROWS; r++)
        if (x[r] > largest) largest = x[r];
    printf("%u elements in %d rows; after %d steps the largest is %.6f\n", m.offsets[ROWS], ROWS, TIMES, largest);
    if (memcmp(x, expected, sizeof x) != 0) stop("plain loops say otherwise");
    printf("plain loops give the same bits\n");
    oplus_close(dev);
    free(m.column), free(m.element);
    return 0;
}
