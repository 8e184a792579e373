// Maps: a row a curve, a column a place, and in each cell a number with its interval on the number's
// colour. The first row is at the bottom, as on any axis.
{
  const count = Number(style("--scale-count"));
  const scale = () => Array.from({ length: count }, (_, i) => [i / (count - 1), style(`--scale-${i}`)]);

  // White or black, whichever has the greater contrast on the colour of a part of the scale: see
  // figure/contrast.rs.
  function ink(part) {
    const place = Math.min(Math.max(part, 0), 1) * (count - 1);
    const i = Math.min(Math.floor(place), count - 2);
    const channels = (j) => [1, 3, 5].map((at) => parseInt(style(`--scale-${j}`).slice(at, at + 2), 16));
    const [a, b] = [channels(i), channels(i + 1)];
    const [red, green, blue] = a.map((from, k) => {
      const part = Math.round(from + (b[k] - from) * (place - i)) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#fff" : "#000";
  }

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
    // Words of the library's own would be grey on the colours in the middle.
    const words = () => {
      const values = data.series.flatMap(({ y }) => y.filter((value) => value !== null));
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return data.series.flatMap((series, row) =>
        series.x.map((place, i) => ({
          x: places.indexOf(place),
          y: row,
          text: series.text[i].replace(" ± ", "<br>± "),
          showarrow: false,
          font: { color: ink((series.y[i] - least) / (most - least || 1)) },
        })),
      );
    };
    const columns = places.map((_, i) => i);
    const lines = rows.map((_, i) => i);
    const axis = { showgrid: false, zeroline: false, automargin: true, ticks: "" };
    return {
      labels: [data.y_label, data.x_label],
      height: (size, narrow) => size * (3.1 * rows.length + (narrow ? 7 : 4)),
      keys: [],
      traces: () => [
        {
          type: "heatmap",
          x: columns,
          y: lines,
          z: cells((series, i) => series.y[i]),
          customdata: cells((series, i) => plain(`${series.name}, ${data.x_label} ${name(series.x[i])}: ${series.text[i]}`)),
          hovertemplate: "%{customdata}<extra></extra>",
          hoverongaps: false,
          xgap: 1,
          ygap: 1,
          colorbar: { thickness: 14, outlinewidth: 0, len: 1 },
        },
      ],
      // Beside the map the scale would take width that a narrow one needs.
      look: (size, narrow) => [
        {
          colorscale: scale(),
          "colorbar.orientation": narrow ? "h" : "v",
          "colorbar.y": narrow ? 1 : 0.5,
          "colorbar.yanchor": narrow ? "bottom" : "middle",
          "colorbar.x": narrow ? 0.5 : 1.02,
          "colorbar.xanchor": narrow ? "center" : "left",
          "colorbar.tickfont.size": 0.85 * size,
          "colorbar.tickfont.color": style("--ink"),
        },
      ],
      layout: () => ({
        hovermode: "closest",
        annotations: words(),
        xaxis: { ...axis, tickvals: columns, ticktext: places.map((place) => plain(name(place))) },
        yaxis: { ...axis, tickvals: lines, title: { text: plain(label) } },
      }),
      adapt: (layout, width, size) => ({
        "yaxis.ticktext": rows.map((name) => broken(name, (0.3 * width) / (0.55 * size))),
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
