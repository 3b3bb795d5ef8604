/* oplus_last_error, oplus_status_string, oplus_version. */
#include "base/error.h"
#include "base/version.h"

const char *oplus_last_error(void) { return opi_last_error(); }

const char *oplus_status_string(oplus_status status)
{
    switch (status) {
#define STATUS_TEXT(name, text)                                                                                        \
    case name:                                                                                                         \
        return text;
        OPLUS_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "not a status of oplus";
}

const char *oplus_version(void) { return OPI_VERSION; }
