#include "type/constant.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_DEPTH = 64 /* of parentheses inside of others */ };

typedef struct number {
    long long value;
    bool known; /* false: not understood, or out of range */
} number;

static number take_choice(const char **at, int depth);

static number unknown(void) { return (number){0, false}; }
static number known(long long value) { return (number){value, true}; }

/* Takes a decimal, hexadecimal, octal or binary literal, which may have a suffix. */
static number take_literal(const char **at)
{
    const bool binary = (*at)[0] == '0' && ((*at)[1] == 'b' || (*at)[1] == 'B');
    const char *const digits = binary ? *at + 2 : *at;
    char *end;
    if (!opi_is_digit(*digits)) return unknown(); /* strtoll would take a sign, too */
    errno = 0;
    const long long value = strtoll(digits, &end, binary ? 2 : 0);
    if (errno || end == digits) return unknown();
    for (*at = end; **at && strchr("uUlL", **at); ++*at) {
    }
    return opi_is_letter(**at) || opi_is_digit(**at) || **at == '.' ? unknown() : known(value);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as parentheses and signs are, at most MOST_DEPTH */
static number take_operand(const char **at, int depth)
{
    if (depth > MOST_DEPTH) return unknown();
    if (opi_take_sign(at, '(')) {
        const number inside = take_choice(at, depth + 1);
        return opi_take_sign(at, ')') ? inside : unknown();
    }
    if (opi_take_sign(at, '+')) return take_operand(at, depth + 1);
    if (opi_take_sign(at, '-')) {
        number negated = take_operand(at, depth + 1);
        negated.known = negated.known && !__builtin_sub_overflow(0, negated.value, &negated.value);
        return negated;
    }
    return opi_is_digit(**at) ? take_literal(at) : unknown();
}

/* NOLINTEND(misc-no-recursion) */

/* The operators of C that join two numbers, the highest precedence first. */
static const struct {
    const char *sign;
    int rank;
} joins[] = {{"*", 5},  {"/", 5},  {"%", 5},  {"+", 4}, {"-", 4}, {"<<", 3}, {">>", 3}, {"<=", 2},
             {">=", 2}, {"==", 1}, {"!=", 1}, {"<", 2}, {">", 2}, {"&", 0},  {"^", -1}, {"|", -2}};

static int join_at(const char **at)
{
    opi_skip_space(at);
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        const size_t n = strlen(joins[i].sign);
        const bool doubled = (*at)[0] == (*at)[1] && ((*at)[0] == '&' || (*at)[0] == '|');
        if (!doubled && strncmp(*at, joins[i].sign, n) == 0) return (int)i;
    }
    return -1;
}

static number product(long long x, long long y)
{
    number r = known(0);
    r.known = !__builtin_mul_overflow(x, y, &r.value);
    return r;
}

static number joined(long long x, const char *sign, long long y)
{
    number r = known(0);
    const bool shifts = y >= 0 && y < 63 && x >= 0, divides = y > 0;
    switch (sign[0]) {
    case '*':
        return product(x, y);
    case '+':
        r.known = !__builtin_add_overflow(x, y, &r.value);
        return r;
    case '-':
        r.known = !__builtin_sub_overflow(x, y, &r.value);
        return r;
    case '/':
        return divides ? known(x / y) : unknown();
    case '%':
        return divides ? known(x % y) : unknown();
    case '&':
        return known(x & y);
    case '^':
        return known(x ^ y);
    case '|':
        return known(x | y);
    case '=':
        return known(x == y);
    case '!':
        return known(x != y);
    default: /* <, > and the operators that begin with them */
        if (sign[1] == sign[0]) return !shifts ? unknown() : sign[0] == '>' ? known(x >> y) : product(x, 1LL << y);
        if (sign[1] == '=') return known(sign[0] == '<' ? x <= y : x >= y);
        return known(sign[0] == '<' ? x < y : x > y);
    }
}

/* NOLINTBEGIN(misc-no-recursion): as above */
/* Takes operands joined by operators of rank `least` or more. */
static number take_joined(const char **at, int least, int depth)
{
    number left = take_operand(at, depth);
    for (int i; left.known && (i = join_at(at)) >= 0 && joins[i].rank >= least;) {
        *at += strlen(joins[i].sign);
        const number right = take_joined(at, joins[i].rank + 1, depth + 1);
        left = right.known ? joined(left.value, joins[i].sign, right.value) : unknown();
    }
    return left;
}

static number take_choice(const char **at, int depth)
{
    const number condition = take_joined(at, -2, depth);
    if (!condition.known || !opi_take_sign(at, '?')) return condition;
    const number yes = take_choice(at, depth + 1);
    if (!opi_take_sign(at, ':')) return unknown();
    const number no = take_choice(at, depth + 1);
    return !yes.known || !no.known ? unknown() : condition.value ? yes : no;
}

/* NOLINTEND(misc-no-recursion) */

size_t opi_take_number(const char **at, size_t limit)
{
    const number n = take_choice(at, 0);
    return n.known && n.value > 0 && (unsigned long long)n.value <= limit ? (size_t)n.value : 0;
}
