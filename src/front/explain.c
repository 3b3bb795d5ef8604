/* oplus_explain. */
#include "front/check.h"

oplus_status oplus_explain(oplus_device *dev, char *text, size_t bytes)
{
    OPI_OWN_MODE;
    if (!dev) return opi_fail_device(__func__);
    if (text && bytes == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bytes is 0; give memory for the explanation, 2048 bytes", __func__);
    opi_say_begin(&dev->explained, text, bytes);
    return OPLUS_OK;
}
