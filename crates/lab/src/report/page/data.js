// Data as the page has them, in few bytes (report/compact.rs), and as its program uses them.

// Numbers: a list of them, or their steps.
const numbers = (packed) =>
  Array.isArray(packed)
    ? packed
    : Array.from({ length: packed.count }, (_, i) => Number((packed.from + i * packed.step).toPrecision(12)));

// Positions: the first of each run of consecutive ones, and how many they are.
function positions(runs) {
  const all = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let place = runs[i]; place < runs[i] + runs[i + 1]; place += 1) all.push(place);
  }
  return all;
}

// A text of lines that other texts have in common with it.
const text = ({ lines, texts }, i) =>
  positions(texts[i])
    .map((line) => lines[line])
    .join("\n");

// A value without an interval, with five digits.
const value = (y) => (y === null ? "–" : String(Number(y.toPrecision(5))));

// The data of curves, bars and maps: every curve with its x values, the ends of its intervals, its values
// in words, and the positions of its points' files.
function unpacked(data) {
  if (data.kind === "scatter") return data;
  const common = data.x && numbers(data.x);
  for (const series of data.series) {
    series.x = series.x ? numbers(series.x) : common;
    series.y = numbers(series.y);
    const half = series.half ? numbers(series.half) : [];
    const ends = (sign) => series.y.map((y, i) => (y === null ? null : y + sign * (half[i] ?? 0)));
    series.low = ends(-1);
    series.high = ends(1);
    series.text ??= series.y.map(value);
    const first = series.points;
    if (!Array.isArray(first)) {
      series.points = series.y.map((_, i) => (first === undefined ? null : first + i));
    }
  }
  return data;
}
