/* 8 bytes a work-item
 *
 * Changes: Each work-item copies two neighbouring words by one load and one store; there are half as many work-items.
 *
 * Why: A load waits as long for 8 bytes as for 4. Half of the instructions and of the work-items ask for the same
 * bytes, and those that are resident have twice as many under way. */
#like 05-words.cl
#swap uint, in => uint2, in
#swap uint, out => uint2, out
