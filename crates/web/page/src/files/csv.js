// Tables as CSV: the samples of the curves, and the means of a comparison.

/** @param {string | number} value */
const cell = (value) => {
  const text = typeof value === "number" ? (Number.isFinite(value) ? String(value) : "") : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
/** @param {(string | number)[][]} rows */
const table = (rows) => `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;

/** One line for each sample, with units in the names of the columns. @param {import("../lab.js").Lab} lab */
export function exportCsv(lab) {
  const { time, flows, links } = lab.result;
  const columns = [...flows.flatMap((/** @type {any} */ flow) => [["cwnd", "segments"], ["ssthresh", "segments"], ["rtt", "s"], ["goodput", "bps"]]
    .filter(([key]) => flow[key]).map(([key, unit]) => ({ name: `${flow.name}.${key}_${unit}`, values: flow[key] }))),
  ...links.filter((/** @type {any} */ link) => link.queue).map((/** @type {any} */ link) => ({ name: `${link.name}.queue_packets`, values: link.queue }))];
  return table([["time_s", ...columns.map((column) => column.name)], ...Array.from(time, (/** @type {number} */ at, i) => [at, ...columns.map((column) => column.values[i])])]);
}

/** One line for each variant. @param {import("../lab.js").Lab} lab */
export function exportComparison(lab) {
  const keys = [["goodput", "bps"], ["fairness", "jain"], ["delay", "s"], ["resent", "fraction"]];
  return table([["variant", "runs", ...keys.flatMap(([key, unit]) => [`${key}_${unit}`, `${key}_${unit}_half_interval`])],
    ...lab.comparison.rows.map((/** @type {any} */ row) => [row.name, row.goodput.n, ...keys.flatMap(([key]) => [row[key].mean, row[key].half])])]);
}
