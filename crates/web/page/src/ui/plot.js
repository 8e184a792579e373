// One chart over time, drawn by uPlot. All charts of the page share their time axis and their cursor.

import uPlot from "uplot";
import { h, style } from "./dom.js";

/**
 * @typedef {{ label: string, colour: string, dashes: number[], values: Float64Array | number[], hidden?: boolean, thin?: boolean }} Curve
 * @typedef {{ id: string, title: string, unit: string, words: (value: number) => string, height?: number, rows?: () => number[] }} Kind `rows`: the places on a y axis of names
 */

const sync = uPlot.sync("lab");
const linear = /** @type {any} */ (uPlot.paths).linear();

/**
 * Draws a line of this width, in pixels of the device, as thin ones side by side: without a graphics card, a browser draws a line
 * of one pixel thirty times faster than a wider one with as many corners.
 * @param {number} width
 */
function sideBySide(width) {
  const count = Math.max(1, Math.ceil(width));
  const places = Array.from({ length: count }, (_, i) => (count > 1 ? (i / (count - 1) - 0.5) * (width - 1) : 0));
  return (/** @type {any[]} */ ...given) => {
    const paths = linear(...given);
    if (count === 1 || !paths?.stroke) return paths;
    const stroke = new Path2D();
    for (const place of places) stroke.addPath(paths.stroke, new DOMMatrix([1, 0, 0, 1, place, place]));
    return { ...paths, stroke };
  };
}

/** A chart that is made anew only if its curves are others. */
export class Plot {
  /** @param {Kind} kind @param {{ draw?: (plot: any) => void, moved?: (time: number | null, plot: any) => void, zoomed?: (from: number, to: number) => void }} hooks */
  constructor(kind, hooks = {}) {
    this.kind = kind;
    this.hooks = hooks;
    this.place = h("div", { class: "plot", id: `plot-${kind.id}`, role: "img", "aria-label": kind.title });
    this.element = h("figure", { class: "chart", "data-chart": kind.id }, h("figcaption", {}, h("span", { class: "title" }, kind.title), h("span", { class: "unit" }, kind.unit)), this.place);
    /** @type {any} */
    this.plot = null;
    this.identity = "";
    /** @type {Curve[]} */
    this.curves = [];
    new ResizeObserver(() => this.resize()).observe(this.place);
  }

  /** @param {Float64Array | number[]} time @param {Curve[]} curves @param {[number, number] | null} range */
  show(time, curves, range) {
    this.curves = curves;
    this.range = range;
    this.most = this.#highest(time);
    const identity = JSON.stringify(curves.map(({ label, colour, dashes, hidden, thin }) => [label, colour, dashes, hidden, thin]));
    const data = [time, ...curves.map(({ values }) => values)];
    if (!this.plot || identity !== this.identity) this.#make(data, curves, identity);
    else this.plot.setData(data);
  }

  resize() {
    const width = this.place.clientWidth;
    if (this.plot && width && width !== this.plot.width) this.plot.setSize({ width, height: this.#height() });
  }

  #height() {
    return this.kind.height ?? 170;
  }

  /** @param {any} data @param {Curve[]} curves @param {string} identity */
  #make(data, curves, identity) {
    this.plot?.destroy();
    this.identity = identity;
    const axis = (/** @type {any} */ more) => ({
      stroke: style("--soft"), grid: { stroke: style("--grid"), width: 1 }, ticks: { stroke: style("--line"), width: 1, size: 5 },
      font: `11px ${style("--sans")}`, ...more,
    });
    const options = {
      width: Math.max(this.place.clientWidth, 200),
      height: this.#height(),
      padding: [8, 10, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false }, points: { size: 7 }, focus: { prox: -1 } },
      scales: { x: { time: false, range: () => this.range ?? [data[0][0] ?? 0, data[0].at(-1) ?? 1] }, y: { dir: this.kind.rows ? -1 : 1, range: () => this.#range() } },
      axes: [axis({ size: 28, space: 60, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((tick) => `${Number(tick.toPrecision(6))}`) }),
        axis({ size: 62, space: 28, ...(this.kind.rows ? { splits: () => this.kind.rows?.(), grid: { show: false }, ticks: { show: false } } : {}), values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((tick) => this.kind.words(tick)) })],
      series: [{}, ...curves.map((curve) => ({
        label: curve.label, stroke: curve.colour, width: 1 / devicePixelRatio, paths: sideBySide((curve.thin ? 1 : 1.5) * devicePixelRatio), dash: curve.dashes, show: !curve.hidden, points: { show: false }, spanGaps: false,
      }))],
      hooks: {
        draw: [(/** @type {any} */ plot) => this.hooks.draw?.(plot)],
        setCursor: [(/** @type {any} */ plot) => this.#moved(plot)],
        setSelect: [(/** @type {any} */ plot) => this.#zoomed(plot)],
      },
    };
    this.plot = new uPlot(/** @type {any} */ (options), data, this.place);
    this.plot.root.style.setProperty("width", "100%");
    sync.sub(this.plot);
  }

  /** The highest value that is in view. @param {Float64Array | number[]} time */
  #highest(time) {
    const [from, to] = this.range ?? [-Infinity, Infinity];
    let most = -Infinity;
    for (const { values, hidden } of this.curves) {
      if (hidden) continue;
      for (let i = 0; i < values.length; i++) if (values[i] > most && time[i] >= from && time[i] <= to) most = values[i];
    }
    return most;
  }

  #range() {
    const rows = this.kind.rows?.();
    if (rows) return [-0.5, Math.max(1, rows.length) - 0.5];
    const most = this.most ?? 1;
    return most > 0 && Number.isFinite(most) ? [0, most * 1.06] : [0, 1];
  }

  /** @param {any} plot */
  #moved(plot) {
    const { left, idx } = plot.cursor;
    // Only the chart under the pointer speaks; the others follow.
    if (!plot.over.matches(":hover")) return;
    this.hooks.moved?.(left < 0 || idx === null || idx === undefined ? null : plot.posToVal(left, "x"), plot);
  }

  /** @param {any} plot */
  #zoomed(plot) {
    if (plot.select.width < 4) return;
    const [from, to] = [plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x")];
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    if (plot.over.matches(":hover")) this.hooks.zoomed?.(from, to);
  }

  /** Moves the cursor to a time without a pointer. @param {number | null} time */
  point(time) {
    if (!this.plot) return;
    if (time === null) this.plot.setCursor({ left: -10, top: -10 }, false);
    else this.plot.setCursor({ left: this.plot.valToPos(time, "x"), top: 5 }, false);
  }

  describe(/** @type {string} */ words) {
    this.place.setAttribute("aria-label", words);
  }
}
