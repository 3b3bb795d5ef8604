/* oplus_auto. */
#include "auto/auto.h"
#include "front/check.h"

oplus_status oplus_auto(char *text, size_t bytes)
{
    OPI_OWN_MODE;
    oplus_device *dev;
    if (!text || bytes == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s; give memory for the explanation, 1024 bytes", __func__,
                        text ? "bytes is 0" : "text is NULL");
    *text = '\0';
    OPI_TRY(oplus_open("auto", &dev));
    opi_auto *const a = (opi_auto *)dev;
    opi_auto_look(a);
    opi_auto_explain(a, text, bytes);
    oplus_close(dev);
    return OPLUS_OK;
}
