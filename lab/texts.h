/* The texts of the lab, embedded when it is built: kernels, dialects, the parts of the page. */
#ifndef LAB_TEXTS_H
#define LAB_TEXTS_H

typedef struct lab_text {
    const char *name, *text; /* of a file, from lab/: "reduce/02-modulo.cl" */
} lab_text;

extern const lab_text lab_texts[]; /* ends with a name of NULL */

/* The text of a file; NULL: there is no such file. */
const char *lab_text_find(const char *name);
/* The same; if there is no such file, this is a bug, and the program ends. */
const char *lab_text_of(const char *name);

/* The source that is compiled for a kernel's file: `macros` (lines of #define), the dialect ("cuda"), the sizes.h of
 * its folder if it has one, and its text; to be freed. */
char *lab_source_of(const char *dialect, const char *file, const char *macros);

/* What the leading comment of a kernel says: its first line; the paragraphs behind "Changes:" and "Why:".  To be
 * freed; empty where it does not say. */
typedef struct lab_caption {
    char *title, *what, *why;
    const char *code; /* the text behind the comment; static */
} lab_caption;

lab_caption lab_caption_of(const char *name);
void lab_caption_free(lab_caption *caption);

#endif
