#include "report.h"

#include "data.h"

void bench_print_about(FILE *file, const bench_log *log)
{
    const bench_about *about = &log->about;
    fprintf(file, "# %s: %s\n", about->date, about->command);
    fprintf(file, "# %s, %d processors, load %.1f; oplus %s on %s\n", about->processor, about->processors, about->load,
            about->oplus, about->device);
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

void bench_print_head(FILE *file)
{
    fprintf(file, "%-10s %-8s %10s %2s | %7s | %7s %6s | %7s %6s | %7s %6s  %s\n", "primitive", "type", "n", "T",
            "limit", "oplus", "/limit", "loop", "/loop", "peer", "/peer",
            "best peer   (GB/s; ratios > 1: oplus is faster)");
}

static void print_all(FILE *file, const bench_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const bench_result *r = &c->of[i];
        fprintf(file, "    %-5s %-12s %-36s %8.2f GB/s %14.0f ns%s%s\n", bench_role_name(r->role),
                r->peer ? r->peer : "", r->name, bench_rate(c, r), r->median * 1e9,
                r->samples == 1 ? "  (one call)" : "", r->right ? "" : "  WRONG RESULT");
    }
}

void bench_print_case(FILE *file, const bench_case *c, bool all)
{
    const bench_result *peer = bench_best(c, BENCH_PEER, BENCH_CLASS_ANY);
    const double limit = bench_rate(c, bench_best(c, BENCH_LIMIT, BENCH_CLASS_ANY));
    const double ours = bench_rate(c, bench_best(c, BENCH_OURS, BENCH_CLASS_ANY));
    const double loop = bench_rate(c, bench_best(c, BENCH_LOOP, BENCH_CLASS_ANY));
    fprintf(file, "%-10s %-8s %10zu %2d | %7.2f | %7.2f", bench_primitive_name(c->primitive), bench_type_name(c->type),
            c->n, c->threads, limit, ours);
    print_ratio(file, ours, limit);
    fprintf(file, " | %7.2f", loop);
    print_ratio(file, ours, loop);
    fprintf(file, " | %7.2f", bench_rate(c, peer));
    print_ratio(file, ours, bench_rate(c, peer));
    fprintf(file, "  %s\n", peer ? peer->name : "-");
    if (all) print_all(file, c);
    fflush(file);
}

/* A field that may have commas and quotes in it (RFC 4180). */
static void print_field(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

void bench_log_print_csv(FILE *file, const void *data)
{
    const bench_log *log = data;
    fprintf(file, "primitive,type,n,threads,role,peer,contender,stable,right,samples,median_ns,best_ns,gb_per_s\n");
    for (size_t k = 0; k < log->count; k++)
        for (size_t i = 0; i < log->cases[k].count; i++) {
            const bench_case *c = &log->cases[k];
            const bench_result *r = &c->of[i];
            fprintf(file, "%s,%s,%zu,%d,%s,", bench_primitive_name(c->primitive), bench_type_name(c->type), c->n,
                    c->threads, bench_role_name(r->role));
            print_field(file, r->peer ? r->peer : "");
            fputc(',', file);
            print_field(file, r->name);
            fprintf(file, ",%d,%d,%d,%.1f,%.1f,%.4f\n", r->stable, r->right, r->samples, r->median * 1e9, r->best * 1e9,
                    bench_rate(c, r));
        }
}
