// The marks of a curve: a line or bars, points, intervals, and single runs.

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
  }
  made.append(...inside);
  return made;
}

// The value of a variable of the style, which `distinct` needs.
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The lines through the points, broken where a point has no place.
const path = (places) => places.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");

// A curve of more points is a line alone.
const MOST_SYMBOLS = 400;

// Draws a curve. `points` have places: x, y, and the ends of the interval, in pixels.
function curveMarks(look, points, { view, base, width, isBand }) {
  const colour = `var(${look.variable})`;
  const group = element("g", { class: "curve" });
  const between = points.filter((point) => point.ends);
  if (isBand && between.length > 0) {
    const there = points.map(({ x, y, ends }) => [x, ends ? ends[1] : y]);
    const back = points.map(({ x, y, ends }) => [x, ends ? ends[0] : y]).reverse();
    group.append(element("path", { class: "band", d: `${path([...there, ...back])}Z`, style: `fill:${colour}` }));
  }
  if (view.isBars) {
    for (const { x, y } of points) {
      const [top, height] = [Math.min(y, base), Math.abs(base - y)];
      group.append(element("rect", { class: "bar", x: x - width / 2, y: top, width, height, style: `fill:${colour}` }));
      // The symbol at the foot tells bars apart without their colours.
      if (width < 9 || base - y < 20) continue;
      const place = `translate(${x.toFixed(2)} ${(base - 9).toFixed(2)}) scale(.75)`;
      group.append(element("path", { class: "foot", d: SHAPES[look.symbol], transform: place }));
    }
  }
  if (view.isJoined && points.length > 1) {
    const attributes = { class: "line", d: path(points.map(({ x, y }) => [x, y])), style: `stroke:${colour}` };
    if (look.dash !== "solid") attributes["stroke-dasharray"] = look.dash.replaceAll("px", "");
    group.append(element("path", attributes));
  }
  const runs = points.flatMap(({ x, runs }) => (runs ?? []).map((y) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`));
  if (runs.length > 0) group.append(element("path", { class: "runs", d: runs.join(""), style: `stroke:${colour}` }));
  if (!isBand && between.length > 0) {
    const cap = Math.min(4, width / 2);
    const bars = between.map(({ x, ends: [a, b] }) =>
      `M${x.toFixed(2)} ${a.toFixed(2)}V${b.toFixed(2)}M${(x - cap).toFixed(2)} ${a.toFixed(2)}h${2 * cap}M${(x - cap).toFixed(2)} ${b.toFixed(2)}h${2 * cap}`);
    const ink = view.isBars ? "var(--ink)" : colour;
    group.append(element("path", { class: "interval", d: bars.join(""), style: `stroke:${ink}` }));
  }
  if (!view.isBars && (!view.isJoined || points.length <= MOST_SYMBOLS)) {
    const scale = points.length > 60 ? 0.5 : 0.85;
    for (const { x, y } of points) {
      group.append(element("path", {
        class: "point", d: SHAPES[look.symbol], style: `fill:${colour}`,
        transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale})`,
      }));
    }
  }
  return group;
}
