# Makes of a kernel's text a C source that says what it does: every subscript of an array of its work-group or of the
# device becomes a call that records the address.  See host.h, which does the same for branches.
#
#   awk -v NAME=reduce_02_modulo -v SIZES=lab/reduce/sizes.h -f trace.awk lab/reduce/02-modulo.cl

function trim(s) { sub(/^[ \t\n]+/, "", s); sub(/[ \t\n]+$/, "", s); return s }

# The place behind the bracket that closes the one at `at`.
function behind(s, at,   depth, c) {
    for (depth = 0; at <= length(s); at++) {
        c = substr(s, at, 1)
        if (index("([{", c)) depth++
        if (index(")]}", c) && --depth == 0) return at + 1
    }
    print FILENAME ": a bracket is not closed" > "/dev/stderr"
    exit 1
}

# What is done with the element whose subscript ends before s: its words in host.h.
function use(s) {
    sub(/^[ \t\n]+/, "", s)
    sub(/^\.[a-z]+[ \t\n]*/, "", s) # a member of it
    if (s ~ /^([-+*\/%&|^]|<<|>>)=/ || s ~ /^(\+\+|--)/) return "UPDATE"
    return s ~ /^=[^=]/ ? "STORE" : "LOAD"
}

# Subscripts of known arrays in s, as calls.
function traced(s,   out, word, at, end, rest, spot) {
    out = ""
    while (match(s, /[A-Za-z_][A-Za-z_0-9]*/)) {
        out = out substr(s, 1, RSTART - 1)
        word = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH)
        if (word == "SHARED") { # a declaration stays as it is
            end = index(s, ";")
            declare(substr(s, 1, end - 1))
            out = out word substr(s, 1, end)
            s = substr(s, end + 1)
        } else if ((word in space) && substr(s, 1, 1) == "[") {
            spot = word
            while (substr(s, 1, 1) == "[") {
                end = behind(s, 1)
                spot = spot "[" traced(substr(s, 2, end - 3)) "]"
                s = substr(s, end)
            }
            out = out "LAB_" space[word] "_" use(s) "(" spot ")"
        } else
            out = out word
    }
    return out s
}

# "float tile[TILE][TILE + 1]"
function declare(s,   names, n, i) {
    n = split(s, names, ",")
    for (i = 1; i <= n; i++) {
        sub(/\[.*/, "", names[i])
        sub(/^.*[ *]/, "", names[i])
        space[names[i]] = "SHARED"
    }
}

# One parameter in a call, from the arguments of a launch.
function argument(p, k,   type, name) {
    p = trim(p)
    if (p ~ /^(ARRAY|CONSTANT)\(/) {
        type = p
        sub(/^[A-Z]+\(/, "", type)
        sub(/,.*/, "", type)
        name = p
        sub(/^.*,[ ]*/, "", name)
        sub(/\)$/, "", name)
        space[name] = "GLOBAL"
        return "(" type " *)(uintptr_t)a[" k "].value, 0"
    }
    sub(/[A-Za-z_0-9]+$/, "", p)
    return "*(" (p ~ /const/ ? "" : "const ") p "*)a[" k "].value"
}

# The arguments of a call, of a list of parameters.
function arguments(s,   k, i, c, depth, from, out) {
    for (i = from = 1; i <= length(s) + 1; i++) {
        c = substr(s, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (depth == 0 && (c == "," || i > length(s))) {
            out = out (k ? ", " : "") argument(substr(s, from, i - from), k + 0)
            k++
            from = i + 1
        }
    }
    return out
}

{ text = text $0 "\n" }

END {
    while (match(text, /\/\*([^*]|\*[^\/])*\*\//)) { # without comments, on the same lines
        comment = substr(text, RSTART, RLENGTH)
        gsub(/[^\n]/, "", comment)
        text = substr(text, 1, RSTART - 1) comment substr(text, RSTART + RLENGTH)
    }
    if (match(" " text, /[^A-Za-z_0-9](break|while|do|switch|goto)[^A-Za-z_0-9]/)) {
        print FILENAME ": the model cannot follow break, while, do, switch or goto: write a for or an if" > "/dev/stderr"
        exit 1
    }
    print "/* Made of " FILENAME " by lab/model/trace.awk. */"
    if (SIZES) print "#include \"" SIZES "\""
    print "#include \"lab/model/host.h\"\n#line 1 \"" FILENAME "\""

    # Kernels one after another: each has arrays of its own.
    while (match(text, /KERNEL [A-Za-z_0-9]+\(/)) {
        out = out substr(text, 1, RSTART - 1)
        name = substr(text, RSTART + 7, RLENGTH - 8)
        text = substr(text, RSTART)
        open = index(text, "(")
        close_ = behind(text, open)
        for (word in space) delete space[word]
        call = arguments(substr(text, open + 1, close_ - open - 2))
        body = index(text, "{")
        end = behind(text, body)
        out = out substr(text, 1, body - 1) traced(substr(text, body, end - body))
        text = substr(text, end)
        calls = calls "static void call_" name "(const opi_gpu_argument *a) { " name "(" call "); }\n"
        rows = rows "    {\"" name "\", call_" name "},\n"
    }
    print out text
    print calls "\nconst lab_model_kernel lab_model_" NAME "[] = {\n" rows "    {NULL, NULL}};"
}
