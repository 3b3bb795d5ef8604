/* --- markup: html`...` escapes what is put into it, unless that is markup itself; arrays are joined --- */
class Markup {
    constructor(text) { this.text = text; }
}
const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/* Control characters say nothing on a page. */
const escaped = text => text.replace(/\r/g, "").replace(/(?![\t\n])[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, "\ufffd")
    .replace(/[&<>"']/g, c => entities[c]);
const inside = x => x instanceof Markup ? x.text : Array.isArray(x) ? x.map(inside).join("") : escaped(String(x ?? ""));
const html = (parts, ...values) => new Markup(parts.reduce((all, part, i) => all + inside(values[i - 1]) + part));
const when = (condition, make) => condition ? make() : "";
/* For places where nothing wraps: what is cut off leaves an ellipsis. */
const shortened = (text, most) => [...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text;

/* --- members of a document that may be anything: "", NaN or [] where they are missing or of another type --- */
const textOf = (of, member) => typeof of?.[member] === "string" ? of[member] : "";
const finite = x => typeof x === "number" && isFinite(x) ? x : NaN;
const numberOf = (of, member) => finite(of?.[member]);
const listOf = (of, member) => Array.isArray(of?.[member]) ? of[member] : [];
const titleOf = (of, otherwise) => textOf(of, "title") || textOf(of, "name") || otherwise;

/* --- numbers: whole ones in full, others with three digits that count; thousands apart; a dash for what is none --- */
const thin = "\u202f";
const grouped = plain => plain.replace("-", "−")
    .replace(/^(−?)(\d{4,})/, (all, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, thin));
const fixed = (x, digits) => grouped(x.toFixed(digits).replace(/^-(?=[0.]*$)/, ""));
const power = (base, exponent) => base + String(exponent).replace(/./g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
function shown(x) {
    if (!isFinite(x)) return "–";
    const [digits, exponent] = x.toExponential(2).split("e"), size = Math.abs(x);
    if (size >= 1e15 || (size > 0 && size < 1e-3)) return grouped(digits) + "·" + power(10, Number(exponent));
    return Number.isInteger(x) ? fixed(x, 0) : fixed(Number(x.toExponential(2)), Math.max(0, 2 - exponent));
}
/* In the first unit that leaves less than the next one is. */
function inUnits(x, each, units) {
    let unit = 0;
    for (; x >= each && unit < units.length - 1; unit++) x /= each;
    return shown(x) + (isFinite(x) && units[unit] ? thin + units[unit] : "");
}
const memory = bytes => inUnits(bytes, 1024, ["bytes", "KiB", "MiB", "GiB", "TiB"]);
const moved = bytes => inUnits(bytes, 1000, ["bytes", "kB", "MB", "GB", "TB"]);
const counted = count => count < 1e5 ? shown(count) : inUnits(count, 1000, ["", "k", "M", "G", "T"]);

/* --- pieces of a page --- */
const paragraphs = texts => [texts].flat().filter(text => typeof text === "string" && text).map(text => html`<p>${text}</p>\n`);
const note = (kind, title, text) => when(text, () => html`<p class="${kind}">${title}${text}</p>\n`);
const bold = title => html`<b>${title}:</b> `;
/* What may be wider than a phone scrolls, and has a name for who cannot see it. */
const scroll = (title, of) => html`<div class="scroll" role="region" tabindex="0" aria-label="${title}">\n${of}</div>\n`;
const numeric = x => html`<td class="n">${shown(x)}</td>`;
