/* An axis: numbers to places on it, from 0 to 1, and where its ticks are.  twos: all numbers on it are powers of two, or
 * it begins at 0 and ends at one: so are its ticks. */
const MOST = 1e150, TICKS = 10; /* beyond MOST there is nothing to measure, and no room to compute in */
const hasPlace = (log, x) => Math.abs(x) <= MOST && (!log || x >= 1 / MOST);
const isTwo = x => x > 0 && Number.isInteger(Math.log2(x)) && 2 ** Math.log2(x) === x;

/* The largest of 1, 2, 5, 10, 20, ... that is not above x; and the smallest, of these and 2.5, that is not below. */
const decadeOf = x => 10 ** Math.floor(Math.log10(x) + 1e-9);
function markBelow(x) {
    const digit = x / decadeOf(x) * (1 + 1e-9);
    return decadeOf(x) * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}
function markAbove(x) {
    const below = markBelow(x), digit = below / decadeOf(below);
    return x <= below * (1 + 1e-9) ? below : below * (digit > 1.5 && digit < 3 ? 2.5 : 2);
}
/* Between ticks of an axis with about five of them. */
const stepOf = s => s.twos && s.low === 0 && s.high >= 8 && isTwo(s.high) ? s.high / 4 : markAbove((s.high - s.low) / 5.5);

/* A single number has an axis, too. */
function widen(s) {
    const least = s.log ? s.low * 1e-9 : Math.max(Math.abs(s.low) * 1e-9, Math.abs(s.high) * 1e-9, 1 / MOST);
    if (s.high - s.low > least) return;
    const by = Math.abs(s.low) < 1 / MOST ? 1 : Math.abs(s.low) / 2;
    [s.low, s.high] = s.log ? [s.low / 2, s.high * 2] : [s.low - by, s.high + by];
}

/* From the least number to the most; rounded: from 0 (if not logarithmic) to the tick behind the most. */
function scaleOf(numbers, { log = false, rounded = false } = {}) {
    const on = numbers.filter(x => hasPlace(log, x)), none = on.length === 0;
    const s = { log, low: none ? 1 : Math.min(...on), high: none ? 1 : Math.max(...on) };
    s.twos = !none && on.every(log ? isTwo : Number.isInteger);
    if (rounded && !log) Object.assign(s, { low: Math.min(s.low, 0), high: Math.max(s.high, 0), twos: false });
    widen(s);
    if (rounded && !log) {
        const step = stepOf(s);
        s.low = Math.floor(s.low / step + 1e-9) * step;
        s.high = Math.ceil(s.high / step - 1e-9) * step;
    } else if (rounded && !s.twos) {
        Object.assign(s, { low: markBelow(s.low), high: markAbove(s.high) });
    }
    return s;
}
function placeOn(s, x) {
    const at = s.log ? Math.log(x / s.low) / Math.log(s.high / s.low) : (x - s.low) / (s.high - s.low);
    return Math.min(Math.max(at, 0), 1);
}

/* --- ticks: [number, label] --- */
function twoLabel(exponent, unit) {
    if ((unit === "bytes" || unit === "B") && exponent >= 10 && exponent < 50) return memory(2 ** exponent);
    if (exponent < 0 && exponent >= -4) return "1/" + 2 ** -exponent;
    return exponent >= 0 && exponent <= 12 ? fixed(2 ** exponent, 0) : power(2, exponent);
}
function decimal(x) {
    let digits = 0; /* behind the point, that say all of x */
    for (let left = x; digits < 5 && Math.abs(left - Math.round(left)) > 1e-6; digits++) left = x * 10 ** (digits + 1);
    if (x > 0.002 && x < 1e4) return fixed(x, digits);
    const exponent = Math.floor(Math.log10(x) + 1e-9), digit = x / 10 ** exponent;
    return (digit < 1.5 ? "" : digit.toFixed(0) + "·") + power(10, exponent);
}
function ticksOfTwos(s, unit) {
    const first = Math.round(Math.log2(s.low)), last = Math.round(Math.log2(s.high)), all = [];
    for (let k = first; k <= last; k += Math.floor((last - first) / (TICKS - 1)) + 1) all.push([2 ** k, twoLabel(k, unit)]);
    return all;
}
/* Over two decades and less also 2 and 5 of each, over many not every one. */
function ticksOfTens(s) {
    const decades = Math.log10(s.high / s.low), first = Math.floor(Math.log10(s.low) + 1e-9), all = [];
    for (let k = first; k <= first + decades + 1; k += Math.floor(decades / (TICKS - 1)) + 1)
        for (const digit of decades < 2.2 ? [1, 2, 5] : [1]) {
            const x = Number(digit + "e" + k);
            if (x >= s.low * (1 - 1e-9) && x <= s.high * (1 + 1e-9)) all.push([x, decimal(x)]);
        }
    return all;
}
function ticksOfSteps(s) {
    const step = stepOf(s), digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0, all = [];
    for (let k = Math.ceil(s.low / step - 1e-9); k * step <= s.high + step * 1e-9 && all.length < TICKS; k++) {
        const plain = digits < 5 && Math.abs(k * step) < 1e6;
        all.push([k * step, plain ? fixed(k * step, digits) : k === 0 ? "0" : decimal(Math.abs(k * step))]);
    }
    return all;
}
/* In order; at least one, at most TICKS: {at, label}. */
function ticksOf(s, unit) {
    let all = s.log && s.twos ? ticksOfTwos(s, unit) : [];
    if (s.log && all.length < 2) all = ticksOfTens(s);
    if (all.length < 2) all = ticksOfSteps(s); /* a narrow piece of a logarithmic axis has plain steps */
    if (all.length === 0) all = [[s.low, shown(s.low)]];
    return all.slice(0, TICKS).map(([x, label]) => ({ at: placeOn(s, x), label }));
}
