// Points with a name and an interval each way. Names stand beside them where they cover the least; lines
// through the first point divide the drawing.
{
  const MIDDLE = "rgba(128,128,128,0.8)";
  const DIRECTIONS = [[1, 0], [-1, 0], [0.7, -0.7], [0.7, 0.7], [-0.7, -0.7], [-0.7, 0.7], [0, -1], [0, 1]];
  const DISTANCES = [0.8, 1.8, 3, 4.6];

  const common = (a, b) =>
    Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) *
    Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

  // The middles of the labels, relative to their points. Boxes are [left, top, right, bottom] in pixels.
  function place(points, crosses, widths, size, frame) {
    const crowd = points.map(([x, y], i) =>
      points.reduce((sum, [u, v], j) => sum + (i === j ? 0 : 1 / (Math.hypot(u - x, v - y) + 10)), 0),
    );
    const order = points.map((_, i) => i).sort((a, b) => crowd[b] - crowd[a]);
    const placed = [];
    const found = [];
    for (const i of order) {
      const [x, y] = points[i];
      let best = null;
      for (const distance of DISTANCES) {
        DIRECTIONS.forEach(([right, down], rank) => {
          const dx = right * (distance * size + widths[i] / 2);
          const dy = down * (distance * size + 0.6 * size);
          const box = [x + dx - widths[i] / 2, y + dy - 0.6 * size, x + dx + widths[i] / 2, y + dy + 0.6 * size];
          let cost = 2 * distance * size + rank;
          for (const other of placed) cost += 8 * common(box, other);
          for (const cross of crosses) cost += 4 * common(box, cross);
          cost += 20 * (widths[i] * 1.2 * size - common(box, frame));
          if (!best || cost < best.cost) best = { cost, box, dx, dy, far: distance >= DISTANCES[1] };
        });
      }
      placed.push(best.box);
      found[i] = best;
    }
    return found;
  }

  KINDS.scatter = (data) => {
    const { series } = data;
    const apart = (spot, axis) => {
      const [mean, low, high] = spot[axis];
      return {
        type: "data",
        symmetric: false,
        visible: data.intervals,
        array: [high - mean],
        arrayminus: [mean - low],
      };
    };
    return {
      keys: series.map(({ name }, i) => ({ name, swatch: () => swatch(i, false) })),
      traces: () =>
        series.map((spot, i) => ({
          type: "scatter",
          mode: "markers",
          name: plain(spot.name),
          x: [spot.x[0]],
          y: [spot.y[0]],
          text: [spot.text],
          hovertemplate: `${plain(spot.name)}: %{text}<extra></extra>`,
          marker: { symbol: distinct(i).symbol },
          error_x: apart(spot, "x"),
          error_y: apart(spot, "y"),
        })),
      look: (size) =>
        series.map((_, i) => {
          const colour = style(distinct(i).variable);
          return {
            "marker.color": colour,
            "marker.size": 0.75 * size,
            "error_x.color": colour,
            "error_x.thickness": 0.1 * size,
            "error_x.width": 0,
            "error_y.color": colour,
            "error_y.thickness": 0.1 * size,
            "error_y.width": 0,
          };
        }),
      layout: () => {
        const axis = { exponentformat: "none", automargin: true, zeroline: false, showline: true, ticks: "outside" };
        const line = { type: "line", layer: "below", line: { color: MIDDLE, width: 1, dash: "dash" } };
        const first = series[0];
        return {
          hovermode: "closest",
          xaxis: axis,
          yaxis: { ...axis },
          shapes: first
            ? [
                { ...line, xref: "paper", x0: 0, x1: 1, y0: first.y[0], y1: first.y[0] },
                { ...line, yref: "paper", y0: 0, y1: 1, x0: first.x[0], x1: first.x[0] },
              ]
            : [],
        };
      },
      adapt: (layout, width, size, height, hidden) => {
        const { xaxis, yaxis } = layout;
        // The room within the axes, about.
        const [wide, high] = [width - 72 - size, height - 3.5 * size];
        const x = (value) => ((value - xaxis.range[0]) / (xaxis.range[1] - xaxis.range[0])) * wide;
        const y = (value) => high - ((value - yaxis.range[0]) / (yaxis.range[1] - yaxis.range[0])) * high;
        const shown = series.filter((_, i) => !hidden.has(i));
        const points = shown.map((spot) => [x(spot.x[0]), y(spot.y[0])]);
        const r = 0.45 * size;
        const crosses = shown.flatMap((spot, i) => {
          const [u, v] = points[i];
          return [
            [Math.min(x(spot.x[1]), u - r), v - r, Math.max(x(spot.x[2]), u + r), v + r],
            [u - r, Math.min(y(spot.y[2]), v - r), u + r, Math.max(y(spot.y[1]), v + r)],
          ];
        });
        const widths = shown.map(({ name }) => 0.6 * size * name.length);
        const labels = place(points, crosses, widths, size, [0, 0, wide, high]);
        return {
          annotations: shown.map((spot, i) => ({
            x: spot.x[0],
            y: spot.y[0],
            text: plain(spot.name),
            ax: labels[i].dx,
            ay: labels[i].dy,
            showarrow: true,
            arrowhead: 0,
            arrowwidth: 1,
            arrowcolor: labels[i].far ? MIDDLE : "rgba(0,0,0,0)",
            standoff: r,
            borderpad: 0,
          })),
        };
      },
      describe: (trace) => ({ words: `${series[trace].name}: ${series[trace].text}`, point: null }),
    };
  };

  // One of several drawings is shown, the one that is chosen.
  for (const menu of document.querySelectorAll("select[data-views]")) {
    const views = menu.closest("article").querySelectorAll("[data-view]");
    const choose = () => {
      for (const view of views) view.hidden = view.dataset.view !== menu.value;
    };
    menu.addEventListener("change", choose);
    choose();
  }
}
