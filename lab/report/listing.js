/* Kernels, alone and in pairs.  A pair is a grid in which each line knows its row: the columns stay in step even where a
 * long line wraps, and where there is no room for two, one text follows the other, whole. */
const linesOf = text => text.replace(/^([^\S\n]*\n)+/, "").trimEnd().split("\n").filter((line, i, all) => all.length > 1 || line);
const wordsOf = line => line.match(/\s+|[\w\u0080-\uffff]+|[^\s\w]/g) ?? [];
const isBlank = text => !text.trim();

/* The longest common subsequence, weighed: for each of `before` the number of its partner in `after`, or -1.
 * weigh(i, j): 0 where they are no partners. */
function match(before, after, weigh) {
    const n = before.length, m = after.length, partner = Array(n).fill(-1);
    if (n * m > 1 << 22) return partner; /* nobody reads that side by side */
    const own = before.map((_, i) => after.map((_, j) => weigh(i, j)));
    const best = Array.from({ length: n + 1 }, () => Array(m + 1).fill(0)); /* what before[i...] and after[j...] weigh together */
    for (let i = n; i-- > 0;)
        for (let j = m; j-- > 0;) best[i][j] = Math.max(own[i][j] && best[i + 1][j + 1] + own[i][j], best[i + 1][j],
            best[i][j + 1]);
    for (let i = 0, j = 0; i < n && j < m;)
        if (own[i][j] && best[i][j] === best[i + 1][j + 1] + own[i][j]) partner[i++] = j++;
        else if (best[i][j] === best[i + 1][j]) i++;
        else j++;
    return partner;
}
const matchWords = (before, after) =>
    match(before, after, (i, j) => before[i] !== after[j] ? 0 : isBlank(before[i]) ? 1 : 2 + 4 * before[i].length);

/* Equal lines are partners, and lines that share half of what is no blank in them or more. */
function matchLines(before, after) {
    const ink = words => words.reduce((sum, word) => sum + (isBlank(word) ? 0 : word.length), 0);
    const words = [before, after].map(lines => lines.map(wordsOf)), compared = before.length * after.length <= 1 << 16;
    return match(before, after, (i, j) => {
        const [a, b] = [words[0][i], words[1][j]];
        if (before[i] === after[j]) return 4 + 8 * ink(a);
        if (!compared || 3 * Math.min(ink(a), ink(b)) < Math.max(ink(a), ink(b))) return 0; /* the shorter one is too short */
        const shared = ink(matchWords(a, b).flatMap((partner, w) => partner >= 0 ? [a[w]] : []));
        return 4 * shared >= ink(a) + ink(b) ? 5 * shared : 0;
    });
}

/* The style of a line: its row, and its indentation, which what wraps of it has, too. */
function styleOf(text, row) {
    const indent = Math.min(text.match(/^ */)[0].length, 16);
    const style = [row > 0 ? `--r:${row}` : "", indent > 0 ? `--i:${indent}` : ""].filter(Boolean).join(";");
    return when(style, () => html` style="${style}"`);
}
const listingHead = (title, file) => html`<p class="head">${when(title, () => html`<b>${title}</b> `)}<code>${file}</code></p>\n`;
const listing = (title, file, text) => html`<div class="listing">\n${listingHead(title, file)}<pre><code>${
    linesOf(text).map(one => html`<span class="line"${styleOf(one, 0)}>${one}</span>\n`)}</code></pre>\n</div>\n`;

/* The words of a line, set off where the partner's line has no such word; blanks only between two such words. */
function changed(text, other, element) {
    const words = wordsOf(text), partner = matchWords(words, wordsOf(other));
    const lone = words.map((word, i) => isBlank(word) ? partner[i - 1] < 0 && partner[i + 1] < 0 : partner[i] < 0);
    return words.map((word, i) => [lone[i] && !lone[i - 1] ? new Markup(`<${element}>`) : "", word,
        lone[i] && !lone[i + 1] ? new Markup(`</${element}>`) : ""]);
}
function side(of, own, partner, row, others, element, kind) {
    const one = (text, i) => {
        const alone = partner[i] < 0, same = !alone && text === others[partner[i]], name = new Markup(alone ? element : "span");
        return html`<${name} class="line${same ? "" : alone ? " whole" : " part"}"${styleOf(text, row[i])}>${
            alone || same ? text : changed(text, others[partner[i]], element)}</${name}>\n`;
    };
    return html`<div class="${kind}">\n${listingHead(`${of.number} ${of.name}`, textOf(of.of, "file"))}<pre><code>${
        own.map(one)}</code></pre>\n</div>\n`;
}
/* Two rungs.  Between two pairs of partners, lines that have none share rows. */
function pair(before, after) {
    const left = linesOf(before.kernel), right = linesOf(after.kernel), partner = matchLines(left, right);
    const back = right.map((_, j) => partner.indexOf(j)), rows = [[], []];
    for (let i = 0, j = 0, row = 1; i < left.length || j < right.length; row++) {
        const both = i < left.length && partner[i] === j, [here, there] = [partner[i] < 0, back[j] < 0];
        if (both || here) rows[0][i++] = row;
        if (both || there) rows[1][j++] = row;
    }
    return html`<div class="pair">\n${side(before, left, partner, rows[0], right, "del", "before")}${
        side(after, right, back, rows[1], left, "ins", "after")}</div>\n`;
}
