// Exponential smoothing, y = 0.9 y + 0.1 x, as a scan of affine maps: an operator in C++, at once and in pieces.
#include <oplus/oplus.hpp>

#include <cstdio>
#include <vector>

OPLUS_STRUCT(affine, float a; float b;) // y -> a * y + b
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r = {a.a * b.a, a.b * b.a + b.b}; // C, as a device compiles it too
    return r;
})
OPLUS_MAP_WITH(step, affine, float, float, {
    affine r = {1 - p, p * a};
    return r;
})
OPLUS_MAP(value, float, affine, { return a.b; })
OPLUS_PREDICATE(high, float, { return a > 0.5f; })

int main(int argc, char **argv)
try {
    const std::size_t n = 100000;
    std::vector<float> x(n), y(n);
    std::vector<affine> maps(n);
    for (std::size_t i = 0; i < n; i++) x[i] = float(i * 7919 % 1000) / 1000;

    const oplus::device dev(argc > 1 ? argv[1] : "auto");
    const float tenth = 0.1f;
    dev.map(OPLUS_WITH(step_fn, &tenth), maps, x);
    dev.scan(compose_op, OPLUS_INCLUSIVE, maps, maps);
    dev.map(value_fn, y, maps);
    const float last = y.back(), highest = dev.reduce(OPLUS_MAX(y.data()), y);

    dev.map(OPLUS_WITH(step_fn, &tenth), maps, x); // the same as a stream: the bits do not tell
    oplus::carry whole(compose_op);
    whole.add(dev, oplus::view{maps.data(), 777});
    whole.add(dev, oplus::view{maps.data() + 777, n - 777});
    if (whole.value().b != last) return std::puts("a stream says otherwise"), 1;

    std::printf("last %.6f, highest %.6f, %zu above 0.5\n", last, highest, dev.filter(high_fn, y, y));
    return 0;
} catch (const oplus::error &e) {
    std::fprintf(stderr, "%s: %s\n", oplus_status_string(e.status), e.what());
    return 1;
}
