/* The same reads by plain loads and through the texture units. */
#include "lab/access/access.h"
#include "lab/access/texture.h"
#include "lab/show.h"

#include "die.h"

#include <stdlib.h>

/* --- 1. the orders of reading ------------------------------------------------------------------------------------- */

enum { COLUMNS = 1024, BLOCK_X = 8, BLOCK_Y = ITEMS / BLOCK_X, LEAST = COLUMNS * BLOCK_Y };

typedef uint32_t (*reading)(const uint32_t *in, uint32_t i, uint32_t n);

static uint32_t in_order(const uint32_t *in, uint32_t i, uint32_t n)
{
    (void)n;
    return in[i];
}

static uint32_t all_over(const uint32_t *in, uint32_t i, uint32_t n) { return in[(i * 2654435761u + 12345u) % n]; }

static uint32_t neighbours(const uint32_t *in, uint32_t i, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 9; k++) sum += in[(i + k / 3 * COLUMNS + k % 3 - COLUMNS - 1) % n];
    return sum;
}

static const struct {
    const char *kernel, *title;
    reading read; /* the result of work-item i */
    double reads; /* of a work-item */
} orders[] = {{"sequential", "one after another", in_order, 1},
              {"shuffled", "all over the array", all_over, 1},
              {"around", "3 x 3 neighbours, in blocks of 8 x 16", neighbours, 9}};
enum { ORDERS = sizeof orders / sizeof *orders };

static const char file[] = "access/plain-texture.cl";

/* --- 2. plain and textured ---------------------------------------------------------------------------------------- */

typedef struct reads {
    lab *l;
    uint32_t n;
    void *in, *out;
    uint32_t *host, *expected;
    lab_texture texture;
    bool textured; /* there is one */
} reads;

/* Reads of 4 bytes, in GB a second. */
static double rate_of(const reads *r, int order, bool textured)
{
    access_trial t = {.dev = r->l->dev,
                      .kernel =
                          lab_kernel(r->l->dev, file, orders[order].kernel, textured ? "#define FROM_TEXTURE" : NULL),
                      .groups = r->n / ITEMS,
                      .argument = {textured ? lab_texture_argument(&r->texture) : opi_memory(r->in), opi_memory(r->out),
                                   opi_value(r->n)}};
    lab_show_step("Textures", orders[order].kernel, 2 * order + textured, 2 * ORDERS);
    const double seconds = access_seconds(r->l, orders[order].title, &t, r->out, r->expected, r->n);
    return orders[order].reads * r->n * sizeof(uint32_t) / seconds * 1e-9;
}

static void add_row(const reads *r, cJSON *table, int order, const char *why)
{
    for (uint32_t i = 0; i < r->n; i++) r->expected[i] = orders[order].read(r->host, i, r->n);
    const lab_cell title = lab_is_text(orders[order].title);
    const double plain = rate_of(r, order, false), textured = r->textured ? rate_of(r, order, true) : NAN;
    if (r->textured)
        lab_add_row(table, title, lab_is_measured(plain), lab_is_measured(textured), lab_is_measured(textured / plain));
    else
        lab_add_row(table, title, lab_is_measured(plain), lab_is_text(why));
}

static uint32_t power_below(size_t n)
{
    uint32_t power = LEAST;
    while (2 * (size_t)power <= n) power *= 2;
    return power;
}

void access_texture(lab *l)
{
    char why[LAB_TEXTURE_WHY] = "";
    reads r = {.l = l, .n = power_below(lab_size(l, (size_t)1 << 25, (size_t)1 << 22, (size_t)1 << 18))};
    r.host = lab_random(r.n);
    r.expected = tool_alloc(r.n * sizeof *r.expected);
    r.in = access_upload(l->dev, r.host, r.n);
    r.out = lab_alloc(l->dev, r.n * sizeof(uint32_t));
    r.textured = lab_texture_open(l->dev, r.in, r.n, &r.texture, why);
    cJSON *const table =
        lab_table(l->experiment, "Textures",
                  "The same array, read by plain loads and through a texture: a texture object over linear memory in "
                  "CUDA, an image over a buffer in OpenCL. GB/s count 4 bytes for each read, also where a cache has "
                  "them. Each result is also written, 4 bytes that are not counted; and where a work-item reads only 4 "
                  "bytes, few are under way: do not compare the first two rows with a copy. In the last row every "
                  "element is read nine times, by work-items that are neighbours in both directions: what a texture's "
                  "cache was made for. Look whether it still makes a difference.",
                  "order|plain loads:GB/s|texture:GB/s|texture over plain");
    for (int order = 0; order < ORDERS; order++) add_row(&r, table, order, why);
    lab_show_section(l, table);
    lab_show_section(l, lab_code(l->experiment, "Textures: the kernels", NULL, file));
    if (r.textured) lab_texture_close(&r.texture);
    lab_free(l->dev, r.in);
    lab_free(l->dev, r.out);
    free(r.expected);
    free(r.host);
}
