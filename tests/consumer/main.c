/* A user's program: an operator of the user, a built-in operator and a device.  Returns 0 if the results are right. */
#include <oplus/oplus.h>

#include <stdio.h>

OPLUS_STRUCT(affine, float a; float b;)
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

int main(void)
{
    const affine in[3] = {{2, 1}, {3, 0}, {1, 5}};
    const int counts[4] = {1, 2, 3, 4};
    affine out[3] = {{0, 0}, {0, 0}, {0, 0}};
    int sum = 0;
    oplus_device *dev = NULL;

    oplus_status status = oplus_open("threads:2", &dev);
    if (!status) status = oplus_scan(dev, &compose_op, OPLUS_INCLUSIVE, in, 3, out);
    if (!status) status = oplus_reduce(dev, OPLUS_SUM(counts), counts, 4, &sum);
    if (status) fprintf(stderr, "%s\n", oplus_last_error());
    oplus_close(dev);
    return !(status == OPLUS_OK && out[2].a == 6 && out[2].b == 8 && sum == 10);
}
