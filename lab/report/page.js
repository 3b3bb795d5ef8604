/* The page: what it is of, where things are, and the experiments. */

/* --- sections --- */
/* A column is set at the right if its first cell that says something is a number. */
function table(section) {
    const columns = listOf(section, "columns"), rows = listOf(section, "rows"),
        cellOf = (row, c) => Array.isArray(row) ? row[c] ?? null : null;
    if (columns.length === 0 || rows.length === 0) return html`<p class="empty">The table is empty.</p>\n`;
    const right = columns.map((_, c) =>
        typeof rows.map(row => cellOf(row, c)).find(cell => cell !== null) === "number" ? html` class="n"` : "");
    const words = cell => typeof cell === "string" ? cell : typeof cell === "boolean" ? cell ? "yes" : "no" : shown(finite(cell));
    const head = columns.map((of, c) =>
        html`<th scope="col"${right[c]}>${textOf(of, "name")}${
            when(textOf(of, "unit"), () => html`<small>${of.unit}</small>`)}</th>`);
    return scroll(textOf(section, "title"), html`<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${
        rows.map(row => html`<tr>${columns.map((_, c) =>
            html`<td${right[c]}>${words(cellOf(row, c))}</td>`)}</tr>\n`)}</tbody></table>\n`);
}
/* Where there are pictures, they say what the text does, which is then folded away. */
function steps(section, id) {
    const text = scroll(textOf(section, "title"), html`<pre class="steps">\n${textOf(section, "text")}</pre>\n`);
    return [listOf(section, "pictures").map((of, i) => picture(of, `${id}-p${i + 1}`)),
        Array.isArray(section.pictures) ? html`<details><summary>Every step, in numbers</summary>\n${text}</details>\n` : text];
}
function code(section, id) {
    const one = (of, i) => {
        const file = textOf(of, "file"), title = textOf(of, "title") || file || "A kernel";
        return html`<article class="rung" id="${id}-${i + 1}">\n<h4>${title.replace(/^[a-z]/, c => c.toUpperCase())}</h4>\n${
            note("what", bold("What it does"), textOf(of, "what"))}${note("why", bold("Why"), textOf(of, "why"))}${
                listing("", file, textOf(of, "text"))}</article>\n`;
    };
    const kernels = listOf(section, "kernels");
    return kernels.length > 0 ? kernels.map(one) : html`<p class="empty">There is no kernel to show.</p>\n`;
}
const kinds = new Map(Object.entries({ ladder, curves, table, steps, code }));
function sectionOf(section, id) {
    const kind = textOf(section, "kind"),
        draw = kinds.get(kind) ?? (() => note("empty", "This page cannot show a section of the kind ", kind || "(none)"));
    return html`<section id="${id}" aria-labelledby="${id}-t">\n<h3 id="${id}-t">${titleOf(section, kind)}</h3>\n${
        paragraphs(section?.about)}${draw(section, id)}</section>\n`;
}
const experimentOf = (of, i) =>
    html`<section class="experiment" id="e${i + 1}" aria-labelledby="e${i + 1}-t">\n<h2 id="e${i + 1}-t">${
    titleOf(of, "An experiment")}</h2>\n${paragraphs(of?.about)}${
        listOf(of, "sections").map((section, s) => sectionOf(section, `e${i + 1}-${s + 1}`))
}<p class="back"><a href="#contents">Contents</a></p>\n</section>\n`;

/* --- what stands before them --- */
/* "Reduction on NVIDIA H200", or what the page is of many experiments. */
function pageTitle(of, experiments) {
    const one = experiments.length === 1, device = textOf(of?.device, "name");
    return (one ? titleOf(experiments[0], "An experiment") : "Why a kernel is slow") + (device && (one ? " on " : ", shown on "))
        + device;
}
function deviceFacts(of) {
    const device = of?.device, rate = x => when(!isNaN(x), () => `${shown(x)} GB/s`),
        number = (x, show) => when(!isNaN(x), () => show(x)), code = text => when(text, () => html`<code>${text}</code>`);
    const facts = [["device", textOf(device, "name")], ["which is", textOf(device, "where"), code],
        ["multiprocessors or cores", number(numberOf(device, "units"), shown)],
        ["memory", number(numberOf(device, "memory"), memory)], ["reads at most", rate(numberOf(device, "read_gbs"))],
            ["copies at most", rate(numberOf(device, "copy_gbs"))],
        ["date", textOf(of, "date")], ["oplus", textOf(of, "oplus")], ["driver", textOf(device, "driver")],
            ["counters", textOf(device, "counters")],
        ["made by", textOf(of, "command"), code]];
    return html`<dl class="facts">\n${
        facts.filter(([, text]) => text).map(([title, text, show = x => x]) => /* a long text has a row of its own */
        html`<div${[...text].length > 40 ? html` class="long"` : ""}><dt>${title}</dt><dd>${show(text)}</dd></div>\n`)}</dl>\n`;
}
const header = (of, experiments) => html`<header>\n<p class="over">oplus lab</p>\n<h1>${pageTitle(of, experiments)}</h1>\n${
    note("caution", bold("Caution"), textOf(of, "caution"))}${summary(experiments)}${deviceFacts(of)}</header>\n`;
const contentsOf = (of, i) => html`<li><a href="#e${i + 1}">${titleOf(of, "An experiment")}</a>${
    when(listOf(of, "sections").length > 0, () => html`\n<ul>\n${
    of.sections.map((section, s) =>
        html`<li><a href="#e${i + 1}-${s + 1}">${titleOf(section, textOf(section, "kind"))}</a></li>\n`)}</ul>`)}</li>\n`;
const contents = experiments =>
    html`<nav id="contents" aria-labelledby="contents-title">\n<h2 id="contents-title">Contents</h2>\n<ol>\n${
    experiments.map(contentsOf)}</ol>\n<p><a href="#words">Words</a>: what the names in kernels and tables mean</p>\n</nav>\n`;

/* Draws the document in place of what was drawn before. */
function drawPage(of) {
    const experiments = listOf(of, "experiments"), some = experiments.length > 0;
    document.title = pageTitle(of, experiments);
    document.getElementById("drawn").innerHTML = inside([header(of, experiments), when(some, () => contents(experiments))]);
    document.getElementById("experiments")
        .innerHTML = inside(some ? experiments.map(experimentOf) : html`<p class="empty">No experiment was run.</p>`);
    document.getElementById("words").hidden = !some;
}
drawPage(JSON.parse(document.getElementById("document").textContent));
