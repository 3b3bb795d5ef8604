#!/usr/bin/awk -f
# A document as it is installed: links to what is installed stay, those to a public header lead to where headers are, the
# changelog's to its compressed form, and of others, which are for readers of the sources, the words stay.
#   FOLDER   of the document, from there: "" or "docs/"
#   HEADERS  from the installed document to where include/ is
#   UP       from the installed document to where README.md is: "" or "../"
function normal(path) {
    while (sub(/[^\/.]+\/\.\.\//, "", path)) {}
    return path
}
function is_installed(path) {
    return path ~ /^(README\.md|LICENSE|docs\/[^\/]*\.(md|html)|docs\/images\/.*|examples(\/.*)?)$/
}
# [words](link) as it is to stand.
function link_of(words, link,    path, anchor) {
    path = link
    sub(/#.*/, "", path)
    path = normal(FOLDER path)
    anchor = index(link, "#") ? substr(link, index(link, "#")) : ""
    if (link ~ /^([a-z]+:|#)/ || is_installed(path)) return "[" words "](" link ")"
    if (path ~ /^include\//) return "[" words "](" HEADERS substr(path, length("include/") + 1) anchor ")"
    if (path == "CHANGELOG.md") return "[" words "](" UP "changelog.gz)"
    return words
}
# Words of a link may go on in the next line: all between two pieces of code at once.
function write_text(    found, at) {
    while (match(text, /\[[^][]*\]\([^ )]+\)/)) {
        found = substr(text, RSTART, RLENGTH)
        at = index(found, "](")
        printf "%s%s", substr(text, 1, RSTART - 1), link_of(substr(found, 2, at - 2), substr(found, at + 2, length(found) - at - 2))
        text = substr(text, RSTART + RLENGTH)
    }
    printf "%s", text
    text = ""
}
/^```/ { code = !code; if (code) write_text() }
code || /^```/ { print; next }
{ text = text $0 "\n" }
END { write_text() }
