/* Elements in local memory, and their canonical tree: a part of windows.cl.
 *
 * Elements lie in `stage` as words of 4 bytes.  Work-items read runs of OPI_E elements; a gap of OPI_GAP words after
 * every 32 brings the runs of neighbours into different banks.
 *
 * A unit is OPI_E elements, counted from the start of a segment; a chapter is 16 units.  The node of a unit is found by
 * the work-item in whose window it begins: of elements and segments together, as for windows of work-groups, a work-item
 * has OPI_E, and at most one unit begins there.  Nodes of units are put behind the elements, at the number of the
 * window; the node of a chapter takes the place of that of its last unit. */

#define OPI_LOG_CHAPTER 4
#define OPI_CHAPTER     (1u << OPI_LOG_CHAPTER)
#define OPI_GAPPED(word) ((word) + OPI_GAP * ((word) >> 5))
/* The segments of a window, and their elements without those of the last one, are a tile together; that one has less
 * than a tile.  The beginnings of the segments are at the end of the stage. */
#define OPI_STAGE_WORDS                                                                                                \
    (OPI_GAPPED((2 * OPI_TILE + 2 * OPI_W) * OPI_SIZE / 4 + 1) + 3 + (OPI_SIZE < 4 ? OPI_TILE : 0))
#define OPI_BEGINS(stage, n) ((stage) + OPI_STAGE_WORDS - 1 - (n))

typedef struct opi_staged {
    OPI_LOCAL uint32_t *stage;
    uint32_t skew;  /* bytes before the first element */
    uint32_t nodes; /* where the nodes of units are: behind so many elements */
} opi_staged;

#define OPI_SHARED_ADDRESS(p) ((uint32_t)__cvta_generic_to_shared(p))
#define OPI_LOAD_SHARED(to, at) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to) : "r"(at) : "memory")

#if OPI_SIZE % 4 == 0
#define OPI_ELEMENT_WORDS (OPI_SIZE / 4)
typedef union opi_element {
    opi_t x;
    uint32_t word[OPI_ELEMENT_WORDS];
} opi_element;

OPI_FUNCTION opi_t opi_get(const opi_staged *staged, uint32_t i)
{
    opi_element element;
    _Pragma("unroll") for (uint32_t k = 0; k < OPI_ELEMENT_WORDS; k++)
        element.word[k] = staged->stage[OPI_GAPPED(i * OPI_ELEMENT_WORDS + k)];
    return element.x;
}

OPI_FUNCTION void opi_put(const opi_staged *staged, uint32_t i, opi_t x)
{
    opi_element element;
    element.x = x;
    _Pragma("unroll") for (uint32_t k = 0; k < OPI_ELEMENT_WORDS; k++)
        staged->stage[OPI_GAPPED(i * OPI_ELEMENT_WORDS + k)] = element.word[k];
}

OPI_FUNCTION uint32_t opi_word(OPI_GLOBAL const uint32_t *from, uint32_t word, uint32_t skew, uint32_t bytes)
{
    return from[word];
}
#else
OPI_FUNCTION OPI_LOCAL opi_t *opi_place_of(const opi_staged *staged, uint32_t i)
{
    const uint32_t byte = i * OPI_SIZE + staged->skew;
    return (OPI_LOCAL opi_t *)((OPI_LOCAL uint8_t *)staged->stage + 4 * OPI_GAPPED(byte / 4) + byte % 4);
}

OPI_FUNCTION opi_t opi_get(const opi_staged *staged, uint32_t i) { return *opi_place_of(staged, i); }
OPI_FUNCTION void opi_put(const opi_staged *staged, uint32_t i, opi_t x) { *opi_place_of(staged, i) = x; }

/* The first and the last word may have bytes that do not belong to the array. */
OPI_FUNCTION uint32_t opi_word(OPI_GLOBAL const uint32_t *from, uint32_t word, uint32_t skew, uint32_t bytes)
{
    if (4 * word >= skew && 4 * word + 4 <= bytes) return from[word];
    uint32_t all = 0;
    for (uint32_t b = 4 * word; b < 4 * word + 4; b++)
        if (b >= skew && b < bytes) all |= (uint32_t)((OPI_GLOBAL const uint8_t *)from)[b] << 8 * (b - 4 * word);
    return all;
}
#endif

#define OPI_MOVES 8 /* of a work-item, without a condition between them */
/* Move k of them: all have constant distances, so that one address is found for all. */
#if OPI_SIZE % 4 == 0
#define OPI_MOVE(k) OPI_COPY_WORD(to + (k) * OPI_GAPPED(OPI_W), own + (k) * OPI_W)
#else
#define OPI_MOVE(k) to[(k) * OPI_GAPPED(OPI_W)] = opi_word(source, words - left + (k) * OPI_W, staged.skew, bytes)
#endif

/* Begins a series of copies of elements into the stage. */
OPI_FUNCTION opi_staged opi_bring(OPI_LOCAL uint32_t *stage, OPI_GLOBAL const opi_t *from, uint32_t count)
{
    opi_staged staged;
    staged.stage = stage;
    staged.skew = (uint32_t)((ulong)from & 3);
    staged.nodes = count;
    OPI_GLOBAL const uint32_t *const source =
        (OPI_GLOBAL const uint32_t *)((OPI_GLOBAL const uint8_t *)from - staged.skew);
    const uint32_t bytes = staged.skew + count * OPI_SIZE, words = (bytes + 3) / 4;
    OPI_GLOBAL const uint32_t *own = source + OPI_SELF;
    OPI_LOCAL uint32_t *to = stage + OPI_GAPPED(OPI_SELF);
    uint32_t left = words > OPI_SELF ? words - OPI_SELF : 0; /* words from the own one on */
    OPI_ROLLED while (left > (OPI_MOVES - 1) * OPI_W)
    {
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_MOVES; k++) OPI_MOVE(k);
        own += OPI_MOVES * OPI_W;
        to += OPI_MOVES * OPI_GAPPED(OPI_W);
        left = left > OPI_MOVES * OPI_W ? left - OPI_MOVES * OPI_W : 0;
    }
    _Pragma("unroll") for (uint32_t k = 0; k < OPI_MOVES - 1; k++)
        if (left > k * OPI_W) OPI_MOVE(k);
    OPI_COPIES_END();
    return staged;
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

/* X(0) becomes the node of X(0) to X(2^log_n - 1), log_n <= 4.  There is a loop for each level, so that bounds are constant
 * and all values stay in registers. */
#define OPI_PAIRS(X, n)                                                                                                \
    _Pragma("unroll") for (uint32_t i = 0; i < (n); i++) X(i) = opi_join(X(2 * i), X(2 * i + 1));
#define OPI_JOIN_ALL(X, log_n)                                                                                         \
    OPI_PAIRS(X, (1u << (log_n)) >> 1)                                                                                 \
    OPI_PAIRS(X, (1u << (log_n)) >> 2)                                                                                 \
    OPI_PAIRS(X, (1u << (log_n)) >> 3)                                                                                 \
    OPI_PAIRS(X, (1u << (log_n)) >> 4)
#define OPI_NODE_AT(i) x[i]

/* Returns the node of 2^log_n elements, which begin at `first` and have a distance of `step`. */
#define OPI_NODE_OF(log_n)                                                                                             \
    OPI_FUNCTION opi_node opi_node_of_##log_n(const opi_staged *staged, uint32_t first, uint32_t step OPI_TAKE_P)      \
    {                                                                                                                  \
        opi_node x[1 << (log_n)];                                                                                      \
        _Pragma("unroll") for (uint32_t i = 0; i < 1u << (log_n); i++) x[i] = opi_get(staged, first + i * step);       \
        OPI_JOIN_ALL(OPI_NODE_AT, log_n)                                                                               \
        return x[0];                                                                                                   \
    }
OPI_NODE_OF(0)
OPI_NODE_OF(1)
OPI_NODE_OF(2)
OPI_NODE_OF(3)
OPI_NODE_OF(4)
#define OPI_PASTED_(a, b) a##b
#define OPI_PASTED(a, b)  OPI_PASTED_(a, b)

/* Returns the node of a unit.  There is at most one gap between its words: all before it are at constant distances from the
 * first one, and so are all behind it. */
#if OPI_SIZE % 4 == 0
OPI_FUNCTION opi_node opi_node_of_unit(const opi_staged *staged, uint32_t first OPI_TAKE_P)
{
    union {
        opi_t x[OPI_E];
        uint32_t word[OPI_E * OPI_ELEMENT_WORDS];
    } unit;
    opi_node x[OPI_E];
    const uint32_t word = first * OPI_ELEMENT_WORDS, before_gap = 32 - (word & 31);
    const uint32_t at = OPI_SHARED_ADDRESS(staged->stage + OPI_GAPPED(word));
    _Pragma("unroll") for (uint32_t k = 0; k < OPI_E * OPI_ELEMENT_WORDS; k++)
    {
        uint32_t from = k < before_gap ? at : at + 4 * OPI_GAP;
        asm("" : "+r"(from)); /* else compilers find 16 addresses */
        OPI_LOAD_SHARED(unit.word[k], from + 4 * k);
    }
    _Pragma("unroll") for (uint32_t i = 0; i < OPI_E; i++) x[i] = unit.x[i];
    OPI_JOIN_ALL(OPI_NODE_AT, OPI_LOG_E)
    return x[0];
}
#else
OPI_FUNCTION opi_node opi_node_of_unit(const opi_staged *staged, uint32_t first OPI_TAKE_P)
{
    return OPI_PASTED(opi_node_of_, OPI_LOG_E)(staged, first, 1 OPI_GIVE_P);
}
#endif

/* Finds the nodes of units and chapters of n segments.  ends[] has a place for each chapter that may end; all are
 * OPI_NONE. */
#define OPI_ENDS (2 * OPI_W / OPI_CHAPTER)
#define OPI_NONE 0xffffffffu
OPI_FUNCTION void opi_find_units(const opi_staged *staged, OPI_LOCAL const uint32_t *begin, uint32_t n,
                                 OPI_LOCAL uint32_t *ends OPI_TAKE_P)
{
    const uint32_t windows = (begin[n] + n + OPI_E - 1) >> OPI_LOG_E;
    const uint32_t top = n > 1 ? 1u << (31 - __clz((int)(n - 1))) : 0; /* the highest bit of the last segment's number */
    for (uint32_t w = OPI_SELF; w < windows; w += OPI_W) {
        uint32_t low = 0; /* finds the last segment that begins in the window or before it; the first one does */
        OPI_ROLLED for (uint32_t step = top; step > 0; step >>= 1)
        {
            const uint32_t middle = low + step;
            if (middle < n && middle + begin[middle] < (w + 1) << OPI_LOG_E) low = middle;
        }
        const uint32_t from = begin[low], unit = w - ((low + from) >> OPI_LOG_E);
        if ((unit + 1) << OPI_LOG_E > begin[low + 1] - from) continue;
        opi_put(staged, staged->nodes + w, opi_node_of_unit(staged, from + (unit << OPI_LOG_E) OPI_GIVE_P));
        if (unit % OPI_CHAPTER == OPI_CHAPTER - 1) ends[w / OPI_CHAPTER] = w;
    }
    OPI_BARRIER();
    if (OPI_SELF < OPI_ENDS && ends[OPI_SELF] != OPI_NONE) {
        const uint32_t w = ends[OPI_SELF];
        opi_put(staged, staged->nodes + w,
                opi_node_of_4(staged, staged->nodes + w - (OPI_CHAPTER - 1), 1 OPI_GIVE_P));
    }
    OPI_BARRIER();
}

/* Joins the nodes that the binary digits of count < 16 name, the largest first. */
#define OPI_DIGIT(log_n)                                                                                               \
    if (count >> (log_n) & 1) {                                                                                        \
        const opi_node node = opi_node_of_##log_n(staged, first, step OPI_GIVE_P);                                     \
        x = any ? opi_join(x, node) : node;                                                                            \
        any = 1;                                                                                                       \
        first += step << (log_n);                                                                                      \
    }

/* Returns the reduce of count > 0 elements that begin at `first`; `x` precedes them, if `any`.  The node of their first
 * unit is at `window`. */
OPI_FUNCTION opi_node opi_finish(const opi_staged *staged, uint32_t from, uint32_t window, uint32_t n, uint32_t any,
                                 opi_node x OPI_TAKE_P)
{
    const uint32_t units = n >> OPI_LOG_E, chapters = units >> OPI_LOG_CHAPTER;
    const uint32_t unit = staged->nodes + window;
    OPI_ROLLED for (uint32_t level = chapters ? 0 : units ? 1 : 2; level < 3; level++) {
        const uint32_t step = level == 0 ? OPI_CHAPTER : 1;
        uint32_t first, count;
        if (level == 0) {
            first = unit + OPI_CHAPTER - 1;
            count = chapters;
        } else if (level == 1) {
            first = unit + (chapters << OPI_LOG_CHAPTER);
            count = units % OPI_CHAPTER;
        } else {
            first = from + (units << OPI_LOG_E);
            count = n & (OPI_E - 1);
        }
        OPI_DIGIT(3)
        OPI_DIGIT(2)
        OPI_DIGIT(1)
        OPI_DIGIT(0)
    }
    return x;
}

/* The same for 0 < n < OPI_DIRECT elements, with nothing before them, and without nodes of units. */
#define OPI_DIRECT (4 * OPI_E)
OPI_FUNCTION opi_node opi_finish_direct(const opi_staged *staged, uint32_t first, uint32_t n OPI_TAKE_P)
{
    const uint32_t units = n >> OPI_LOG_E, step = 1, count = n & (OPI_E - 1);
    uint32_t any = 0;
    opi_node x = opi_get(staged, first);
    OPI_ROLLED for (; any < units; any++, first += OPI_E) { /* a node of two, and one more: from left to right */
        const opi_node node = opi_node_of_unit(staged, first OPI_GIVE_P);
        x = any ? opi_join(x, node) : node;
    }
    OPI_DIGIT(3)
    OPI_DIGIT(2)
    OPI_DIGIT(1)
    OPI_DIGIT(0)
    return x;
}

/* The same for 0 < n <= OPI_FEW elements: from left to right is the tree of so few. */
#define OPI_FEW 3
OPI_FUNCTION opi_node opi_finish_few(const opi_staged *staged, uint32_t first, uint32_t n OPI_TAKE_P)
{
    opi_node x = opi_get(staged, first);
    if (n > 1) x = opi_join(x, opi_get(staged, first + 1));
    if (n > 2) x = opi_join(x, opi_get(staged, first + 2));
    return x;
}

/* Returns the node of the work-item's own run of a tile in the stage. */
OPI_FUNCTION opi_node opi_node_of_run(const opi_staged *staged OPI_TAKE_P)
{
#if OPI_SIZE % 4 == 0 && 32 % (OPI_E * OPI_SIZE / 4) == 0 /* no gap inside of a run */
    opi_node x[OPI_E];
    OPI_LOCAL const uint32_t *const from = staged->stage + OPI_GAPPED(OPI_SELF * (OPI_E * OPI_ELEMENT_WORDS));
    _Pragma("unroll") for (uint32_t i = 0; i < OPI_E; i++) {
        opi_element element;
        _Pragma("unroll") for (uint32_t k = 0; k < OPI_ELEMENT_WORDS; k++)
            element.word[k] = from[i * OPI_ELEMENT_WORDS + k];
        x[i] = element.x;
    }
    OPI_JOIN_ALL(OPI_NODE_AT, OPI_LOG_E)
    return x[0];
#else
    return opi_node_of_unit(staged, OPI_SELF << OPI_LOG_E OPI_GIVE_P);
#endif
}
