#include "type/element.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- members, one scalar after the other ---------------------------------------------------------------------- */

static void list(void *context, const oplus_member *member)
{
    opi_element *const plan = context;
    if (plan->member) plan->member[plan->members] = *member;
    plan->members++;
}

bool opi_element_plan(opi_element *plan, const oplus_type *type)
{
    *plan = (opi_element){.size = type->size, .record = type->scalar == OPLUS_RECORD};
    /* The text gives the names of members; where it is not understood, the compiler's sample gives their places. */
    bool (*const walk)(const oplus_type *, opi_visit, void *) =
        opi_layout_walk(type, list, plan) ? opi_layout_walk : opi_layout_scalars;
    if (walk == opi_layout_scalars && !walk(type, list, plan)) {
        plan->members = -1;
        return true;
    }
    plan->member = opi_alloc((size_t)plan->members * sizeof *plan->member);
    plan->members = 0;
    return plan->member && walk(type, list, plan);
}

void opi_element_release(opi_element *plan) { opi_free(plan->member); }

/* A walk over all scalars of an element: at(walk, x) is the current one. */
typedef struct walk {
    const opi_element *plan;
    int member;
    size_t index;
} walk;

static bool more(const walk *w) { return w->member < w->plan->members; }

static void step(walk *w)
{
    if (++w->index < w->plan->member[w->member].count) return;
    w->index = 0;
    w->member++;
}

static oplus_scalar scalar(const walk *w) { return w->plan->member[w->member].scalar; }

static size_t offset(const walk *w)
{
    return w->plan->member[w->member].offset + w->index * opi_scalars[scalar(w)].size;
}

static const void *at(const walk *w, const void *x) { return (const char *)x + offset(w); }

static double get(oplus_scalar kind, const void *from) { return opi_scalars[kind].get(from); }

/* --- comparing ------------------------------------------------------------------------------------------------ */

static bool same_bits(oplus_scalar kind, const void *x, const void *y)
{
    if (opi_is_floating(kind) && isnan(get(kind, x)) && isnan(get(kind, y))) return true;
    return memcmp(x, y, opi_scalars[kind].size) == 0;
}

bool opi_element_same(const opi_element *plan, const void *x, const void *y)
{
    if (plan->members < 0) return memcmp(x, y, plan->size) == 0;
    for (walk w = {.plan = plan}; more(&w); step(&w))
        if (!same_bits(scalar(&w), at(&w, x), at(&w, y))) return false;
    return true;
}

/* How far two floats may be apart because of rounding alone. */
static double tolerance(const walk *w, double x, double y, const void *const *scale, const void *reach)
{
    const oplus_scalar kind = scalar(w);
    double largest = fmax(fabs(x), fabs(y));
    for (; *scale; scale++) {
        const double value = fabs(get(kind, at(w, *scale)));
        if (isfinite(value)) largest = fmax(largest, value);
    }
    return 32 * (opi_scalars[kind].epsilon * largest + opi_scalars[kind].smallest) +
           (reach ? 8 * get(kind, at(w, reach)) : 0);
}

bool opi_element_near(const opi_element *plan, const void *x, const void *y, const void *const *scale,
                      const void *reach)
{
    if (plan->members < 0) return memcmp(x, y, plan->size) == 0;
    for (walk w = {.plan = plan}; more(&w); step(&w)) {
        const oplus_scalar kind = scalar(&w);
        if (same_bits(kind, at(&w, x), at(&w, y))) continue;
        if (!opi_is_floating(kind)) return false;
        const double p = get(kind, at(&w, x)), q = get(kind, at(&w, y));
        if (!isfinite(p) || !isfinite(q)) return false;
        if (fabs(p - q) > tolerance(&w, p, q, scale, reach)) return false;
    }
    return true;
}

bool opi_element_infinite(const opi_element *plan, const void *x)
{
    for (walk w = {.plan = plan}; more(&w); step(&w))
        if (opi_is_floating(scalar(&w)) && isinf(get(scalar(&w), at(&w, x)))) return true;
    return false;
}

/* --- how far rounding reaches --------------------------------------------------------------------------------- */

void opi_element_nudge(const opi_element *plan, void *to, const void *x, uint64_t *random)
{
    memcpy(to, x, plan->size);
    for (walk w = {.plan = plan}; more(&w); step(&w)) {
        const oplus_scalar kind = scalar(&w);
        if (!opi_is_floating(kind)) continue;
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        const double direction = (*random >> 63 ? 4 : -4) * opi_scalars[kind].epsilon;
        const double value = get(kind, at(&w, x));
        opi_scalars[kind].put((char *)to + offset(&w), value + value * direction);
    }
}

void opi_element_widen(const opi_element *plan, void *reach, const void *x, const void *y)
{
    for (walk w = {.plan = plan}; more(&w); step(&w)) {
        const oplus_scalar kind = scalar(&w);
        if (!opi_is_floating(kind)) continue;
        const double distance = fabs(get(kind, at(&w, x)) - get(kind, at(&w, y)));
        if (isfinite(distance))
            opi_scalars[kind].put((char *)reach + offset(&w), fmax(distance, get(kind, at(&w, reach))));
    }
}

/* --- in words ------------------------------------------------------------------------------------------------- */

typedef struct writer {
    char *text;
    size_t used, bytes;
} writer;

__attribute__((format(printf, 2, 3))) static void say(writer *to, const char *format, ...)
{
    if (to->used >= to->bytes) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(to->text + to->used, to->bytes - to->used, format, arguments);
    va_end(arguments);
    to->used += length < 0 ? 0 : (size_t)length;
}

/* The fewest digits that read back as the same value. */
static void say_float(writer *to, oplus_scalar kind, double value)
{
    char digits[40];
    const opi_scalar *const scalar = &opi_scalars[kind];
    for (int precision = 1; precision <= scalar->digits; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, isnan(value) ? NAN : value); /* no sign */
        if (scalar->read(digits) == value) break;
    }
    say(to, "%s", digits);
}

static void say_integer(writer *to, oplus_scalar kind, const void *from)
{
#define SAY(KIND, T, as, format)                                                                                       \
    case KIND: {                                                                                                       \
        T value;                                                                                                       \
        memcpy(&value, from, sizeof value);                                                                            \
        say(to, "%" format, (as)value);                                                                                \
        break;                                                                                                         \
    }
    switch (kind) {
        SAY(OPLUS_I8, int8_t, int64_t, PRId64)
        SAY(OPLUS_I16, int16_t, int64_t, PRId64)
        SAY(OPLUS_I32, int32_t, int64_t, PRId64)
        SAY(OPLUS_I64, int64_t, int64_t, PRId64)
        SAY(OPLUS_U8, uint8_t, uint64_t, PRIu64)
        SAY(OPLUS_U16, uint16_t, uint64_t, PRIu64)
        SAY(OPLUS_U32, uint32_t, uint64_t, PRIu64)
        SAY(OPLUS_U64, uint64_t, uint64_t, PRIu64)
    default:
        break;
    }
#undef SAY
}

static void say_bytes(writer *to, const void *x, size_t size)
{
    say(to, "bytes");
    for (size_t i = 0; i < size; i++) say(to, " %02x", ((const unsigned char *)x)[i]);
}

static void say_members(writer *to, const opi_element *plan, const void *x)
{
    const bool record = plan->record;
    if (record) say(to, "{");
    for (walk w = {.plan = plan}; more(&w); step(&w)) {
        const oplus_member *const member = &plan->member[w.member];
        if (w.index == 0) say(to, "%s%s%s", w.member ? ", " : "", member->name, *member->name ? " = " : "");
        if (member->count > 1) say(to, "%s", w.index ? ", " : "[");
        if (opi_is_floating(member->scalar))
            say_float(to, member->scalar, get(member->scalar, at(&w, x)));
        else
            say_integer(to, member->scalar, at(&w, x));
        if (member->count > 1 && w.index + 1 == member->count) say(to, "]");
    }
    if (record) say(to, "}");
}

void opi_element_print(const opi_element *plan, const void *x, char *text, size_t bytes)
{
    writer to = {text, 0, bytes};
    if (plan->members < 0)
        say_bytes(&to, x, plan->size);
    else
        say_members(&to, plan, x);
    if (to.used >= bytes) memcpy(text + bytes - 4, "...", 4);
}
