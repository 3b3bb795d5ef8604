/* 3. On a GPU, where there is one: the array lies there. */
#include "walk.h"

int main(void)
{
    oplus_device *dev;
    float highest;
    void *there;
    if (oplus_open("cuda", &dev) != OPLUS_OK) must(oplus_open("auto", &dev));
    must(oplus_alloc(dev, STEPS * sizeof(float), &there));

    float *walk = steps(0, STEPS);
    must(oplus_copy(dev, there, walk, STEPS * sizeof(float)));
    must(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, there, STEPS, there));
    must(oplus_reduce(dev, &oplus_max_f32, there, STEPS, &highest));
    say(highest);

    free(walk);
    oplus_free(dev, there);
    oplus_close(dev);
    return 0;
}
