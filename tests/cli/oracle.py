#!/usr/bin/env python3
"""oracle.py OPLUS [ROUNDS]: the command against NumPy, on random arrays of every type, shape, order and byte order.

Integers are compared exactly, sums of floats with the canonical tree (docs/tree-v1.md), bit for bit.
Exits 77 (skipped) where NumPy is missing."""
import json
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
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f4", "f8"]
COMPLEX = ["c8", "c16"]
KINDS = INTEGERS + FLOATS + COMPLEX
# One of every type; two where all is asked for: the second has other shapes, no other path.
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else len(KINDS) * (2 if os.environ.get("OPLUS_TEST_LONG") else 1)
np.seterr(all="ignore")
rng = np.random.default_rng(20261121)
checks = 0


# --- running the command, comparing ---------------------------------------------------------------------------------

def run(*arguments, stdin=None, code=0):
    """The bytes that the command prints; stdin: bytes, or None."""
    done = subprocess.run([OPLUS, *map(str, arguments)], input=stdin if stdin is not None else b"", capture_output=True)
    if done.returncode != code:
        sys.exit(f"oplus {' '.join(map(str, arguments))}: exit code {done.returncode}, not {code}\n{done.stderr.decode()}")
    return done.stdout if code == 0 else done.stderr.decode()


def result(*arguments, stdin=None):
    """The array that the command writes."""
    run(*arguments, "-o", "out.npy", stdin=stdin)
    return np.load("out.npy")


def piped(*arguments):
    """The array that the command prints for x.npy on its stdin."""
    with open("x.npy", "rb") as file:
        data = run(*arguments, stdin=file.read())
    with open("piped.npy", "wb") as file:
        file.write(data)
    return np.load("piped.npy")


def expect(seen, wanted, what):
    """The same type, shape and bits."""
    global checks
    checks += 1
    wanted = np.asarray(wanted)
    wanted = wanted.astype(wanted.dtype.newbyteorder("="), copy=False)
    if seen.dtype == wanted.dtype and seen.shape == wanted.shape and seen.tobytes() == wanted.tobytes():
        return
    sys.exit(f"{what}\n--- NumPy, {wanted.dtype} {wanted.shape}\n{wanted}\n--- oplus, {seen.dtype} {seen.shape}\n{seen}")


def save(name, x, version):
    with open(name, "wb") as file:
        np.lib.format.write_array(file, x, version=version, allow_pickle=False)


# --- data -----------------------------------------------------------------------------------------------------------

def any_shape():
    dims = rng.integers(0, 4)
    if dims == 1:
        return (int(rng.choice([0, 1, 2, 7, 64, 1000, 100003])),)
    return tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 20, size=dims))


def any_values(kind, shape):
    """Of every size; floats without NaN, whose bits NumPy does not fix."""
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True)
    if dtype.kind == "c":
        return (any_values("f8", shape) + 1j * any_values("f8", shape)).astype(dtype)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, size=shape)).astype(dtype)


def disguise(x):
    """The same array in another order of dimensions and bytes."""
    if rng.random() < 0.5:
        x = x.astype(x.dtype.newbyteorder(">"))
    return np.asarray(x, order=rng.choice(["C", "F"]))


# --- the canonical tree, read from its definition --------------------------------------------------------------------

def tree_scan(x):
    """P(1), ..., P(n) of a sum: N(k+1,i) = N(k,2i) + N(k,2i+1); P(m) = P(q) + N(k,q>>k), q: m without its lowest bit."""
    nodes = [x]
    while len(nodes[-1]) > 1:
        half = len(nodes[-1]) // 2
        nodes.append(nodes[-1][0:2 * half:2] + nodes[-1][1:2 * half:2])
    prefix = [None] * (len(x) + 1)
    for m in range(1, len(x) + 1):
        k = (m & -m).bit_length() - 1
        q = m - (1 << k)
        prefix[m] = nodes[k][q >> k] if q == 0 else prefix[q] + nodes[k][q >> k]
    return np.array(prefix[1:], dtype=x.dtype)


# --- the commands ---------------------------------------------------------------------------------------------------

UFUNCS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
          "or": np.bitwise_or, "xor": np.bitwise_xor}


def operators_of(dtype, where):
    """On OpenCL each is a program to be compiled, and tests/laws have them all: two."""
    if "--device" in where:
        return {"i": ["sum", "max"], "f": ["max"]}.get(dtype.kind, [])
    return list(UFUNCS) if dtype.kind in "iu" else ["min", "max"] if dtype.kind == "f" else []


def check_scans(x, flat, threads):
    for op in operators_of(flat.dtype, threads):
        wanted = UFUNCS[op].accumulate(flat, dtype=flat.dtype)
        expect(result("scan", op, "x.npy", *threads), wanted, f"scan {op}")
        expect(piped("scan", op, *threads), wanted, f"scan {op}, piped")
        if len(flat):
            expect(result("reduce", op, "x.npy", *threads), wanted[-1], f"reduce {op}")
        if op == "sum":
            exclusive = np.concatenate([np.zeros(1, flat.dtype), wanted])[:-1]
            expect(result("scan", op, "--exclusive", "x.npy", *threads), exclusive, "exclusive scan")
            folded = np.add.reduce(np.concatenate([np.array([5], flat.dtype), flat]), dtype=flat.dtype)
            expect(result("fold", op, "--init", "5", "x.npy", *threads), folded, "fold")
    if flat.dtype.kind in "fc" and len(flat) <= 2000:
        wanted = tree_scan(flat)
        expect(result("scan", "sum", "x.npy", *threads), wanted, "scan sum, by the tree")
        if len(flat):
            expect(result("reduce", "sum", "x.npy", *threads), wanted[-1], "reduce sum, by the tree")
            report = json.loads(run("reduce", "sum", "x.npy", "--json", *threads))
            assert report["n"] == len(flat), report
            if flat.dtype.kind == "f":
                assert report["bits"] == wanted[-1:].astype(wanted.dtype.newbyteorder(">")).tobytes().hex(), report


def check_axes(x, flat, threads):
    """Rows along an axis: integers as in NumPy, floats by the tree of each row."""
    if x.ndim == 0 or x.dtype.kind == "c":
        return
    axis = int(rng.integers(-x.ndim, x.ndim))
    for op in operators_of(x.dtype, threads)[:2]:
        wanted = UFUNCS[op].accumulate(x, axis=axis, dtype=x.dtype)
        expect(result("scan", op, "x.npy", "--axis", str(axis), *threads), wanted, f"scan {op} --axis {axis}")
        if x.shape[axis]:
            wanted = UFUNCS[op].reduce(x, axis=axis, dtype=x.dtype)
            expect(result("reduce", op, "x.npy", "--axis", str(axis), *threads), wanted, f"reduce {op} --axis {axis}")
    if x.dtype.kind == "f" and 0 < x.size <= 2000:
        wanted = np.apply_along_axis(tree_scan, axis, x).astype(x.dtype)
        expect(result("scan", "sum", "x.npy", "--axis", str(axis), *threads), wanted, f"scan sum --axis {axis}, by the tree")
        expect(result("reduce", "sum", "x.npy", "--axis", str(axis), *threads), np.take(wanted, -1, axis),
               f"reduce sum --axis {axis}, by the tree")


def check_neighbours(x, flat, threads):
    """Beyond the ends is what np.pad puts there."""
    if len(flat) == 0:
        return
    for edge, mode in (("nearest", "edge"), ("wrap", "wrap"), ("mirror", "reflect")):
        padded = np.pad(flat, 1, mode)
        expect(result("map", "sub", "x.npy", "--neighbours", edge, *threads), (padded[:-2] - flat).reshape(x.shape),
               f"map sub --neighbours {edge}")
        expect(result("map", "c", "x.npy", "--neighbours", edge, *threads), padded[2:].reshape(x.shape),
               f"map c --neighbours {edge}")


def check_windows(x, flat, threads):
    """Integers as in NumPy, floats by the tree of each window."""
    if len(flat) == 0 or flat.dtype.kind == "c":
        return
    w = int(rng.integers(1, len(flat) + 2))
    slices = [flat[max(0, i - w + 1):i + 1] for i in range(len(flat))]
    if flat.dtype.kind == "f" and flat.size <= 300:
        wanted = np.array([tree_scan(s)[-1] for s in slices]).astype(flat.dtype)
        expect(result("window", "sum", str(w), "x.npy", *threads), wanted, f"window sum {w}, by the tree")
        expect(result("scan", "sum", "x.npy", "--reverse", *threads), tree_scan(flat[::-1])[::-1].astype(flat.dtype),
               "scan sum --reverse, by the tree")
    elif flat.dtype.kind in "iu" and flat.size <= 2000:
        wanted = np.array([s.max() for s in slices])
        expect(result("window", "max", str(w), "x.npy", *threads), wanted, f"window max {w}")
        wanted = np.add.accumulate(flat[::-1], dtype=flat.dtype)[::-1]
        expect(result("scan", "sum", "x.npy", "--reverse", *threads), wanted, "scan sum --reverse")


def check_extremes(x, flat, threads):
    """Zeros of one sign: oplus takes -0 for less than +0, NumPy for equal."""
    if len(flat) == 0 or flat.dtype.kind == "c":
        return
    y = flat.astype(flat.dtype.newbyteorder("="), copy=True)
    if y.dtype.kind == "f":
        y[y == 0] = 0
        y[rng.random(len(y)) < rng.choice([0, 0.01])] = np.nan
    else:
        y = y % 3 # many are equal
    np.save("y.npy", y)
    for name, wanted in (("argmin", np.argmin(y)), ("argmax", np.argmax(y))):
        expect(result("reduce", name, "y.npy", *threads), np.int64(wanted), f"reduce {name}")
    expect(result("reduce", "minmax", "y.npy", *threads), np.array([y.min(), y.max()]), "reduce minmax")
    if x.ndim > 0 and x.size > 0:
        axis = int(rng.integers(-x.ndim, x.ndim))
        np.save("y.npy", y.reshape(x.shape))
        for name, wanted in (("argmin", np.argmin), ("argmax", np.argmax)):
            expect(result("reduce", name, "y.npy", "--axis", str(axis), *threads), wanted(y.reshape(x.shape), axis=axis),
                   f"reduce {name} --axis {axis}")
        wanted = np.sort(y.reshape(x.shape), axis=axis) # whose NaNs are positive: they are the last ones here, too
        expect(result("sort", "y.npy", "--axis", str(axis), *threads), wanted, f"sort --axis {axis}")
        wanted = np.argsort(y.reshape(x.shape), axis=axis, kind="stable")
        expect(result("argsort", "y.npy", "--axis", str(axis), *threads), wanted, f"argsort --axis {axis}")
        if y.dtype.kind != "f":
            total = y.reshape(x.shape).sum(axis=axis, dtype=np.int64)
            expect(result("reduce", "mean", "y.npy", "--axis", str(axis), *threads), total / x.shape[axis],
                   f"reduce mean --axis {axis}")
        np.save("y.npy", y)
    if y.dtype.kind != "f":
        expect(result("reduce", "mean", "y.npy", *threads), np.float64(y.sum(dtype=np.int64) / len(y)), "reduce mean")


def quotient(x, y):
    """As in C: towards 0, and by 0 it is 0."""
    if x.dtype.kind == "f":
        return x / y
    pairs = zip(x.ravel().tolist(), y.ravel().tolist())
    bits = 8 * x.dtype.itemsize
    quotients = [(abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) if q else 0) % 2**bits for p, q in pairs]
    return np.array(quotients, dtype=f"u{x.dtype.itemsize}").view(x.dtype).reshape(x.shape)


def rounded(x):
    """As in C: halves away from 0."""
    whole = np.trunc(x)
    return np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5), x).astype(x.dtype)


def check_maps(x, flat, threads):
    y = np.roll(flat[::-1], 1).reshape(x.shape)
    save("y.npy", disguise(y), (1, 0))
    expect(result("map", "copy", "x.npy", *threads), np.ascontiguousarray(x).reshape(x.shape), "map copy")
    expect(result("map", "neg", "x.npy", *threads), -x, "map neg")
    for name, ufunc in (("add", np.add), ("sub", np.subtract)):
        expect(result("map", name, "x.npy", "y.npy", *threads), ufunc(x, y), f"map {name}")
    if x.dtype.kind != "c":
        expect(result("map", "abs", "x.npy", *threads), np.abs(x), "map abs")
        for name, ufunc in (("mul", np.multiply), ("min", np.minimum), ("max", np.maximum)):
            expect(result("map", name, "x.npy", "y.npy", *threads), ufunc(x, y), f"map {name}")
        expect(result("map", "div", "x.npy", "y.npy", *threads), quotient(x, y), "map div")
        expect(result("filter", "positive", "x.npy", *threads), flat[flat > 0], "filter positive")
    expect(result("filter", "nonzero", "x.npy", *threads), flat[flat != 0], "filter nonzero")
    numbers = np.arange(len(flat), dtype=np.uint64)
    expect(result("map", "3 * i", "x.npy", *threads), (numbers * np.uint64(3)).reshape(x.shape), "map of the index")
    expect(result("filter", "i % 3 == 1", "x.npy", *threads), flat[1::3], "filter by the index")
    mask = np.random.default_rng(len(flat)).integers(0, 3, len(flat)).astype(np.uint8)
    np.save("mask.npy", mask)
    expect(result("filter", "--mask", "mask.npy", "x.npy", *threads), flat[mask != 0], "filter --mask")
    expect(result("filter", "nonzero", "--indices", "x.npy", *threads), np.nonzero(flat)[0].astype(np.uint64), "filter --indices")
    expect(result("filter", "nonzero", "--both", "rest.npy", "x.npy", *threads), flat[flat != 0], "filter --both")
    expect(np.load("rest.npy"), flat[flat == 0], "the rest of filter --both")
    if x.dtype.kind == "f":
        expect(result("map", "square", "x.npy", *threads), x * x, "map square")
        expect(result("map", "sqrt", "abs.npy", *threads), np.sqrt(np.abs(x)), "map sqrt")
        for name, ufunc in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", rounded)):
            expect(result("map", name, "x.npy", *threads), ufunc(x), f"map {name}")
        halves = np.trunc(x) + x.dtype.type(0.5)
        np.save("halves.npy", halves)
        expect(result("map", "round", "halves.npy", *threads), rounded(halves), "map round of halves")
    if x.dtype.kind in "iu":
        expect(result("map", "not", "x.npy", *threads), ~x, "map not")
    if x.dtype.kind == "c":
        expect(result("map", "real", "x.npy", *threads), x.real, "map real")
        expect(result("map", "conj", "x.npy", *threads), np.conj(x), "map conj")
        expect(result("map", "imag", "x.npy", *threads), x.imag, "map imag")


def check_iota(kind, n, threads):
    """Start and step are whole: then text has all their digits."""
    dtype = np.dtype(kind)
    start, step = (np.array(rng.integers(0, 100, 2)) / (8 if dtype.kind == "f" else 1)).astype(dtype)
    wanted = start + np.arange(n, dtype=np.int64).astype(dtype) * step
    options = ["--start", str(start), "--step", str(step), "--type", kind[0] + str(8 * dtype.itemsize)]
    expect(result("iota", str(n), *options, *threads), wanted, "iota")


def check_top(flat, order, threads):
    for k in {len(flat) // 9, len(flat)}:
        expect(result("top", str(k), "x.npy", "--ascending", *threads), flat[order][:k], "top --ascending")
        expect(result("top", str(k), "x.npy", "--ascending", "--indices", *threads), order.astype(np.int64)[:k], "top --indices")
        expect(result("top", str(k), "x.npy", *threads), flat[order][::-1][:k], "top")


def check_nth(flat, threads):
    ordered = np.sort(flat)
    for k in {0, len(flat) // 3, len(flat) - 1} if len(flat) else set():
        expect(result("nth", str(k), "x.npy", *threads), np.partition(flat, k)[k : k + 1], "nth")
        expect(result("nth", str(k), "x.npy", "--descending", *threads), ordered[::-1][k : k + 1], "nth --descending")
    if len(flat) % 2:
        expect(result("nth", "50%", "x.npy", *threads), ordered[len(flat) // 2 :][:1], "nth 50%")


def check_bits(x, flat, threads):
    """By some bits of an unsigned integer that is in the order of the numbers."""
    bits = 8 * x.dtype.itemsize
    low, high = sorted(int(b) for b in rng.integers(0, bits + 1, 2))
    unsigned = flat.astype(flat.dtype.newbyteorder("=")).view(f"u{x.dtype.itemsize}")
    sign = unsigned.dtype.type(1 << (bits - 1))
    image = unsigned if x.dtype.kind == "u" else np.where((x.dtype.kind == "f") & (unsigned >= sign), ~unsigned, unsigned ^ sign)
    span = np.array([(int(k) >> low) % 2**(high - low) for k in image], dtype=object)
    for descending in (False, True):
        order = sorted(range(len(flat)), key=(lambda i: -span[i]) if descending else (lambda i: span[i]))
        options = ("--descending",) if descending else ()
        expect(result("sort", "x.npy", "--bits", f"{low}:{high}", *options, *threads), flat[order], f"sort --bits {low}:{high}")


def check_order(x, flat, threads):
    if x.dtype.kind != "c":
        order = np.argsort(flat, kind="stable")
        np.save("index.npy", np.arange(len(flat), dtype=np.int64))
        expect(result("sort", "x.npy", *threads), flat[order], "sort")
        expect(result("sort", "x.npy", "--values", "index.npy", "--values-out", "order.npy", *threads), flat[order], "sort")
        expect(np.load("order.npy"), order.astype(np.int64), "the values of a sort")
        expect(result("argsort", "x.npy", *threads), order.astype(np.int64), "argsort")
        check_bits(x, flat, threads)
        check_top(flat, order, threads)
        check_nth(flat, threads)
        np.save("sorted.npy", flat[order])
        np.save("other.npy", np.sort(flat[::2]))
        merged = np.sort(np.concatenate([flat[order], np.sort(flat[::2])]), kind="stable")
        expect(result("merge", "sorted.npy", "other.npy", *threads), merged, "merge")
        np.save("third.npy", np.sort(flat[1::3]))
        merged = np.sort(np.concatenate([merged, flat[1::3]]), kind="stable")
        expect(result("merge", "other.npy", "sorted.npy", "third.npy", *threads), merged, "merge of three")
        expect(result("sort", "--descending", "x.npy", *threads), flat[order][::-1], "sort --descending")
    if x.dtype.kind in "iu":
        values, inverse, counts = np.unique(flat, return_inverse=True, return_counts=True)
        expect(result("unique", "sorted.npy", "--counts", "counts.npy", *threads), values, "unique")
        expect(np.load("counts.npy"), counts.astype(np.int64), "the counts of unique")
        sums = np.zeros(len(values), flat.dtype)
        np.add.at(sums, inverse, flat)
        expect(result("group", "sum", "x.npy", "--keys", "x.npy", "--keys-out", "keys.npy", *threads), sums, "group")
        expect(np.load("keys.npy"), values, "the keys of groups")
    if x.ndim == 2:
        expect(result("transpose", "x.npy", *threads), x.T, "transpose")


def check_segments(x, flat, threads):
    if len(flat) == 0 or flat.dtype.kind not in "iu":
        return
    heads = rng.random(len(flat)) < 0.2
    heads[0] = True
    offsets = np.append(np.flatnonzero(heads), len(flat))
    np.save("heads.npy", heads)
    np.save("offsets.npy", offsets)
    np.save("lengths.npy", np.diff(offsets).astype(np.uint16 if len(flat) < 65536 else np.uint64))
    wanted = np.add.reduceat(flat, offsets[:-1], dtype=flat.dtype)
    for way in ("heads", "offsets", "lengths"):
        expect(result("segreduce", "sum", "x.npy", f"--{way}", f"{way}.npy", *threads), wanted, f"segreduce --{way}")
    wanted = np.concatenate([np.add.accumulate(part, dtype=flat.dtype) for part in np.split(flat, offsets[1:-1])])
    expect(result("segscan", "sum", "x.npy", "--heads", "heads.npy", *threads), wanted, "segscan")


def check_bins(x, flat, threads):
    if x.dtype.kind == "c":
        return
    edges = np.sort(rng.choice(flat, min(len(flat), 30))) if len(flat) else flat
    if len(edges) > 1 and not np.isnan(edges).any():
        np.save("edges.npy", edges)
        expect(result("hist", "x.npy", "--edges", "edges.npy", *threads), np.histogram(flat, edges)[0], "hist --edges")
    if x.dtype.kind == "i" and x.dtype.itemsize < 8: # NumPy rounds floats at the edges in another way
        wanted = np.histogram(flat, 16, (-64, 64))[0]
        expect(result("hist", "x.npy", "--bins", "16", "--range", "-64,64", *threads), wanted, "hist --bins")


def check_elements(x, flat, threads):
    if len(flat) == 0:
        return
    indices = rng.integers(-3, len(flat) + 3, rng.integers(0, 2 * len(flat) + 1))
    np.save("x-flat.npy", flat)
    np.save("clipped.npy", indices.astype(rng.choice([np.int64, np.int32])))
    np.save("indices.npy", np.clip(indices, 0, len(flat) - 1).astype(rng.choice([np.uint64, np.uint32])))
    wanted = np.take(flat, indices, mode="clip")
    expect(result("take", "indices.npy", "x-flat.npy", *threads), wanted, "take")
    expect(result("take", "clipped.npy", "x-flat.npy", "--clip", *threads), wanted, "take --clip")
    counts = rng.integers(0, rng.choice([1, 2, 10]), len(flat), endpoint=True) * rng.integers(0, 2, len(flat))
    np.save("counts.npy", counts.astype(rng.choice([np.int64, np.uint32])))
    expect(result("repeat", "counts.npy", "x-flat.npy", *threads), np.repeat(flat, counts), "repeat")


def check_text(x, flat):
    tokens = run("map", "copy", "x.npy", "--to", "text").decode().split()
    if x.dtype.kind == "c":
        parts = np.array(tokens, dtype=flat.real.dtype).reshape(-1, 2)
        seen = (parts[:, 0] + 1j * parts[:, 1]).astype(x.dtype)
    else:
        seen = np.array(tokens, dtype=flat.dtype)
    expect(seen, flat, "numbers as text")
    name = f"{x.dtype.kind}{x.dtype.itemsize * 8}"
    if x.size:
        expect(result("map", "copy", "-t", name, stdin="\n".join(
            " ".join(tokens[i:i + len(tokens) // x.size]) for i in range(0, len(tokens), len(tokens) // x.size)).encode()),
            flat, "text as numbers")


def check_random(round, kind, where):
    """On random data of that type; where: the options that name the device."""
    x = any_values(kind, any_shape())
    flat = x.ravel(order="C")
    version = [(1, 0), (2, 0), (3, 0)][round % 3]
    save("x.npy", disguise(x), version)
    save("abs.npy", np.abs(x), (1, 0))
    for check in (check_scans, check_axes, check_neighbours, check_windows, check_extremes, check_maps, check_order, check_segments, check_elements,
                  check_bins):
        check(x, flat, where)
    check_text(x, flat)
    if x.dtype.kind in "iuf":
        check_iota(kind, flat.size, where)


def check_cores():
    for round in range(ROUNDS):
        check_random(round, KINDS[round % len(KINDS)], ("--threads", str(rng.choice([1, 2, 5]))))


def check_opencl():
    """A few types: each primitive, type and operator is a kernel to be compiled."""
    where = ("--device", "opencl")
    done = subprocess.run([OPLUS, "reduce", "sum", "-t", "i64", *where], input=b"", capture_output=True)
    if done.returncode != 0:
        print(f"without OpenCL: {done.stderr.decode().strip()}")
        return
    for round, kind in enumerate(("i4", "f4", "c8")):
        check_random(round, kind, where)


# --- structs --------------------------------------------------------------------------------------------------------

def check_structs():
    compose = "r.a = a.a * b.a; r.b = a.b * b.a + b.b;"
    for dtype in (np.dtype([("a", "<u4"), ("b", "<u4")]), np.dtype([("a", ">u4"), ("b", "<u4")]),
                  np.dtype([("a", "<u4"), ("pad", "i1"), ("b", "<u4")]),
                  np.dtype([("x", "i1"), ("a", "<u4"), ("b", "<u4")], align=True),
                  np.dtype([("b", "<u4"), ("a", "<u4"), ("v", "<f8", (2, 3))])):
        x = np.zeros(1000, dtype)
        x["a"] = rng.integers(0, 2**32, 1000)
        x["b"] = rng.integers(0, 2**32, 1000)
        np.save("x.npy", x)
        seen = result("scan", compose, "x.npy")
        p, q = int(x["a"][0]), int(x["b"][0])
        for i in range(1000):
            if i > 0:
                p, q = p * int(x["a"][i]) % 2**32, (q * int(x["a"][i]) + int(x["b"][i])) % 2**32
            assert (int(seen["a"][i]), int(seen["b"][i])) == (p, q), (dtype, i, seen[i], p, q)
        assert seen.dtype.names == dtype.names, seen.dtype
        copied = result("map", "copy", "x.npy")
        for name in dtype.names:
            expect(copied[name], x[name], f"member {name} of {dtype}")
        expect(result("map", "r = a.b;", "x.npy", "--result", "u32"), x["b"], "a member")
        kept = result("filter", "a.a & 1", "x.npy")
        expect(kept["b"], x["b"][x["a"] % 2 == 1], "filter of structs")


def check_members():
    dtype = np.dtype([("price", "<f8"), ("shop", "<i4"), ("day", "<u2"), ("kind", "i1")])
    x = np.zeros(5000, dtype)
    x["price"] = rng.integers(-3, 3, len(x)) / 2
    x["shop"] = rng.integers(-5, 5, len(x))
    x["day"] = rng.integers(0, 4, len(x))
    x["kind"] = rng.integers(-128, 128, len(x))
    np.save("x.npy", x)
    for names in (["shop", "day"], ["price", "shop"], ["day", "price", "shop", "kind"], ["kind"]):
        order = np.argsort(x, order=names, kind="stable")
        fields = np.lexsort([x[name] for name in reversed(names)]) # argsort(order=) goes on with the other fields
        if len(names) == len(dtype.names):
            assert (x[order] == x[fields]).all()
        expect(result("argsort", "x.npy", "--members", ",".join(names)), fields.astype(np.int64), f"argsort --members {names}")
        seen = result("sort", "x.npy", "--members", ",".join(names))
        for name in dtype.names:
            expect(seen[name], x[name][fields], f"sort --members {names}: {name}")
    down = np.lexsort([x["shop"], -x["price"]])
    expect(result("argsort", "x.npy", "--members", "price:desc,shop:asc"), down.astype(np.int64), "argsort --members, descending")


# --- what is not read -----------------------------------------------------------------------------------------------

def check_refused():
    global checks
    refused = {"float16": np.zeros(3, "f2"), "long double": np.zeros(3, "g"), "strings": np.array(["a", "bc"]),
               "bytes": np.array([b"a"]), "dates": np.zeros(3, "M8[s]"),
               "nested": np.zeros(3, [("p", [("x", "f4"), ("y", "f4")])])}
    for name, x in refused.items():
        np.save("refused.npy", x)
        message = run("reduce", "sum", "refused.npy", code=1)
        assert "refused.npy" in message and message.count("\n") == 1, (name, message)
        checks += 1
    np.save("refused.npy", np.array([{}, None], dtype=object), allow_pickle=True)
    assert "object" in run("reduce", "sum", "refused.npy", code=1)
    np.save("bool.npy", np.array([True, False, True, True]))
    expect(result("reduce", "sum", "bool.npy"), np.uint8(3), "bool counts as u8")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    os.environ["OPLUS_CACHE_DIR"] = os.path.join(directory, "cache")
    check_cores()
    check_opencl()
    check_structs()
    check_members()
    check_refused()
    print(f"{checks} arrays agree")
