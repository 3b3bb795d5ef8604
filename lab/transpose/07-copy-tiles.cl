/* copy through tiles
 *
 * Changes: The tile is brought into shared memory, and taken out as it came in. The result is a copy.
 *
 * Why: It tells what the way through shared memory and its barrier cost by themselves: no column is read, and no banks
 * conflict. A transpose through such tiles can hope for this rate. */
#like 05-tiled-32.cl
#swap KERNEL transpose => KERNEL copy
#swap left + y + r < n && top + x < n => top + y + r < n && left + x < n
#swap out[(left + y + r) * n + top + x] = tile[x][y + r] => out[(top + y + r) * n + left + x] = tile[y + r][x]
