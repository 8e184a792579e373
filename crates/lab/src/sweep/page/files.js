// Files: the figure as SVG, and the numbers as CSV.

function save(name, kind, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  document.getElementById("saved").textContent = `Saved as ${name}.`;
}

// A name for a file from words that may have any letters.
const fileName = (...words) => words.join("-").replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^[-.]+|-+$/g, "") || "figure";

// White around the figure of a file.
const MARGIN = 12;

// The figure as a file of its own: with its legend, its sentences and its style, in light colours.
function svgFile() {
  const view = viewOf(choice);
  const panels = panelsOf(view);
  const width = Math.max(360, Math.min(1100, drawn.width));
  const { svg, height, shown } = drawFigure(view, panels, width);
  let end = height;
  if (view.curves) end = legendMarks(svg, view, shown, width, end + 8);
  for (const line of [DATA.name, ...sentences(view, panels)].flatMap((text) => wrapped(text, width - 8))) {
    end += 16;
    svg.append(element("text", { class: "caption", x: 2, y: end }, line));
  }
  end += 10;
  const frame = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: Math.ceil(end) + MARGIN };
  svg.setAttribute("viewBox", Object.values(frame).join(" "));
  svg.setAttribute("width", frame.width);
  svg.setAttribute("height", frame.height);
  svg.removeAttribute("role");
  svg.prepend(
    element("title", {}, `${view.measure.name}: ${DATA.name}`),
    element("style", {}, document.getElementById("figure-style").textContent),
    element("rect", { ...frame, style: "fill:var(--raised)" }),
  );
  const text = new XMLSerializer().serializeToString(svg);
  const light = getComputedStyle(document.getElementById("light"));
  const plain = text.replaceAll(/var\((--[\w-]+)\)/g, (_, name) => light.getPropertyValue(name).trim());
  return `<?xml version="1.0" encoding="UTF-8"?>\n${plain}\n`;
}

function legendMarks(svg, view, shown, width, top) {
  let [x, y] = [2, top + 12];
  svg.append(element("text", { class: "caption", x, y }, view.curves.label));
  x += measured(view.curves.label) + 16;
  for (const at of shown) {
    const name = fitting(view.curves.values[at], width - 60);
    const room = measured(name) + 62;
    if (x + room > width) [x, y] = [2, y + 18];
    const look = distinct(at);
    const line = element("path", { class: "line", d: `M${x} ${y - 4}h30`, style: `stroke:var(${look.variable})` });
    if (look.dash !== "solid") line.setAttribute("stroke-dasharray", look.dash.replaceAll("px", ""));
    svg.append(line, element("path", { d: SHAPES[look.symbol], transform: `translate(${x + 15} ${y - 4}) scale(.85)`, style: `fill:var(${look.variable})` }));
    svg.append(element("text", { class: "caption", x: x + 36, y }, name));
    x += room;
  }
  return y + 6;
}

function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (measured(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitting(word, width));
  }
  return lines.filter(Boolean);
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const field = (value) => (value === null || value === undefined ? "" : quoted(String(value)));
const record = (values) => `${values.map(field).join(",")}\n`;

// The shown means in base units: a line for each, with the values of everything that is chosen.
function shownFile() {
  const view = viewOf(choice);
  const panels = panelsOf(view);
  const shown = shownCurves(view, panels);
  const { x, measure } = view;
  const facets = [view.rows, view.columns, view.curves];
  const heads = facets.filter(Boolean).map(({ label }) => label);
  const lines = [record([...heads, ...(x.dimension ? [x.label] : []), measure.name, "half_width", "runs"])];
  for (const panel of panels) {
    for (const { at, points } of panel.curves.filter((curve) => shown.includes(curve.at))) {
      const places = [panel.row, panel.column, at];
      const first = facets.flatMap((dimension, i) => (dimension ? [(dimension.numbers ?? dimension.values)[places[i]]] : []));
      for (const point of points) {
        const own = x.numbers ? [x.numbers[point.at]] : x.dimension ? [x.dimension.values[point.at]] : [];
        lines.push(record([...first, ...own, point.mean, point.half, point.n]));
      }
    }
  }
  return lines.join("");
}

// All rows of a table, the swept values first.
function tableFile(table) {
  const paths = DATA.paths.map((path) => ({ ...path, index: unpack(path.at) }));
  const names = [...table.columns.keys()];
  const lines = [record([...paths.map(({ name }) => name), ...names])];
  for (let row = 0; row < table.count; row += 1) {
    const point = table.point[row];
    const swept = paths.map(({ index, numbers, texts }) => (numbers ?? texts)[index[point]]);
    lines.push(record([...swept, ...names.map((name) => table.at(name, row))]));
  }
  return lines.join("");
}
