// Units and numbers for people, and the scales of axes.

const PREFIXES = {
  "bit/s": [[1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"], [1, "bit/s"]],
  s: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
  B: [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]],
};
// Units that say nothing more than the name of the measure.
const PLAIN = ["fraction", "index"];

// The multiple of a unit in which numbers up to `most` are easily read.
function multiple(unit, most) {
  const all = PREFIXES[unit];
  if (!all) return { factor: 1, unit: unit ?? "" };
  const [factor, name] = all.find(([size]) => most >= size * 0.9999) ?? (most > 0 ? all.at(-1) : all.find(([size]) => size === 1));
  return { factor, unit: name };
}

const smallest = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

const labelled = (name, unit) => (unit && !PLAIN.includes(unit) ? `${name} (${unit})` : name);

// A number with up to `digits` significant digits.
function short(value, digits = 4) {
  const rounded = Number(value.toPrecision(digits));
  return String(rounded === 0 ? 0 : rounded).replace("-", "−").replace("e+", "e");
}

// A mean and its interval: two digits of the half width, and as many places of the mean.
function plusMinus({ mean, half }, factor) {
  const value = mean / factor;
  if (half === null) return short(value, 5);
  const width = half / factor;
  if (width === 0) return `${short(value, 5)} ± 0`;
  const places = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(width))));
  return `${value.toFixed(places).replace("-", "−")} ± ${width.toFixed(places)}`;
}

// Whether values are spread rather by ratios than by differences.
function isGeometric(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  if (sorted.length < 3 || sorted[0] <= 0 || sorted.at(-1) < 5 * sorted[0]) return false;
  const uneven = (values) => {
    const steps = values.slice(1).map((value, i) => value - values[i]);
    const mean = steps.reduce((a, b) => a + b) / steps.length;
    return Math.sqrt(steps.reduce((sum, step) => sum + (step - mean) ** 2, 0)) / mean;
  };
  return uneven(sorted.map(Math.log)) < uneven(sorted);
}

// Round numbers of a linear axis, about `count` of them.
function linearTicks(from, to, count) {
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((it) => it >= rough * 0.8);
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

// Round numbers of a logarithmic axis: powers of ten, and between them as many as there is room for.
function logTicks(from, to, count) {
  const ticks = (digits) => {
    const found = [];
    for (let power = Math.floor(Math.log10(from)) - 1; power <= Math.log10(to) + 1; power += 1) {
      for (const digit of digits) {
        const tick = Number((digit * 10 ** power).toPrecision(12));
        if (tick >= from * 0.9999 && tick <= to * 1.0001) found.push(tick);
      }
    }
    return found;
  };
  const all = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(ticks);
  const fitting = all.find((found) => found.length <= count && found.length > 1) ?? all.at(-1);
  if (fitting.length > 1) return fitting.filter((_, i) => i % Math.ceil(fitting.length / Math.max(2, count)) === 0);
  return to > from ? linearTicks(from, to, count).filter((tick) => tick > 0) : [from];
}

// A scale from numbers to positions between `start` and `end`.
function numericScale({ log, from, to, start, end, count }) {
  const bent = log ? Math.log : (value) => value;
  const [low, high] = [bent(from), bent(to)];
  const place = (value) => start + ((bent(value) - low) / (high - low)) * (end - start);
  const ticks = log ? logTicks(from, to, count) : linearTicks(from, to, count);
  return { place, ticks: ticks.map((value) => ({ value, text: short(value, 6) })), from, to, log };
}

// A scale from indices to the middles of equal parts.
function evenScale({ used, text, start, end }) {
  const part = (end - start) / used.length;
  const places = new Map(used.map((at, i) => [at, start + part * (i + 0.5)]));
  return { place: (at) => places.get(at), ticks: used.map((at) => ({ value: at, text: text(at) })), part };
}

const measured = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, size = 12, weight = "") => {
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    return context.measureText(text).width;
  };
})();

// The beginning of a text that fits.
function fitting(text, width, size = 12, weight = "") {
  if (measured(text, size, weight) <= width) return text;
  let end = text.length;
  while (end > 1 && measured(`${text.slice(0, end)}…`, size, weight) > width) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
