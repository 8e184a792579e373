// Marks above curves: lanes of signs at their places, in a strip of its own that shares the curves'
// axis. Each lane has a sign and a colour, as the drawings in files have them.
const SIGNS = [
  { symbol: "line-ns-open", line: 0.19, variable: "--series-6", shape: "M0-6v12", hollow: false },
  { symbol: "triangle-down-open", line: 0.1, variable: "--series-4", shape: "M-5-5h10l-5 10z", hollow: true },
  { symbol: "x-thin-open", line: 0.17, variable: "--series-5", shape: "M-4.5-5l9 10m0-10l-9 10", hollow: false },
];

function marks(lanes) {
  const sign = (i) => SIGNS[i % SIGNS.length];
  const swatch = (i) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS(svg.namespaceURI, "path");
    svg.setAttribute("viewBox", "-17 -8 34 16");
    svg.setAttribute("aria-hidden", "true");
    svg.style.color = `var(${sign(i).variable})`;
    path.setAttribute("class", "dash");
    path.setAttribute("d", sign(i).shape);
    svg.append(path);
    return svg;
  };
  // The library would look for values to put into the words.
  const words = (text) => plain(text).replaceAll("%{", "%\u2060{");
  return {
    keys: lanes.map(({ name }, i) => ({ name, swatch: () => swatch(i) })),
    traces: () =>
      lanes.map(({ name, marks }, i) => ({
        type: "scatter",
        mode: "markers",
        name: plain(name),
        x: marks.map(({ at }) => at),
        y: marks.map(() => -i),
        yaxis: "y2",
        text: marks.map((mark) => words(mark.words)),
        hovertemplate: "%{text}",
        marker: { symbol: sign(i).symbol },
        cliponaxis: false,
      })),
    // The same names as of curves: the library takes them together.
    look: (size) =>
      lanes.map((_, i) => {
        const colour = style(sign(i).variable);
        return {
          "line.color": colour,
          "line.width": 0,
          "marker.color": colour,
          "marker.size": 0.72 * size,
          "error_y.color": colour,
          "error_y.thickness": 0,
          "error_y.width": 0,
          "marker.line.width": sign(i).line * size,
          zorder: 0,
        };
      }),
    // Room above the curves, with a line for each lane.
    strip: lanes.length === 0 ? null : {
      share: 0.045 * lanes.length,
      yaxis2: {
        anchor: "x",
        range: [0.6 - lanes.length, 0.6],
        fixedrange: true,
        tickvals: lanes.map((_, i) => -i),
        showticklabels: false,
        ticks: "",
        zeroline: false,
      },
    },
    describe: (lane, i) => ({ words: `${lanes[lane].name}: ${lanes[lane].marks[i].words}`, point: null }),
  };
}
