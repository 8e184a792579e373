// Maps: a row a curve, a column a place, and in each cell a number with its interval on the number's
// colour. The first row is at the bottom, as on any axis.
{
  const count = Number(style("--scale-count"));
  const scale = () => Array.from({ length: count }, (_, i) => [i / (count - 1), style(`--scale-${i}`)]);

  KINDS.map = (data) => {
    const places = [...new Set(data.series.flatMap(({ x }) => x))].sort((a, b) => a - b);
    const rows = data.rows?.names ?? data.series.map(({ name }) => name);
    const label = data.rows?.label ?? "";
    const names = new Map(data.names ?? []);
    const name = (place) => names.get(place) ?? `${place}`;
    const cells = (value) =>
      data.series.map((series) =>
        places.map((place) => {
          const i = series.x.indexOf(place);
          return i < 0 ? null : value(series, i);
        }),
      );
    const columns = places.map((_, i) => i);
    const lines = rows.map((_, i) => i);
    const axis = { showgrid: false, zeroline: false, automargin: true, ticks: "" };
    return {
      labels: [data.y_label, data.x_label],
      height: (size) => size * (3.1 * rows.length + 4),
      keys: [],
      traces: () => [
        {
          type: "heatmap",
          x: columns,
          y: lines,
          z: cells((series, i) => series.y[i]),
          text: cells((series, i) => series.text[i].replace(" ± ", "<br>± ")),
          customdata: cells((series, i) => plain(`${series.name}, ${data.x_label} ${name(series.x[i])}: ${series.text[i]}`)),
          texttemplate: "%{text}",
          hovertemplate: "%{customdata}<extra></extra>",
          hoverongaps: false,
          xgap: 1,
          ygap: 1,
          colorbar: { thickness: 14, outlinewidth: 0, len: 1 },
        },
      ],
      look: (size) => [
        {
          colorscale: scale(),
          "textfont.size": 0.85 * size,
          "colorbar.tickfont.size": 0.85 * size,
          "colorbar.tickfont.color": style("--ink"),
        },
      ],
      layout: () => ({
        hovermode: "closest",
        xaxis: { ...axis, tickvals: columns, ticktext: places.map((place) => plain(name(place))) },
        yaxis: { ...axis, tickvals: lines, ticktext: rows.map(plain), title: { text: plain(label) } },
      }),
      describe: (_, cell) => {
        const series = data.series[cell[0]];
        const i = series.x.indexOf(places[cell[1]]);
        if (i < 0) return null;
        const words = `${series.name}, ${data.x_label} ${name(series.x[i])}: ${series.text[i]}`;
        return { words, point: series.points[i] };
      },
    };
  };
}
