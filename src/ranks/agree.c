/* How ranks agree: in each exchange every rank first says whether all is well on it. */
#include "ranks/ranks.h"

#include "base/abi.h"
#include "base/error.h"
#include "base/hash.h"
#include "type/layout.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_BYTES = 480, /* size of a message for the other ranks, in bytes */
    COUNTS = 4        /* numbers that an exchange needs for each rank: bytes and places, in both directions */
};

/* The beginning of a record. */
typedef struct header {
    uint32_t status, padding;
} header;

static size_t ranks_of(const opi_ranks *ranks) { return (size_t)ranks->comm->size; }

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static oplus_status check_comm(const char *call, const oplus_comm *comm)
{
    if (!comm)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: comm is NULL; make one with oplus_mpi_comm or oplus_run_ranks", call);
    OPI_TRY(opi_check_abi(call, "comm", comm->abi, "made by oplus_mpi_comm or oplus_run_ranks"));
    if (comm->size < 1 || comm->rank < 0 || comm->rank >= comm->size)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: comm has rank %d of size %d; ranks go from 0 to size - 1", call,
                        comm->rank, comm->size);
    if (!comm->allgather || !comm->alltoallv)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: comm->%s is NULL; a transport has both functions", call,
                        comm->allgather ? "alltoallv" : "allgather");
    return OPLUS_OK;
}

oplus_status opi_ranks_open(opi_ranks *ranks, oplus_device *dev, const oplus_comm *comm, const char *call)
{
    *ranks = (opi_ranks){.dev = dev, .comm = comm, .call = call};
    OPI_TRY(check_comm(call, comm));
    const size_t each = sizeof *ranks->note + COUNTS * sizeof *ranks->counts + TEXT_BYTES;
    if (dev && !dev->rank) dev->rank = calloc(1, sizeof *dev->rank);
    opi_buffer *const notes = !dev ? &ranks->alone : dev->rank ? &dev->rank->notes : NULL;
    if (!notes || !opi_buffer_reserve(notes, ranks_of(ranks) * each))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of messages of %d ranks", call,
                        ranks_of(ranks) * each, comm->size);
    ranks->note = notes->mem;
    ranks->counts = (size_t *)(ranks->note + ranks_of(ranks));
    ranks->text = (char *)(ranks->counts + COUNTS * ranks_of(ranks));
    return OPLUS_OK;
}

oplus_status opi_ranks_close(opi_ranks *ranks, oplus_status status)
{
    opi_ranks_take_back(ranks);
    opi_buffer_release(&ranks->alone);
    return status;
}

/* --- what is called ----------------------------------------------------------------------------------------------- */

static void mix_bytes(opi_ranks *ranks, const void *bytes, size_t size)
{
    const uint64_t before = ranks->mine.call;
    ranks->mine.call = (before << 7 | before >> 57) ^ opi_hash_bytes(bytes, size).low;
}

/* Adds a text, which may be NULL, to the hash of the call. */
static void mix(opi_ranks *ranks, const char *text) { mix_bytes(ranks, text, text ? strlen(text) : 0); }

static void mix_type(opi_ranks *ranks, const oplus_type *type)
{
    mix(ranks, type->name);
    mix(ranks, type->text);
    ranks->mine.call += type->size;
}

/* Adds the value of an operator's parameter to the hash, member by member, because padding may have any value.  (The
 * parameter of a predicate may differ: each rank filters its own elements.) */
static void mix_param(opi_ranks *ranks, const oplus_type *type, const void *param)
{
    oplus_member member[OPI_MAX_MEMBERS];
    if (!type) return;
    const int count = opi_layout(type, member, OPI_MAX_MEMBERS);
    mix_type(ranks, type);
    if (count < 0) mix_bytes(ranks, param, type->size);
    for (int i = 0; i < count; i++)
        mix_bytes(ranks, (const char *)param + member[i].offset, opi_scalars[member[i].scalar].size * member[i].count);
}

static void set_options(opi_ranks *ranks, const char *options)
{
    mix(ranks, ranks->call);
    mix(ranks, options);
    memcpy(ranks->options, options, (size_t)opi_cut(options, sizeof ranks->options - 1));
}

void opi_ranks_name_op(opi_ranks *ranks, const oplus_op *op, const char *options)
{
    ranks->op = op;
    set_options(ranks, options);
    mix(ranks, op->name);
    mix(ranks, op->text);
    mix(ranks, op->flags & OPLUS_EXACT ? "exact" : "rounded");
    mix_type(ranks, op->type);
    mix_param(ranks, op->param_type, op->param);
}

void opi_ranks_name_fn(opi_ranks *ranks, const oplus_fn *fn, const char *options)
{
    ranks->fn = fn;
    set_options(ranks, options);
    mix(ranks, fn->name);
    mix(ranks, fn->text);
    mix_type(ranks, fn->input[0]);
}

void opi_ranks_name_types(opi_ranks *ranks, const oplus_type *type, const oplus_type *value, const char *options)
{
    ranks->type = type;
    ranks->value = value;
    set_options(ranks, options);
    mix_type(ranks, type);
    if (value) mix_type(ranks, value);
}

void opi_ranks_name_keys(opi_ranks *ranks, const oplus_type *key, const oplus_fn *same)
{
    if (ranks->op) ranks->value = key;
    mix_type(ranks, key);
    mix(ranks, same ? same->name : NULL);
    mix(ranks, same ? same->text : NULL);
    if (same) mix_param(ranks, same->param_type, same->param);
}

/* The call in words. */
static void describe(const opi_ranks *ranks, char *text, size_t bytes)
{
    const oplus_type *const type = ranks->op ? ranks->op->type : ranks->fn ? ranks->fn->input[0] : ranks->type;
    const char *const name = ranks->op ? ranks->op->name : ranks->fn ? ranks->fn->name : NULL;
    char value[80] = "";
    if (!type) {
        snprintf(text, bytes, "%s", ranks->call);
        return;
    }
    if (ranks->value)
        snprintf(value, sizeof value, " with %.40s (%zu bytes)", ranks->value->name ? ranks->value->name : "?",
                 ranks->value->size);
    snprintf(text, bytes, "%s of %s%.60s%s%.60s (%zu bytes)%s%s%s", ranks->call, name ? "\"" : "", name ? name : "",
             name ? "\" on " : "", type->name ? type->name : "?", type->size, value, *ranks->options ? ", " : "",
             ranks->options);
}

/* --- failing together --------------------------------------------------------------------------------------------- */

/* Returns a rank's message without the name of the call: our own message begins with that name. */
static const char *without_call(const opi_ranks *ranks, const char *text)
{
    const size_t length = strlen(ranks->call);
    return strncmp(text, ranks->call, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

/* Every rank knows that some rank has failed, or makes another call.  Each rank learns why. */
static oplus_status fail_together(opi_ranks *ranks, oplus_status own, int failed, oplus_status status)
{
    char text[TEXT_BYTES] = "";
    if (own == OPLUS_OK)
        describe(ranks, text, sizeof text);
    else
        memcpy(text, opi_last_error(), (size_t)opi_cut(opi_last_error(), TEXT_BYTES - 1));
    OPI_TRY(ranks->comm->allgather(ranks->comm->context, text, TEXT_BYTES, ranks->text));
    if (own != OPLUS_OK) return own;
    const char *const theirs = ranks->text + (size_t)failed * TEXT_BYTES;
    if (status != OPLUS_OK)
        return opi_fail(status, "%s: on rank %d of %d: %s", ranks->call, failed, ranks->comm->size,
                        without_call(ranks, theirs));
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: rank 0 calls %s, but rank %d %s; all ranks must make the same call",
                    ranks->call, ranks->text, failed, theirs);
}

/* --- exchanges ---------------------------------------------------------------------------------------------------- */

/* The size of a note as it is sent, in bytes. */
static size_t note_bytes(const opi_ranks *ranks)
{
    return ranks->comm->size <= OPI_EARLY_RANKS ? sizeof(opi_note) : offsetof(opi_note, record);
}

static oplus_status exchange_notes(opi_ranks *ranks)
{
    const size_t bytes = note_bytes(ranks);
    unsigned char *const all = (unsigned char *)ranks->note;
    OPI_TRY(ranks->comm->allgather(ranks->comm->context, &ranks->mine, bytes, all));
    for (size_t q = ranks_of(ranks); bytes < sizeof(opi_note) && q-- > 0;)
        memmove(all + q * sizeof(opi_note), all + q * bytes, bytes);
    return OPLUS_OK;
}

oplus_status opi_ranks_index(opi_ranks *ranks, oplus_status status, uint64_t n, uint64_t m, uint32_t flag)
{
    ranks->mine.status = (uint32_t)status;
    ranks->mine.flag |= flag;
    if (ranks->dev && !ranks->dev->machine->is_host) ranks->mine.flag |= OPI_NOTE_ACCELERATOR;
    ranks->mine.n = n;
    ranks->mine.m = m;
    OPI_TRY(exchange_notes(ranks));
    const int size = ranks->comm->size;
    for (int q = 0; q < size; q++)
        if (ranks->note[q].status != OPLUS_OK)
            return fail_together(ranks, status, q, (oplus_status)ranks->note[q].status);
    for (int q = 0; q < size; q++)
        if (ranks->note[q].call != ranks->note[0].call) return fail_together(ranks, OPLUS_OK, q, OPLUS_OK);

    ranks->total = 0;
    for (int q = 0; q < size; q++) {
        if (q == ranks->comm->rank) ranks->first = ranks->total;
        if (ranks->note[q].n > (uint64_t)INT64_MAX - ranks->total)
            return opi_fail(OPLUS_ERR_ARGUMENT, "%s: the ranks have 2^63 elements or more together; give fewer",
                            ranks->call);
        ranks->total += ranks->note[q].n;
    }
    return OPLUS_OK;
}

oplus_status opi_ranks_room(opi_ranks *ranks, size_t bytes)
{
    const size_t each = opi_round_up(sizeof(header) + bytes, sizeof(uint64_t));
    if (bytes < (size_t)PTRDIFF_MAX / (ranks_of(ranks) + 2) &&
        opi_buffer_reserve(&ranks->dev->rank->records, (ranks_of(ranks) + 1) * each))
        return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for records of %zu bytes from %d ranks", ranks->call, bytes,
                    ranks->comm->size);
}

const void *opi_ranks_record(const opi_ranks *ranks, int rank, size_t bytes)
{
    const size_t each = opi_round_up(sizeof(header) + bytes, sizeof(uint64_t));
    return (const unsigned char *)ranks->dev->rank->records.mem + ((size_t)rank + 1) * each + sizeof(header);
}

static oplus_status gather(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes, unsigned char *own,
                           unsigned char *all)
{
    const size_t each = opi_round_up(sizeof(header) + bytes, sizeof(uint64_t));
    const header head = {.status = (uint32_t)status};
    memset(own, 0, each);
    memcpy(own, &head, sizeof head);
    if (bytes > 0 && status == OPLUS_OK) memcpy(own + sizeof head, record, bytes);
    OPI_TRY(ranks->comm->allgather(ranks->comm->context, own, each, all));
    for (int q = 0; q < ranks->comm->size; q++) {
        header theirs;
        memcpy(&theirs, all + (size_t)q * each, sizeof theirs);
        if (theirs.status != OPLUS_OK) return fail_together(ranks, status, q, (oplus_status)theirs.status);
    }
    return OPLUS_OK;
}

oplus_status opi_ranks_gather(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes)
{
    const size_t each = opi_round_up(sizeof(header) + bytes, sizeof(uint64_t));
    unsigned char *const own = ranks->dev->rank->records.mem;
    return gather(ranks, status, record, bytes, own, own + each);
}

/* Uses the room for messages: there are none while all is well. */
oplus_status opi_ranks_tell(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes, const void **all)
{
    unsigned char own[sizeof(header) + OPI_TELL_BYTES];
    const size_t each = opi_round_up(sizeof(header) + bytes, sizeof(uint64_t));
    assert(bytes <= OPI_TELL_BYTES && each <= TEXT_BYTES);
    OPI_TRY(gather(ranks, status, record, bytes, own, (unsigned char *)ranks->text));
    for (size_t q = 0; q < ranks_of(ranks); q++)
        memmove(ranks->text + q * bytes, ranks->text + q * each + sizeof(header), bytes);
    *all = ranks->text;
    return OPLUS_OK;
}

oplus_status opi_ranks_most(opi_ranks *ranks, oplus_status status, uint64_t value, uint64_t *most)
{
    const void *all;
    OPI_TRY(opi_ranks_tell(ranks, status, &value, sizeof value, &all));
    *most = 0;
    for (size_t q = 0; q < ranks_of(ranks); q++)
        if (((const uint64_t *)all)[q] > *most) *most = ((const uint64_t *)all)[q];
    return OPLUS_OK;
}

oplus_status opi_ranks_agree(opi_ranks *ranks, oplus_status status)
{
    unsigned char own[sizeof(header)];
    return gather(ranks, status, NULL, 0, own, (unsigned char *)ranks->text);
}

/* The first rank whose note has this flag; -1: none has. */
static int first_with(const opi_ranks *ranks, uint32_t flag)
{
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].flag & flag) return q;
    return -1;
}

bool opi_ranks_any(const opi_ranks *ranks, uint32_t flag) { return first_with(ranks, flag) >= 0; }

oplus_status opi_ranks_wanted(const opi_ranks *ranks, unsigned k, const char *output, bool *wanted)
{
    const int yes = first_with(ranks, (uint32_t)OPI_NOTE_WANTED << 2 * k);
    const int no = first_with(ranks, (uint32_t)OPI_NOTE_UNWANTED << 2 * k);
    *wanted = yes >= 0;
    if (yes < 0 || no < 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s is NULL on rank %d, but not on rank %d; give memory on all ranks, or NULL on all",
                    ranks->call, output, no, yes);
}

oplus_status opi_ranks_agree_at_end(opi_ranks *ranks, oplus_status status)
{
    return opi_ranks_any(ranks, OPI_NOTE_ACCELERATOR) ? opi_ranks_agree(ranks, status) : status;
}
