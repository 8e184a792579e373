// Means over runs, with 95 % intervals.

// Student's t with `degrees` degrees of freedom and 2.5 % beyond it: from a table, or from the
// expansion about the normal quantile (Abramowitz and Stegun, 26.7.5).
function studentT(degrees) {
  const known = DATA.student[degrees - 1];
  if (known !== undefined) return known;
  const z = 1.959963984540054;
  const [z2, n] = [z * z, degrees];
  const first = (z2 + 1) / 4;
  const second = (5 * z2 * z2 + 16 * z2 + 3) / 96;
  const third = (3 * z2 ** 3 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
  return z * (1 + first / n + second / n ** 2 + third / n ** 3);
}

// The mean of some values and the half width of its interval, null for a single value.
function estimate(values) {
  const n = values.length;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / n;
  if (n < 2) return { mean, half: null, n, values };
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  return { mean, half: studentT(n - 1) * Math.sqrt(squares / (n - 1) / n), n, values };
}

const low = (point) => point.mean - (point.half ?? 0);
const high = (point) => point.mean + (point.half ?? 0);

// More panels than this take a browser too long.
const MOST_DRAWN = 400;

// The panels of a view: each has curves, and each curve the points that have runs. The last result
// is kept, so that a change of the drawing alone computes nothing.
const panelsOf = (() => {
  let known = { key: null };
  return (view) => {
    const { measure, x, curves, columns, rows, only } = view;
    const ids = [x.dimension, curves, columns, rows].map((dimension) => dimension?.id ?? "");
    const key = JSON.stringify([measure.id, ids, [...only].map(([dimension, at]) => [dimension.id, at])]);
    if (known.key !== key) known = { key, panels: grouped(view) };
    return known.panels;
  };
})();

function grouped({ measure, x, curves, columns, rows, only }) {
  const { table } = measure;
  const number = table.numbers(measure.name);
  const index = (dimension) => dimension?.rows(table);
  const [xs, cs, across, down] = [x.dimension, curves, columns, rows].map(index);
  const chosen = [...only].filter(([, at]) => at !== null).map(([dimension, at]) => [index(dimension), at]);
  const panels = new Map();
  const within = (map, key, make) => {
    if (!map.has(key)) map.set(key, make());
    return map.get(key);
  };
  for (let row = 0; row < table.count; row += 1) {
    if (table.point[row] >= DATA.points) continue;
    if (chosen.some(([indices, at]) => indices[row] !== at)) continue;
    const value = number(row);
    if (Number.isNaN(value)) continue;
    const place = [down?.[row] ?? 0, across?.[row] ?? 0, cs?.[row] ?? 0, xs?.[row] ?? 0];
    if (place.includes(-1)) continue;
    const panel = within(panels, `${place[0]} ${place[1]}`, () => ({ row: place[0], column: place[1], curves: new Map() }));
    const curve = within(panel.curves, place[2], () => new Map());
    within(curve, place[3], () => []).push(value);
  }
  const inOrder = (map) => [...map].sort(([a], [b]) => a - b);
  const points = (curve) => inOrder(curve).map(([at, values]) => ({ at, ...estimate(values) }));
  const all = [...panels.values()].sort((a, b) => a.row - b.row || a.column - b.column);
  const found = all.slice(0, MOST_DRAWN).map((panel) => ({
    ...panel,
    curves: inOrder(panel.curves).map(([at, curve]) => ({ at, points: points(curve) })),
  }));
  found.cut = all.length > MOST_DRAWN ? all.length : null;
  return found;
}
