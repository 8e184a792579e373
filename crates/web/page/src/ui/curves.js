// What the flows do over time: charts with one time axis, the numbers at the cursor, and why windows were cut.

import { quantity, short } from "../scenario/quantity.js";
import { Cuts } from "./cuts.js";
import { announce, byId, h } from "./dom.js";
import { Look } from "./look.js";
import { Losses } from "./losses.js";
import { Plot } from "./plot.js";
import { colour, colourName, dashes } from "./theme.js";

/** @typedef {import("../lab.js").Lab} Lab */

const MOST_CURVES = 24;
/** The goodput is the mean over this part of the run, since single packets come or do not. */
const SMOOTH = 1 / 120;

const KINDS = [
  { id: "window", title: "Congestion window", unit: "segments; dashed: slow-start threshold", words: (/** @type {number} */ value) => short(value, 4), height: 240 },
  { id: "goodput", title: "Goodput", unit: "", words: (/** @type {number} */ value) => quantity("rate", value), height: 150 },
  { id: "rtt", title: "Round-trip time", unit: "", words: (/** @type {number} */ value) => quantity("time", value), height: 140 },
  { id: "queue", title: "Queue", unit: "packets in front of the link", words: (/** @type {number} */ value) => short(value, 4), height: 140 },
];

/** @param {Lab} lab */
export function curves(lab) {
  const place = byId("view-curves");
  /** @type {Set<string>} */
  const off = new Set();
  const cuts = new Cuts("segments");
  const falls = new Cuts("bit/s");
  const losses = new Losses();
  const look = new Look(() => ({ end: end(), at: lab.at }), () => {
    show();
    // The cursor stays at its moment, not at its place.
    const { range } = look;
    const seen = lab.at !== null && (!range || (lab.at >= range[0] && lab.at <= range[1]));
    for (const plot of all) plot.point(seen ? lab.at : null);
  });
  const end = () => lab.result?.time.at(-1) ?? 1;
  const hooks = (/** @type {string} */ id) => ({
    draw: id === "window" ? (/** @type {any} */ plot) => cuts.draw(plot) : id === "goodput" ? (/** @type {any} */ plot) => falls.draw(plot) : id === "losses" ? (/** @type {any} */ plot) => losses.draw(plot) : undefined,
    moved: (/** @type {number | null} */ time, /** @type {any} */ plot) => {
      lab.point(time, "chart");
      if (id === "window") cuts.hover(plot);
      if (id === "goodput") falls.hover(plot);
    },
    zoomed: (/** @type {number} */ from, /** @type {number} */ to) => look.to([from, to]),
  });
  const plots = KINDS.map((kind) => new Plot(kind, hooks(kind.id)));
  const causes = new Plot({ id: "losses", title: "Losses by their true cause", unit: "", words: (row) => brief(losses.rows[row] ?? ""), rows: () => losses.ticks }, hooks("losses"));
  const all = [...plots, causes];
  const legend = h("tbody", {});
  const when = h("caption", {});
  const table = h("table", { class: "legend", id: "legend" }, when,
    h("thead", {}, h("tr", {}, ["Flow", "Window", "Threshold", "RTT", "Goodput"].map((word) => h("th", { scope: "col" }, word)))), legend);
  const linkChoice = h("select", { id: "queue-link", "aria-label": "The link whose queue is drawn", onchange: () => show() });
  plots[3].element.querySelector("figcaption").append(linkChoice);
  place.append(h("div", { class: "chart-head" }, h("p", { class: "hint" }, "Point at a mark to see why a window was cut, or a rate of NADA or SCReAM fell. Drag over a chart to look closer, or use the keys + and −."), look.element), table,
    plots[0].element, cuts.element, causes.element, losses.key, ...plots.slice(1).map((plot) => plot.element), h("p", { class: "hint", id: "more-cuts" }));
  plots[0].place.append(cuts.tip);
  plots[0].place.addEventListener("mouseleave", () => cuts.leave());
  plots[1].place.append(falls.tip);
  plots[1].place.addEventListener("mouseleave", () => falls.leave());
  for (const plot of all) {
    plot.place.tabIndex = 0;
    plot.place.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight + - 0 PageUp PageDown");
    plot.place.addEventListener("dblclick", () => look.to(null));
    plot.place.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (way) (plot === plots[0] ? stepCut : stepTime)(way);
      else if (event.key === "Escape") [cuts, falls].forEach((marks) => marks.leave());
      else if (!look.press(event.key)) return;
      event.preventDefault();
    });
  }

  /** Goes to the next cut, or the one before. @param {number} way */
  function stepCut(way) {
    const cut = cuts.step(way, plots[0].plot);
    if (!cut) return;
    point(cut.time);
    announce(cuts.sentence(cut));
  }

  /** Moves the cursor by a hundredth of what is seen. @param {number} way */
  function stepTime(way) {
    const [from, to] = look.range ?? [0, end()];
    point(Math.max(from, Math.min(to, (lab.at ?? (way > 0 ? from : to)) + (way * (to - from)) / 100)));
    announce([...legend.children].map((row) => [...row.children].map((cell) => cell.textContent).filter(Boolean).join(" ")).join("; "));
  }

  /** @param {number} time */
  function point(time) {
    for (const plot of all) plot.point(time);
    lab.point(time, "keys");
  }

  function show() {
    const { result } = lab;
    if (!result || place.hidden) return;
    // A shorter run than the one before may not have the part that was seen.
    if (look.range && look.range[0] >= end()) return look.to(null);
    const { range } = look;
    const flows = result.flows.slice(0, MOST_CURVES).map((/** @type {any} */ flow, /** @type {number} */ i) => ({ ...flow, i })).filter((/** @type {any} */ flow) => flow.cwnd || flow.goodput);
    const curve = (/** @type {any} */ flow, /** @type {any} */ values, /** @type {any} */ more = {}) => ({
      label: flow.name, colour: colour(flow.i), dashes: dashes(flow.i), values, hidden: off.has(flow.name), ...more,
    });
    const windows = flows.filter((/** @type {any} */ flow) => flow.cwnd);
    plots[0].show(result.time, windows.flatMap((/** @type {any} */ flow) => [
      ...(flow.ssthresh ? [curve(flow, capped(flow), { dashes: [3, 4], thin: true, label: `${flow.name}, threshold` })] : []), curve(flow, flow.cwnd)]), range);
    const step = end() * SMOOTH;
    plots[1].show(result.time, flows.filter((/** @type {any} */ flow) => flow.goodput).map((/** @type {any} */ flow) => curve(flow, smooth(result.time, flow.goodput, step))), range);
    plots[2].show(result.time, flows.filter((/** @type {any} */ flow) => flow.rtt).map((/** @type {any} */ flow) => curve(flow, flow.rtt)), range);
    showQueue(result, range);
    showLosses(result, range);
    fillLegend(windows.length ? flows : flows);
    cuts.take(result, off);
    falls.take(result, off);
    describe(result, flows, step);
  }

  function showLosses(/** @type {any} */ result, /** @type {[number, number] | null} */ range) {
    losses.take(result, off);
    causes.kind.height = losses.height;
    // The rows are no curves, but where their number or their names change, the chart is made anew.
    causes.show(result.time, losses.rows.map((label) => ({ label, colour: "", dashes: [], values: [], hidden: true })), range);
    const counts = losses.counts();
    causes.element.querySelector(".unit").textContent = counts.length ? counts.map(([random, dropped], i) => `${losses.rows[i]}: ${random} at random, ${dropped} dropped`).join("; ") : "none";
    causes.describe(`Losses over time by their true cause. ${causes.element.querySelector(".unit").textContent}.`);
  }

  function showQueue(/** @type {any} */ result, /** @type {[number, number] | null} */ range) {
    const links = result.links.filter((/** @type {any} */ link) => link.queue);
    const names = links.map((/** @type {any} */ link) => link.name);
    if (names.join("\n") !== linkChoice.dataset.names) {
      const before = linkChoice.value;
      linkChoice.dataset.names = names.join("\n");
      linkChoice.replaceChildren(...names.map((/** @type {string} */ name) => h("option", { value: name }, name)));
      linkChoice.value = names.includes(before) ? before : names[0] ?? "";
    }
    const link = links.find((/** @type {any} */ one) => one.name === linkChoice.value) ?? links[0];
    if (!link) return;
    /** @type {import("./plot.js").Curve[]} */
    const list = [{ label: link.name, colour: colour(6), dashes: [], values: link.queue }];
    // The limit is drawn once the queue comes near it, so that a long buffer does not flatten the curve.
    const top = link.queue.reduce((/** @type {number} */ most, /** @type {number} */ value) => (value > most ? value : most), 0);
    if (link.capacity && top > link.capacity / 3) list.push({ label: "limit", colour: colour(0), dashes: [4, 4], values: new Float64Array(result.time.length).fill(link.capacity) });
    plots[3].show(result.time, list, range);
  }

  function fillLegend(/** @type {any[]} */ flows) {
    const names = flows.map((flow) => `${flow.name}|${off.has(flow.name)}`).join("\n");
    if (legend.dataset.names !== names) {
      legend.dataset.names = names;
      legend.replaceChildren(...flows.map((flow) => h("tr", { style: { "--own": `var(${colourName(flow.i)})` } },
        h("th", { scope: "row" }, h("button", {
          type: "button", class: "switch", "aria-pressed": String(!off.has(flow.name)), title: "Show or hide its curves", "data-flow": flow.name,
          onclick: () => {
            if (off.has(flow.name)) off.delete(flow.name);
            else off.add(flow.name);
            show();
            legend.querySelector(`[data-flow="${CSS.escape(flow.name)}"]`)?.focus();
          },
        }, h("span", { class: "swatch", "aria-hidden": "true" }), flow.name)),
        ...["cwnd", "ssthresh", "rtt", "goodput"].map((key) => h("td", { "data-key": key })))));
    }
    numbers();
  }

  /** The numbers at the cursor, or the means of the run. */
  function numbers() {
    const { result, at } = lab;
    if (!result || place.hidden) return;
    when.textContent = at === null ? "Means over the run" : `At ${at.toFixed(at < 10 ? 3 : 2)} s`;
    const rows = [...legend.children];
    const shown = result.flows.slice(0, MOST_CURVES).filter((/** @type {any} */ flow) => flow.cwnd || flow.goodput);
    const i = at === null ? -1 : nearest(result.time, at);
    shown.forEach((/** @type {any} */ flow, /** @type {number} */ n) => {
      const outcome = result.outcome.flows[result.flows.indexOf(flow)];
      /** @type {Record<string, string>} */
      const words = i < 0 ? {
        cwnd: short(outcome?.cwnd_mean, 3), ssthresh: "", rtt: quantity("time", outcome?.rtt_mean_s), goodput: quantity("rate", outcome?.goodput_bps),
      } : {
        cwnd: flow.cwnd ? short(flow.cwnd[i], 3) : "", ssthresh: flow.ssthresh ? short(flow.ssthresh[i], 3) : "", rtt: flow.rtt ? quantity("time", flow.rtt[i]) : "",
        goodput: flow.goodput ? quantity("rate", windowMean(result.time, flow.goodput, i, (result.time.at(-1) ?? 1) * SMOOTH)) : "",
      };
      for (const cell of rows[n]?.querySelectorAll("td") ?? []) cell.textContent = words[cell.dataset.key ?? ""] ?? "";
    });
  }

  function describe(/** @type {any} */ result, /** @type {any[]} */ flows, /** @type {number} */ step) {
    plots[1].element.querySelector(".unit").textContent = `mean over ${quantity("time", step)}`;
    const list = (/** @type {(flow: any, outcome: any) => string} */ words) => flows.map((flow) => `${flow.name} ${words(flow, result.outcome.flows[flow.i])}`).join(", ");
    plots[0].describe(`Congestion windows over time. Means: ${list((_, outcome) => `${short(outcome?.cwnd_mean)} segments`)}. Arrow keys go through ${cuts.list.length} cuts.`);
    plots[1].describe(`Goodput over time. Means: ${list((_, outcome) => quantity("rate", outcome?.goodput_bps))}.`);
    plots[2].describe(`Round-trip times. Means: ${list((_, outcome) => quantity("time", outcome?.rtt_mean_s))}.`);
    plots[3].describe(`The queue in front of ${linkChoice.value}, mean ${short(result.outcome.links?.find((/** @type {any} */ link) => link.name === linkChoice.value)?.queue_mean)} packets.`);
    byId("more-cuts").textContent = [[result.moreCuts, "cuts"], [result.moreLosses, "losses"]].filter(([more]) => more).map(([more, what]) => `${more} more ${what} are not listed.`).join(" ");
  }

  lab.on("result", show);
  lab.on("view", () => {
    if (place.hidden) return;
    for (const plot of all) plot.resize();
    show();
  });
  lab.on("theme", () => lab.result && show());
  lab.on("at", (source) => {
    numbers();
    if (source !== "chart" && source !== "keys" && !place.hidden) for (const plot of all) plot.point(lab.at);
  });
}

/** A name that fits beside a chart. @param {string} name */
const brief = (name) => (name.length > 9 ? `${name.slice(0, 8)}…` : name);

/** Thresholds that are far above any window would flatten it. @param {any} flow */
function capped(flow) {
  let most = 0;
  for (const value of flow.cwnd) if (value > most) most = value;
  return flow.ssthresh.map((/** @type {number} */ value) => (value > 1.5 * most ? NaN : value));
}

/** The place of the sample at a time, or the last before it. @param {Float64Array} time @param {number} at */
export function nearest(time, at) {
  let [from, to] = [0, time.length - 1];
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (time[middle] <= at) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Running means over `span` seconds before each sample. @param {Float64Array} time @param {Float64Array} values @param {number} span */
export function smooth(time, values, span) {
  const means = new Float64Array(values.length);
  let [first, sum, count] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i])) { sum += values[i]; count++; }
    while (time[first] <= time[i] - span) {
      if (!Number.isNaN(values[first])) { sum -= values[first]; count--; }
      first++;
    }
    means[i] = count ? Math.max(0, sum) / count : NaN;
  }
  return means;
}

/** @param {Float64Array} time @param {Float64Array} values @param {number} at @param {number} span */
function windowMean(time, values, at, span) {
  let [sum, count] = [0, 0];
  for (let i = at; i >= 0 && time[i] > time[at] - span; i--) if (!Number.isNaN(values[i])) { sum += values[i]; count++; }
  return count ? sum / count : NaN;
}
