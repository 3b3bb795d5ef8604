#include "support/keys.h"

#include <string.h>

uint64_t odd_key(rng *r, const oplus_type *type, unsigned kind, size_t i, size_t n)
{
    const unsigned bits = 8 * (unsigned)type->size;
    const uint64_t any = rng_next(r);
    const double between = (double)(any >> 11) / 0x1p53 - 0.5; /* in [-0.5, 0.5) */
    const float narrow = (float)between;
    uint32_t word;
    uint64_t key = any;
    switch (kind) {
    case 0: /* many share the upper half */
        return rng_below(r, 10) ? UINT64_C(5) << (bits - 4) | (any & ((UINT64_C(1) << bits / 2) - 1)) : any;
    case 1: /* few are far from the others */
        return i == n / 3 || i == n - 1 ? ~any : any & 0xffff;
    case 2: /* of all sizes */
        return (bits == 32 ? any & UINT32_MAX : any) >> rng_below(r, bits);
    case 3: /* each bit is seldom set */
        return any & rng_next(r) & rng_next(r);
    case 4: /* floats that lie close together near zero */
        memcpy(&word, &narrow, sizeof word);
        memcpy(&key, &between, sizeof key);
        return bits == 32 ? word : key;
    case 5: /* two values */
        return any & 1 ? 16 : UINT64_MAX >> 1;
    case 6: /* all the same but one */
        return i == n / 2;
    case 7: /* in steps */
        return i / 100;
    case 8: /* small, of both signs */
        return (any & 0x3ff) - (any >> 60 ? 512 : 0x3ff00);
    default:
        return any;
    }
}
