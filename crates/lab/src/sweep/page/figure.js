// The whole figure: panels in rows and columns, with their titles and the names of the axes.

const GAP = { x: 16, y: 14 };
const TITLE = 20;

// The titles of the panels: with the whole paths if there is room for all of them, otherwise with
// the last words of the paths.
function panelTitles(view, panels, width) {
  const parts = [[view.rows, "row"], [view.columns, "column"]].filter(([dimension]) => dimension);
  const titles = (name) => panels.map((panel) =>
    parts.map(([dimension, place]) => `${name(dimension)} = ${dimension.values[panel[place]]}`).join(" · "));
  const last = ({ label }) => label.split(" + ").map((path) => path.split(".").at(-1)).join(" + ");
  const long = titles(({ label }) => label);
  if (long.every((title) => measured(title, 12, "600") <= width)) return long;
  return titles(last).map((title) => fitting(title, width - 6, 12, "600"));
}

// Where panels stand: in a grid of rows and columns if both are there and there is room, otherwise
// one after the other.
function arranged(panels, view, width) {
  const least = width < 520 ? 150 : 210;
  const columns = [...new Set(panels.map(({ column }) => column))].sort((a, b) => a - b);
  const rows = [...new Set(panels.map(({ row }) => row))].sort((a, b) => a - b);
  const fit = Math.max(1, Math.floor(width / least));
  if (view.rows && view.columns && columns.length <= fit) {
    const place = ({ row, column }) => ({ down: rows.indexOf(row), across: columns.indexOf(column) });
    return { across: columns.length, down: rows.length, places: panels.map(place) };
  }
  const wanted = view.columns && !view.rows && columns.length <= fit ? columns.length : Math.ceil(Math.sqrt(panels.length * 1.6));
  const across = view.rows && !view.columns && panels.length <= 4 ? 1 : Math.max(1, Math.min(fit, wanted, panels.length));
  const places = panels.map((_, i) => ({ down: Math.floor(i / across), across: i % across }));
  return { across, down: Math.ceil(panels.length / across), places };
}

// Draws a view `width` pixels wide: returns the drawing, where its points are, and its units.
function drawFigure(view, panels, width) {
  const shown = shownCurves(view, panels);
  const visible = panels.map((panel) => ({ ...panel, curves: panel.curves.filter(({ at }) => shown.includes(at)) }));
  const whole = extent(visible, view);
  const { factor, unit } = multiple(view.measure.unit, Math.max(Math.abs(whole.least), Math.abs(whole.most)));
  const xUnits = unitOfX(view);
  const places = arranged(visible, view, width);
  const isCommon = view.panels === "common";
  const used = usedX(view, visible);
  const yEnds = visible.map((panel) => scaledEnds(isCommon ? whole : extent([panel], view), view, factor));

  // Texts of the y axes decide how much room there is beside the panels.
  const size = { height: heightOf(places, width) };
  const ysOf = (i, top, bottom) => numericScale({ ...yEnds[i], start: bottom, end: top, count: Math.max(2, Math.floor((bottom - top) / 42)) });
  const yTexts = visible.flatMap((_, i) => ysOf(i, 0, size.height).ticks.map(({ text }) => measured(text, 11.5)));
  const beside = 12 + largest([8, ...yTexts]);
  const margins = isCommon ? beside + (places.across - 1) * GAP.x : places.across * beside + (places.across - 1) * 6;
  const panelWidth = Math.max(40, (width - margins - 10) / places.across);
  const xsOf = (left) => xScale(view, { start: left, end: left + panelWidth, factor: xUnits.factor, used });
  const below = depth(view, xsOf(0));
  const hasTitles = Boolean(view.columns || view.rows);
  const titles = panelTitles(view, visible, panelWidth);

  const svg = element("svg", { class: "figure", xmlns: SVG, width, role: "presentation" });
  const hits = [];
  const name = labelled(view.measure.name, unit);
  svg.append(element("text", { class: "name", x: 2, y: 14 }, fitting(name, width - 4, 13)));
  let top = 26;
  for (let down = 0; down < places.down; down += 1) {
    let isLow = false;
    top += hasTitles ? TITLE : 0;
    visible.forEach((panel, i) => {
      const place = places.places[i];
      if (place.down !== down) return;
      const left = isCommon ? beside + place.across * (panelWidth + GAP.x) : beside + place.across * (panelWidth + beside + 6);
      const area = { left, right: left + panelWidth, top, bottom: top + size.height };
      const hasBelow = places.places.some((other) => other.across === place.across && other.down > down);
      const [xs, ys] = [xsOf(left), ysOf(i, area.top, area.bottom)];
      isLow ||= !hasBelow;
      svg.append(axes(area, xs, ys, { left: !isCommon || place.across === 0, bottom: !hasBelow }));
      svg.append(drawPanel(panel, area, xs, ys, { view, factor, hits, shown }));
      if (hasTitles) svg.append(element("text", { class: "title", x: left, y: top - 7 }, titles[i]));
    });
    top += size.height + (isLow ? below : 0) + GAP.y;
  }
  const xName = labelled(view.x.label, view.x.numbers ? xUnits.unit : "");
  svg.append(element("text", { class: "axis", x: beside + (width - beside) / 2, y: top + 4, "text-anchor": "middle" }, fitting(xName, width - 8)));
  const height = top + 14;
  svg.setAttribute("viewBox", `0 0 ${width} ${height.toFixed(0)}`);
  svg.setAttribute("height", height.toFixed(0));
  return { svg, hits, factor, unit, xUnits, width, height, shown };
}

const heightOf = ({ across, down }, width) =>
  across * down === 1 ? Math.max(230, Math.min(460, width * 0.55)) : Math.max(110, Math.min(280, (width / across) * 0.62));

function scaledEnds(extents, view, factor) {
  const { log, from, to } = ends(extents, view);
  return { log, from: from / factor, to: to / factor };
}

// The unit in which the x axis is written.
function unitOfX({ x }) {
  if (!x.numbers) return { factor: 1, unit: "" };
  return multiple(x.unit, largest(x.dimension.used.map((at) => Math.abs(x.numbers[at]))));
}

// The values of x that have points, in the order of the numbers, or of the file.
function usedX({ x }, panels) {
  const all = new Set(panels.flatMap(({ curves }) => curves.flatMap(({ points }) => points.map(({ at }) => at))));
  const order = x.numbers ? (a, b) => x.numbers[a] - x.numbers[b] : (a, b) => a - b;
  return all.size > 0 ? [...all].sort(order) : [x.dimension?.used[0] ?? 0];
}

// The indices of the curves that are there, and of those that are not hidden.
function presentCurves(panels) {
  return [...new Set(panels.flatMap(({ curves }) => curves.map(({ at }) => at)))].sort((a, b) => a - b);
}

function shownCurves(view, panels) {
  return presentCurves(panels).filter((at) => !view.curves || !view.hidden.has(view.curves.values[at]));
}

// What the figure shows, in sentences.
function sentences(view, panels) {
  const counts = panels.flatMap(({ curves }) => curves.flatMap(({ points }) => points.map(({ n }) => n)));
  const [fewest, most] = [smallest(counts), largest(counts)];
  if (counts.length === 0) return ["There are no runs with this measure for this choice."];
  const runs = fewest === most ? `${most === 1 ? "One run" : `${most} runs`}` : `${fewest} to ${most} runs`;
  const of = view.isBars ? "bar" : "point";
  const interval = most > 1 ? `: their mean and its 95 % interval (Student’s t)` : "";
  const all = [`${runs} for each ${of}${interval}.`];
  const fixed = [...view.only].filter(([, at]) => at !== null).map(([dimension, at]) => `${dimension.label} = ${dimension.values[at]}`);
  const overall = [...view.only].filter(([dimension, at]) => at === null && !isFixed(dimension, view)).map(([dimension]) => dimension.label);
  if (fixed.length > 0) all.push(`Only ${fixed.join(", ")}.`);
  if (overall.length > 0) all.push(`Means over all values of ${overall.join(", ")}, whose differences widen the intervals.`);
  if (view.xscale === "log" && view.xkind !== "log" && view.x.numbers) all.push("A logarithmic axis takes values above 0.");
  if (view.yscale === "log" && view.isBars) all.push("Bars begin at 0, so their scale is linear.");
  else if (view.yscale === "log" && panels.some(({ curves }) => curves.some(({ points }) => points.some(({ mean }) => mean <= 0)))) {
    all.push("Means of 0 and below are not on the logarithmic scale.");
  }
  if (panels.cut) all.push(`The first ${panels.length} of ${panels.cut} panels.`);
  return all;
}

// Whether what is shown leaves only one value of a dimension in each point.
const isFixed = (dimension, view) =>
  isShown(dimension, new Set([view.x.dimension, view.curves, view.columns, view.rows].filter(Boolean)), view.measure.table);
