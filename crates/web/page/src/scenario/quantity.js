// Quantities as scenario files write them, "10 Mb/s", and as numbers of their base unit: bit/s, seconds, bytes.

/** @typedef {"rate" | "time" | "size"} Kind */

/** Of each kind: the units that are written, from the smallest, and those that are only read. @type {Record<Kind, [string, number][]>} */
const WRITTEN = {
  rate: [["b/s", 1], ["kb/s", 1e3], ["Mb/s", 1e6], ["Gb/s", 1e9], ["Tb/s", 1e12]],
  time: [["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1]],
  size: [["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9]],
};
/** @type {Record<Kind, [string, number][]>} */
const READ = {
  rate: [
    ...["", "k", "M", "G", "T"].flatMap((k, i) => /** @type {[string, number][]} */ ([[`${k}bit/s`, 1000 ** i], [`${k}bps`, 1000 ** i]])),
    ["B/s", 8], ["kB/s", 8e3], ["MB/s", 8e6], ["GB/s", 8e9], ["KiB/s", 8192], ["MiB/s", 8 * 2 ** 20], ["GiB/s", 8 * 2 ** 30],
  ],
  time: [["µs", 1e-6], ["min", 60], ["h", 3600]],
  size: [["KiB", 1024], ["MiB", 2 ** 20], ["GiB", 2 ** 30]],
};

/** The number of a quantity in its base unit, or NaN. @param {Kind} kind @param {unknown} text */
export function amount(kind, text) {
  const parts = typeof text === "string" && /^\s*([0-9._]+(?:e[+-]?[0-9]+)?)\s*([^\s0-9].*?)\s*$/i.exec(text);
  if (!parts) return NaN;
  const unit = [...WRITTEN[kind], ...READ[kind]].find(([name]) => name === parts[2]);
  return unit ? Number(parts[1].replaceAll("_", "")) * unit[1] : NaN;
}

/** A number with at most so many digits that count, without an exponent. @param {number} value @param {number} digits */
export function short(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(places, 20))));
}

/** A quantity in the largest unit in which it is at least 1. @param {Kind} kind @param {number} value @param {number} [digits] */
export function quantity(kind, value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const units = WRITTEN[kind];
  const [name, factor] = units.findLast(([, size]) => value >= size * 0.9995) ?? (value === 0 ? units[kind === "time" ? 2 : 0] : units[0]);
  return `${short(value / factor, digits)} ${name}`;
}
