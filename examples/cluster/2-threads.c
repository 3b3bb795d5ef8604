/* 2. On all cores: another name for the device. */
#include "walk.h"

int main(void)
{
    oplus_device *dev;
    float highest;
    must(oplus_open("threads", &dev));

    float *walk = steps(0, STEPS);
    must(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, walk, STEPS, walk));
    must(oplus_reduce(dev, &oplus_max_f32, walk, STEPS, &highest));
    say(highest);

    free(walk);
    oplus_close(dev);
    return 0;
}
