#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

#include "support/laws.h"

/* The lifted operator; without heads, (+) itself. */
static void join(const subject *s, void *out, uint8_t *flag, const void *a, uint8_t f, const void *b, uint8_t g)
{
    if (g)
        memmove(out, b, s->op->type->size);
    else
        s->combine(out, a, b);
    *flag = f | g;
}

/* --- all prefixes: every node is made once and kept --------------------------------------------------------------- */

typedef struct level {
    unsigned char *node; /* N(k,i) */
    uint8_t *flag;
} level;

void reference_prefixes(const subject *s, const void *init, const void *x, const uint8_t *heads, size_t n, void *prefix)
{
    const size_t size = s->op->type->size;
    unsigned char *const p = prefix;

    /* --- 1. N(k,i) --- */
    level levels[64];
    levels[0].node = must(malloc(n * size + 1));
    levels[0].flag = must(calloc(n + 1, 1));
    memcpy(levels[0].node, x, n * size);
    for (size_t i = 0; heads != NULL && i < n; i++) levels[0].flag[i] = heads[i] != 0;
    unsigned top = 0;
    for (size_t count = n / 2; count > 0; count /= 2) {
        const level below = levels[top++];
        level *here = &levels[top];
        here->node = must(malloc(count * size));
        here->flag = must(malloc(count));
        for (size_t i = 0; i < count; i++)
            join(s, here->node + i * size, &here->flag[i], below.node + 2 * i * size, below.flag[2 * i],
                 below.node + (2 * i + 1) * size, below.flag[2 * i + 1]);
    }

    /* --- 2. P(m) = P(q) (+) N(k, q >> k), q = m without its lowest set bit 2^k --- */
    uint8_t *flag = must(calloc(n + 1, 1));
    memset(p, 0, size);
    if (s->op->identity != NULL) memcpy(p, s->op->identity, size);
    if (init != NULL) memcpy(p, init, size);
    for (size_t m = 1; m <= n; m++) {
        unsigned k = 0;
        while ((m >> k & 1) == 0) k++;
        const size_t q = m - ((size_t)1 << k), i = q >> k;
        if (q == 0 && init == NULL) {
            memcpy(p + m * size, levels[k].node + i * size, size);
            flag[m] = levels[k].flag[i];
        } else {
            join(s, p + m * size, &flag[m], p + q * size, flag[q], levels[k].node + i * size, levels[k].flag[i]);
        }
    }

    /* --- 3. what comes out has canonical NaNs --- */
    for (size_t m = 0; s->quiet != NULL && m <= n; m++) s->quiet(p + m * size);
    for (unsigned k = 0; k <= top; k++) {
        free(levels[k].node);
        free(levels[k].flag);
    }
    free(flag);
}

/* --- one prefix: the recursion itself */

typedef struct recursion {
    const subject *s;
    void (*element)(const void *context, uint64_t i, void *out);
    const void *context;
} recursion;

static void node(const recursion *r, unsigned k, uint64_t i, unsigned char *out)
{
    if (k == 0) {
        r->element(r->context, i, out);
        return;
    }
    unsigned char right[8192];
    node(r, k - 1, 2 * i, out);
    node(r, k - 1, 2 * i + 1, right);
    r->s->combine(out, out, right);
}

static void prefix_of(const recursion *r, uint64_t m, unsigned char *out)
{
    unsigned k = 0;
    while ((m >> k & 1) == 0) k++;
    const uint64_t q = m - (UINT64_C(1) << k);
    if (q == 0) {
        node(r, k, 0, out);
        return;
    }
    unsigned char right[8192];
    prefix_of(r, q, out);
    node(r, k, q >> k, right);
    r->s->combine(out, out, right);
}

void reference_reduce(const subject *s, void (*element)(const void *context, uint64_t i, void *out),
                      const void *context, uint64_t n, void *out)
{
    const recursion r = {s, element, context};
    prefix_of(&r, n, out);
    if (s->quiet != NULL) s->quiet(out);
}

void reference_exclusive(const subject *s, const void *prefix, const uint8_t *heads, size_t n, void *out)
{
    const size_t size = s->op->type->size;
    memcpy(out, prefix, n * size);
    for (size_t i = 0; heads != NULL && i < n; i++)
        if (heads[i]) memcpy((char *)out + i * size, s->op->identity, size);
}
