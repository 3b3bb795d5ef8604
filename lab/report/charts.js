/* Pictures that keep their shape at any width: what lies along x is in percent.  Labels left of an axis stand outside of
 * the picture, in the margin that the style leaves.  Colour and shape of a mark say the same, so that who cannot tell
 * colours apart, or prints without them, loses nothing. */
const COLOURS = 8, SHAPES = 6;
const percent = at => (100 * at).toFixed(2) + "%";
const mark = (series, x, y, title) =>
    html`<use class="c${series % COLOURS} mark" href="#mark${series % SHAPES}" x="${x}" y="${y.toFixed(1)}">${
    when(title, () => html`<title>${title}</title>`)}</use>`;
/* An item of a legend: a line in this style ("line", "dots", "dashed"), its mark unless it is dashed, and the name. */
const key = (series, style, title) => html`<li><svg class="key" width="30" height="12" aria-hidden="true">${
    when(style !== "dots", () => html`<line class="c${series % COLOURS} ${style}" x1="0" x2="30" y1="6" y2="6"/>`)}${
    when(style !== "dashed", () => mark(series, "50.00%", 6))}</svg> ${title}</li>\n`;
const legend = items => html`<ul class="legend">\n${items}</ul>\n`;
const plot = (id, height, title, of) => html`<svg class="plot" role="img" aria-labelledby="${id}" height="${height}">
<title id="${id}">${title}</title>${of}</svg>\n`;
const chart = (before, picture, below) =>
    html`<figure class="chart">\n${before}${picture}${when(below, () => html`<figcaption>${below}</figcaption>\n`)}</figure>\n`;
const spare = (ticks, i) => ticks.length > 5 && i % 2 ? " spare" : "";
const line = (kind, x1, x2, y1, y2) => html`<line class="${kind}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;

/* --- rows below each other, a name above each, along one axis --- */
function rowsAxis(scale, head, foot, unit, title) {
    return [ticksOf(scale, unit).map(({ at, label }, i, all) =>
        html`${line("grid", percent(at), percent(at), head, foot)}<text class="tick${
        title ? "" : spare(all, i)}" x="${percent(at)}" y="${foot + 15}">${label}</text>\n`),
    html`<text class="axis middle" x="50%" y="${foot + 34}">${title || shortened(unit, 44)}</text>\n`];
}
const rowName = (rung, y) => html`<text class="row" x="0" y="${y}">${rung.number} ${shortened(rung.name, 30)}</text>\n`;

/* How fast the rungs of a ladder are. */
const meanings = { step: "a step", yardstick: "a yardstick", oplus: "oplus", peer: "CUB" };
function bars(l, id) {
    const figures = l.rungs.map(rung => rung.gbs), foot = 28 + 36 * l.rungs.length;
    if (figures.every(isNaN)) return "";
    const scale = scaleOf([...figures, l.limit, 0]), limit = placeOn(scale, l.limit);
    const row = (rung, i) => {
        const y = 44 + 36 * i, share = placeOn(scale, rung.gbs);
        if (isNaN(rung.gbs)) return [rowName(rung, y - 6),
            html`<text class="value" x="0" y="${y + 9}">${rung.skipped ? "skipped" : "–"}</text>\n`];
        return [rowName(rung, y - 6), html`<rect class="bar ${rung.role}" x="0" y="${y}" width="${
            percent(share)}" height="11"/><text class="value" x="${
            percent(share)}" dx="6" y="${y + 10}">${shown(rung.gbs)}</text>\n`];
    };
    const roles = Object.keys(meanings).filter(role => l.rungs.some(rung => rung.role === role));
    return chart(legend(roles.map(role => html`<li><svg class="key" width="14" height="11" aria-hidden="true"><rect class="bar ${
        role}" width="14" height="11"/></svg> ${meanings[role]}</li>\n`)),
    plot(id + "-b", foot + 40, `${l.unit} of each rung${isNaN(l.limit) ? "" : ", and the limit"}`, [
        rowsAxis(scale, 24, foot, l.unit),
        when(l.limit > 0, () => html`${line("limit", percent(limit), percent(limit), 18, foot)}<text class="limit ${
            limit > .5 ? "left" : ""}" x="${
            percent(limit)}" y="12">${shortened(l.limitName || "limit", 20)}: ${shown(l.limit)} ${
                shortened(l.unit, 12)}</text>\n`),
        l.rungs.map(row)]));
}

/* How many times as fast as the first rung that has figures both of ours and of a lecture: here, and on the lectures'. */
function gains(l, id) {
    const devices = [{ title: "this device", of: rung => rung.gbs },
        ...l.lectures.map(device => ({ title: device, of: rung => lectureOf(rung, device) }))];
    const first = l.rungs.findIndex(rung => rung.gbs > 0 && devices.slice(1).some(device => device.of(rung) > 0)),
        base = l.rungs[first];
    const rows = l.rungs.slice(first), foot = 28 + 36 * rows.length;
    if (first < 0 || rows.length < 2) return "";
    const gain = (device, rung) => device.of(rung) > 0 && device.of(base) > 0 ? device.of(rung) / device.of(base) : NaN;
    const all = rows.flatMap(rung => devices.map(device => gain(device, rung))).filter(x => hasPlace(true, x));
    const [least, most] = [2 ** Math.floor(Math.log2(Math.min(...all))), 2 ** Math.ceil(Math.log2(Math.max(...all)))];
    const scale = scaleOf([least, most], { log: true }); /* from a power of two to another: a doubling is a step */
    const row = (rung, i) => {
        const y = 49 + 36 * i, ours = gain(devices[0], rung);
        const marks = devices.map((device, d) => isNaN(gain(device, rung)) ? "" :
            mark(d, percent(placeOn(scale, gain(device, rung))), y, `${device.title}: ${shown(gain(device, rung))} ×`));
        return [rowName(rung, y - 11), line("base thin", "0", "100%", y, y), marks.reverse(), /* ours above the others */
            isNaN(ours) ? "" : html`<text class="value gain" x="100%" dx="12" y="${y + 4}">${shown(ours)} ×</text>\n`];
    };
    return chart(legend(devices.map((device, d) => key(d, "dots", device.title))),
        plot(id + "-g", foot + 40, `How many times as fast as ${base.name} each rung is, on this device and on the lectures'`,
            [rowsAxis(scale, 24, foot, "times as fast, each step a doubling"), rows.map(row)]),
        `Each device beside its own speed in rung ${base.number} (${base.name}); the numbers at the right are this device's.`);
}

/* --- curves --- */
const HEAD = 26, HEIGHT = 260, MOST_MARKS = 40;
const axisOf = (section, which) =>
    ({ title: textOf(section[which], "name"), unit: textOf(section[which], "unit"), log: section[which]?.log === true });
const axisName = axis => [shortened(axis.title, 26), shortened(axis.unit, 14)].filter(Boolean).join(", ");
const isDashed = series => series.style === "dashed";

/* A colour each; a formula ("64, formula", "n = 64: fitted") has that of the nearest above it that was measured ("n = 64"). */
function giveHues(all) {
    const named = (formula, title) =>
        [title, title.split(" = ").slice(1).join(" = ")].some(k => k && [k + ",", k + ":"].some(s => formula.startsWith(s)));
    let next = 0;
    all.forEach((series, i) => {
        const measured = isDashed(series)
            ? all.slice(0, i).reverse().find(other => !isDashed(other) && named(series.title, other.title)) : undefined;
        series.hue = measured ? measured.hue : next++;
    });
}
/* A gap where nothing is known. */
function path(series, x, y) {
    let step = "M";
    return series.points.map(point => {
        const here = hasPlace(x.log, point.x) && hasPlace(y.log, point.y);
        const at = here ? `${step}${(1000 * placeOn(x.scale, point.x)).toFixed(1)} ${
            (1000 * (1 - placeOn(y.scale, point.y))).toFixed(1)}` : "";
        step = here ? "L" : "M";
        return at;
    }).join("");
}
/* Of a line that is dashed or has many points the marks are left out, unless there is no line. */
function marksOf(series, x, y) {
    if (series.style !== "dots" && series.points.length > (isDashed(series) ? 1 : MOST_MARKS)) return "";
    return series.points.filter(point => hasPlace(x.log, point.x) && hasPlace(y.log, point.y)).map(point =>
        [mark(series.hue, percent(placeOn(x.scale, point.x)), HEAD + HEIGHT * (1 - placeOn(y.scale, point.y)),
            `${series.title}: ${shown(point.x)} ${x.unit}, ${shown(point.y)} ${y.unit}`), "\n"]);
}
function curveAxes(x, y) {
    const foot = HEAD + HEIGHT, height = at => (HEAD + HEIGHT * (1 - at)).toFixed(1);
    return [ticksOf(y.scale, y.unit)
        .map(({ at, label }) => html`${
            line("grid", "0", "100%", height(at), height(at))}<text class="tick left" x="0" dx="-8" y="${
        height(at)}" dy="4">${label}</text>\n`),
    html`<text class="axis" x="0" dx="-8" y="12">${axisName(y)}</text>\n`, line("base", "0", "100%", foot, foot),
    ticksOf(x.scale, x.unit).map(({ at, label }, i, all) =>
        html`${line("base", percent(at), percent(at), foot, foot + 5)}<text class="tick${
        spare(all, i)}" x="${percent(at)}" y="${foot + 19}">${label}</text>\n`),
    html`<text class="axis middle" x="50%" y="${foot + 40}">${axisName(x)}</text>\n`];
}
/* As a table: a row an x, a column a series. */
function numbersOf(section, all, x) {
    const every = [...new Set(all.flatMap(series => series.points.map(point => point.x)))].filter(at => !isNaN(at))
        .sort((a, b) => a - b);
    const yAt = (series, at) => series.points.find(point => point.x === at)?.y ?? NaN;
    return html`<details class="numbers" style="--columns:${
        all.length < 8 ? Math.floor(8 / (1 + all.length)) : 1}"><summary>The numbers</summary>
${scroll(textOf(section, "title"),
    html`<table><thead><tr><th scope="col">${axisName(x)}</th>${
        all.map(series => html`<th scope="col">${series.title}</th>`)}</tr></thead>
<tbody>\n${every.map(at => html`<tr><th scope="row" class="n">${shown(at)}</th>${
    all.map(series => numeric(yAt(series, at)))}</tr>\n`)}</tbody></table>\n`)}</details>\n`;
}
function curves(section, id) {
    const x = axisOf(section, "x"), y = axisOf(section, "y");
    const all = listOf(section, "series").map(of => ({
        title: textOf(of, "name"), style: ["dots", "dashed"].includes(of?.style) ? of.style : "line",
        points: listOf(of, "points").map(point => ({ x: finite(point?.[0]), y: finite(point?.[1]) })) }));
    const points = all.flatMap(series => series.points),
        placed = points.filter(point => hasPlace(x.log, point.x) && hasPlace(y.log, point.y));
    const lost = points.filter(point => !isNaN(point.x) && !isNaN(point.y)).length - placed.length;
    if (placed.length === 0) return html`<p class="empty">Nothing was measured that could be drawn.</p>\n`;
    x.scale = scaleOf(placed.map(point => point.x), { log: x.log });
    y.scale = scaleOf(placed.map(point => point.y), { log: y.log, rounded: true });
    giveHues(all);
    return [chart(when(all.length > 1 || all[0].title,
        () => legend(all.map(series => key(series.hue, series.style, series.title)))),
        plot(id + "-p", HEAD + HEIGHT + 46, `${textOf(section, "title")}: ${axisName(y)} over ${axisName(x)}`, [curveAxes(x, y),
            html`<svg class="lines" x="0" y="${HEAD}" width="100%" height="${
                HEIGHT}" viewBox="0 0 1000 1000" preserveAspectRatio="none">\n${
                all.filter(series => series.style !== "dots").map(series =>
                    html`<path class="c${series.hue % COLOURS} ${series.style}" d="M0 0${path(series, x, y)}"/>\n`)}</svg>\n`,
            all.map(series => marksOf(series, x, y))]),
        when(lost > 0, () => `Not drawn, as a logarithmic axis has no place for 0 and below: ${lost} point${
            lost === 1 ? "" : "s"}.`)),
    numbersOf(section, all, x)];
}

/* --- pictures of steps: rows of cells, and links between two rows, in units of the picture, which shrinks as a whole --- */
const LABEL = 118, CELL = 62, WIDTH = 46, TALL = 25, GAP = 34, NEAR = 6;
function picture(of, id) {
    const wanted = numberOf(of, "columns"), columns = wanted >= 1 && wanted <= 64 ? Math.trunc(wanted) : 1;
    const middle = column => LABEL + (column + .5) * CELL, isColumn = c => finite(c) >= 0 && c < columns;
    let y = 0;
    const cell = (row, text, c) => typeof text === "string" && c < columns ? [
        html`<rect class="cell${listOf(row, "marks").includes(c) ? " marked" : ""}" x="${middle(c) - WIDTH / 2}" y="${
            y}" width="${WIDTH}" height="${TALL}" rx="5"/>`,
        when(finite(listOf(row, "tints")[c]) >= 0 && row.tints[c] <= 1,
            () => html`<rect class="tint" x="${middle(c) - WIDTH / 2}" y="${y}" width="${WIDTH}" height="${
            TALL}" rx="5" opacity="${row.tints[c].toFixed(2)}"/>`),
        html`<text class="middle" x="${middle(c)}" y="${y + 17}">${shortened(text, 9)}</text>\n`] : "";
    const rows = listOf(of, "rows").map(row => {
        const links = listOf(row, "links"), above = y += links.length > 0 ? GAP : NEAR;
        const drawn = [links.filter(link => isColumn(link?.[0]) && isColumn(link[1])).map(([from, to, taken]) =>
            html`<line class="link${taken > 0 ? " taken" : ""}" x1="${middle(from)}" y1="${above - GAP}" x2="${middle(to)}" y2="${
                above}"/>\n`),
        html`<text class="axis" x="0" y="${y + 17}">${shortened(textOf(row, "label"), 20)}</text>\n`,
            listOf(row, "cells").map((text, c) => cell(row, text, c))];
        y += TALL;
        return inside(drawn);
    });
    return chart("", html`<svg class="picture" role="img" aria-labelledby="${id}" viewBox="0 0 ${LABEL + columns * CELL} ${
        y + NEAR}">
<title id="${id}">${textOf(of, "title")}</title>\n${new Markup(rows.join(""))}</svg>\n`, html`${textOf(of, "title")}`);
}
