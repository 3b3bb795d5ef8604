#include "report.h"

#include <string.h>

#include "data.h"

void bench_print_about(FILE *file, const bench_log *log)
{
    const bench_about *about = &log->about;
    fprintf(file, "# %s: %s\n", about->date, about->command);
    fprintf(file, "# %s, %d processors, load %.1f; oplus %s on %s\n", about->processor, about->processors, about->load,
            about->oplus, about->device);
    for (size_t i = 0; i < log->device_count; i++)
        fprintf(file, "# device %s; %s\n", log->device[i].name, log->device[i].driver);
    fprintf(file, "# limits, loops and operators: %s, for %s\n", about->built, about->isa);
    for (size_t i = 0; i < log->peer_count; i++)
        fprintf(file, "# peer %s: %s; %s\n", log->peer[i].title, log->peer[i].version, log->peer[i].built);
}

static void print_ratio(FILE *file, double ours, double other)
{
    if (other > 0)
        fprintf(file, " %6.2f", ours / other);
    else
        fprintf(file, " %6s", "-");
}

void bench_case_where(const bench_case *c, char *text, size_t size)
{
    if (c->device)
        snprintf(text, size, "%s%s", c->device, c->across ? ", host's arrays" : "");
    else
        snprintf(text, size, "%d thread%s", c->threads, c->threads == 1 ? "" : "s");
    const size_t length = strlen(text);
    if (*c->shape) snprintf(text + length, size - length, ", %s", c->shape);
}

void bench_print_head(FILE *file, bool devices)
{
    fprintf(file, devices ? "%-10s %-8s %10s %-14s" : "%-10s %-8s %10s %2s", "primitive", "type", "n",
            devices ? "where" : "T");
    fprintf(file, " | %7s | %7s %6s |", "limit", "oplus", "/limit");
    fprintf(file, devices ? " %10s %10s |" : " %7s %6s |", devices ? "us a call" : "loop",
            devices ? "waited for" : "/loop");
    fprintf(file, " %7s %6s  %s\n", "peer", "/peer", "best peer   (GB/s; ratios > 1: oplus is faster)");
}

static void print_all(FILE *file, const bench_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const bench_result *r = &c->of[i];
        fprintf(file, "    %-5s %-12s %-36s %8.2f GB/s %14.0f ns", bench_role_name(r->role), r->peer ? r->peer : "",
                r->name, bench_rate(c, r), r->median * 1e9);
        if (r->waited > 0) fprintf(file, ", waited for: %.0f ns", r->waited * 1e9);
        fprintf(file, "%s%s\n", r->samples == 1 ? "  (one call)" : "", r->right ? "" : "  WRONG RESULT");
    }
}

/* Prints the place of a case, in few letters. */
static void print_where(FILE *file, const bench_case *c, bool devices)
{
    char where[64];
    if (c->device)
        snprintf(where, sizeof where, "%s%s", c->device, c->across ? " host" : "");
    else
        snprintf(where, sizeof where, devices ? "threads:%d" : "%2d", c->threads);
    fprintf(file, devices ? " %-14s" : " %s", where);
}

/* Prints what our call costs, when calls follow one another and when each call is waited for. */
static void print_times(FILE *file, const bench_result *ours)
{
    const double times[] = {ours ? ours->median : 0, ours ? ours->waited : 0};
    fputs(" |", file);
    for (int i = 0; i < 2; i++)
        if (times[i] > 0)
            fprintf(file, " %10.2f", times[i] * 1e6);
        else
            fprintf(file, " %10s", "-");
}

void bench_print_case(FILE *file, const bench_case *c, bool all, bool devices)
{
    const bench_result *peer = bench_best(c, BENCH_PEER, BENCH_CLASS_ANY);
    const bench_result *best = bench_best(c, BENCH_OURS, BENCH_CLASS_ANY);
    const double limit = bench_limit(c), ours = bench_rate(c, best);
    const double loop = bench_rate(c, bench_best(c, BENCH_LOOP, BENCH_CLASS_ANY));
    fprintf(file, "%-10s %-8s %10zu", bench_primitive_name(c->primitive), bench_type_name(c->type), c->n);
    print_where(file, c, devices);
    fprintf(file, " | %7.2f | %7.2f", limit, ours);
    print_ratio(file, ours, limit);
    if (devices) {
        print_times(file, best);
    } else {
        fprintf(file, " | %7.2f", loop);
        print_ratio(file, ours, loop);
    }
    fprintf(file, " | %7.2f", bench_rate(c, peer));
    print_ratio(file, ours, bench_rate(c, peer));
    fprintf(file, "  %s%s%s\n", peer ? peer->name : "-", *c->shape ? "; " : "", c->shape);
    if (all) print_all(file, c);
    fflush(file);
}

/* Prints a field of CSV that may contain commas and quotes (RFC 4180). */
static void print_field(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

void bench_log_print_csv(FILE *file, const void *data)
{
    const bench_log *log = data;
    fprintf(file,
            "primitive,type,n,shape,threads,device,arrays,role,peer,contender,stable,right,samples,median_ns,best_ns,"
            "waited_ns,gb_per_s\n");
    for (size_t k = 0; k < log->count; k++)
        for (size_t i = 0; i < log->cases[k].count; i++) {
            const bench_case *c = &log->cases[k];
            const bench_result *r = &c->of[i];
            fprintf(file, "%s,%s,%zu,", bench_primitive_name(c->primitive), bench_type_name(c->type), c->n);
            print_field(file, c->shape);
            fprintf(file, ",%d,", c->threads);
            print_field(file, c->device ? c->device : "");
            fprintf(file, ",%s,%s,", c->device && !c->across ? "device" : "host", bench_role_name(r->role));
            print_field(file, r->peer ? r->peer : "");
            fputc(',', file);
            print_field(file, r->name);
            fprintf(file, ",%d,%d,%d,%.1f,%.1f,%.1f,%.4f\n", r->stable, r->right, r->samples, r->median * 1e9,
                    r->best * 1e9, r->waited * 1e9, bench_rate(c, r));
        }
}
