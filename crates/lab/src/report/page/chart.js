// Drawings: each is drawn when it comes near the window. KINDS has a function for each kind of
// drawing, which makes of its data an object with
//   keys            the legend: a name and a function that makes a swatch, for each trace
//   traces()        the library's traces
//   layout()        the library's layout, without what all kinds share
//   axes            the layout's axes, where they are others than xaxis and yaxis
//   look(size, narrow, front)  for each trace, what depends on light or dark, on the size of letters, on
//                   whether there is little width, and on the curves that stand out, if not all do
//   adapt(layout, width, size, height, hidden)  changes of the layout for this width, what is in view
//                   and the traces that are switched off
//   describe(trace, i)          a point in words, and the number of its scenario file or null
//   multiples(pressed)  instead of the legend, where there are many curves: a small drawing of each
// and, where they are not those of curves,
//   labels          what stands above and below the drawing: [above, below]
//   height(size, narrow)    the drawing's height, for letters of this size
//   upwards         the vertical axis' autorange
const KINDS = {};
const charts = new Map();

const style = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The library reads some markup in texts: a name must not be taken for it.
const plain = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// Long names of rows are broken at spaces, and cut where that is not enough, so that they take no more
// than so many letters.
function broken(name, letters) {
  const most = Math.max(12, Math.floor(letters));
  const lines = [""];
  for (const word of name.split(" ")) {
    const last = lines.length - 1;
    const short = word.length > most ? `${word.slice(0, most - 1)}…` : word;
    if (lines[last] && lines[last].length + short.length >= most) lines.push(short);
    else lines[last] += (lines[last] && " ") + short;
  }
  return plain(lines.join("\n")).replaceAll("\n", "<br>");
}

// The library is text until the first drawing needs it: it takes longer to read than all the rest.
function library() {
  if (!window.Plotly) {
    const inert = document.getElementById("library");
    const script = document.createElement("script");
    const begun = performance.now();
    script.textContent = inert.textContent;
    document.head.append(script);
    document.documentElement.dataset.libraryMs = (performance.now() - begun).toFixed(0);
  }
  return window.Plotly;
}

// The part of the layout that depends on light or dark.
function colours(axes = ["xaxis", "yaxis"]) {
  const axis = {
    gridcolor: style("--grid"),
    linecolor: style("--line"),
    tickcolor: style("--line"),
    zerolinecolor: style("--line"),
  };
  const both = {};
  for (const name of axes) {
    for (const [key, value] of Object.entries(axis)) both[`${name}.${key}`] = value;
  }
  return {
    ...both,
    "font.color": style("--ink"),
    "hoverlabel.bgcolor": style("--raised"),
    "hoverlabel.bordercolor": style("--line"),
    "hoverlabel.font.color": style("--ink"),
    "xaxis.spikecolor": style("--line"),
  };
}

// Sets "a.b.c" of an object, as the library's updates name places.
function set(object, path, value) {
  const names = path.split(".");
  const last = names.pop();
  names.reduce((inner, name) => (inner[name] ??= {}), object)[last] = value;
}

function icon(d) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

class Chart {
  constructor(element) {
    this.element = element;
    this.figure = element.closest("figure");
    const data = element.parentElement.querySelector("script[type='application/json']");
    this.data = unpacked(JSON.parse(data.textContent));
    this.kind = KINDS[this.data.kind](this.data);
    this.hidden = new Set();
    this.front = new Set();
    this.drawn = false;
    this.build();
  }

  build() {
    const { element, data } = this;
    const head = document.createElement("div");
    head.className = "chart-head";
    const label = (name, text) => {
      const words = document.createElement("p");
      words.className = name;
      words.textContent = text;
      return words;
    };
    const tools = document.createElement("div");
    tools.className = "tools";
    const tool = (face, name, action) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(face);
      button.title = name;
      button.setAttribute("aria-label", name);
      button.addEventListener("click", () => {
        this.draw();
        action();
      });
      tools.append(button);
    };
    tool("+", "Zoom in", () => this.zoom(0.5));
    tool("−", "Zoom out", () => this.zoom(2));
    tool("Reset", "Show the whole drawing", () => this.reset());
    if (document.fullscreenEnabled) {
      tool(icon("M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"), "Full screen", () =>
        document.fullscreenElement
          ? document.exitFullscreen()
          : this.figure.requestFullscreen(),
      );
    }
    const [above, below] = this.kind.labels ?? [data.y_label, data.x_label];
    head.append(label("y-label", above), tools);
    this.legend = this.kind.multiples ? this.kind.multiples((i) => this.bring(i)) : this.keys();
    this.picked = document.createElement("p");
    this.picked.className = "picked";
    this.picked.setAttribute("role", "status");
    this.plot = document.createElement("div");
    this.plot.className = "plot";
    // The legend takes no width from the drawing, and is below it, so that the drawing comes first.
    element.append(head, this.plot, label("x-label", below), this.legend, this.picked);
    this.stretch();
  }

  // A drawing of rows is as high as they are many.
  stretch() {
    const height = this.kind.height?.(1, this.narrow());
    if (height) this.plot.style.setProperty("--height", `${height}em`);
  }

  keys() {
    const legend = document.createElement("div");
    legend.className = "legend";
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", "Curves: press to switch one on or off");
    this.kind.keys.forEach((key, i) => legend.append(this.key(key, i)));
    return legend;
  }

  key({ name, swatch }, i) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.title = "Press to switch it on or off, twice quickly to see it alone";
    button.append(swatch(), name);
    button.addEventListener("click", (event) => {
      if (event.detail === 2) {
        this.alone(i);
      } else {
        this.toggle(i);
      }
    });
    return button;
  }

  draw() {
    if (this.drawn) return;
    this.drawn = true;
    const size = this.size();
    const family = getComputedStyle(document.body).fontFamily;
    const traces = this.kind.traces();
    const layout = this.kind.layout();
    Object.assign(layout, {
      autosize: true,
      showlegend: false,
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family },
      margin: { l: this.narrow() ? 8 : 56, r: this.narrow() ? 4 : 16, b: 8 },
      hoverlabel: { font: { family }, namelength: 40 },
    });
    for (const [path, value] of Object.entries({ ...colours(this.kind.axes), ...this.sizes(size) })) {
      set(layout, path, value);
    }
    this.look().forEach((look, i) => {
      for (const [path, value] of Object.entries(look)) set(traces[i], path, value);
      traces[i].visible = !this.hidden.has(i);
    });
    const config = {
      displayModeBar: false,
      displaylogo: false,
      doubleClick: "reset",
      showTips: false,
    };
    library().newPlot(this.plot, traces, layout, config);
    this.fitted = this.extent();
    this.adapt();
    this.plot.on("plotly_click", (event) => this.pick(event));
    this.plot.on("plotly_relayout", () => this.adapt());
    // Afterwards, because a drawing that fits may have another height.
    new ResizeObserver(() => setTimeout(() => this.fit())).observe(this.plot);
    this.element.dataset.drawn = this.data.kind;
  }

  size() {
    return parseFloat(getComputedStyle(this.element).fontSize);
  }

  narrow() {
    return this.plot.clientWidth < 34 * this.size();
  }

  look() {
    return this.kind.look(this.size(), this.narrow(), this.front);
  }

  sizes(size) {
    return { "font.size": size, "hoverlabel.font.size": size, "margin.t": size };
  }

  extent() {
    return [this.plot.clientWidth, this.plot.clientHeight, this.size()].join();
  }

  fit() {
    if (this.printing || !this.plot.clientWidth || this.fitted === this.extent()) return;
    this.stretch();
    this.fitted = this.extent();
    this.update(this.sizes(this.size()));
    library().Plots.resize(this.plot);
    this.adapt();
  }

  // Changes the layout, and all traces' looks with it.
  update(layout) {
    const looks = this.look();
    const traces = {};
    for (const path of Object.keys(looks[0] ?? {})) traces[path] = looks.map((look) => look[path]);
    library().update(this.plot, traces, layout);
  }

  // What depends on the width and on what is in view. The change calls this again, once.
  adapt() {
    const update = this.kind.adapt?.(
      this.plot.layout,
      this.plot.clientWidth,
      this.size(),
      this.plot.clientHeight,
      this.hidden,
    );
    const text = JSON.stringify(update);
    if (!update || text === this.adapted) return;
    this.adapted = text;
    library().relayout(this.plot, update);
  }

  theme() {
    this.update(colours(this.kind.axes));
  }

  ranges() {
    const { xaxis, yaxis } = this.plot.layout;
    return { x: [...xaxis.range], y: [...yaxis.range] };
  }

  zoom(factor) {
    const { x, y } = this.ranges();
    const around = ([a, b]) => {
      const half = ((b - a) / 2) * factor;
      return [(a + b) / 2 - half, (a + b) / 2 + half];
    };
    const update = { "xaxis.range": around(x), "yaxis.range": around(y) };
    // A finger scrolls the page until there is something to move within the drawing.
    if (this.plot.layout.dragmode === false) update.dragmode = "pan";
    library().relayout(this.plot, update);
  }

  reset() {
    const update = { "xaxis.autorange": true, "yaxis.autorange": this.kind.upwards ?? true };
    if (matchMedia("(pointer: coarse)").matches) update.dragmode = false;
    library().relayout(this.plot, update);
  }

  toggle(i) {
    if (!this.hidden.delete(i)) this.hidden.add(i);
    this.show();
  }

  alone(i) {
    const others = this.kind.keys.map((_, j) => j).filter((j) => j !== i);
    const already = others.length > 0 && others.every((j) => this.hidden.has(j));
    this.hidden = new Set(already ? [] : others);
    this.show();
  }

  show() {
    const all = this.kind.keys.map((_, i) => i);
    if (this.drawn && all.length > 0) {
      library().restyle(this.plot, { visible: all.map((i) => !this.hidden.has(i)) }, all);
      this.adapt();
    }
    [...this.legend.children].forEach((button, i) =>
      button.setAttribute("aria-pressed", !this.hidden.has(i)),
    );
  }

  // Curves that are pressed among the small drawings stand out; if none is, all do.
  bring(i) {
    if (i === null) this.front.clear();
    else if (!this.front.delete(i)) this.front.add(i);
    this.draw();
    this.update({});
    return this.front;
  }

  // A click on a point tells its value and offers its scenario file.
  pick(event) {
    const point = this.nearest(event);
    const found = point && this.kind.describe(point.curveNumber, point.pointNumber);
    if (!found) return;
    const words = document.createElement("span");
    words.textContent = found.words;
    this.picked.replaceChildren(words);
    if (found.point !== null) {
      const link = document.createElement("a");
      link.href = `#${this.element.dataset.section.replace(/^figure/, "point")}.${found.point}`;
      link.textContent = "Scenario file";
      this.picked.append(" ", link);
    }
  }

  // All curves answer to the place of the mouse; the one meant is the nearest to its height.
  nearest({ event, points }) {
    const box = this.plot.querySelector(".nsewdrag")?.getBoundingClientRect();
    if (!box || !event) return points[0];
    // Those of the strip of marks answer within it, and nowhere else.
    const strip = this.plot.querySelector(".nsewdrag[data-subplot='xy2']")?.getBoundingClientRect();
    const within = strip !== undefined && event.clientY <= strip.bottom;
    points = points.filter((point) => (point.data.yaxis === "y2") === within);
    const [low, high] = this.plot.layout.yaxis.range;
    const y = high - ((event.clientY - box.top) / box.height) * (high - low);
    const far = (point) => Math.abs(point.y - y);
    return points.reduce((best, point) => (far(point) < far(best) ? point : best), points[0]);
  }

  print(yes) {
    this.printing = yes;
    if (yes) {
      const height = this.kind.height?.(12) ?? 360;
      this.update({ ...colours(this.kind.axes), ...this.sizes(12), width: 660, height });
    } else {
      this.update({ ...colours(this.kind.axes), width: null, height: null, autosize: true });
      this.fitted = "";
      this.fit();
    }
  }
}

// A drawing's program begins with it when it comes near the window.
function chartOf(element) {
  if (!charts.has(element)) charts.set(element, new Chart(element));
  return charts.get(element);
}

function begin() {
  // What is near the window is drawn, one at a time, so that the page stays at hand meanwhile; what
  // one has scrolled past before its turn came waits again.
  const near = new Set();
  let running = false;
  const next = () => {
    const [element] = near;
    running = element !== undefined;
    if (!running) return;
    near.delete(element);
    observer.unobserve(element);
    // One that cannot be drawn keeps no other one from it.
    setTimeout(next);
    chartOf(element).draw();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        near[isIntersecting ? "add" : "delete"](target);
      }
      if (!running) {
        running = true;
        setTimeout(next);
      }
    },
    { rootMargin: "300px 0px" },
  );
  const elements = [...document.querySelectorAll(".chart")];
  for (const element of elements) observer.observe(element);
  // What is in the window from the start waits for no frame: a printer of pages may never show one.
  for (const element of elements) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top >= innerHeight) break;
    if (bottom > 0) near.add(element);
  }
  if (near.size > 0) {
    running = true;
    setTimeout(next);
  }
  // Reading the library takes a moment: while nothing else happens, one does not notice.
  if (elements.length > 0) (window.requestIdleCallback ?? setTimeout)(library);

  document.documentElement.addEventListener("theme", () =>
    charts.forEach((chart) => chart.drawn && chart.theme()),
  );
  // On paper everything is drawn, and drawn dark on light.
  let before;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    for (const element of elements) {
      chartOf(element).draw();
      chartOf(element).print(true);
    }
  });
  addEventListener("afterprint", () => {
    document.documentElement.dataset.theme = before;
    charts.forEach((chart) => chart.print(false));
  });
}
addEventListener("DOMContentLoaded", begin);
