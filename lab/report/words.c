/* What the words of the page mean: a reader needs nothing else to read a kernel or a ladder. */
#include <stddef.h>

#include "section.h"

typedef struct word {
    const char *name, *means; /* both are HTML */
} word;

#define CODE(name) "<code>" name "</code>"

static const word device[] = {
    {"work-item, thread",
     "runs the text of a kernel once, with variables of its own. OpenCL says work-item, CUDA thread."},
    {"work-group, block",
     "work-items that run on the same multiprocessor, share memory there and can wait for each other. OpenCL says "
     "work-group, CUDA block."},
    {"multiprocessor, core", "what work-groups run on, several of them at a time. OpenCL calls it a compute unit."},
    {"warp, lane", "32 work-items of a work-group, numbered one after another, that a GPU moves as one; a lane is a "
                   "work-item's place in its warp, 0 to 31."},
    {"global memory", "the device's own. It is moved in sectors of 32 bytes."},
    {"shared memory",
     "of a work-group alone, in its multiprocessor; OpenCL calls it local memory. It lies in 32 banks, word after word "
     "of 4 bytes, and a bank gives one word at once."},
    {"launch", "one start of a kernel, with all its work-groups. Here they run one after another."},
    {"ladder, rung", "kernels that compute the same, in an order; each, a rung, has one thing changed."},
    {NULL, NULL},
};

static const word kernel[] = {
    {CODE("KERNEL"), "what follows can be launched."},
    {CODE("ARRAY(T, a)"), "a parameter: an array of <code>T</code> in global memory."},
    {CODE("CONSTANT(T, a)"),
     "a parameter: an array in constant memory; <code>CONSTANT_TABLE</code>: such an array with its values."},
    {CODE("SHARED"), "what is declared lies in shared memory, once for each work-group."},
    {CODE("ITEM"), "the work-item&#39;s number in its work-group, from 0 to <code>ITEMS</code> - 1."},
    {CODE("GROUP"), "the work-group&#39;s number, from 0 to <code>GROUPS</code> - 1."},
    {CODE("BARRIER()"),
     "waits for the whole work-group: what was written to shared memory before is seen by all behind it."},
    {CODE("WARP"), "32, the work-items of a warp."},
    {CODE("FIRST_WARP(i)"),
     "if <code>i</code> is below <code>WARP</code>. OpenCL 1.2 knows no warps: there all come in."},
    {CODE("WARP_SYNC()"), "waits for the lanes of the warp; in OpenCL 1.2 for the work-group."},
    {CODE("SHUFFLE_DOWN(x, d)"), "the <code>x</code> of the lane that is <code>d</code> places further; "
                                 "<code>SHUFFLE_UP</code>: <code>d</code> places before. In CUDA alone."},
    {CODE("UNROLLED"), "the loop is to be written out, turn by turn; <code>ROLLED</code>: it is not to be."},
    {CODE("uint, uint4"), "a word of 32 bits without a sign; four of them, 16 bytes, that are moved at once."},
    {CODE("ITEMS, TILE, ..."), "all other names in capitals are numbers that the host chose, such as sizes."},
    {NULL, NULL},
};

static const word column[] = {
    {"ms, GB/s",
     "of one run with all its launches: the median of several batches. Bytes are those of the problem (4 an element "
     "for a sum of 32-bit integers, 8 for their scan), not those that a kernel moves."},
    {"× rung before", "how many times as fast as the rung above, or as the one that is named."},
    {"× first rung", "the same of the first. Compare within one run only."},
    {"% of copy",
     "of the limit above the table, which is the faster of two copies in the device&#39;s memory; bytes read and bytes "
     "written count. What only reads may come out above 100."},
    {"launches", "how many a run has."},
    {"right", "whether the result is that of a sequential computation on the host, bit for bit."},
    {"lectures", "the figures that lectures showed of the devices of their time."},
    {"counted by", "the device itself (hardware), or a model of a GPU on the host that replays the kernel."},
    {"divergent branches", "at which the lanes of a warp part: it then goes both ways, one after the other."},
    {"bank conflicts", "extra passes of accesses to shared memory, because lanes of a warp met in a bank."},
    {"active warps", "resident warps, summed over cycles and multiprocessors: how long how many were there."},
    {"warps launched", "of all work-groups of all launches."},
    {"requests", "loads and stores of global memory, each one of a whole warp."},
    {"sectors, per request",
     "of 32 bytes, that requests touch. For each request at least 4 where a lane takes 4 bytes, and 16 where it takes "
     "16."},
    {"bytes", "read from and written to the device&#39;s memory, behind its caches."},
    {"occupancy", "resident warps, in percent of as many as there could be."},
    {NULL, NULL},
};

static void write_list(FILE *to, const char *title, const word *words)
{
    fprintf(to, "<h3>%s</h3>\n<dl>\n", title);
    for (; words->name; words++) fprintf(to, "<div><dt>%s</dt><dd>%s</dd></div>\n", words->name, words->means);
    fputs("</dl>\n", to);
}

void report_vocabulary(FILE *to)
{
    fputs("<section class=\"experiment words\" id=\"words\" aria-labelledby=\"words-t\">\n<h2 "
          "id=\"words-t\">Words</h2>\n",
          to);
    write_list(to, "What there is", device);
    write_list(to, "In a kernel", kernel);
    fputs(
        "<p class=\"small\">The same text is OpenCL C and CUDA C++: two short headers, in lab/dialect, say what these "
        "words are in each.</p>\n",
        to);
    write_list(to, "In the tables of a ladder", column);
    fputs("</section>\n", to);
}
