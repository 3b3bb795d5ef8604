/* Kernels whose counts are known by hand: see model.c. */

KERNEL coalesced(ARRAY(const uint, in), ARRAY(uint, out))
{
    out[GROUP * 64 + ITEM] = in[GROUP * 64 + ITEM];
}

KERNEL shifted(ARRAY(const uint, in), ARRAY(uint, out))
{
    out[ITEM] = in[ITEM + 1];
}

KERNEL apart(ARRAY(const uint, in), ARRAY(uint, out), const uint stride)
{
    out[ITEM] = in[ITEM * stride];
}

KERNEL wide(ARRAY(const uint4, in), ARRAY(uint4, out))
{
    out[ITEM] = in[ITEM];
}

KERNEL banks(ARRAY(uint, out), const uint stride)
{
    SHARED uint s[32 * 33];
    s[ITEM * stride] = ITEM;
    BARRIER();
    out[ITEM] = s[ITEM * stride];
}

KERNEL broadcast(ARRAY(uint, out), const uint of)
{
    SHARED uint s[64];
    s[ITEM] = 3 * ITEM;
    BARRIER();
    out[ITEM] = s[ITEM / of];
}

KERNEL wide_banks(ARRAY(uint4, out), const uint stride)
{
    SHARED uint4 s[32 * 8];
    uint4 x;
    x.x = x.y = x.z = x.w = ITEM;
    s[ITEM * stride] = x;
    BARRIER();
    out[ITEM] = s[ITEM * stride];
}

KERNEL updates(ARRAY(uint, out))
{
    out[ITEM] = ITEM;
    out[ITEM] += 1;
    out[ITEM]++;
}

/* Four bytes share a word, and a bank: no two words of a bank are wanted. */
KERNEL bytes(ARRAY(uint, out), const uint stride)
{
    SHARED uchar s[32 * 128];
    s[ITEM * stride] = ITEM;
    BARRIER();
    out[ITEM] = s[ITEM * stride];
}

/* A comparison is no store; a member is stored with its element. */
KERNEL members(ARRAY(const uint, in), ARRAY(uint4, out))
{
    out[ITEM].x = in[ITEM] == 9;
    out[ITEM].y += 1;
}

KERNEL odd_even(ARRAY(uint, out))
{
    if (ITEM % 2 == 0)
        out[ITEM] = 1;
    else
        out[ITEM] = 2;
    if (ITEM < 32)
        out[ITEM] += 1;
}

KERNEL rounds(ARRAY(uint, out))
{
    uint all = 0;
    for (uint i = 0; i < ITEM % 4; i++)
        all += 1;
    out[ITEM] = all;
}

KERNEL meets_again(ARRAY(const uint, in), ARRAY(uint, out))
{
    uint all = 0;
    for (uint i = 0; i < 4; i++) {
        if (ITEM % 4 == i)
            all += in[ITEM];
        all += in[ITEM + 32 * i];
    }
    out[ITEM] = all;
}

KERNEL nested(ARRAY(uint, out))
{
    uint all = 0;
    for (uint i = 0; i < 2 + ITEM / 16; i++)
        for (uint j = 0; j <= i; j++)
            all += 1;
    out[ITEM] = all;
}

KERNEL exchange(ARRAY(uint, out))
{
    uint x = ITEM;
    for (uint by = 1; by < WARP; by *= 2)
        x += SHUFFLE_DOWN(x, by) + SHUFFLE_UP(x, by);
    out[ITEM] = x;
}

KERNEL reversed(ARRAY(uint, out), const uint n)
{
    SHARED uint s[2][64];
    s[0][ITEM] = ITEM;
    BARRIER();
    s[1][63 - ITEM] = s[0][ITEM];
    WARP_SYNC();
    BARRIER();
    if (GROUP * 64 + ITEM < n)
        out[GROUP * 64 + ITEM] = s[1][ITEM] + GROUPS;
}
