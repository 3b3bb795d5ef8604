/* The page: what it is of, where things are, and the experiments. */
#include "html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lab/texts.h"
#include "section.h"
#include "write.h"

/* --- the document ------------------------------------------------------------------------------------------------- */

static const cJSON *array_of(const cJSON *of, const char *name)
{
    const cJSON *const array = cJSON_GetObjectItemCaseSensitive(of, name);
    return cJSON_IsArray(array) ? array : NULL;
}

static const char *title_of(const cJSON *of, const char *otherwise)
{
    const char *const title = report_member(of, "title"), *const name = report_member(of, "name");
    return *title ? title : *name ? name : otherwise;
}

/* "Reduction on NVIDIA H200", or what the page is of many experiments. */
static void write_title(FILE *to, const cJSON *document)
{
    const cJSON *const experiments = array_of(document, "experiments");
    const char *const device = report_member(cJSON_GetObjectItemCaseSensitive(document, "device"), "name");
    const bool one = experiments && cJSON_GetArraySize(experiments) == 1;
    report_text(to, one ? title_of(experiments->child, "An experiment") : "Why a kernel is slow");
    if (*device) fputs(one ? " on " : ", shown on ", to);
    report_text(to, device);
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

/* That nothing comes from anywhere else is a rule to the browser, too. */
static void write_head(FILE *to, const cJSON *document)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "img-src data:\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"generator\" content=\"oplus ",
          to);
    report_text(to, report_member(document, "oplus"));
    fputs("\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>", to);
    write_title(to, document);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n", lab_text_of("report/page.css"));
}

/* --- what it was measured on -------------------------------------------------------------------------------------- */

/* A long text has a row of its own. */
static void write_fact(FILE *to, const char *name, const char *text, bool code)
{
    if (!*text) return;
    fprintf(to, "<div%s><dt>%s</dt><dd>%s", report_text_length(text) > 40 ? " class=\"long\"" : "", name,
            code ? "<code>" : "");
    report_text(to, text);
    fprintf(to, "%s</dd></div>\n", code ? "</code>" : "");
}

static void write_rate(FILE *to, const char *name, double rate)
{
    if (!isnan(rate)) fprintf(to, "<div><dt>%s</dt><dd>%s GB/s</dd></div>\n", name, report_number_of(rate).text);
}

static void write_device(FILE *to, const cJSON *document)
{
    const cJSON *const device = cJSON_GetObjectItemCaseSensitive(document, "device");
    const double units = report_value(device, "units"), memory = report_value(device, "memory");
    fputs("<dl class=\"facts\">\n", to);
    write_fact(to, "device", report_member(device, "name"), false);
    write_fact(to, "which is", report_member(device, "where"), true);
    if (!isnan(units)) write_fact(to, "multiprocessors or cores", report_number_of(units).text, false);
    if (!isnan(memory)) write_fact(to, "memory", report_bytes(memory).text, false);
    write_rate(to, "reads at most", report_value(device, "read_gbs"));
    write_rate(to, "copies at most", report_value(device, "copy_gbs"));
    write_fact(to, "date", report_member(document, "date"), false);
    write_fact(to, "oplus", report_member(document, "oplus"), false);
    write_fact(to, "driver", report_member(device, "driver"), false);
    write_fact(to, "counters", report_member(device, "counters"), false);
    write_fact(to, "made by", report_member(document, "command"), true);
    fputs("</dl>\n", to);
}

static void write_header(FILE *to, const cJSON *document)
{
    fputs("<header>\n<p class=\"over\">oplus lab</p>\n<h1>", to);
    write_title(to, document);
    fputs("</h1>\n", to);
    report_note(to, "caution", "<b>Caution:</b> ", report_member(document, "caution"));
    report_summary(to, array_of(document, "experiments"));
    write_device(to, document);
    fputs("</header>\n", to);
}

/* --- where things are --------------------------------------------------------------------------------------------- */

static void write_contents_of(FILE *to, const cJSON *experiment, int number)
{
    const cJSON *section;
    int s = 0;
    fprintf(to, "<li><a href=\"#e%d\">", number);
    report_text(to, title_of(experiment, "An experiment"));
    fputs("</a>", to);
    cJSON_ArrayForEach (section, array_of(experiment, "sections")) {
        fprintf(to, "%s<li><a href=\"#e%d-%d\">", s == 0 ? "\n<ul>\n" : "", number, s + 1);
        report_text(to, title_of(section, report_member(section, "kind")));
        fputs("</a></li>\n", to);
        s++;
    }
    fputs(s > 0 ? "</ul></li>\n" : "</li>\n", to);
}

static void write_contents(FILE *to, const cJSON *experiments)
{
    const cJSON *experiment;
    int number = 0;
    if (!experiments || !experiments->child) return;
    fputs("<nav id=\"contents\" aria-labelledby=\"contents-title\">\n<h2 id=\"contents-title\">Contents</h2>\n"
          "<ol>\n",
          to);
    cJSON_ArrayForEach (experiment, experiments) {
        write_contents_of(to, experiment, ++number);
    }
    fputs("</ol>\n<p><a href=\"#words\">Words</a>: what the names in kernels and tables mean</p>\n</nav>\n", to);
}

/* --- the experiments ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    void (*write)(FILE *to, const cJSON *section, const char *id);
} kinds[] = {
    {"ladder", report_ladder}, {"curves", report_curves}, {"table", report_table},
    {"steps", report_steps},   {"code", report_code},
};

static void write_section(FILE *to, const cJSON *section, const char *id)
{
    const char *const kind = report_member(section, "kind");
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].kind, kind) != 0) k++;
    fprintf(to, "<section id=\"%s\" aria-labelledby=\"%s-t\">\n<h3 id=\"%s-t\">", id, id, id);
    report_text(to, title_of(section, kind));
    fputs("</h3>\n", to);
    report_paragraphs(to, cJSON_GetObjectItemCaseSensitive(section, "about"));
    if (k < sizeof kinds / sizeof *kinds)
        kinds[k].write(to, section, id);
    else
        report_note(to, "empty", "This page cannot show a section of the kind ", *kind ? kind : "(none)");
    fputs("</section>\n", to);
}

static void write_experiment(FILE *to, const cJSON *experiment, int number)
{
    const cJSON *section;
    char id[48];
    int s = 0;
    fprintf(to, "<section class=\"experiment\" id=\"e%d\" aria-labelledby=\"e%d-t\">\n<h2 id=\"e%d-t\">", number,
            number, number);
    report_text(to, title_of(experiment, "An experiment"));
    fputs("</h2>\n", to);
    report_paragraphs(to, cJSON_GetObjectItemCaseSensitive(experiment, "about"));
    cJSON_ArrayForEach (section, array_of(experiment, "sections")) {
        snprintf(id, sizeof id, "e%d-%d", number, ++s);
        write_section(to, section, id);
    }
    fputs("<p class=\"back\"><a href=\"#contents\">Contents</a></p>\n</section>\n", to);
}

void lab_report_write(FILE *to, const cJSON *document)
{
    const cJSON *const experiments = array_of(document, "experiments"), *experiment;
    int number = 0;
    write_head(to, document);
    fputs("<body>\n<a class=\"skip\" href=\"#main\">To the experiments</a>\n", to);
    report_marks(to);
    write_header(to, document);
    write_contents(to, experiments);
    fputs("<main id=\"main\">\n", to);
    cJSON_ArrayForEach (experiment, experiments) {
        write_experiment(to, experiment, ++number);
    }
    if (number > 0) report_vocabulary(to);
    if (number == 0) fputs("<p class=\"empty\">No experiment was run.</p>\n", to);
    fputs("</main>\n</body>\n</html>\n", to);
}
