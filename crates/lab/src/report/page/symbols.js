// What tells curves and points from each other: each has a colour, a symbol and a dash of its own.
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "star", "hexagon"];
const DASHES = ["solid", "6px 3px", "2px 3px", "9px 3px 2px 3px", "12px 4px"];
const SHAPES = {
  circle: "M0-5a5 5 0 1 0 .01 0z",
  square: "M-4.5-4.5h9v9h-9z",
  diamond: "M0-6l6 6-6 6-6-6z",
  "triangle-up": "M0-6l5.5 10h-11z",
  cross: "M-2-5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z",
  "triangle-down": "M0 6l5.5-10h-11z",
  star: "M0-6.5l1.6 4.4 4.7.1-3.7 2.8 1.3 4.5-3.9-2.6-3.9 2.6 1.3-4.5-3.7-2.8 4.7-.1z",
  hexagon: "M0-5.5l4.8 2.7v5.6l-4.8 2.7-4.8-2.7v-5.6z",
};

const distinct = (i) => ({
  variable: `--series-${i % Number(style("--series-count"))}`,
  symbol: SYMBOLS[i % SYMBOLS.length],
  dash: DASHES[i % DASHES.length],
});

// The symbol, and a line through it unless it is a point alone.
function swatch(i, line = true) {
  const { variable, symbol, dash } = distinct(i);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", line ? "-17 -8 34 16" : "-8 -8 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.style.color = `var(${variable})`;
  if (!line) svg.style.width = "1em";
  for (const d of line ? ["M-17 0h34", SHAPES[symbol]] : [SHAPES[symbol]]) {
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  if (line) {
    svg.firstChild.setAttribute("class", "dash");
    if (dash !== "solid") {
      svg.firstChild.setAttribute("stroke-dasharray", dash.replaceAll("px", ""));
    }
  }
  return svg;
}
