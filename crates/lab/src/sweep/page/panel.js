// One panel: its axes, and the curves in it.

// The smallest and largest of the numbers that a panel shows.
function extent(panels, view) {
  let [least, most, positive] = [Infinity, -Infinity, Infinity];
  const add = (value) => {
    least = Math.min(least, value);
    most = Math.max(most, value);
    if (value > 0) positive = Math.min(positive, value);
  };
  for (const point of panels.flatMap(({ curves }) => curves).flatMap(({ points }) => points)) {
    add(point.mean);
    if (view.intervals !== NONE && point.half !== null) {
      // Where no run is below 0, the part of an interval that is there says nothing.
      const floor = point.values.every((value) => value >= 0) ? 0 : -Infinity;
      if (view.yscale !== "log" || low(point) > 0) add(Math.max(low(point), floor));
      add(high(point));
    }
    if (view.runs) point.values.forEach(add);
  }
  return { least, most, positive };
}

// The ends of the y axis.
function ends({ least, most, positive }, view) {
  if (view.yscale === "log" && positive < Infinity && !view.isBars) {
    const [from, to] = [positive, Math.max(most, positive)];
    const room = Math.max((to / from) ** 0.05, 1.05);
    return { log: true, from: from / room, to: to * room };
  }
  if (!(most >= least)) return { log: false, from: 0, to: 1 };
  const zero = view.yscale === "zero" || view.isBars;
  let [from, to] = zero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
  if (from === to) [from, to] = from === 0 ? [0, 1] : [Math.min(from * 0.9, from * 1.1), Math.max(from * 0.9, from * 1.1)];
  const room = (to - from) * 0.05;
  return { log: false, from: zero && from === 0 ? 0 : from - room, to: zero && to === 0 ? 0 : to + room };
}

// The texts of x values: as few digits as tell them apart, four or more.
function textsOfX({ x }, factor) {
  if (!x.dimension) return () => "";
  if (!x.numbers) return (at) => x.dimension.values[at];
  const numbers = x.dimension.used.map((at) => x.numbers[at] / factor);
  const isEnough = (digits) => new Set(numbers.map((value) => short(value, digits))).size === new Set(numbers).size;
  const digits = [4, 5, 6, 8, 10, 12].find(isEnough) ?? 15;
  return (at) => short(x.numbers[at] / factor, digits);
}

// The scale of the x axis, in the unit `factor`.
function xScale(view, { start, end, factor, used }) {
  const { x, xkind } = view;
  const count = Math.max(2, Math.floor((end - start) / 60));
  if (!x.dimension) return evenScale({ used: [0], text: () => "", start, end });
  if (xkind === "even") {
    return evenScale({ used, text: textsOfX(view, factor), start, end });
  }
  const numbers = used.map((at) => x.numbers[at] / factor);
  const [from, to] = [smallest(numbers), largest(numbers)];
  const inset = Math.min(14, (end - start) * 0.04);
  const log = xkind === "log";
  const wide = from < to ? [from, to] : log ? [from / 2, from * 2] : [from - 1, from + 1];
  const scale = numericScale({ log, from: wide[0], to: wide[1], start: start + inset, end: end - inset, count });
  return { ...scale, place: (at) => scale.place(x.numbers[at] / factor), numeric: scale.place };
}

// The grid, the axes and their texts. `sides` says which axes have texts.
function axes(area, xs, ys, sides) {
  const { left, right, top, bottom } = area;
  const group = element("g", { class: "axes" });
  for (const { value, text } of ys.ticks) {
    const y = ys.place(value);
    group.append(element("path", { class: "grid", d: `M${left} ${y.toFixed(1)}H${right}` }));
    if (sides.left) group.append(element("text", { class: "tick", x: left - 7, y: y + 4, "text-anchor": "end" }, text));
  }
  const place = xs.numeric ?? xs.place;
  const room = xs.part ?? Infinity;
  const slanted = xs.part && xs.ticks.some(({ text }) => measured(text, 11.5) > room - 6);
  const every = slanted ? Math.ceil(15 / room) : 1;
  xs.ticks.forEach(({ value, text }, i) => {
    const x = place(value);
    if (xs.numeric) group.append(element("path", { class: "grid", d: `M${x.toFixed(1)} ${top}V${bottom}` }));
    else if (i % every === 0) group.append(element("path", { class: "tickmark", d: `M${x.toFixed(1)} ${bottom}v4` }));
    if (!sides.bottom || i % every !== 0) return;
    const attributes = slanted
      ? { class: "tick", "text-anchor": "end", transform: `translate(${(x + 4).toFixed(1)} ${bottom + 12}) rotate(-40)` }
      : { class: "tick", "text-anchor": "middle", x, y: bottom + 17 };
    group.append(element("text", attributes, slanted ? fitting(text, 110, 11.5) : text));
  });
  group.append(element("path", { class: "frame", d: `M${left} ${top}V${bottom}H${right}` }));
  return group;
}

// How much room the texts of the x axis need below it.
function depth(view, xs) {
  if (!xs.part || !xs.ticks.some(({ text }) => measured(text, 11.5) > xs.part - 6)) return 24;
  const longest = largest(xs.ticks.map(({ text }) => Math.min(110, measured(text, 11.5))));
  return 20 + longest * Math.sin((40 * Math.PI) / 180);
}

// Draws the curves of a panel, and notes in `hits` where their points are.
function drawPanel(panel, area, xs, ys, { view, factor, hits, shown }) {
  const group = element("g", { class: "panel" });
  const clip = (y) => Math.max(area.top, Math.min(area.bottom, y));
  const place = (value) => clip(ys.place(Math.max(value / factor, ys.log ? ys.from : -Infinity)));
  const base = ys.log ? area.bottom : place(0);
  const part = xs.part ? xs.part * 0.8 : 0;
  const step = xs.part && !view.isJoined ? part / Math.max(1, shown.length) : 0;
  const total = panel.curves.reduce((sum, { points }) => sum + points.length, 0);
  const isBand = view.isJoined && (view.intervals === "bands" || (view.intervals === "auto" && total > 60));
  for (const { at, points } of panel.curves) {
    const offset = step ? (shown.indexOf(at) - (shown.length - 1) / 2) * step : 0;
    const drawn = points.filter(({ mean }) => !ys.log || mean > 0).map((point) => ({
      point,
      x: xs.place(point.at) + offset,
      y: place(point.mean),
      ends: view.intervals !== NONE && point.half !== null ? [place(low(point)), place(high(point))] : null,
      runs: view.runs ? point.values.map(place) : null,
    }));
    const width = Math.max(1, Math.min(step || 10, 70) * 0.86);
    group.append(curveMarks(distinct(at), drawn, { view, base, width, isBand }));
    for (const { x, y, point } of drawn) hits.push({ x, y, base: view.isBars ? base : y, point, curve: at, panel });
  }
  // Bands lie behind all curves.
  group.prepend(...group.querySelectorAll(".band"));
  return group;
}
