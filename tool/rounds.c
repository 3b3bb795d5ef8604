/* rounds: a window of text is cut at line ends, its blocks are read side by side, and their elements are moved
 * together. */
#define _GNU_SOURCE /* memrchr */
#include "rounds.h"

#include "die.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum {
    TEXT_BYTES = 1 << 20,  /* the longest number, and the longest struct */
    BLOCK_BYTES = 1 << 18, /* what a thread takes at once: enough to be worth it, and fits a cache */
    LEAST_BYTES = 1 << 15, /* fewer are not worth another thread */
    BLOCKS_A_THREAD = 8,   /* so that others can help a thread that is late */
    MOST_BLOCKS = 64,      /* limits memory if there are many threads */
    ALIGN = 64
};

typedef struct block {
    const char *at, *end, *stop; /* stop: where its reader stopped */
    size_t first, n;             /* its place in the room for elements; how many there are */
    text_reader reader;
} block;

struct tool_rounds {
    tool_bytes *bytes;
    text_reader reader; /* for all that was read */
    size_t window;      /* bytes of a round */
    const char *map;    /* of a regular file, or NULL: */
    char *text;         /* `window` bytes */
    size_t at, end;     /* the part of either that was not read yet */
    bool last;          /* no more follows */
    bool begun;
    block *blocks; /* `count` of a round */
    size_t count;
    size_t room; /* elements that fit into the next two: */
    unsigned char *elements;
    text_span *spans;
    bool keep_spans;
};

/* --- the window --------------------------------------------------------------------------------------------------- */

static size_t blocks_of_round(void)
{
    const size_t blocks = (size_t)tool_threads() * BLOCKS_A_THREAD;
    return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

tool_rounds *tool_rounds_open(tool_bytes *bytes, const text_reader *reader)
{
    tool_rounds *const rounds = tool_alloc(sizeof *rounds);
    const size_t blocks = blocks_of_round();
    *rounds = (tool_rounds){.bytes = bytes, .reader = *reader, .window = blocks * BLOCK_BYTES};
    rounds->map = (const char *)tool_bytes_map(bytes);
    if (!rounds->map) rounds->text = tool_alloc(rounds->window);
    rounds->blocks = tool_alloc(blocks * sizeof *rounds->blocks);
    return rounds;
}

void tool_rounds_close(tool_rounds *rounds)
{
    if (!rounds) return;
    free(rounds->text);
    free(rounds->blocks);
    free(rounds->elements);
    free(rounds->spans);
    free(rounds);
}

void tool_rounds_keep_spans(tool_rounds *rounds) { rounds->keep_spans = true; }

const text_reader *tool_rounds_reader(const tool_rounds *rounds) { return &rounds->reader; }

/* The next part of a file; or, of a pipe, moves what is left to the front and fills up behind it. */
static const char *fill_window(tool_rounds *rounds)
{
    if (rounds->map) {
        const size_t left = (size_t)rounds->bytes->total - rounds->at;
        tool_bytes_map_done(rounds->bytes, rounds->at);
        rounds->last = left <= rounds->window;
        rounds->end = rounds->at + (rounds->last ? left : rounds->window);
        return rounds->map;
    }
    const size_t left = rounds->end - rounds->at;
    memmove(rounds->text, rounds->text + rounds->at, left);
    rounds->at = 0;
    rounds->end = left + tool_bytes_read(rounds->bytes, rounds->text + left, rounds->window - left);
    rounds->last = rounds->end < rounds->window;
    return rounds->text;
}

static const char *skip_mark(const char *at, const char *end)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */
    return end - at >= 3 && memcmp(at, mark, 3) == 0 ? at + 3 : at;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Cuts [at, end) behind line ends; all blocks but the last one end so.  Returns their number. */
static size_t cut(tool_rounds *rounds, const char *at, const char *end)
{
    const size_t most = blocks_of_round(), worth = (size_t)(end - at) / LEAST_BYTES + 1;
    const size_t blocks = tool_threads() == 1 ? 1 : worth < most ? worth : most;
    size_t n = 0;
    for (size_t i = 1; i <= blocks && at < end; i++) {
        const size_t left = (size_t)(end - at), share = left / (blocks - i + 1);
        const char *const line_end = i < blocks && share > 0 ? memchr(at + share - 1, '\n', left - share + 1) : NULL;
        rounds->blocks[n++] = (block){.at = at, .end = line_end ? line_end + 1 : end};
        at = rounds->blocks[n - 1].end;
    }
    return n;
}

static void give_room(tool_rounds *rounds, size_t blocks)
{
    const size_t size = rounds->reader.layout.size;
    size_t room = 0;
    for (size_t i = 0; i < blocks; i++) {
        block *const b = &rounds->blocks[i];
        b->first = room;
        room += text_most(&rounds->reader, (size_t)(b->end - b->at));
    }
    if (room <= rounds->room) return;
    free(rounds->elements);
    rounds->room = room;
    rounds->elements = aligned_alloc(ALIGN, (room * size + ALIGN - 1) / ALIGN * ALIGN);
    if (!rounds->elements) tool_die(TOOL_FAILED, "out of memory: no %zu bytes to be had", room * size);
    if (!rounds->keep_spans) return;
    free(rounds->spans);
    rounds->spans = tool_alloc(room * sizeof *rounds->spans);
}

static void read_block(const tool_rounds *rounds, block *b, text_reader *reader, bool last)
{
    const size_t most = text_most(reader, (size_t)(b->end - b->at));
    text_span *const spans = rounds->keep_spans ? rounds->spans + b->first : NULL;
    b->stop =
        text_read(reader, b->at, b->end, last, rounds->elements + b->first * reader->layout.size, most, &b->n, spans);
}

/* Block i of the round; the first one goes on where the last round ended. */
static void read_one(void *of, size_t i)
{
    tool_rounds *const rounds = of;
    block *const b = &rounds->blocks[i];
    if (i == 0)
        b->reader = rounds->reader;
    else
        text_reader_fork(&rounds->reader, &b->reader);
    read_block(rounds, b, &b->reader, rounds->last && i == rounds->count - 1);
}

/* Learns what a block's reader has seen; an error is found again by a reader that counts lines from the start. */
static void learn(tool_rounds *rounds, block *b, bool first, bool last)
{
    if (first && !b->reader.error[0])
        rounds->reader = b->reader;
    else if (!b->reader.error[0])
        text_reader_join(&rounds->reader, &b->reader);
    else
        read_block(rounds, b, &rounds->reader, last);
    if (rounds->reader.error[0]) tool_die(TOOL_FAILED, "%s: %s", rounds->bytes->name, rounds->reader.error);
}

/* Returns how many elements there are, side by side. */
static size_t gather(tool_rounds *rounds, size_t blocks)
{
    const size_t size = rounds->reader.layout.size;
    size_t n = 0;
    for (size_t i = 0; i < blocks; i++) {
        block *const b = &rounds->blocks[i];
        learn(rounds, b, i == 0, rounds->last && i == blocks - 1);
        memmove(rounds->elements + n * size, rounds->elements + b->first * size, b->n * size);
        if (rounds->keep_spans) memmove(rounds->spans + n, rounds->spans + b->first, b->n * sizeof *rounds->spans);
        n += b->n;
    }
    return n;
}

/* --- a round ------------------------------------------------------------------------------------------------------ */

size_t tool_rounds_next(tool_rounds *rounds, const void **elements, const text_span **spans)
{
    for (size_t n = 0;;) {
        if (rounds->last && rounds->at == rounds->end) return 0;
        const char *const text = fill_window(rounds), *const end = text + rounds->end, *at = text + rounds->at;
        if (!rounds->begun) at = skip_mark(at, end);
        rounds->begun = true;
        const char *const line_end = rounds->last ? NULL : memrchr(at, '\n', (size_t)(end - at));
        const size_t blocks = cut(rounds, at, line_end ? line_end + 1 : end);
        give_room(rounds, blocks);
        rounds->count = blocks;
        tool_threads_run(read_one, rounds, blocks);
        n = gather(rounds, blocks);
        const char *const stop = blocks ? rounds->blocks[blocks - 1].stop : end;
        if (n == 0 && stop == at && !rounds->last && end - at >= TEXT_BYTES)
            tool_die(TOOL_FAILED, "%s: line %llu: a number, or an element, of more than %d letters",
                     rounds->bytes->name, (unsigned long long)rounds->reader.line, TEXT_BYTES);
        rounds->at = rounds->last ? rounds->end : (size_t)(stop - text);
        *elements = rounds->elements;
        *spans = rounds->spans;
        if (n > 0) return n;
    }
}
