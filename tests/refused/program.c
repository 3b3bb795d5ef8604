/* What each statement of tests/refused/statements is compiled with, as C and as C++: STATEMENT is one of them, or
 * DEFINITION, if it defines an operator. */
#include <oplus/ranks.h>

#include <stdbool.h>
#ifdef __cplusplus
#include <oplus/oplus.hpp>
#include <vector>
#endif

OPLUS_STRUCT(affine, float a; float b;)
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(any, bool, (false), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a || b; })
OPLUS_SEMIGROUP(longest, long long, OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a < b ? b : a; })
OPLUS_OP_WITH(add_modulo, float, float, (0), OPLUS_COMMUTATIVE, { return a + b < p ? a + b : a + b - p; })
OPLUS_MAP(widened, double, float, { return a; })
OPLUS_ZIP(axpy, float, float, float, { return 2 * a + b; })
OPLUS_ZIP3(medium, double, float, float, float, { return (a + b + c) / 3; })
OPLUS_ZIP3(mixed, float, float, float, double, { return a + b + (float)c; })
OPLUS_ZIP4(four, double, float, double, int, affine, { return a + b + c + d.a; })
OPLUS_MAP_WITH(scale, float, float, float, { return a * p; })
OPLUS_PREDICATE(negative, float, { return a < 0; })
OPLUS_PREDICATE_WITH(below, float, double, { return a < p; })
OPLUS_MAP(halved, float, double, { return (float)(a / 2); })
OPLUS_ZIP(smaller, uint8_t, affine, affine, { return a.a < b.a; })
#define COMPOSE compose_op
#ifdef DEFINITION
DEFINITION
#define STATEMENT OPLUS_OK
#endif

oplus_status refused(oplus_device *dev, const oplus_comm *comm, oplus_carry *carry, size_t n);
oplus_status refused(oplus_device *dev, const oplus_comm *comm, oplus_carry *carry, size_t n)
{
    static float f[8], g[8], sum;
    static double d[8];
    static affine m[8];
    static float square[4][4];
    static int i[8];
    static long l[8];
    static long long ll[8];
    static long double wide[8];
    static unsigned char u[8];
    static bool b[8];
    static size_t at[8], kept;
    static int wrong_kept;
    static const float constant[8] = {1}, *const first = constant, half = 0.5f;
    static const double limit = 3;
    static void *const untyped = f;
    const oplus_op *const plain = &compose_op;
    (void)dev, (void)comm, (void)carry, (void)n, (void)f, (void)g, (void)sum, (void)d, (void)m, (void)i, (void)l;
    (void)ll, (void)u, (void)b, (void)at, (void)kept, (void)wrong_kept, (void)first, (void)half, (void)limit;
    (void)untyped, (void)plain, (void)square, (void)wide;
#ifdef __cplusplus
    const std::vector<double> vd(8);
    std::vector<float> vf(8);
    const oplus::device there("serial");
    oplus::carry stream(oplus_sum_f32);
    const auto lambda = [](float x, float y) { return x + y; };
    (void)vd, (void)vf, (void)there, (void)stream, (void)lambda;
#endif
    return STATEMENT;
}
