#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <string.h>
#include <time.h>

#include <omp.h>
#include <oplus/oplus.h>

#include "data.h"

#ifdef __clang__
#define COMPILER "" /* its version says so itself */
#else
#define COMPILER "gcc "
#endif

static const char *const roles[] = {"limit", "oplus", "loop", "peer"};

static void processor(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    if (file) fclose(file);
}

void bench_print_machine(FILE *file, int argc, char **argv)
{
    char name[128], date[32];
    const time_t now = time(NULL);
    oplus_device *dev = NULL;
    processor(name, sizeof name);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    fprintf(file, "# %s", date);
    for (int i = 0; i < argc; i++) fprintf(file, " %s", i ? argv[i] : "bench");
    if (oplus_open("threads", &dev) != OPLUS_OK) dev = NULL;
    fprintf(file, "\n# %s, %d processors; oplus %s on %s; built by %s\n", name, omp_get_num_procs(), oplus_version(),
            dev ? oplus_device_name(dev) : "?", COMPILER __VERSION__);
    oplus_close(dev);
}

double bench_rate(const bench_results *results, const bench_result *result)
{
    return result ? results->bytes / result->median * 1e-9 : 0;
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
    fprintf(file, "%-10s %-6s %10s %2s | %7s | %7s %6s | %7s %6s | %7s %6s  %s\n", "primitive", "type", "n", "T",
            "limit", "oplus", "/limit", "loop", "/loop", "peer", "/peer",
            "best peer   (GB/s; ratios > 1: oplus is faster)");
}

void bench_print_case(FILE *file, const bench_problem *p, const bench_results *results, bool all)
{
    const bench_result *peer = bench_best(results, BENCH_PEER, BENCH_CLASS_ANY);
    const double limit = bench_rate(results, bench_best(results, BENCH_LIMIT, BENCH_CLASS_ANY));
    const double ours = bench_rate(results, bench_best(results, BENCH_OURS, BENCH_CLASS_ANY));
    const double loop = bench_rate(results, bench_best(results, BENCH_LOOP, BENCH_CLASS_ANY));
    fprintf(file, "%-10s %-6s %10zu %2d | %7.2f | %7.2f", bench_primitive_name(p->primitive), bench_type_name(p->type),
            p->n, p->threads, limit, ours);
    print_ratio(file, ours, limit);
    fprintf(file, " | %7.2f", loop);
    print_ratio(file, ours, loop);
    fprintf(file, " | %7.2f", bench_rate(results, peer));
    print_ratio(file, ours, bench_rate(results, peer));
    fprintf(file, "  %s\n", peer ? peer->contender->name : "-");
    for (size_t i = 0; all && i < results->count; i++) {
        const bench_result *r = &results->of[i];
        fprintf(file, "    %-5s %-36s %8.2f GB/s %14.0f ns%s%s\n", roles[r->contender->role], r->contender->name,
                bench_rate(results, r), r->median * 1e9, r->samples == 1 ? "  (one call)" : "",
                r->wrong ? "  WRONG RESULT" : "");
    }
    fflush(file);
}

void bench_csv_head(FILE *csv)
{
    fprintf(csv, "primitive,type,n,threads,role,contender,stable,right,samples,median_ns,best_ns,gb_per_s\n");
}

void bench_csv_case(FILE *csv, const bench_problem *p, const bench_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const bench_result *r = &results->of[i];
        const bench_contender *c = r->contender;
        fprintf(csv, "%s,%s,%zu,%d,%s,\"%s\",%d,%d,%d,%.1f,%.1f,%.4f\n", bench_primitive_name(p->primitive),
                bench_type_name(p->type), p->n, p->threads, roles[c->role], c->name, !(c->traits & BENCH_UNSTABLE),
                !r->wrong, r->samples, r->median * 1e9, r->best * 1e9, bench_rate(results, r));
    }
    fflush(csv);
}
