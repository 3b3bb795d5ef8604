/* A ladder: what it showed in sentences that are made of the figures, a picture, tables, and each rung beside the one
 * that it is compared with. */
function ladderOf(section) {
    const rungs = listOf(section, "rungs").map((of, i) => {
        const skipped = typeof of?.skipped === "string", role = textOf(of, "role");
        return { of, number: i + 1, name: textOf(of, "name") || textOf(of, "title") || "rung", title: textOf(of, "title"),
            kernel: textOf(of, "kernel"), role: role in meanings ? role : "step", skipped, before: textOf(of, "before"),
            gbs: skipped ? NaN : numberOf(of, "gbs"), over: numberOf(of, "over_before"), share: numberOf(of, "of_limit"),
            counters: skipped ? {} : of?.counters };
    });
    const isObject = x => typeof x === "object" && x !== null && !Array.isArray(x);
    const lectures = [...new Set(rungs.flatMap(rung => isObject(rung.of?.lecture) ? Object.keys(rung.of.lecture) : []))];
    return { rungs, lectures, title: textOf(section, "title"), unit: textOf(section, "unit") || "GB/s",
        limit: numberOf(section, "limit"), limitName: textOf(section, "limit_name") };
}
const lectureOf = (rung, device) => numberOf(rung.of?.lecture, device);
const named = (l, rung) => rung.before ? l.rungs.find(other => other.name === rung.before) : undefined;
const above = (l, rung, has) => l.rungs.slice(0, rung.number - 1).reverse().find(has);
/* The fastest rung of a role. */
const best = (l, role) => l.rungs.filter(rung => rung.role === role && rung.gbs >= 0)
    .reduce((a, b) => a?.gbs >= b.gbs ? a : b, undefined);

/* --- what this device showed.  Runs differ by some percent: less is no gain, and no loss. --- */
const SAME = 1.05;
const outcomeOf = rung => rung.role === "yardstick" || isNaN(rung.over) ? "" : rung.over >= SAME ? "a gain"
    : rung.over > 1 / SAME ? "no gain" : "slower";
const causes = { conflicts: "bank conflicts", divergent: "divergent branches", sectors: "sectors", requests: "requests",
    warps: "warps launched" };

/* "bank conflicts went from 90.4 M to 1.98 M": of each counter that fell to half or less, or, where the rung is slower,
 * rose to twice as much or more. */
function causesOf(rung, before) {
    const [now, then] = [rung.of?.counters, before.of?.counters], rose = outcomeOf(rung) === "slower";
    if (textOf(now, "source") !== textOf(then, "source")) return [];
    return Object.entries(causes).flatMap(([counter, title]) => {
        const from = numberOf(then, counter), into = numberOf(now, counter), [more, less] = rose ? [into, from] : [from, into];
        return more >= 2 * less && more >= 100 ? [`${title} went from ${counted(from)} to ${counted(into)}`] : [];
    });
}
/* What the lectures' devices gained by the same step, from the least to the most. */
function lecturesGains(l, rung, before) {
    const all = l.lectures.map(device => lectureOf(rung, device) / lectureOf(before, device)).filter(isFinite);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    return all.length === 0 || most === 0 ? ""
        : `. The lectures' devices: ${shown(least)}${most > least ? ` to ${shown(most)}` : ""} ×`;
}
function seen(l, rung) {
    const outcome = outcomeOf(rung), before = named(l, rung) ?? above(l, rung, other => !isNaN(other.gbs));
    if (!outcome || !before) return "";
    const all = causesOf(rung, before), none = outcome === "no gain";
    return html`<p class="seen"><b>On this device:</b> <b>${outcome}</b>: ${shown(rung.over)} × ${before.name}${
        when(all.length > 0, () => (none ? ", though " : "; ") + all.join(", ")
            + (none ? ": that is not what limits it here" : ""))}${
        lecturesGains(l, rung, before)}.</p>\n`;
}
function ladderSeen(l) {
    const steps = (outcome, did) => {
        const all = l.rungs.filter(rung => rung.role === "step" && outcomeOf(rung) === outcome);
        return when(all.length > 0, () =>
            ` ${all.length} ${all.length === 1 ? "step" : "steps"} ${did}: ${
                all.map(rung => `${rung.name} (${shown(rung.over)} ×)`).join(", ")}.`);
    };
    const share = (role, what) => when(best(l, role)?.share >= -Infinity,
        () => ` ${what} ${shown(100 * best(l, role).share)} % of the limit.`);
    return html`<p class="seen"><b>What this device showed.</b>${steps("a gain", "paid")}${
        steps("no gain", "changed nothing here")}${
        steps("slower", "made it slower here")}${share("step", "The fastest step reaches")}${share("oplus", "oplus reaches")}${
            share("peer", "CUB reaches")}</p>\n`;
}

/* --- tables --- */
const column = title => html`<th scope="col" class="n">${title}</th>`;
const rowHead = (rung, title, id) =>
    html`<th scope="row"><a href="#${id}-${rung.number}">${rung.number} ${rung.name}</a>${
        when(title, () => html`<small>${title}</small>`)}</th>`;
const compared = rung => html`<td class="n">${shown(rung.over)}${
    when(!isNaN(rung.over) && rung.before, () => html` <small>× ${rung.before}</small>`)}</td>`;
const correct = right => right === true ? html`<td class="n">yes</td>` : right === false ? html`<td class="n wrong">no</td>`
    : numeric(NaN);

function speeds(l, id) {
    const first = i => i === 0 ? " first" : "";
    const row = rung => html`<tr>${rowHead(rung, rung.title, id)}${
        rung.skipped ? html`<td class="skipped" colspan="7">skipped: ${rung.of.skipped}</td>` :
        [numeric(numberOf(rung.of, "ms")), numeric(rung.gbs), compared(rung), numeric(numberOf(rung.of, "over_first")),
            numeric(100 * rung.share),
            numeric(numberOf(rung.of, "launches")), correct(rung.of?.right)]}${
        l.lectures.map((device, i) => html`<td class="n lecture${first(i)}">${shown(lectureOf(rung, device))}</td>`)}</tr>\n`;
    const groups = when(l.lectures.length > 0,
        () => html`<tr class="groups"><td></td><th scope="colgroup" colspan="7">this device</th><th scope="colgroup" colspan="${
        l.lectures.length}" class="lecture">lectures, GB/s</th></tr>\n`);
    return scroll("what was measured of each rung", html`<table class="ladder">\n<thead>\n${groups}<tr><th scope="col">rung</th>${
        ["ms", l.unit, "× rung before", "× first rung", `% of ${l.limitName || "limit"}`, "launches", "right"].map(column)}${
        l.lectures.map((device, i) => html`<th scope="col" class="n lecture${first(i)}">${
            device}</th>`)}</tr>\n</thead>\n<tbody>\n${l.rungs.map(row)}</tbody></table>\n`);
}

const counterColumns = [["divergent branches", "divergent", counted], ["bank conflicts", "conflicts", counted],
    ["active warps", "active_warps", counted],
    ["warps launched", "warps", counted], ["requests", "requests", counted], ["sectors", "sectors", counted],
        ["sectors per request", "sectors", shown, "requests"],
    ["bytes", "bytes", moved], ["occupancy, %", "occupancy", shown]];
function counterOf(rung, [, counter, , per]) {
    const x = numberOf(rung.counters, counter) * (counter === "occupancy" ? 100 : 1), by = per ? numberOf(rung.counters, per) : 1;
    return by > 0 ? x / by : NaN;
}
function counters(l, id) {
    const columns = counterColumns.filter(c => l.rungs.some(rung => !isNaN(counterOf(rung, c))));
    const source = of => of === "model" ? html`<span class="model">model</span>` : of || "–";
    return when(columns.length > 0, () => [scroll("what was counted of each rung", html`<table class="ladder counted">
<thead><tr><th scope="col">rung</th><th scope="col">counted by</th>${
    columns.map(([title]) => column(title))}</tr></thead>\n<tbody>\n${
    l.rungs.map(rung => html`<tr>${rowHead(rung, "", id)}<td>${source(textOf(rung.counters, "source"))}</td>${
        columns.map(c => html`<td class="n">${c[2](counterOf(rung, c))}</td>`)}</tr>\n`)}</tbody></table>\n`),
    html`<p class="small">Counted in one run of all launches of a rung. <b>hardware</b>: read from the device's own counters; <b>model</b>: computed on the host, by replaying the addresses and branches of the kernel.</p>\n`]);
}

/* --- rung by rung --- */
function result(l, rung) {
    if (rung.skipped) return note("result", "Skipped: ", rung.of.skipped);
    const facts = [[numberOf(rung.of, "ms"), "ms"], [rung.gbs, l.unit],
        [rung.over, rung.before ? `× ${rung.before}` : "× the rung before"], [100 * rung.share, "% of the limit"]]
        .filter(([x]) => !isNaN(x)).map(([x, unit]) => html`${shown(x)} ${unit}`);
    if (rung.of?.right === false) facts.push(html`<b class="wrong">the result is wrong</b>`);
    return html`<p class="result">${facts.map((fact, i) => [i ? "\u00a0· " : "", fact])}${
        facts.length ? "" : "not measured"}</p>\n`;
}
function kernel(l, rung) {
    const other = named(l, rung), partner = other?.kernel && other !== rung ? other : above(l, rung, before => before.kernel);
    return when(rung.kernel, () =>
        html`<details class="kernel" open="open"><summary>The kernel${when(partner, () => `, beside ${partner.name}`)}</summary>
${partner ? pair(partner, rung) : listing(`${rung.number} ${rung.name}`, textOf(rung.of, "file"), rung.kernel)}</details>\n`);
}
const rungArticle = (l, rung, id) => html`<article class="rung" id="${id}-${rung.number}">\n<h5>${rung.number} ${rung.name}${
    when(rung.title && rung.title !== rung.name, () => html`: <span>${rung.title}</span>`)}</h5>\n${
    note("what", bold("What changes"), textOf(rung.of, "what"))}${note("why", bold("Why"), textOf(rung.of, "why"))}${
        result(l, rung)}${seen(l, rung)}${
    note("note", bold("Note"), textOf(rung.of, "note"))}${kernel(l, rung)}</article>\n`;

function ladder(section, id) {
    const l = ladderOf(section), n = numberOf(section, "n"), limit = `${l.limitName} ${shown(l.limit)} ${l.unit}`;
    if (l.rungs.length === 0) return html`<p class="empty">No rung was run.</p>\n`;
    return [when(!isNaN(n) || !isNaN(l.limit),
        () => html`<p class="size">${when(!isNaN(n), () => html`<i>n</i> = ${shown(n)} elements`)}${
        when(!isNaN(l.limit), () => (isNaN(n) ? "Limit: " : "; limit: ") + limit)}</p>\n`),
    ladderSeen(l), bars(l, id), speeds(l, id), counters(l, id),
    when(l.lectures.length > 0, () => [html`<h4>Beside the lectures</h4>\n`, paragraphs(section.lecture_about), gains(l, id)]),
    html`<h4>Rung by rung</h4>\n`, l.rungs.map(rung => rungArticle(l, rung, id))];
}

/* --- in short: where each ladder begins and ends, in percent of the device's limit, in the colours of the bars --- */
function summary(experiments) {
    const share = rung => 100 * (rung?.share ?? NaN), shownRungs = [
        { title: "the first kernel", series: 7, of: l => l.rungs.find(rung => rung.role === "step" && !isNaN(rung.gbs)) },
        { title: "the fastest kernel of the ladder", series: 0, of: l => best(l, "step") },
        { title: "oplus", series: 2, of: l => best(l, "oplus") }, { title: "CUB", series: 1, of: l => best(l, "peer") }];
    const all = experiments.flatMap(e => listOf(e, "sections")).map(ladderOf)
        .filter(l => shownRungs[0].of(l) && shownRungs[2].of(l));
    if (all.length === 0) return "";
    const shares = all.map(l => shownRungs.map(s => share(s.of(l)))), foot = 14 + 40 * all.length,
        scale = scaleOf([0, 100, ...shares.flat()]);
    const range = k => {
        const known = shares.map(s => s[k]).filter(isFinite), [least, most] = [Math.min(...known), Math.max(...known)];
        return (most > least ? shown(least) + " to " : "") + shown(most) + " %";
    };
    const top = all.flatMap(l => l.rungs.filter(rung => rung.role === "step" && rung.over > 1).map(rung => ({ rung, l })))
        .reduce((a, b) => a?.rung.over >= b.rung.over ? a : b, undefined);
    const peers = all.flatMap((l, i) =>
        isNaN(shares[i][2] / shares[i][3]) ? [] : [`${shown(shares[i][2] / shares[i][3])} times as fast as CUB in ${l.title}`]);
    const row = (l, i) => [html`<text class="row" x="0" y="${25 + 40 * i}">${shortened(l.title, 40)}</text>\n`,
        line("base thin", "0", "100%", 38 + 40 * i, 38 + 40 * i),
        shownRungs.map((s, k) => isNaN(shares[i][k]) ? ""
            : mark(s.series, percent(placeOn(scale, shares[i][k])), 38 + 40 * i, `${s.title}: ${shown(shares[i][k])} %`))];
    return html`<section id="summary" aria-labelledby="summary-t">\n<h2 id="summary-t">In short</h2>
<p>On this device the first kernels of the ladders reach ${range(0)} of the rate of a copy, the fastest ${range(1)}.${
    when(top, () => ` The step that pays most is ${top.rung.name}: ${shown(top.rung.over)} ×, in ${
        top.l.title}.`)} oplus itself reaches ${range(2)}${
    when(peers.length > 0, () => `; it is ${peers.join(", ")}`)}.</p>
${chart(legend(shownRungs.map((s, k) => shares.some(x => !isNaN(x[k])) ? key(s.series, "dots", s.title) : "")),
        plot("summary-p", foot + 42, "How near to the rate of a copy each ladder begins and ends",
            [rowsAxis(scale, 10, foot, "%", "% of the rate of a copy"), all.map(row)]))}</section>\n`;
}
