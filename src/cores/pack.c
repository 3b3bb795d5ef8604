/* Pack on cores: piece by piece, member by member. */
#include "cores/pack.h"

#include "base/memory.h"

enum {
    PIECE = 512, /* elements at a time: their numbers stay in a first-level cache */
    BLOCK_BYTES = 256 << 10
};

/* Puts a member of n elements, which may lie anywhere, behind those before; it must not have all 64 bits if there are any. */
#define ADD(bits)                                                                                                      \
    static void add_##bits(const opi_packed *m, const char *in, size_t stride, size_t n, uint64_t *key)                \
    {                                                                                                                  \
        const uint##bits##_t negative = (uint##bits##_t)m->negative, flip = (uint##bits##_t)m->flip;                   \
        for (size_t i = 0; i < n; i++) {                                                                               \
            uint##bits##_t x;                                                                                          \
            memcpy(&x, in + i * stride, sizeof x);                                                                     \
            x = (uint##bits##_t)(x ^ (x >> (bits - 1) ? negative : 0) ^ flip);                                         \
            key[i] = key[i] << (bits & 63) | x;                                                                        \
        }                                                                                                              \
    }
ADD(8)
ADD(16)
ADD(32)
ADD(64)

#define WRITE(T)                                                                                                       \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        const T x = (T)key[i];                                                                                         \
        memcpy(out + i * sizeof x, &x, sizeof x);                                                                      \
    }

static void write_keys(const uint64_t *key, size_t n, size_t size, char *out)
{
    switch (size) {
    case 1:
        WRITE(uint8_t)
        break;
    case 2:
        WRITE(uint16_t)
        break;
    case 4:
        WRITE(uint32_t)
        break;
    default:
        WRITE(uint64_t)
    }
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_pack_sweep *const p = (const opi_pack_sweep *)sweep;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t i = begin, n; i < end; i += n) {
        uint64_t key[PIECE] = {0};
        n = opi_smaller(PIECE, end - i);
        for (size_t k = 0; k < p->count; k++) {
            const opi_packed *const m = &p->member[k];
            const char *const in = p->in + i * p->size + m->at;
            (m->bits == 8 ? add_8 : m->bits == 16 ? add_16 : m->bits == 32 ? add_32 : add_64)(m, in, p->size, n, key);
        }
        write_keys(key, n, p->key_size, p->out + i * p->key_size);
    }
}

void opi_pack_plan(opi_pack_sweep *plan, const opi_task *task)
{
    const size_t size = task->array[OPI_IN].size, key_size = task->array[OPI_PACKED_OUT].size;
    opi_sweep_clear(&plan->sweep);
    plan->member = task->pack.member;
    plan->count = task->pack.count;
    plan->size = size;
    plan->key_size = key_size;
    plan->in = task->array[OPI_IN].mem;
    plan->out = (char *)task->array[OPI_PACKED_OUT].mem;
    plan->sweep.n = task->n;
    plan->sweep.block = opi_larger(opi_elements_in(BLOCK_BYTES, size + key_size), OPI_CACHE_LINE);
    plan->sweep.bytes = task->n * (size + key_size);
    plan->sweep.apply = apply;
}
