/* Reduce and scan along an axis of an array outer x rows x inner: each work-item has a column, or a chunk of it.
 *
 * A column is (o, c); its number is o * inner + c, and there are outer * inner of them.  Neighbouring work-items have
 * neighbouring columns, so that they load neighbouring elements.  A chunk is 2^log_chunk rows, log_chunk < OPI_DEPTH.
 *
 * A work-item walks over its rows from the first to the last, OPI_E of them at a time, in registers.  The nodes of what
 * it has seen wait for their neighbours: stack[k] is the last node of 2^k rows.
 *
 * OPI_DEALT: work-groups are dealt out to several accelerators (shares.cl): those of chunks, or of strips of OPI_W columns. */

/* The place of a work-item. */
typedef struct opi_columnar {
    uint64_t column, chunk;
    uint64_t first; /* of the rows of the chunk, */
    uint32_t count; /* ... of which there are so many */
    uint64_t at;    /* where the first element is, in the array */
    uint64_t node;  /* where the node of the chunk is, in an array of whole chunks outer x (rows >> log_chunk) x inner */
} opi_columnar;

#define OPI_STRIPS(columns) ((columns + OPI_W - 1) >> OPI_LOG_W)
/* The number of the work-group in the grid of chunks and strips. */
#define OPI_COLUMNS_GROUP   OPI_SHARED_GROUP(OPI_STRIPS(columns))

/* False: the work-item has no column. */
OPI_FUNCTION bool opi_columnar_of(opi_columnar *own, uint64_t group, uint64_t rows, uint64_t inner, uint64_t columns,
                                  uint32_t log_chunk)
{
    const uint64_t strips = OPI_STRIPS(columns), chunk = group / strips;
    const uint64_t column = ((group - chunk * strips) << OPI_LOG_W) + OPI_SELF;
    if (group == OPI_NO_GROUP || column >= columns) return false;
    const uint64_t o = column / inner, c = column - o * inner, first = chunk << log_chunk, left = rows - first;
    own->column = column;
    own->chunk = chunk;
    own->first = first;
    own->count = (uint32_t)(left >> log_chunk ? (uint64_t)1 << log_chunk : left);
    own->at = (o * rows + first) * inner + c;
    own->node = (o * (rows >> log_chunk) + chunk) * inner + c;
    return true;
}

/* Loads OPI_E rows; behind the last of `count` rows it comes again, because the operator is defined for it. */
OPI_FUNCTION void opi_load_rows(OPI_GLOBAL const opi_t *x, uint64_t inner, uint32_t i, uint32_t count, opi_node *to)
{
    if (i + OPI_E <= count) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) to[j] = x[(i + j) * inner];
    } else {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) to[j] = x[(i + j < count ? i + j : count - 1) * inner];
    }
}

/* Joins a node of 2^k rows, the last of which is before row `end`, to its earlier neighbours.  Returns the level of the
 * node that this makes, which is then on the stack. */
OPI_FUNCTION uint32_t opi_stack_up(opi_node *stack, uint32_t end, uint32_t k, opi_node node OPI_TAKE_P)
{
    OPI_ROLLED for (; !(end >> k & 1); k++) node = opi_join(stack[k], node);
    stack[k] = node;
    return k;
}

/* --- reduce -------------------------------------------------------------------------------------------------------- */

#define OPI_PAIRS(n) OPI_UNROLL for (uint32_t i = 0; i < (n); i++) x[i] = opi_join(x[2 * i], x[2 * i + 1]);

/* Walks over count rows, inner elements apart.  stack[k] is then a node of the rows for each bit k of count. */
OPI_FUNCTION void opi_walk_rows(OPI_GLOBAL const opi_t *from, uint64_t inner, uint32_t count, opi_node *stack OPI_TAKE_P)
{
    uint32_t i = 0;
    OPI_ROLLED for (; count - i >= OPI_E; i += OPI_E) {
        opi_node x[OPI_E];
        opi_load_rows(from, inner, i, count, x);
        OPI_PAIRS(OPI_E >> 1)
        OPI_PAIRS(OPI_E >> 2)
        OPI_PAIRS(OPI_E >> 3)
        OPI_PAIRS(OPI_E >> 4)
        OPI_PAIRS(OPI_E >> 5)
        opi_stack_up(stack, i + OPI_E, OPI_LOG_E, x[0] OPI_GIVE_P);
    }
    OPI_ROLLED for (; i < count; i++) opi_stack_up(stack, i + 1, 0, from[i * inner] OPI_GIVE_P);
}

/* The node of each whole chunk goes to `nodes`; of rows that are less than a chunk, those that the bits of their number
 * name go to digits[k * columns + column].  If there is an `out`, all rows are one chunk, and their reduce goes
 * there. */
OPI_WHOLE_KERNEL void opi_columns_reduce(OPI_PARAM(in), const uint64_t rows, const uint64_t inner, const uint64_t columns,
                                         const uint32_t log_chunk, OPI_PARAM(nodes), OPI_PARAM(digits),
                                         OPI_PARAM(out) OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    opi_columnar own;
    opi_node stack[OPI_DEPTH];
    if (!opi_columnar_of(&own, OPI_COLUMNS_GROUP, rows, inner, columns, log_chunk)) return;
    opi_walk_rows(OPI_AT(const opi_t, in) + own.at, inner, own.count, stack OPI_GIVE_P);
    if (OPI_GIVEN(out)) {
        opi_t all = opi_identity();
        uint32_t any = 0;
        OPI_ROLLED for (uint32_t k = OPI_DEPTH; k-- > 0;) {
            if (!(own.count >> k & 1)) continue;
            all = any ? opi_join(all, stack[k]) : stack[k];
            any = 1;
        }
        OPI_AT(opi_t, out)[own.column] = opi_quiet(all);
    } else if (own.count >> log_chunk) {
        OPI_AT(opi_node, nodes)[own.node] = stack[log_chunk];
    } else {
        OPI_GLOBAL opi_node *const to = OPI_AT(opi_node, digits) + own.column;
        OPI_ROLLED for (uint32_t k = 0; k < log_chunk; k++)
            if (own.count >> k & 1) to[k * columns] = stack[k];
    }
}

/* The reduce of each column, of which digits[k * columns + column] is a node for each bit k of the number of its
 * rows. */
OPI_WHOLE_KERNEL void opi_columns_fold(OPI_PARAM(digits), const uint64_t rows, const uint64_t columns,
                                       OPI_PARAM(out) OPI_KERNEL_P)
{
    OPI_READ_P
    const uint64_t column = (OPI_GROUP << OPI_LOG_W) + OPI_SELF;
    if (column >= columns) return;
    OPI_GLOBAL const opi_node *const from = OPI_AT(const opi_node, digits) + column;
    opi_node all = opi_identity();
    uint32_t any = 0;
    OPI_ROLLED for (uint32_t k = 64; k-- > 0;) {
        if (!(rows >> k & 1)) continue;
        const opi_node node = from[k * columns];
        all = any ? opi_join(all, node) : node;
        any = 1;
    }
    OPI_AT(opi_t, out)[column] = opi_quiet(all);
}

/* --- scan ---------------------------------------------------------------------------------------------------------- */

#define OPI_ROW(i) x[i]

/* Scans each chunk.  ends: what precedes the end of each whole chunk, in the same order as their nodes; if it is not
 * given, a chunk is all rows.  OPI_KEEP in flags: results are the ends of a larger scan, and their NaNs stay. */
OPI_WHOLE_KERNEL void opi_columns_scan(OPI_PARAM(in), const uint64_t rows, const uint64_t inner, const uint64_t columns,
                                       const uint32_t log_chunk, OPI_PARAM(ends), OPI_PARAM(out),
                                       const uint32_t flags OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    opi_columnar own;
    opi_node stack[OPI_DEPTH], prefix[OPI_DEPTH + 1]; /* prefix[k]: what precedes the last multiple of 2^k rows */
    opi_node x[OPI_E], next[OPI_E];
    if (!opi_columnar_of(&own, OPI_COLUMNS_GROUP, rows, inner, columns, log_chunk)) return;
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + own.at;
    OPI_GLOBAL opi_t *const to = OPI_AT(opi_t, out) + own.at;
    OPI_GLOBAL const opi_node *const end = OPI_AT(const opi_node, ends) + own.node;
    const uint32_t count = own.count, has_first = own.chunk > 0;
    opi_node before = has_first ? end[-(int64_t)inner] : from[0];
    uint32_t has_before = has_first;
    opi_load_rows(from, inner, 0, count, next);
    OPI_ROLLED for (uint32_t k = 0; k <= OPI_DEPTH; k++) prefix[k] = before;
    OPI_ROLLED for (uint32_t i = 0; i < count; i += OPI_E) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) x[j] = next[j];
        if (count - i > OPI_E) opi_load_rows(from, inner, i + OPI_E, count, next); /* under way while x is computed */
        OPI_UP(OPI_ROW, OPI_LOG_E)
        const uint32_t k = opi_stack_up(stack, i + OPI_E, OPI_LOG_E, x[OPI_E - 1] OPI_GIVE_P);
        opi_node last = stack[k];
        if (has_first || (i + OPI_E) >> k > 1) last = opi_join(prefix[k + 1], last);
        OPI_ROLLED for (uint32_t h = OPI_LOG_E; h <= k; h++) prefix[h] = last;
        if (has_before) {
            OPI_FRONT(OPI_ROW, OPI_LOG_E, before)
        }
        OPI_DOWN(OPI_ROW, OPI_LOG_E)
        if (OPI_GIVEN(ends) && i + OPI_E == count && count >> log_chunk) last = end[0]; /* closes a larger node */
        x[OPI_E - 1] = last;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            opi_t result = x[j];
            if (flags & OPI_EXCLUSIVE) result = j > 0 ? x[j > 0 ? j - 1 : 0] : has_before ? before : opi_identity();
            if (i + j < count) to[(i + j) * inner] = flags & OPI_KEEP ? result : opi_quiet(result);
        }
        before = last;
        has_before = 1;
    }
}

/* --- nodes of other accelerators ------------------------------------------------------------------------------------ */

#if OPI_DEALT
/* Copies the nodes of another accelerator's chunks, of which the shares are, to the same places here; a row has
 * `nodes`. */
OPI_WHOLE_KERNEL void opi_columns_gather(OPI_PARAM(from), OPI_PARAM(to), const uint64_t nodes OPI_SHARES_PARAM)
{
    const uint64_t pieces = (nodes - 1) / (OPI_W * OPI_NODES_AT_ONCE) + 1, slot = OPI_GROUP / pieces;
    const uint64_t chunk = OPI_SHARED_ITEM(slot), begin = (OPI_GROUP - slot * pieces) * (OPI_W * OPI_NODES_AT_ONCE) + OPI_SELF;
    if (chunk >= shares.items) return;
    OPI_GLOBAL const opi_node *const x = OPI_AT(const opi_node, from) + chunk * nodes;
    OPI_GLOBAL opi_node *const y = OPI_AT(opi_node, to) + chunk * nodes;
    opi_node some[OPI_NODES_AT_ONCE];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_NODES_AT_ONCE; j++)
        if (begin + j * OPI_W < nodes) some[j] = x[begin + j * OPI_W];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_NODES_AT_ONCE; j++)
        if (begin + j * OPI_W < nodes) y[begin + j * OPI_W] = some[j];
}
#endif
