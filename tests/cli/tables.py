#!/usr/bin/env python3
"""tables.py OPLUS [ROUNDS]: tables with quotes, delimiters and line ends inside of fields, against Python's csv and NumPy.

What is kept of a row is compared byte for byte, numbers by their value.  Exits 77 (skipped) where NumPy is missing."""
import csv
import io
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy (Debian: apt-get install python3-numpy)")
    sys.exit(77)

OPLUS = os.path.abspath(sys.argv[1])
# Other tables in each round.
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else (
    10 if os.environ.get("OPLUS_TEST_QUICK") else 60 if os.environ.get("OPLUS_TEST_LONG") else 30)
rng = np.random.default_rng(20261122)
checks = 0


class Table:
    """Columns word, count, share (a number with blanks or quotes), note; raw rows as they stand in the file."""

    def __init__(self, rows):
        self.delimiter = str(rng.choice([",", ";", "\t", "|"]))
        self.end = str(rng.choice(["\n", "\r\n"]))
        self.header = bool(rng.random() < 0.7)
        self.names = ["word", "count", "the share", f"a{self.delimiter}note"]
        self.words = sorted(self.word() for _ in range(rows)) if rng.random() < 0.5 else [self.word() for _ in range(rows)]
        self.count = rng.integers(-99, 99, rows)
        self.share = np.round(rng.standard_normal(rows) * 100, int(rng.integers(0, 5))) + 0.0  # -0 sorts before +0
        self.fields = [[w, str(c), str(float(s)), self.word()] for w, c, s in zip(self.words, self.count, self.share)]
        self.raw = [self.row(fields) for fields in self.fields]
        self.head = self.row(self.names) if self.header else ""

    def word(self):
        letters = ["a", "b", '"', self.delimiter, "\n", "\r\n", " ", "é"]
        weights = [0.4, 0.2, 0.05, 0.1, 0.05, 0.05, 0.1, 0.05]
        long = "long " * 15 if rng.random() < 0.05 else ""
        return long + "x" + "".join(rng.choice(letters, size=rng.integers(0, 4), p=weights))

    def row(self, fields):
        text = io.StringIO()
        quoting = int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        csv.writer(text, delimiter=self.delimiter, lineterminator=self.end, quoting=quoting).writerow(fields)
        return text.getvalue()

    def bytes(self):
        body = "".join(self.raw)
        if self.raw and rng.random() < 0.3:
            body = body[:-len(self.end)]
        return (("\ufeff" if rng.random() < 0.2 else "") + self.head + body).encode()

    def column(self, *columns):
        """As --column: by name where there are names, else by number."""
        by_name = self.header and rng.random() < 0.7
        names = [f'"{self.names[c]}"' if "," in self.names[c] else self.names[c] for c in columns]
        return ",".join(names if by_name else [str(c + 1) for c in columns])

    def read(self, text):
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter))


def run(table, *arguments, also=""):
    command = [OPLUS, *map(str, arguments), "--delimiter", table.delimiter, *(["--header"] if table.header else [])]
    done = subprocess.run(command, input=table.bytes(), capture_output=True)
    message = done.stderr.decode()
    if done.returncode != 0 or (message and not (also and also in message)):
        fail(table, command, f"exit code {done.returncode}\n{message}", "")
    return done.stdout.decode()


def fail(table, command, seen, wanted):
    same = len(os.path.commonprefix([seen, wanted]))
    seen, wanted = seen[max(0, same - 200):], wanted[max(0, same - 200):]
    with open("/tmp/oplus-table", "wb") as file:
        file.write((table.head + "".join(table.raw)).encode())
    sys.exit(f"{' '.join(command)} </tmp/oplus-table\n--- wanted\n{wanted[:600]}\n--- seen\n{seen[:600]}")


def expect(table, seen, wanted, what):
    global checks
    checks += 1
    if seen != wanted:
        fail(table, [what], str(seen), str(wanted))


def expect_column(table, text, column, numbers, name, what):
    """All other columns are those of the table, and this one is the numbers."""
    rows = table.read(text)
    if table.header:
        names = table.names + [name] if column == 4 else table.names[:column] + [table.names[column]] + table.names[column + 1:]
        expect(table, rows[0], names, f"{what}: the header")
        rows = rows[1:]
    expect(table, [float(row[column]) for row in rows], [float(x) for x in numbers], what)
    expect(table, [row[:column] + row[column + 1:4] for row in rows],
           [fields[:column] + fields[column + 1:] for fields in table.fields], f"{what}: other columns")


def check_rows(t):
    keep = (t.count > 0) & (t.share < 50)
    expect(t, run(t, "filter", "a > 0 && b < 50", "--column", t.column(1, 2)),
           t.head + "".join(r for r, k in zip(t.raw, keep) if k), "filter")
    for columns, keys in (((2,), (t.share,)), ((1, 2), (t.share, t.count))):
        order = np.lexsort(keys)
        expect(t, run(t, "sort", "--column", t.column(*columns)), t.head + "".join(t.raw[i] for i in order), "sort")
    order = np.argsort(-t.count, kind="stable")
    expect(t, run(t, "sort", "--descending", "--column", t.column(1)), t.head + "".join(t.raw[i] for i in order),
           "sort --descending")
    order = sorted(range(len(t.raw)), key=lambda i: t.words[i].encode())
    expect(t, run(t, "sort", "--text", "--column", t.column(0)), t.head + "".join(t.raw[i] for i in order), "sort --text")
    order = sorted(range(len(t.raw)), key=lambda i: (t.words[i].encode(), t.fields[i][3].encode()), reverse=True)
    expect(t, run(t, "sort", "--text", "--descending", "--column", t.column(0, 3)),
           t.head + "".join(t.raw[i] for i in order), "sort --text --descending")


def check_columns(t):
    new = "sum" if t.header else "5"
    expect_column(t, run(t, "scan", "sum", "--column", t.column(1), "--into", new), 4, np.cumsum(t.count), "sum", "scan")
    expect_column(t, run(t, "map", "a * b", "--column", t.column(1, 2), "--into", new), 4, t.count * t.share, "sum", "map")
    replaced = t.names[1] if t.header else "2"
    expect_column(t, run(t, "scan", "max", "--column", t.column(2), "--into", replaced), 1, np.maximum.accumulate(t.share),
                  "", "scan into a column that is there")
    alone = run(t, "scan", "sum", "--column", t.column(1)).split()
    expect(t, [float(x) for x in alone], [float(x) for x in np.cumsum(t.count)], "scan alone")
    total = run(t, "reduce", "sum", "--column", t.column(1, 1)).replace(" ", t.delimiter).strip().split(t.delimiter)
    expect(t, [float(x) for x in total], [float(t.count.sum())] * 2, "reduce")


def segments(t):
    heads = [i for i in range(len(t.raw)) if i == 0 or t.words[i] != t.words[i - 1]]
    return list(zip(heads, heads[1:] + [len(t.raw)]))


def check_segments(t):
    also = "is not sorted by its keys" if len(set(t.words)) < len(segments(t)) else ""
    rows = t.read(run(t, "segreduce", "sum", "--keys", t.column(0), "--column", t.column(1), also=also))
    wanted = [[t.words[b], str(t.count[b:e].sum())] for b, e in segments(t)]
    expect(t, rows, ([[t.names[0], t.names[1]]] if t.header else []) + wanted, "segreduce")
    running = np.concatenate([np.cumsum(t.count[b:e]) for b, e in segments(t)] or [np.zeros(0)])
    new = "run" if t.header else "5"
    text = run(t, "segscan", "sum", "--keys", t.column(0), "--column", t.column(1), "--into", new, also=also)
    expect_column(t, text, 4, running, "run", "segscan")


def check_converted(t):
    """To another delimiter: the same fields."""
    text = run(t, "filter", "a == a", "--column", t.column(1), "--to", "csv")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    expect(t, rows, ([t.names] if t.header else []) + t.fields, "to csv")


with tempfile.TemporaryDirectory() as directory:
    os.environ["OPLUS_CACHE_DIR"] = os.path.join(directory, "cache")
    for round in range(ROUNDS):
        table = Table(int(rng.choice([1, 2, 5, 40, 300]) if round % 20 else 40000))
        for check in (check_rows, check_columns, check_segments, check_converted):
            check(table)
print(f"{checks} results agree")
