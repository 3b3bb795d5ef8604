#include "task/window.h"

#include <assert.h>

int opi_window_steps(uint64_t n, uint64_t w, unsigned first, unsigned more, opi_window_step *steps, int *arrays)
{
    unsigned level[OPI_WINDOW_STEPS / 2 + 1] = {0, first};
    int top = 0, count = 0;
    for (; level[top + 1] < 64 && w >> level[top + 1]; top++) {
        const uint32_t digits = UINT32_C(1) << (level[top + 1] - level[top]);
        const uint64_t made = n - (UINT64_C(1) << level[top + 1]) + 1;
        steps[count++] = (opi_window_step){level[top], digits, 0, top, top + 1, false, false, made};
        level[top + 2] = level[top + 1] + more;
    }
    for (int v = top; v >= 0; v--) {
        const uint64_t above = v < top ? w >> level[v + 1] << level[v + 1] : 0;
        const uint32_t digits = (uint32_t)((w - above) >> level[v]);
        if (digits) steps[count++] = (opi_window_step){level[v], digits, above, v, 0, v < top, false, n - w + 1};
    }
    assert(count > 0);
    steps[count - 1].last = true;
    *arrays = top;
    return count;
}
