#include "driver/driver.h"

const opi_driver *const opi_drivers[] = {&opi_cuda, &opi_opencl, NULL};
