/* Reads words and signs of a text in C.  Each call skips white space, and moves *at only behind what it was asked
 * for. */
#ifndef OPI_WORDS_H
#define OPI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool opi_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool opi_is_digit(char c) { return c >= '0' && c <= '9'; }

static inline void opi_skip_space(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r') ++*at;
}

static inline bool opi_take_sign(const char **at, char sign)
{
    opi_skip_space(at);
    if (**at != sign) return false;
    ++*at;
    return true;
}

/* The length of the word at *at, 0 if there is none; does not move behind it. */
static inline size_t opi_word_length(const char **at)
{
    opi_skip_space(at);
    size_t n = 0;
    if (opi_is_letter(**at))
        while (opi_is_letter((*at)[n]) || opi_is_digit((*at)[n])) n++;
    return n;
}

static inline bool opi_is_word(const char *word, size_t n, const char *text)
{
    return strlen(text) == n && !memcmp(word, text, n);
}

#endif
