#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data.h"
#include "die.h"
#include "file.h"
#include "replace.h"
#include "report.h"

/* --- lines: who, and how they look ---------------------------------------------------------------------------- */

/* Colours that colour-blind readers can tell apart, most of them from the palette of Okabe and Ito. */
static const struct {
    const char *title; /* a peer's */
    bench_role role;
    const char *style; /* gnuplot's */
} lines[] = {
    {"limit", BENCH_LIMIT, "lc rgb '#000000' lw 2 dt (8,6) pt 0"},
    {"plain loop", BENCH_LOOP, "lc rgb '#999999' lw 2 pt 1 ps 0.5"},
    {"OpenMP", BENCH_PEER, "lc rgb '#0072B2' lw 2 pt 2 ps 0.6"},
    {"GNU parallel", BENCH_PEER, "lc rgb '#56B4E9' lw 2 pt 4 ps 0.6"},
    {"libstdc++", BENCH_PEER, "lc rgb '#009E73' lw 2 pt 6 ps 0.6"},
    {"oneTBB", BENCH_PEER, "lc rgb '#CC79A7' lw 2 pt 8 ps 0.6"},
    {"vqsort", BENCH_PEER, "lc rgb '#E69F00' lw 2 pt 10 ps 0.6"},
    {"Boost.Sort", BENCH_PEER, "lc rgb '#8C564B' lw 2 pt 12 ps 0.6"},
    {"Thrust", BENCH_PEER, "lc rgb '#999933' lw 2 pt 3 ps 0.6"},
    {"OpenBLAS", BENCH_PEER, "lc rgb '#44AA99' lw 2 pt 5 ps 0.6"},
    {"NumPy", BENCH_PEER, "lc rgb '#332288' lw 2 pt 9 ps 0.6"},
    {"CUB", BENCH_PEER, "lc rgb '#0072B2' lw 2 pt 2 ps 0.6"}, /* never beside OpenMP */
    {"other peers", BENCH_PEER, "lc rgb '#BBBBBB' lw 2 pt 11 ps 0.6"},
    {"oplus", BENCH_OURS, "lc rgb '#D55E00' lw 4.5 pt 7 ps 0.8"}, /* the last: above all others */
};
enum { LINES = sizeof lines / sizeof *lines, OTHER = LINES - 2 };

static size_t line_of(const bench_result *r)
{
    size_t i = 0;
    while (i < OTHER && (r->role != lines[i].role || (r->peer && strcmp(r->peer, lines[i].title) != 0))) i++;
    return r->role == BENCH_OURS ? LINES - 1 : i;
}

/* The fastest right contender of a line; NULL if there is none. */
static const bench_result *best_of_line(const bench_case *c, size_t line)
{
    const bench_result *best = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const bench_result *r = &c->of[i];
        if (r->right && line_of(r) == line && (!best || r->median < best->median)) best = r;
    }
    return best;
}

/* --- panels: the cases of one primitive, type and place ----------------------------------------------------------- */

typedef struct panel {
    const bench_case *first; /* represents all */
    size_t least, most;      /* n */
    bool line[LINES];        /* which there are */
} panel;

typedef struct picture {
    const bench_log *log;
    size_t count;
    panel *panels;
    bool line[LINES]; /* in any panel */
    const char *data, *output;
} picture;

static bool same_panel(const bench_case *a, const bench_case *b)
{
    const bool both = a->device && b->device ? strcmp(a->device, b->device) == 0 : !a->device && !b->device;
    return both && a->primitive == b->primitive && a->type == b->type && a->threads == b->threads &&
           a->across == b->across && strcmp(a->shape, b->shape) == 0;
}

static void find_panels(picture *pic)
{
    for (size_t i = 0; i < pic->log->count; i++) {
        const bench_case *c = &pic->log->cases[i];
        size_t p = 0;
        while (p < pic->count && !same_panel(pic->panels[p].first, c)) p++;
        if (p == pic->count) {
            pic->panels = tool_realloc(pic->panels, ++pic->count * sizeof *pic->panels);
            pic->panels[p] = (panel){.first = c, .least = c->n, .most = c->n};
        }
        if (c->n < pic->panels[p].least) pic->panels[p].least = c->n;
        if (c->n > pic->panels[p].most) pic->panels[p].most = c->n;
        for (size_t l = 0; l < LINES; l++)
            if (best_of_line(c, l)) pic->panels[p].line[l] = pic->line[l] = true;
    }
}

/* --- the data: a block for each line of each panel ---------------------------------------------------------------- */

/* Prints "text" for gnuplot's data, in which a double quote cannot be written. */
static void print_column(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) fputc(*text == '"' ? '\'' : *text, file);
    fputc('"', file);
}

static void print_data(FILE *file, const void *data)
{
    const picture *pic = data;
    const char *gap = "";
    char where[128];
    for (size_t p = 0; p < pic->count; p++)
        for (size_t l = 0; l < LINES; l++) {
            const bench_case *like = pic->panels[p].first;
            if (!pic->panels[p].line[l]) continue;
            bench_case_where(like, where, sizeof where);
            fprintf(file, "%s# %s %s, %s; %s: n, GB/s, contender\n", gap, bench_primitive_name(like->primitive),
                    bench_type_name(like->type), where, lines[l].title);
            for (size_t i = 0; i < pic->log->count; i++) {
                const bench_case *c = &pic->log->cases[i];
                const bench_result *r = same_panel(c, like) ? best_of_line(c, l) : NULL;
                if (!r) continue;
                fprintf(file, "%zu %.4f ", c->n, bench_rate(c, r));
                print_column(file, r->name);
                fputc('\n', file);
            }
            gap = "\n\n";
        }
}

/* --- the script --------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* 'text' for gnuplot: between single quotes only a single quote is special; freed by the caller */
static char *quoted(const char *text)
{
    char *const whole = tool_alloc(2 * strlen(text) + sizeof "''"), *end = whole;
    *end++ = '\'';
    for (; *text; text++) {
        if (*text == '\'') *end++ = '\'';
        *end++ = *text;
    }
    *end++ = '\'';
    *end = '\0';
    return whole;
}

static void print_quoted(FILE *file, const char *name, const char *text)
{
    char *const whole = quoted(text);
    fprintf(file, "%s%s\n", name, whole);
    free(whole);
}

/* The file's name in the current directory, where the script and its files are.  Without ./ gnuplot would take a
 * name that begins with | or < as a command. */
static char *here(const char *path) { return bench_format("./%s", name_in(path)); }

static void print_page(FILE *file, const picture *pic, size_t rows, size_t cols)
{
    const bench_about *about = &pic->log->about;
    const size_t width = pic->count == 1 ? 820 : cols * 430 + 20, height = pic->count == 1 ? 480 : rows * 340 + 50;
    char *const out = here(pic->output), *const data = here(pic->data);
    print_quoted(file, "# Measured by: ", about->command); /* quoted: a backslash at the end would continue the line */
    print_quoted(file, "if (!exists('out')) out = ", out);
    print_quoted(file, "data = ", data);
    free(out);
    free(data);
    if (ends_in(pic->output, ".png"))
        fprintf(file, "set terminal pngcairo size %zu,%zu font 'sans,20' background 'white'\n", width * 3 / 2,
                height * 3 / 2);
    else
        fprintf(file, "set terminal svg size %zu,%zu dynamic font 'sans,17' background 'white'\n", width, height);
    fprintf(file, "set output out\nset encoding utf8\n"
                  "set logscale x 2\nset logscale y\nset format x '2^{%%L}'\nset format y '%%g'\n"
                  "set grid xtics ytics back lt 1 lc rgb '#e4e4e4' lw 1\nset border 3 lc rgb '#444444'\n"
                  "set tics nomirror scale 0.5\nset autoscale noextend\nset offsets 0, 0, graph 0.06, graph 0.06\n"
                  "set ytics 10\nset for [decade=-3:3] ytics add (2 * 10.0**decade, 5 * 10.0**decade)\n");
    for (size_t l = 0; l < LINES; l++)
        if (pic->line[l]) fprintf(file, "set style line %zu %s\n", l + 1, lines[l].style);
    char title[1024];
    int end = snprintf(title, sizeof title, "oplus %s on %s, %d processors", about->oplus, about->processor,
                       about->processors);
    for (size_t i = 0; i < pic->log->device_count && i < 2; i++) /* of 128 characters at most */
        end += snprintf(title + end, sizeof title - (size_t)end, ", %s", pic->log->device[i].name);
    snprintf(title + end, sizeof title - (size_t)end, ", %.10s", about->date);
    print_quoted(file, "title_ = ", title);
}

static void print_panel(FILE *file, const panel *p, size_t *block, bool keys)
{
    const char *separator = "\nplot ";
    char where[128];
    bench_case_where(p->first, where, sizeof where);
    char *const title =
        bench_format("%s %s, %s", bench_primitive_name(p->first->primitive), bench_type_name(p->first->type), where);
    char *const title_quoted = quoted(title);
    fprintf(file, "set title %s noenhanced\nset xlabel 'elements'\nset ylabel 'GB/s'", title_quoted);
    free(title_quoted);
    free(title);
    fprintf(file, "\nset xrange [%g:%g]", (double)p->least / 1.3, (double)p->most * 1.3);
    for (size_t l = 0; l < LINES; l++) {
        if (!p->line[l]) continue;
        fprintf(file, "%sdata index %zu using 1:2 with linespoints ls %zu", separator, (*block)++, l + 1);
        if (keys)
            fprintf(file, " title '%s'", lines[l].title);
        else
            fputs(" notitle", file);
        separator = ", \\\n     ";
    }
    fprintf(file, "\n");
}

/* A cell with the key of all panels. */
static void print_keys(FILE *file, const picture *pic)
{
    fprintf(file, "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale\n"
                  "set key center center Left reverse samplen 3 spacing 1.3\nplot [0:1][0:1] 2 notitle");
    for (size_t l = 0; l < LINES; l++)
        if (pic->line[l])
            fprintf(file, ", \\\n     keyentry with linespoints ls %zu title '%s'", l + 1, lines[l].title);
    fprintf(file, "\n");
}

static void print_script(FILE *file, const void *data)
{
    const picture *pic = data;
    const bool one = pic->count == 1;
    const size_t cells = pic->count + !one, cols = cells < 4 ? cells : (size_t)fmin(4, ceil(sqrt((double)cells)));
    const size_t rows = (cells + cols - 1) / cols;
    size_t block = 0;
    print_page(file, pic, rows, cols);
    if (one)
        fprintf(file, "set key outside right center Left reverse samplen 3\n"
                      "set label 1 title_ at graph 0,1.14 noenhanced font ',12' tc rgb '#666666'\nset tmargin 5\n");
    else
        fprintf(file, "set multiplot layout %zu,%zu title title_ noenhanced font ',17'\n", rows, cols);
    for (size_t p = 0; p < pic->count; p++) print_panel(file, &pic->panels[p], &block, one);
    if (!one) {
        print_keys(file, pic);
        fprintf(file, "unset multiplot\n");
    }
}

/* --- gnuplot ------------------------------------------------------------------------------------------------------ */

static bool have_gnuplot(void)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : ""), *rest = copy, file[4096];
    bool found = false;
    for (char *dir = strtok_r(copy, ":", &rest); dir && !found; dir = strtok_r(NULL, ":", &rest)) {
        snprintf(file, sizeof file, "%s/gnuplot", dir);
        found = access(file, X_OK) == 0;
    }
    free(copy);
    return found;
}

void bench_plot_check(const char *path)
{
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        tool_die(TOOL_USAGE, "--plot: %s ends neither in .svg nor in .png", path);
    for (const char *c = path; *c; c++)
        if (iscntrl((unsigned char)*c))
            tool_die(TOOL_USAGE, "--plot: the name '%s' has a control character, which gnuplot cannot read", path);
    if (!have_gnuplot())
        tool_warn("there is no gnuplot here (Debian: gnuplot-nox): --plot will leave its script and data only");
}

/* Runs gnuplot in the directory of the script, so that names in it need no path. */
static int run_gnuplot(const char *script, const char *output)
{
    char *const dir = bench_format("%.*s.", (int)(name_in(script) - script), script), *const name = here(script);
    char *const target = *output == '/' ? tool_copy(output) : here(output), *const target_quoted = quoted(target);
    char *const set_output = bench_format("out=%s", target_quoted);
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(dir) == 0) execlp("gnuplot", "gnuplot", "-e", set_output, name, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    free(set_output);
    free(target_quoted);
    free(target);
    free(name);
    free(dir);
    return ended ? WEXITSTATUS(status) : -1;
}

static void draw(const char *path, const char *script)
{
    tool_replacement file;
    if (!have_gnuplot())
        tool_die(TOOL_FAILED,
                 "--plot: %s is not drawn, there is no gnuplot here (Debian: gnuplot-nox); where there is: gnuplot %s",
                 path, script);
    tool_replace_begin(&file, path);
    if (run_gnuplot(script, file.temporary ? file.temporary : path) != 0)
        tool_die(TOOL_FAILED, "--plot: gnuplot could not draw %s", script);
    tool_replace_end(&file);
}

void bench_plot(const char *path, const bench_log *log)
{
    char *const script = bench_file_beside(path, ".gp"), *const data = bench_file_beside(path, ".dat");
    picture pic = {.log = log, .data = data, .output = path};
    find_panels(&pic);
    if (pic.count == 0) tool_die(TOOL_FAILED, "--plot: nothing was measured that could be drawn");

    bench_file_write(data, print_data, &pic);
    bench_file_write(script, print_script, &pic);
    draw(path, script);

    free(pic.panels);
    free(data);
    free(script);
}
