/* padding against bank conflicts
 *
 * Changes: Element i stands at PADDED(i), i + i / 32: one word is left free after every 32.
 *
 * Why: Words whose distance is a power of two seldom fall into the same bank. It costs a few words, and a division by a
 * power of two for each access, which is a shift. Still slow: the rounds are as many as before, with a barrier each,
 * and most items idle in most of them. */
#like 02-work-efficient.cl
#swap sum[2 * ITEMS] => sum[PADDED(2 * ITEMS)]
#swap sum[self] => sum[PADDED(self)]
#swap sum[self + ITEMS] => sum[PADDED(self + ITEMS)]
#swap sum[right] => sum[PADDED(right)]
#swap sum[right - stride] => sum[PADDED(right - stride)]
#swap sum[left] => sum[PADDED(left)]
#swap sum[left + stride] => sum[PADDED(left + stride)]
#swap sum[2 * ITEMS - 1] => sum[PADDED(2 * ITEMS - 1)]
