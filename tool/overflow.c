/* overflow: sums in 128 bits, which hold 2^64 elements; products up to 2^64; of larger ones only the fact that they
 * are larger. */
#include "overflow.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

struct tool_overflow {
    const oplus_type *type;
    bool product;
    uint64_t seen; /* elements */
    wide sum;
    unsigned_wide size; /* of a product */
    bool negative, zero, huge;
};

static bool is_signed(const oplus_type *type) { return type->scalar <= OPLUS_I64; }

/* --- one element -------------------------------------------------------------------------------------------------- */

static wide element(const oplus_type *type, const void *x)
{
    uint64_t word = 0;
    memcpy(&word, x, type->size); /* little-endian: see type.h */
    if (!is_signed(type)) return (wide)word;
    const unsigned unused = 64 - 8 * (unsigned)type->size;
    return (int64_t)(word << unused) >> unused;
}

static void take(tool_overflow *o, wide x)
{
    if (!o->product) {
        o->sum += x;
        return;
    }
    o->zero |= x == 0;
    o->negative ^= x < 0;
    if (!o->huge) o->size *= (unsigned_wide)(x < 0 ? -x : x);
    o->huge |= o->size > UINT64_MAX;
}

static bool fits(const tool_overflow *o)
{
    const unsigned bits = 8 * (unsigned)o->type->size - is_signed(o->type);
    const wide most = ((wide)1 << bits) - 1, least = is_signed(o->type) ? -most - 1 : 0;
    if (!o->product) return o->sum >= least && o->sum <= most;
    if (o->zero) return true;
    return !o->huge && o->size <= (unsigned_wide)(o->negative ? -least : most);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const tool_overflow *o, const char *where)
{
    const char *const name = tool_type_name(o->type), *const what = o->product ? "product" : "sum";
    if (o->type->size == 8)
        tool_die(TOOL_FAILED,
                 "the %s%s does not fit %s; -t f64 holds it, rounded (of a .npy file: oplus map a FILE "
                 "--result f64)",
                 what, where, name);
    tool_die(TOOL_FAILED,
             "the %s%s does not fit %s; take a wider type, -t i64, or -t f64, which rounds (of a .npy file: "
             "oplus map a FILE --result i64)",
             what, where, name);
}

tool_overflow *tool_overflow_open(const tool_job *job, const oplus_type *type, size_t lanes, const void *init)
{
    const char *const op = job->operand[0];
    if (!job->options.check_overflow) return NULL;
    if (strcmp(op, "sum") != 0 && strcmp(op, "prod") != 0)
        tool_die(TOOL_USAGE, "--check-overflow is for sum and prod of integers, not for %s", op);
    if (type->scalar < OPLUS_I8 || type->scalar > OPLUS_U64)
        tool_die(TOOL_USAGE,
                 "--check-overflow is for integers, and here are %s, which round and do not wrap around; "
                 "-t i64 reads text as integers",
                 tool_type_words(type));
    if (lanes > 1)
        tool_die(TOOL_USAGE, "--check-overflow is of one column, and here are %zu; name it by --column", lanes);
    if (job->options.all) tool_die(TOOL_USAGE, "--check-overflow and --all do not go together");
    tool_overflow *const o = tool_alloc(sizeof *o);
    *o = (tool_overflow){.type = type, .product = strcmp(op, "prod") == 0, .size = 1};
    if (init) take(o, element(type, init));
    return o;
}

static void check_prefix(const tool_overflow *o)
{
    char where[48];
    if (fits(o)) return;
    snprintf(where, sizeof where, " of the first %llu elements", (unsigned long long)o->seen);
    refuse(o, where);
}

void tool_overflow_add(tool_overflow *o, const void *in, size_t n, tool_prefixes prefixes)
{
    for (size_t i = 0; o && i < n; i++, o->seen++) {
        if (prefixes == TOOL_EXCLUSIVE) check_prefix(o);
        take(o, element(o->type, (const char *)in + i * o->type->size));
        if (prefixes != TOOL_INCLUSIVE || fits(o)) continue;
        o->seen++;
        check_prefix(o);
    }
}

void tool_overflow_total(const tool_overflow *o)
{
    if (o && !fits(o)) refuse(o, " of all elements");
}

void tool_overflow_close(tool_overflow *o) { free(o); }
