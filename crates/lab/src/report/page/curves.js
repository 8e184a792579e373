// Curves: points with intervals, joined by lines. Each has a colour, a symbol and a dash of its own.
{
  function trace(data, series, i) {
    const { symbol, dash } = distinct(i);
    const apart = (ends) => series.y.map((y, j) => Math.abs(ends[j] - y));
    return {
      type: "scatter",
      mode: data.markers ? "lines+markers" : "lines",
      name: plain(series.name),
      x: series.x,
      y: series.y,
      text: series.text,
      hovertemplate: "%{text}",
      line: { dash: dash.replaceAll(" ", ",") },
      marker: { symbol },
      error_y: {
        type: "data",
        symmetric: false,
        visible: data.intervals,
        array: data.intervals ? apart(series.high) : [],
        arrayminus: data.intervals ? apart(series.low) : [],
      },
    };
  }

  // Labels of a logarithmic axis: as many of 1, 2, 5 and the others as have room, in full. Within less
  // than a few of them the library's own serve better.
  function decades([low, high], width, size) {
    const decade = width / (high - low);
    const room = 4.5 * size;
    const steps = [
      [[1, 2, 3, 4, 5, 6, 7, 8, 9], Math.log10(10 / 9)],
      [[1, 2, 5], Math.log10(2)],
      [[1], 1],
    ].find(([, gap]) => decade * gap >= room)?.[0];
    const values = [];
    for (let n = Math.floor(low); steps && n <= Math.ceil(high); n += 1) {
      for (const step of steps) {
        const value = Number(`${step}e${n}`);
        if (Math.log10(value) >= low && Math.log10(value) <= high) values.push(value);
      }
    }
    if (values.length < 3) return { "xaxis.tickmode": "auto" };
    return { "xaxis.tickmode": "array", "xaxis.tickvals": values, "xaxis.ticktext": values.map(String) };
  }

  // A title of hover labels, in which the library would look for values to put in.
  const title = (label) => plain(label).replaceAll("%{", "%\u2060{");

  KINDS.curves = (data) => {
    const above = marks(data.lanes ?? []);
    const { strip } = above;
    const curves = data.series;
    const many = curves.length > MOST_TOGETHER;
    return {
      ...(many && { multiples: (press) => multiples(data, press) }),
      keys: [...curves.map(({ name }, i) => ({ name, swatch: () => swatch(i) })), ...above.keys],
      traces: () => [...curves.map((series, i) => trace(data, series, i)), ...above.traces()],
      look: (size, _, front) => [
        ...curves.map((_, i) => {
          const behind = front.size > 0 && !front.has(i);
          const colour = style(behind ? "--behind" : distinct(i).variable);
          return {
            "line.color": colour,
            "line.width": (behind ? 0.08 : 0.15) * size,
            "marker.color": colour,
            "marker.size": (behind ? 0.01 : 0.6) * size,
            "error_y.color": colour,
            "error_y.thickness": (behind ? 0 : 0.11) * size,
            "error_y.width": (behind ? 0 : 0.35) * size,
            "marker.line.width": 0,
            zorder: behind ? -1 : 0,
          };
        }),
        ...above.look(size),
      ],
      axes: ["xaxis", "yaxis", ...(strip ? ["yaxis2"] : [])],
      layout: () => ({
        hovermode: "x unified",
        // What is marked at a time is told with the curves' values.
        hoversubplots: "axis",
        xaxis: {
          type: data.log_x ? "log" : "linear",
          exponentformat: "none",
          automargin: true,
          showline: true,
          ticks: "outside",
          zeroline: false,
          showspikes: true,
          spikemode: "across",
          spikethickness: 1,
          spikedash: "dot",
          unifiedhovertitle: { text: `${title(data.x_label)} %{x}` },
        },
        yaxis: {
          rangemode: "tozero",
          exponentformat: "none",
          separatethousands: false,
          automargin: true,
          zeroline: false,
          ...(strip && { domain: [0, 1 - strip.share - 0.02] }),
        },
        ...(strip && { yaxis2: { ...strip.yaxis2, domain: [1 - strip.share, 1] } }),
      }),
      // All values of a place at once, where there is room for them beside the pointer.
      adapt: (layout, width, size) => ({
        hovermode: width < 34 * size ? "closest" : "x unified",
        ...(data.log_x ? decades(layout.xaxis.range, width, size) : {}),
      }),
      describe: (curve, i) => {
        if (curve >= curves.length) return above.describe(curve - curves.length, i);
        const series = curves[curve];
        return {
          words: `${series.name}, ${data.x_label} ${series.x[i]}: ${series.text[i]}`,
          point: series.points[i],
        };
      },
    };
  };
}
