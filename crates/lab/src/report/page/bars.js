// Bars: a row a curve, and in it a bar a place. Places have a colour each.
{
  const count = Number(style("--series-count"));
  const variable = (i) => `--series-${i % count}`;

  function swatch(i) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const bar = document.createElementNS(svg.namespaceURI, "path");
    svg.setAttribute("viewBox", "-17 -8 34 16");
    svg.setAttribute("aria-hidden", "true");
    svg.style.color = `var(${variable(i)})`;
    bar.setAttribute("d", "M-14-5h28v10h-28z");
    svg.append(bar);
    return svg;
  }

  KINDS.bars = (data) => {
    const places = [...new Set(data.series.flatMap(({ x }) => x))].sort((a, b) => a - b);
    const rows = data.series.map((_, row) => row);
    const of = (series, place) => series.x.indexOf(place);
    const value = (place, key) =>
      data.series.map((series) => series[key][of(series, place)] ?? null);
    const several = places.length > 1;
    const names = new Map(data.names ?? []);
    const name = (place) => names.get(place) ?? `${data.x_label} ${place}`;
    const apart = (place, key) =>
      data.series.map((series) => {
        const i = of(series, place);
        return i < 0 ? 0 : Math.abs(series[key][i] - series.y[i]);
      });
    return {
      labels: ["", data.y_label],
      upwards: "reversed",
      height: (size) => size * (rows.length * (0.8 + 1.1 * places.length) + 3.5),
      keys: several ? places.map((place, i) => ({ name: name(place), swatch: () => swatch(i) })) : [],
      traces: () =>
        places.map((place) => ({
          type: "bar",
          orientation: "h",
          name: plain(name(place)),
          x: value(place, "y"),
          y: rows,
          text: value(place, "text").map((text) => text ?? ""),
          customdata: data.series.map((series) => plain(series.name)),
          textposition: "none",
          hovertemplate: "%{customdata}: %{text}<extra></extra>",
          error_x: {
            type: "data",
            symmetric: false,
            visible: data.intervals,
            array: data.intervals ? apart(place, "high") : [],
            arrayminus: data.intervals ? apart(place, "low") : [],
          },
        })),
      look: (size) =>
        places.map((_, i) => ({
          "marker.color": style(variable(i)),
          "error_x.color": style("--ink"),
          "error_x.thickness": 0.09 * size,
          "error_x.width": 0.25 * size,
        })),
      layout: () => ({
        hovermode: "closest",
        bargap: 0.3,
        bargroupgap: 0.1,
        xaxis: { exponentformat: "none", separatethousands: false, automargin: true, zeroline: true, ticks: "outside" },
        yaxis: { autorange: "reversed", automargin: true, zeroline: false, showgrid: false },
      }),
      adapt: (layout, width, size) => ({
        "yaxis.tickvals": rows,
        "yaxis.ticktext": data.series.map((series) =>
          broken(series.name, (0.4 * width) / (0.55 * size)),
        ),
      }),
      describe: (trace, row) => {
        const series = data.series[row];
        const i = of(series, places[trace]);
        if (i < 0) return null;
        const where = several ? `, ${name(places[trace])}` : "";
        return { words: `${series.name}${where}: ${series.text[i]}`, point: series.points[i] };
      },
    };
  };
}
