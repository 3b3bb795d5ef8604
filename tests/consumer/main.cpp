// The same from C++17: the same header, overloads in place of _Generic.
#include <oplus/oplus.h>

#include <iostream>
#include <vector>

OPLUS_STRUCT(affine, float a; float b;)
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

int main()
{
    const std::vector<affine> in = {{2, 1}, {3, 0}, {1, 5}};
    const std::vector<int> counts = {1, 2, 3, 4};
    std::vector<affine> out(in.size());
    int sum = 0;
    oplus_device *dev = nullptr;

    oplus_status status = oplus_open("threads:2", &dev);
    if (!status) status = oplus_scan(dev, &compose_op, OPLUS_INCLUSIVE, in.data(), in.size(), out.data());
    if (!status) status = oplus_reduce(dev, OPLUS_SUM(counts.data()), counts.data(), counts.size(), &sum);
    if (status) std::cerr << oplus_last_error() << '\n';
    oplus_close(dev);
    return !(status == OPLUS_OK && out[2].a == 6 && out[2].b == 8 && sum == 10);
}
