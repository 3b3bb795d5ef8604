#include "scale.h"

#include <math.h>
#include <string.h>

/* --- what there is ------------------------------------------------------------------------------------------------ */

report_extent report_extent_of(bool log) { return (report_extent){.log = log, .twos = true}; }

/* Beyond, there is nothing to measure, and no room to compute in. */
static const double MOST = 1e150;

bool report_has_place(bool log, double x) { return fabs(x) <= MOST && (!log || x >= 1 / MOST); }

static bool is_power_of_two(double x)
{
    int exponent;
    return frexp(x, &exponent) == 0.5;
}

void report_extent_see(report_extent *extent, double x)
{
    if (!report_has_place(extent->log, x)) return;
    if (extent->count == 0 || x < extent->least) extent->least = x;
    if (extent->count == 0 || x > extent->most) extent->most = x;
    if (extent->log ? !is_power_of_two(x) : x != floor(x)) extent->twos = false;
    extent->count++;
}

/* --- the axis ----------------------------------------------------------------------------------------------------- */

/* The largest of 1, 2, 5, 10, 20, ... that is not above x. */
static double mark_below(double x)
{
    const double decade = pow(10, floor(log10(x) + 1e-9)), digit = x / decade * (1 + 1e-9);
    return decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double mark_above(double x)
{
    const double below = mark_below(x);
    if (x <= below * (1 + 1e-9)) return below;
    const double digit = below / pow(10, floor(log10(below) + 1e-9));
    return below * (digit > 1.5 && digit < 3 ? 2.5 : 2);
}

/* Between ticks of an axis with about five of them. */
static double step_of(const report_scale *scale)
{
    const bool halves = scale->twos && scale->low == 0 && scale->high >= 8 && is_power_of_two(scale->high);
    return halves ? scale->high / 4 : mark_above((scale->high - scale->low) / 5.5);
}

/* A single number has an axis, too. */
static void widen(report_scale *scale)
{
    const double least =
        scale->log ? scale->low * 1e-9 : fmax(fmax(fabs(scale->low), fabs(scale->high)) * 1e-9, 1 / MOST);
    if (scale->high - scale->low > least) return;
    if (scale->log) {
        scale->low /= 2;
        scale->high *= 2;
    } else {
        const double by = fabs(scale->low) < 1 / MOST ? 1 : fabs(scale->low) / 2;
        scale->low -= by;
        scale->high += by;
    }
}

report_scale report_scale_of(report_extent extent, bool rounded)
{
    report_scale scale = {extent.least, extent.most, extent.log, extent.twos && extent.count > 0};
    if (extent.count == 0) scale.low = scale.high = 1;
    if (rounded && !scale.log) {
        scale.low = fmin(scale.low, 0);
        scale.high = fmax(scale.high, 0);
        scale.twos = false;
    }
    widen(&scale);
    if (!rounded) return scale;
    if (!scale.log) {
        const double step = step_of(&scale);
        scale.low = floor(scale.low / step + 1e-9) * step;
        scale.high = ceil(scale.high / step - 1e-9) * step;
    } else if (!scale.twos) {
        scale.low = mark_below(scale.low);
        scale.high = mark_above(scale.high);
    }
    return scale;
}

double report_place_on(const report_scale *scale, double x)
{
    const double at = scale->log ? log(x / scale->low) / log(scale->high / scale->low)
                                 : (x - scale->low) / (scale->high - scale->low);
    return fmin(fmax(at, 0), 1);
}

/* --- ticks -------------------------------------------------------------------------------------------------------- */

static report_number power_of_two(int exponent, const char *unit)
{
    const bool bytes = strcmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0;
    if (bytes && exponent >= 10 && exponent < 50) return report_bytes(ldexp(1, exponent));
    if (exponent < 0 && exponent >= -4) {
        report_number part;
        snprintf(part.text, sizeof part.text, "1/%d", 1 << -exponent);
        return part;
    }
    return exponent >= 0 && exponent <= 12 ? report_fixed(ldexp(1, exponent), 0) : report_power(2, exponent);
}

static int ticks_of_twos(const report_scale *scale, const char *unit, report_tick *ticks)
{
    const int first = (int)lround(log2(scale->low)), last = (int)lround(log2(scale->high));
    const int step = (last - first) / (REPORT_TICKS - 1) + 1;
    int n = 0;
    for (int k = first; k <= last && n < REPORT_TICKS; k += step)
        ticks[n++] = (report_tick){report_place_on(scale, ldexp(1, k)), power_of_two(k, unit)};
    return n;
}

/* How many digits behind the point say all of x, at most 5. */
static int digits_of(double x)
{
    int digits = 0;
    for (double left = x; digits < 5 && fabs(left - round(left)) > 1e-6; digits++) left = x * pow(10, digits + 1);
    return digits;
}

static report_number decimal(double x)
{
    if (x > 0.002 && x < 1e4) return report_fixed(x, digits_of(x));
    const int exponent = (int)floor(log10(x) + 1e-9);
    const report_number power = report_power(10, exponent);
    const double digit = x / pow(10, exponent);
    if (digit < 1.5) return power;
    report_number out;
    snprintf(out.text, sizeof out.text, "%.0f·%.30s", digit, power.text);
    return out;
}

/* Over two decades and less also 2 and 5 of each, over many not every one. */
static int ticks_of_tens(const report_scale *scale, report_tick *ticks)
{
    static const double digits[] = {1, 2, 5};
    const double decades = log10(scale->high / scale->low);
    const int first = (int)floor(log10(scale->low) + 1e-9), step = (int)decades / (REPORT_TICKS - 1) + 1;
    int n = 0;
    for (int k = first; n < REPORT_TICKS && k <= first + decades + 1; k += step)
        for (int d = 0; d < (decades < 2.2 ? 3 : 1); d++) {
            const double x = digits[d] * pow(10, k);
            if (x < scale->low * (1 - 1e-9) || x > scale->high * (1 + 1e-9) || n == REPORT_TICKS) continue;
            ticks[n++] = (report_tick){report_place_on(scale, x), decimal(x)};
        }
    return n;
}

static int ticks_of_steps(const report_scale *scale, report_tick *ticks)
{
    const double step = step_of(scale), first = ceil(scale->low / step - 1e-9);
    const int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    int n = 0;
    for (double k = first; k * step <= scale->high + step * 1e-9 && n < REPORT_TICKS; k++, n++) {
        const bool plain = digits < 5 && fabs(k * step) < 1e6;
        ticks[n] = (report_tick){report_place_on(scale, k * step),
                                 plain ? report_fixed(k * step, digits) : report_number_of(k * step)};
        if (!plain && k != 0) ticks[n].label = decimal(fabs(k * step));
    }
    return n;
}

int report_ticks(const report_scale *scale, const char *unit, report_tick ticks[REPORT_TICKS])
{
    int n = 0;
    if (scale->log && scale->twos) n = ticks_of_twos(scale, unit, ticks);
    if (scale->log && n < 2) n = ticks_of_tens(scale, ticks);
    if (n < 2) n = ticks_of_steps(scale, ticks); /* a narrow piece of a logarithmic axis has plain steps */
    if (n > 0) return n;
    ticks[0] = (report_tick){0, report_number_of(scale->low)};
    return 1;
}
