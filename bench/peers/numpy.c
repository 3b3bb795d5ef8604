/* NumPy, in this process: Python is embedded, and its arrays are views of our memory.
 *
 * BENCH_NUMPY, if the build sets it, is the directory of a NumPy 2 from PyPI, whose np.sort is x86-simd-sort with AVX2 or
 * AVX-512.  Otherwise, or if it is gone, Debian's NumPy is measured, whose np.sort has vectors for few types.
 *
 * Each primitive is a Python function without arguments over such views, made when a problem begins: what is timed is
 * one call of it, as a Python program would make it.  All calls come from the thread that loaded the module. */
#define PY_SSIZE_T_CLEAN
#include <Python.h> /* first: it defines _GNU_SOURCE */

#include <dlfcn.h>
#include <string.h>

#include "../bench.h"

/* 2 a + b takes two calls, as NumPy has none for it.  A mask gives a new array; copying that to where the filter's
 * result is expected is timed too. */
/* In two texts, as C promises room for 4095 characters in each. */
static const char program[] =
    "import sys\n"
    "if chosen: sys.path.insert(0, chosen)\n"
    "import numpy as np\n"
    "simd_sort = int(np.__version__.split('.')[0]) >= 2\n"
    "version = np.__version__ + (', np.sort is x86-simd-sort' if simd_sort else\n"
    "    ' without x86-simd-sort, which NumPy 2 of PyPI has (./run bench)')\n"
    "def array(memory, dtype): return np.frombuffer(memory, dtype=dtype)\n"
    "\n"
    "class calls:\n"
    "    def __init__(self, memories, dtype, rows, cols, segments, keep):\n"
    "        x, x2, out, out2, offsets = memories\n"
    "        x, out = array(x, dtype), array(out, dtype)\n"
    "        one, dt = out[:1].reshape(()), x.dtype\n"
    "        self.map = lambda: np.multiply(x, x, out=out)\n"
    "        self.reduce = lambda: np.add.reduce(x, dtype=dt, out=one)\n"
    "        self.max = lambda: np.maximum.reduce(x, out=one)\n"
    "        place = out.view(np.uint8)[:dt.itemsize]\n"
    "        self.argmax = lambda: np.copyto(place, np.array([np.argmax(x)]).view(np.uint8)[:dt.itemsize])\n"
    "        self.fold = lambda: np.add.reduce(x, dtype=dt, out=one, initial=x[0])\n"
    "        self.scan = lambda: np.cumsum(x, dtype=dt, out=out)\n"
    "        self.sort = lambda: out.sort()\n"
    "        self.argsort = lambda: np.copyto(out.view('u%d' % dt.itemsize), np.argsort(x, kind='stable'),\n"
    "                                         casting='unsafe')\n"
    "        k = min(100, x.size)\n" /* BENCH_MOST_OF_TOP */
    "        self.top = lambda: np.copyto(out[:k], np.sort(np.partition(x, x.size - k)[x.size - k:])[::-1])\n"
    "        self.nth = lambda: np.copyto(one, np.partition(x, x.size // 2)[x.size // 2])\n"
    "        self.stable_sort = lambda: out.sort(kind='stable')\n"
    "        def exclusive():\n"
    "            out[0] = 0\n"
    "            np.cumsum(x[:-1], dtype=dt, out=out[1:])\n"
    "        self.exclusive = exclusive\n"
    "        self.iota = lambda: np.copyto(out, np.arange(x.size, dtype=dt))\n"
    "        def filter():\n"
    "            kept = x[(x.astype(np.int32, copy=False) & 1).astype(bool)]\n"
    "            np.copyto(out[:kept.size], kept)\n"
    "            keep(kept.size)\n"
    "        self.filter = filter\n"
    "        def unique():\n"
    "            kept = x[np.concatenate(([True], x[1:] != x[:-1]))]\n"
    "            np.copyto(out[:kept.size], kept)\n"
    "            keep(kept.size)\n"
    "        self.unique = unique\n"
    "        def rle():\n"
    "            heads = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))\n"
    "            np.copyto(out[:heads.size], x[heads])\n"
    "            np.copyto(array(out2, np.uint32)[:heads.size], np.diff(heads, append=x.size), casting='unsafe')\n"
    "            keep(heads.size)\n"
    "        self.rle = rle\n"
    "        def bits():\n"
    "            out[:] = out[np.argsort((out >> 8).astype(np.uint16), kind='stable')]\n" /* BENCH_LOW_BIT */
    "        self.bits = bits\n"
    "        counts = min(256, x.size)\n" /* BENCH_EVEN_BINS */
    "        self.histogram = lambda: np.copyto(out[:counts].view('u%d' % dt.itemsize),\n"
    "            np.histogram(x, counts, (0, counts))[0], casting='unsafe')\n";
static const char rest_of_program[] =
    "        if x2 is not None and out2 is None:\n"
    "            y, unsigned = array(x2, dtype), 'u%d' % dt.itemsize\n"
    "            places = array(x2, unsigned)\n"
    "            if places.size and places.max() < x.size:\n"
    "                at = places.astype(np.intp)\n" /* what NumPy takes as it is */
    "                self.take = lambda: np.take(x, at, out=out, mode='clip')\n"
    "                self.put = lambda: out.__setitem__(at, x)\n"
    "                def bins():\n"
    "                    out[:min(1000, x.size)] = 0\n" /* BENCH_INDEXED_BINS */
    "                    np.add.at(out, at, x)\n"
    "                self.bins = bins\n"
    "            repeated = (x.size + 2) // 3\n" /* bench_repeated */
    "            times = places[:repeated].astype(np.intp)\n"
    "            self.repeat = lambda: np.copyto(out, np.repeat(x[:repeated], times))\n"
    "            self.search = lambda: np.copyto(out.view(unsigned), np.searchsorted(x, y), casting='unsafe')\n"
    "            def zip():\n"
    "                np.multiply(x, dt.type(2), out=out)\n"
    "                np.add(out, y, out=out)\n"
    "            self.zip = zip\n"
    "        if x2 is not None and out2 is not None:\n"
    "            values = array(out2, np.uint32)\n"
    "            def pairs():\n"
    "                order = np.argsort(out, kind='stable')\n"
    "                out[:] = out[order]\n"
    "                values[:] = values[order]\n"
    "            self.pairs = pairs\n"
    "        if offsets is not None:\n"
    "            heads, sums = array(offsets, np.uint64)[:-1].astype(np.intp), out[:segments]\n"
    "            self.segreduce = lambda: np.add.reduceat(x, heads, dtype=dt, out=sums)\n"
    "        if rows:\n"
    "            table, scans = x.reshape(rows, cols), out.reshape(rows, cols)\n"
    "            self.rows = lambda: np.add.reduce(table, 1, dtype=dt, out=out[:rows])\n"
    "            self.columns = lambda: np.add.reduce(table, 0, dtype=dt, out=out[:cols])\n"
    "            self.scan_rows = lambda: np.cumsum(table, 1, dtype=dt, out=scans)\n"
    "            self.scan_columns = lambda: np.cumsum(table, 0, dtype=dt, out=scans)\n"
    "            wide = 'u%d' % dt.itemsize\n"
    "            self.argmax_rows = lambda: np.copyto(out[:rows].view(wide), np.argmax(table, 1), casting='unsafe')\n"
    "            self.argmax_columns = lambda: np.copyto(out[:cols].view(wide), np.argmax(table, 0), "
    "casting='unsafe')\n"
    "            self.sort_rows = lambda: scans.sort(1)\n"
    "            self.sort_columns = lambda: scans.sort(0)\n"
    "            flipped, target = x.reshape(rows, cols).T, out.reshape(cols, rows)\n"
    "            self.transpose = lambda: np.copyto(target, flipped)\n";

static PyObject *names;    /* the dictionary of the program's module */
static PyObject *prepared; /* calls of the problem at hand */
static size_t kept;        /* what the filter returned */
static char version[128];

static const char *const dtypes[BENCH_TYPE_COUNT] = {"f4", "f8", "i4", "i8", "u4", "u8"};

/* --- the module ------------------------------------------------------------------------------------------------- */

static PyObject *keep(PyObject *self, PyObject *count)
{
    (void)self;
    kept = PyLong_AsSize_t(count);
    Py_RETURN_NONE;
}
static PyMethodDef keep_method = {"keep", keep, METH_O, NULL};

/* Makes Python's symbols global, because NumPy's own modules look for them there. */
static bool show_python(void)
{
    Dl_info python;
    return dladdr((void *)(uintptr_t)&Py_InitializeFromConfig, &python) &&
           dlopen(python.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* Isolated: no environment variables, no signal handlers, no user's packages. */
static bool start_python(void)
{
    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    bool good = !PyStatus_Exception(PyConfig_SetBytesString(&config, &config.program_name, BENCH_PYTHON)) &&
                !PyStatus_Exception(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);
    return good;
}

/* The names that the program starts with. */
static PyObject *make_names(void)
{
#ifdef BENCH_NUMPY
    return Py_BuildValue("{s:s}", "chosen", BENCH_NUMPY);
#else
    return Py_BuildValue("{s:O}", "chosen", Py_None);
#endif
}

static const char *open_numpy(void)
{
    if (!show_python()) return "libpython cannot be made visible to NumPy";
    if (!start_python()) return "Python does not start (" BENCH_PYTHON ")";
    names = make_names();
    char whole[sizeof program + sizeof rest_of_program];
    snprintf(whole, sizeof whole, "%s%s", program, rest_of_program);
    PyObject *done = names ? PyRun_String(whole, Py_file_input, names, names) : NULL;
    PyObject *text = done ? PyDict_GetItemString(names, "version") : NULL;
    if (!text) {
        PyErr_Print();
        return "NumPy cannot be imported by " BENCH_PYTHON " (Debian: python3-numpy)";
    }
    snprintf(version, sizeof version, "%s", PyUnicode_AsUTF8(text));
    Py_DECREF(done);
    return NULL;
}

/* --- a problem -------------------------------------------------------------------------------------------------- */

static PyObject *memory(const void *mem, size_t bytes, int access)
{
    if (!mem) Py_RETURN_NONE;
    return PyMemoryView_FromMemory((char *)(uintptr_t)mem, (Py_ssize_t)bytes, access);
}

static void begin(const bench_problem *p)
{
    if (!dtypes[p->type]) return; /* no structs */
    const size_t bytes = p->n * p->element;
    PyObject *keeper = PyCFunction_New(&keep_method, NULL);
    /* N: the call takes over the reference */
    prepared = PyObject_CallFunction(
        PyDict_GetItemString(names, "calls"), "(NNNNN)snnnN", memory(p->in, bytes, PyBUF_READ),
        memory(p->in2, bytes, PyBUF_READ), memory(p->out, bytes, PyBUF_WRITE),
        memory(p->out2, p->n * sizeof(uint32_t), PyBUF_WRITE),
        memory(p->offsets, p->offsets ? (p->segments + 1) * sizeof *p->offsets : 0, PyBUF_READ), dtypes[p->type],
        (Py_ssize_t)p->rows, (Py_ssize_t)p->cols, (Py_ssize_t)p->segments, keeper);
    if (!prepared) PyErr_Print();
}

static void end(void) { Py_CLEAR(prepared); }

/* A call that fails leaves a wrong result and prints why. */
static void call(const char *name)
{
    PyObject *result = prepared ? PyObject_CallMethod(prepared, name, NULL) : NULL;
    if (!result) PyErr_Print();
    Py_XDECREF(result);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* X(primitive, method of calls, name in reports, traits) */
#define FOR_CALLS(X)                                                                                                   \
    X(MAP, map, "np.multiply", 0)                                                                                      \
    X(ZIP, zip, "np.multiply, np.add", 0)                                                                              \
    X(REDUCE, reduce, "np.add.reduce", 0)                                                                              \
    X(MAXIMUM, max, "np.maximum.reduce", 0)                                                                            \
    X(ARGMAX, argmax, "np.argmax", 0)                                                                                  \
    X(FOLD, fold, "np.add.reduce(initial)", 0)                                                                         \
    X(SCAN, scan, "np.cumsum", 0)                                                                                      \
    X(EXCLUSIVE, exclusive, "np.cumsum, shifted", 0)                                                                   \
    X(SEGREDUCE, segreduce, "np.add.reduceat", BENCH_HEADS)                                                            \
    X(SORT, sort, "np.sort", BENCH_UNSTABLE)                                                                           \
    X(SORT, stable_sort, "np.sort(stable)", 0)                                                                         \
    X(ARGSORT, argsort, "np.argsort(stable)", 0)                                                                       \
    X(TOP, top, "np.partition, np.sort", 0)                                                                            \
    X(NTH, nth, "np.partition", 0)                                                                                     \
    X(TAKE, take, "np.take", 0)                                                                                        \
    X(PUT, put, "out[at] = x", 0)                                                                                      \
    X(HISTOGRAM, histogram, "np.histogram", 0)                                                                         \
    X(BINS, bins, "np.add.at", 0)                                                                                      \
    X(ROWS, rows, "np.add.reduce, axis 1", 0)                                                                          \
    X(COLUMNS, columns, "np.add.reduce, axis 0", 0)                                                                    \
    X(SCAN_ROWS, scan_rows, "np.cumsum, axis 1", 0)                                                                    \
    X(SCAN_COLUMNS, scan_columns, "np.cumsum, axis 0", 0)                                                              \
    X(IOTA, iota, "np.arange", 0)                                                                                      \
    X(REPEAT, repeat, "np.repeat", 0)                                                                                  \
    X(ARGMAX_ROWS, argmax_rows, "np.argmax, axis 1", 0)                                                                \
    X(ARGMAX_COLUMNS, argmax_columns, "np.argmax, axis 0", 0)                                                          \
    X(SORT_ROWS, sort_rows, "np.sort, axis 1", BENCH_UNSTABLE)                                                         \
    X(SORT_COLUMNS, sort_columns, "np.sort, axis 0", BENCH_UNSTABLE)                                                   \
    X(TRANSPOSE, transpose, "np.copyto of x.T", 0)

#define CALL(id, name, text, traits)                                                                                   \
    static void run_##name(bench_problem *p)                                                                           \
    {                                                                                                                  \
        (void)p;                                                                                                       \
        call(#name);                                                                                                   \
    }
FOR_CALLS(CALL)
CALL(PAIRS, pairs, , )
CALL(SEARCH, search, , )
CALL(BITS, bits, , )

static void call_and_keep(bench_problem *p, const char *name)
{
    call(name);
    p->kept = kept <= p->n ? kept : 0;
}

static void run_filter(bench_problem *p) { call_and_keep(p, "filter"); }
static void run_unique(bench_problem *p) { call_and_keep(p, "unique"); }
static void run_rle(bench_problem *p) { call_and_keep(p, "rle"); }

#define ROW(id, ID, name, text, traits) {text, BENCH_PEER, BENCH_##id, BENCH_##ID, traits, run_##name},
#define ROWS(id, name, text, traits)                                                                                   \
    ROW(id, F32, name, text, traits)                                                                                   \
    ROW(id, F64, name, text, traits)                                                                                   \
    ROW(id, I32, name, text, traits)                                                                                   \
    ROW(id, I64, name, text, traits)                                                                                   \
    ROW(id, U32, name, text, traits)                                                                                   \
    ROW(id, U64, name, text, traits)

/* clang-format off */
static const bench_contender table[] = {
    FOR_CALLS(ROWS)
    ROWS(FILTER, filter, "x[mask]", 0)
    ROWS(UNIQUE, unique, "x[x[1:] != x[:-1]]", 0)
    ROWS(RLE, rle, "np.flatnonzero, np.diff", 0)
    ROW(BITS, U32, bits, "np.argsort(stable) of 16 bits, take", 0)
    ROW(BITS, U64, bits, "np.argsort(stable) of 16 bits, take", 0)
    ROW(SEARCH, U32, search, "np.searchsorted", 0)
    ROW(SEARCH, U64, search, "np.searchsorted", 0)
    ROW(PAIRS, U32, pairs, "np.argsort(stable), take", 0)
    {0}};
/* clang-format on */

const bench_peer bench_peer_module = {BENCH_ABI, "NumPy", version, "as it is packaged; one thread", open_numpy, begin,
                                      end,       NULL,    table};
