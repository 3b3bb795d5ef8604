/* What the scripts of the page make of documents that are empty, incomplete, hostile or odd.  tests/lab/browser puts this
 * behind the scripts of a page and reads what became of it. */
const failures = [];
const fail = text => failures.push(text);
const equal = (got, wanted, what) => got === wanted || fail(`${what}: "${got}", should be "${wanted}"`);

/* --- what holds for every page --- */
/* Draws a document: its markup, which is read again as strictly as XML is. */
function drawn(of) {
    drawPage(of);
    const experiments = listOf(of, "experiments");
    const markup = inside([header(of, experiments), contents(experiments), experiments.map(experimentOf)]);
    const error = new DOMParser().parseFromString(`<div>${markup.replace(/\u00a0/g, " ")}</div>`, "application/xhtml+xml")
        .querySelector("parsererror");
    if (error) fail(`no well-formed markup of ${JSON.stringify(of).slice(0, 200)}: ${error.textContent.slice(0, 200)}`);
    const ids = [...document.querySelectorAll("[id]")].map(e => e.id), all = [...document.querySelectorAll("#drawn *, #experiments *")];
    if (new Set(ids).size !== ids.length) fail("an id stands twice");
    for (const a of document.querySelectorAll("a[href^='#']")) if (!ids.includes(a.hash.slice(1))) fail(`${a.hash} leads nowhere`);
    if (all.some(e => /^(script|style|iframe|object|img)$/i.test(e.tagName)
        || [...e.attributes].some(a => /^on/i.test(a.name)))) fail("a text became markup");
    for (const svg of document.querySelectorAll("svg.plot"))
        if (/nan|undefined|infinity|null/i.test(svg.outerHTML.replace(/>[^<]*</g,
            "><"))) fail(`a place that is no number: ${svg.outerHTML.slice(0, 300)}`);
    return markup;
}
const within = (experiment, device) => ({ device: { name: "d", ...device }, experiments: [experiment] });
const of = (...sections) => within({ name: "x", sections });
function expectIn(document, ...texts) {
    const markup = drawn(document);
    for (const text of texts) if (!markup.includes(text)) fail(`not in the page: ${text}`);
    return markup;
}

/* --- documents that say little, or something else --- */
const kindsOf = ["ladder", "curves", "table", "steps", "code"];
function testLittle() {
    const documents = [{}, [], null, 3, "text", { experiments: null }, { experiments: [] }, { experiments: { a: 1 } },
        { experiments: [null, 1, "x", [], {}] },
        { device: 3, experiments: [{ sections: 4 }] },
            { device: { units: "many", memory: null }, experiments: [{ sections: [null, [], 1, {}] }] },
        within({ about: "one text", sections: [...kindsOf, "unheard of", "constructor", 7].map(kind => ({ kind })) })];
    documents.forEach(drawn);
    drawn({});
    equal(document.getElementById("experiments").textContent, "No experiment was run.", "an empty document");
    equal(document.getElementById("words").hidden, true, "the words of an empty document are hidden");
    expectIn(of({ kind: "unheard of" }), "cannot show a section of the kind unheard of");
}
function testWrongTypes() {
    const members = ["title", "about", "n", "unit", "limit", "limit_name", "rungs", "x", "y", "text", "columns", "rows", "series",
        "kernels", "pictures"];
    for (const kind of kindsOf)
        for (const value of [null, true, -1, "<", [], [[]], [null, 3, "a", [1], {}], { a: {} }])
            for (const member of members) drawn(of({ kind, [member]: value }));
}

/* --- hostile texts: one as every member of everything --- */
const hostile = T => ({ oplus: T, date: T, command: T, caution: T, device: { where: T, name: T, driver: T, counters: T },
    experiments: [{ name: T, title: T, about: [T, T], sections: [
    { kind: "ladder", title: T, about: [T], unit: T, limit_name: T, limit: 9, lecture_about: T, rungs: [
        { name: T, title: T, what: T, why: T, file: T, kernel: T, note: T, gbs: 1, counters: { source: T, warps: 1 }, lecture: { [T]: 2 } },
        { name: T, title: T, file: T, kernel: T, skipped: T }, { kernel: T, before: T, over_before: 2, gbs: 2, lecture: { [T]: 4 } }] },
    { kind: "curves", title: T, x: { name: T, unit: T }, y: { name: T, unit: T },
        series: [{ name: T, style: T, points: [[1, 2]] }, { name: T, points: [[2, 3]] }] },
    { kind: "table", title: T, columns: [{ name: T, unit: T }], rows: [[T]] },
    { kind: "steps", title: T, text: T, pictures: [{ title: T, columns: 1, rows: [{ label: T, cells: [T] }] }] },
    { kind: T, title: T }, { kind: "code", kernels: [{ file: T, title: T, what: T, why: T, text: T }] }] }] });
function testHostile() {
    const script = "</style></pre><script>fail('a script ran')<\/script>&amp;\"\\";
    for (const T of ["<!-- ]]> -->", "x\" onmouseover=\"fail(1)", "&nbsp;&", "${1}`", "\ufffe\ud800", "", "\n\n\n",
        "__proto__"]) drawn(hostile(T));
    expectIn(hostile(script), "&lt;/style&gt;&lt;/pre&gt;&lt;script&gt;fail(&#39;a script ran&#39;)&lt;/script&gt;&amp;amp;&quot;\\");
    expectIn(hostile("\u0001\u001b\u007f\u0085\r\n\ttab"), "<p>\ufffd\ufffd\ufffd\ufffd\n\ttab</p>");
    equal(inside(html`${"a\ud800b\u{1f600}ü"}`), "a\ufffdb\u{1f600}ü", "half of a pair");
    for (const [text, cut] of [["123456", "123456"], ["1234567", "12345…"], ["äöüäöüä", "äöüäö…"],
        ["<<<<<<<", "<<<<<…"]]) equal(shortened(text, 6), cut, text);
}

/* --- numbers --- */
function testNumbers() {
    const cases = [[0, "0"], [-0, "0"], [1, "1"], [999, "999"], [1000, "1_000"], [67108864, "67_108_864"], [-1234567, "−1_234_567"],
        [1.5, "1.50"], [12.345, "12.3"],
        [123.45, "123"], [1234.5, "1_230"], [9.996, "10.0"], [99.96, "100"], [999.6, "1_000"], [0.001234, "0.00123"],
            [0.00001234, "1.23·10⁻⁵"], [-0.25, "−0.250"],
        [1e15, "1.00·10¹⁵"], [Number.MAX_VALUE, "1.80·10³⁰⁸"], [5e-324, "4.94·10⁻³²⁴"], [NaN, "–"], [Infinity, "–"], [-Infinity, "–"]];
    for (const [x, text] of cases) equal(shown(x), text.replace(/_/g, thin), x);
    equal(memory(150754820096), `140${thin}GiB`, "memory");
    equal(memory(0), `0${thin}bytes`, "no memory");
    equal(moved(1090000000), `1.09${thin}GB`, "bytes");
    equal(moved(999), `999${thin}bytes`, "few bytes");
    equal(moved(NaN), "–", "no bytes");
    equal(fixed(-0.001, 2), "0.00", "a fixed number");
    for (const odd of [NaN, Infinity, 0, -1, 1e308, -1e308, 5e-324])
        drawn(within({ sections: [{ kind: "ladder", limit: odd, n: odd,
            rungs: [{ ms: odd, gbs: odd, over_before: odd, over_first: odd, of_limit: odd, launches: odd,
            counters: { sectors: odd }, lecture: { a: odd } }, { gbs: 2, lecture: { a: 1 } }] }] }, { memory: odd, read_gbs: odd }));
}

/* --- curves --- */
const curvesOf = (logX, logY, points) =>
    of({ kind: "curves", title: "c", x: { name: "x", unit: "bytes", log: logX }, y: { log: logY }, series: [{ name: "s", points }] });
function testCurves() {
    const values = [0, 1, -1, 1e-300, 1e300, Number.MAX_VALUE, 5e-324, 1024, NaN, Infinity, 3.7];
    for (const logs of [0, 1, 2, 3])
        for (const a of values)
            for (const b of values) drawn(curvesOf(logs % 2 > 0, logs > 1, [[a, b], [b, a], [1, 1]]));
    const fall = [[1024, 10], [2048, 5], [0, 3], [4096, null], [8192, 1]];
    expectIn(curvesOf(true, false, fall), `2${thin}KiB`, `8${thin}KiB`, "place for 0 and below: 1 point.", "<title id=\"e1-1-p\">c:",
        "<td class=\"n\">–</td>");
    expectIn(curvesOf(false, false, []), "Nothing was measured that could be drawn.");
    expectIn(of({ kind: "curves", series: [{ points: [[1, 2]] }, { points: [] }, {}, null] }), "<figure");
    /* A formula has the colour of what was measured, and no marks but where it is a point alone. */
    const two = [[1, 2], [2, 3]], series = (name, style, points = two) => ({ name, style, points });
    const markup = drawn(of({ kind: "curves",
        series: [series("n = 64", "dots"), series("64, formula", "dashed"), series("up"), series("n = 6"),
        series("up: fitted", "dashed"), series("n = 6, formula", "dashed"), series("law", "dashed", [[1, 5]])] }));
    equal(markup.match(/<path class="[^"]*/g).map(path => path.slice(13)).join(),
        "c0 dashed,c1 line,c2 line,c1 dashed,c2 dashed,c3 dashed", "colours");
    equal(/<title>up: fitted/.test(markup), false, "a dashed line has marks");
    equal(/<title>law: 1/.test(markup), true, "a point alone has a mark");
}
function testTicks() {
    for (const [numbers, options, labels] of [[[0.2, 1.7], { log: true, rounded: true }, "0.2 0.5 1 2"],
        [[0.3, 15], { log: true, rounded: true }, "0.2 0.5 1 2 5 10 20"],
        [[0, 1.2], { rounded: true }, "0.0 0.5 1.0 1.5"], [[0, 0.9], { rounded: true }, "0.0 0.2 0.4 0.6 0.8 1.0"]])
        equal(ticksOf(scaleOf(numbers, options), "").map(tick => tick.label).join(" "), labels, numbers);
    const ends = [0, 5e-324, 1e-300, 1e-9, 0.3, 1, 2, 1.0001, 7, 8, 32, 1000, 4300, 1 << 20, 1e15, 1e300];
    for (const [log, rounded] of [[false, false], [true, false], [false, true], [true, true]])
        for (const a of ends)
            for (const b of ends) {
                const scale = scaleOf([a, b], { log, rounded }), at = ticksOf(scale, "bytes").map(tick => tick.at),
                    what = `ticks from ${a} to ${b}`;
                if (!(scale.low < scale.high) || at.length < 1 || at.length > TICKS
                    || !at.every((x, i) => x >= 0 && x <= 1 && !(x <= at[i - 1]))) fail(`${what}: ${at}`);
            }
}

/* --- ladders --- */
const ladderWith = (rungs, more) => of({ kind: "ladder", rungs, ...more });
function testLadder() {
    expectIn(ladderWith([{ name: "only", gbs: 217.4, right: true, kernel: "a < b;\n", lecture: { GTX: 2 } }]), ">217<", "a &lt; b;", "GTX",
        "<td class=\"n\">yes</td>");
    expectIn(ladderWith([{ name: "none", skipped: "as < is", gbs: 5 }]), "skipped: as &lt; is", "Skipped: as &lt; is");
    expectIn(ladderWith([
        { name: "a", gbs: 100, of_limit: 0.0232, kernel: "x();\nif (t % 2 == 0)\n    y();\nz();",
            counters: { source: "hardware", sectors: 400, requests: 100, occupancy: 0.5 } },
        { name: "b", gbs: 250, right: false, kernel: "x();\nif (t < 2 == 0)\n    y();\nnew();\nz();",
            counters: { source: "model", sectors: 800, requests: 100 } }],
    { limit_name: "read", limit: 4300, n: 67108864 }), "<td class=\"n\">2.32</td>", `read: 4${thin}300 GB/s`, `67${thin}108${thin}864`,
        "<span class=\"model\">model</span>",
    "sectors per request", "<td class=\"n\">8</td>", "<td class=\"n wrong\">no</td>", "the result is wrong", "if (t <del>%</del> 2 == 0)",
        "if (t <ins>&lt;</ins> 2 == 0)",
    "<ins class=\"line whole\" style=\"--r:4\">new();</ins>", "<span class=\"line\" style=\"--r:5\">z();</span>",
        "<td class=\"n\">50</td>");
}
/* What the page says of figures: which step paid, which did not although its counters say that it did something. */
function testSeen() {
    const model = conflicts => ({ source: "model", conflicts });
    expectIn(ladderWith([{ name: "first", gbs: 10, of_limit: 0.1, lecture: { A: 1, B: 1 }, counters: model(9000000) },
        { name: "no-banks", gbs: 10.2, of_limit: 0.102, over_before: 1.02, lecture: { A: 2, B: 3 }, counters: model(0) },
        { name: "wide", gbs: 40, of_limit: 0.4, over_before: 3.92 }, { name: "twisted", gbs: 20, of_limit: 0.2, over_before: 0.5 },
        { name: "copy", role: "yardstick", gbs: 99, of_limit: 0.99, over_before: 9 },
            { name: "oplus", role: "oplus", gbs: 60, of_limit: 0.6, over_before: 3 },
        { name: "CUB", role: "peer", gbs: 50, of_limit: 0.5, over_before: 0.83 }], { title: "Sums", limit: 100 }),
    `<b>no gain</b>: 1.02 × first, though bank conflicts went from 9${
        thin}M to 0: that is not what limits it here. The lectures&#39; devices: 2 to 3 ×.`,
    "<b>a gain</b>: 3.92 × no-banks.", "<b>slower</b>: 0.500 × wide.",
    "1 step paid: wide (3.92 ×). 1 step changed nothing here: no-banks (1.02 ×). 1 step made it slower here: twisted (0.500 ×). "
    + "The fastest step reaches 40 % of the limit. oplus reaches 60 % of the limit. CUB reaches 50 %",
    "first kernels of the ladders reach 10 % of the rate of a copy, the fastest 40 %. The step that pays most is wide: 3.92 ×, in Sums. "
    + "oplus itself reaches 60 %; it is 1.20 times as fast as CUB in Sums.", "class=\"bar yardstick\"", "class=\"bar oplus\"",
        "class=\"bar peer\"");
}
/* A rung that names another one is beside it, wherever that stands, and says so. */
function testBefore() {
    const rungs = before => [{ name: "a", kernel: "one();" }, { name: "b", kernel: "two();" },
        { name: "c", kernel: "one();\nmore();", over_before: 2.25, before }, { name: "bare" }];
    for (const [before, cell, beside] of [["a", "2.25 <small>× a</small>", "The kernel, beside a<"],
        ["c", "2.25 <small>× c</small>", "The kernel, beside b<"], /* itself */
        ["bare", "2.25 <small>× bare</small>", "The kernel, beside b<"],
            ["unheard of", "2.25 <small>× unheard of</small>", "The kernel, beside b<"],
        ["", "<td class=\"n\">2.25</td>", "2.25 × the rung before"]]) expectIn(ladderWith(rungs(before)), cell, beside);
    expectIn(ladderWith(rungs("a")), "<ins class=\"line whole\" style=\"--r:2\">more();</ins>", "2.25 × a</p>");
}

/* --- other sections, and the head --- */
function testSections() {
    const markup = expectIn(of({ kind: "steps", text: "3 4",
        pictures: [{ title: "sums", columns: 2, rows: [{ label: "x", cells: ["3", "1"], tints: [0.5] },
        { label: "y", cells: [null, "4"], marks: [1], links: [[0, 1, 1], [1, 1, 0], [0, 7, 1], ["a"], 3, [null, 0]] }] }] }),
    "class=\"link taken\"", "class=\"cell marked\"", "class=\"tint\"", "Every step, in numbers");
    equal(markup.match(/class="link/g).length, 2, "links");
    equal(markup.match(/class="cell/g).length, 3, "cells");
    expectIn(of({ kind: "code", kernels: [{ title: "an offset", file: "f.cl", what: "w", why: "y", text: "t" }, { file: "g.cl" }, {}] }),
        "<h4>An offset</h4>", "<b>What it does:</b> w", "<b>Why:</b> y", "<p class=\"head\"><code>f.cl</code>", "<h4>G.cl</h4>",
            "<h4>A kernel</h4>");
    expectIn(of({ kind: "table", columns: [{ name: "a", unit: "bytes" }, { name: "b" }, null],
        rows: [[65536, "<t>"], [null, true, false, "too many"], 3] }),
        `<td class="n">65${thin}536</td><td>&lt;t&gt;</td>`, "<td>yes</td><td>no</td>", "<td class=\"n\">–</td>");
    expectIn({ caution: "c < d", device: { units: 132 }, experiments: [{}] }, "<p class=\"caution\"><b>Caution:</b> c &lt; d</p>",
        "<dt>multiprocessors or cores</dt><dd>132</dd>");
    equal(document.getElementById("words").hidden, false, "the words of a document are hidden");
    for (const word of ["FIRST_WARP(i)", "occupancy"]) if (!document.getElementById("words")
        .textContent.includes(word)) fail(`no word ${word}`);
}

/* --- differences --- */
function testDifferences() {
    for (const [before, after, partners] of [["", "a", ""], ["a", "", "-1"], ["a\nb\nc", "a\nb\nc\n", "0,1,2"],
        ["\n\na\n\nb\n", "a\n\nb", "0,1,2"], ["a = 1;\n}\n", "}\na = 1;\n}\n", "1,2"],
        ["x[t] += x[t + s];\ny", "z\nx[k] += x[k + s];\ny", "1,2"], ["one two three\n", "four five six\n", "-1"]])
        equal(matchLines(linesOf(before), linesOf(after)).join(), partners, JSON.stringify(before));
    for (const lines of [300, 3000]) { /* many lines, few of them equal: in a reasonable time, and the larger ones not at all */
        const text = step => Array.from({ length: lines }, (_, i) => `line ${i * step};\n`).join("");
        drawn(ladderWith([{ kernel: text(1) }, { kernel: text(2) }]));
    }
}

for (const test of [testLittle, testWrongTypes, testHostile, testNumbers, testCurves, testTicks, testLadder, testSeen, testBefore,
    testSections, testDifferences]) {
    try { test(); } catch (error) { fail(`${test.name}: ${error.stack}`); }
}
document.documentElement.dataset.tested = failures.length ? failures.slice(0, 5).join(" | ").replace(/[\s"]+/g, " ") : "all";
