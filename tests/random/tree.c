#include "random/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree {
    combine_fn combine;
    size_t size;
    const unsigned char *x;
    const uint8_t *heads;
} tree;

/* (f,s) (+) (g,t) = (f or g, g ? t : s (+) t) */
static void join(const tree *t, void *out, bool *flag, const void *s, bool f, const void *u, bool g)
{
    if (g)
        memmove(out, u, t->size);
    else
        t->combine(out, s, u);
    *flag = f || g;
}

/* N(0,i) = x[i], N(k+1,i) = N(k,2i) (+) N(k,2i+1) */
static void node(const tree *t, unsigned k, size_t i, void *out, bool *flag)
{
    if (k == 0) {
        memcpy(out, t->x + i * t->size, t->size);
        *flag = t->heads && t->heads[i] != 0;
        return;
    }
    unsigned char half[2 * t->size];
    bool f, g;
    node(t, k - 1, 2 * i, half, &f);
    node(t, k - 1, 2 * i + 1, half + t->size, &g);
    join(t, out, flag, half, f, half + t->size, g);
}

/* P(m) = P(q) (+) N(k, q >> k), q = m with its lowest set bit 2^k cleared.  Nodes are computed again for each prefix
 * that needs them: every m needs one node, and all nodes of level k together cost n. */
void tree_prefixes(combine_fn combine, size_t size, const void *x, const uint8_t *heads, const void *init, size_t n,
                   void *prefix)
{
    const tree t = {combine, size, x, heads};
    unsigned char *const p = prefix, *const last = malloc(size);
    bool *const flag = calloc(n + 1, sizeof *flag);
    if (init) memcpy(p, init, size);
    for (size_t m = 1; m <= n; m++) {
        bool g;
        unsigned k = 0;
        while (!(m >> k & 1)) k++;
        const size_t q = m - ((size_t)1 << k);
        node(&t, k, q >> k, last, &g);
        if (q > 0 || init) {
            join(&t, p + m * size, &flag[m], p + q * size, flag[q], last, g);
        } else {
            memcpy(p + m * size, last, size);
            flag[m] = g;
        }
    }
    free(flag);
    free(last);
}
