/* 16 bytes a work-item
 *
 * Changes: Four neighbouring words: the widest load that there is. Addresses have to be multiples of 16.
 *
 * Why: A quarter of the instructions, four times the bytes under way. The sectors are the same, in fewer requests. */
#like 05-words.cl
#swap uint, in => uint4, in
#swap uint, out => uint4, out
