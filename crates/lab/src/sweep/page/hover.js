// The values of the point under the mouse, the finger, or the arrow keys.
const tip = document.getElementById("tip");
let drawn = null;
let current = null;

function described({ point, curve, panel }) {
  const { view, factor, unit, xUnits } = drawn;
  const lines = [];
  if (view.curves) lines.push(`${view.curves.label} = ${view.curves.values[curve]}`);
  if (view.columns) lines.push(`${view.columns.label} = ${view.columns.values[panel.column]}`);
  if (view.rows) lines.push(`${view.rows.label} = ${view.rows.values[panel.row]}`);
  const { x } = view;
  if (x.dimension) lines.push(`${x.label} = ${textsOfX(view, xUnits.factor)(point.at)} ${x.numbers ? xUnits.unit : ""}`.trim());
  const ownUnit = PLAIN.includes(unit) ? "" : ` ${unit}`;
  const value = `${plusMinus(point, factor)}${ownUnit}`;
  const between = point.half === null ? "" : `95 %: ${short(low(point) / factor, 6)} to ${short(high(point) / factor, 6)}`;
  return { value, lines, between, runs: point.n === 1 ? "1 run" : `${point.n} runs` };
}

function point(hit) {
  current = hit;
  document.querySelector("#figure .ring")?.remove();
  tip.hidden = !hit;
  if (!hit) return;
  const { svg } = drawn;
  svg.append(element("circle", { class: "ring", cx: hit.x, cy: hit.y, r: 8 }));
  const { value, lines, between, runs } = described(hit);
  const strong = document.createElement("b");
  strong.textContent = value;
  const line = (text) => Object.assign(document.createElement("span"), { textContent: text });
  tip.replaceChildren(strong, ...lines.map(line), ...(between ? [line(between)] : []), line(runs));
  const frame = tip.parentElement.getBoundingClientRect();
  const box = svg.getBoundingClientRect();
  const [x, y] = [hit.x + box.left - frame.left, hit.y + box.top - frame.top];
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(0, Math.min(frame.width - width, x + 14 + width > frame.width ? x - width - 14 : x + 14))}px`;
  tip.style.top = `${Math.max(-40, y - height / 2)}px`;
}

function nearest(event) {
  const box = drawn.svg.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  let [best, distance] = [null, 45 * 45];
  for (const hit of drawn.hits) {
    // A bar is under the mouse from its foot to its top.
    const above = Math.min(hit.y, hit.base) - y;
    const below = y - Math.max(hit.y, hit.base);
    const away = (hit.x - x) ** 2 + Math.max(0, above, below) ** 2;
    if (away < distance) [best, distance] = [hit, away];
  }
  return best;
}

// Left and right: the points of a curve; up and down: the curves and panels at an x value.
function moved(key) {
  const { hits } = drawn;
  if (!current || !hits.includes(current)) return hits[0] ?? null;
  const step = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  if (key === "ArrowLeft" || key === "ArrowRight") return hits[hits.indexOf(current) + step] ?? current;
  const column = hits.filter((hit) => hit.point.at === current.point.at);
  return column[column.indexOf(current) + step] ?? current;
}

{
  const figure = document.getElementById("figure");
  for (const kind of ["pointermove", "pointerdown"]) {
    figure.addEventListener(kind, (event) => {
      if (!drawn?.svg) return;
      const hit = nearest(event);
      if (hit !== current) point(hit);
    });
  }
  figure.addEventListener("pointerleave", () => point(null));
  figure.addEventListener("blur", () => point(null));
  figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return point(null);
    if (!event.key.startsWith("Arrow") || !drawn?.svg) return;
    event.preventDefault();
    point(moved(event.key));
  });
}
