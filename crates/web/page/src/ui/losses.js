// The true causes of losses, as marks over time: a row for each flow, or one for all if there are many. A loss model's have
// another colour and another shape than a full queue's. What a control took them for is on the chart of windows.

import { h, style } from "./dom.js";

/** Flows that have rows of their own, at most. */
const MOST_ROWS = 8;
const ROW = 22;
/** Pixels that one mark of a cause keeps for itself. */
const APART = 2;
const SIZE = 3;

/** @typedef {{ flow: Float64Array, link: Float64Array, time: Float64Array, random: Float64Array, names: string[] }} Columns as the engine describes them */

/** What the marks mean. @returns {any[]} */
export function causes() {
  const mark = (/** @type {string} */ cause, /** @type {string} */ path, /** @type {string} */ words) =>
    h("span", { class: cause }, h("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, h("path", { d: path })), words);
  return [mark("random", "M-4.5-4.5l9 9m0-9l-9 9", "lost at random"), mark("congestion", "M-4.5-4.5h9v9h-9z", "dropped by a full queue")];
}

export class Losses {
  constructor() {
    /** @type {string[]} */
    this.rows = [];
    /** The row of each loss, or -1 if it is not shown. @type {Int32Array} */
    this.places = new Int32Array(0);
    /** @type {Columns | null} */
    this.list = null;
    this.key = h("p", { class: "keys" }, causes(), h("span", {}, "Senders do not know which."));
  }

  /** @param {any} result @param {Set<string>} off names of flows that are hidden */
  take(result, off) {
    this.list = result.losses;
    const { flow } = result.losses;
    const with_ = [...new Set(flow)].sort((a, b) => a - b);
    const shown = with_.filter((i) => !off.has(result.flows[i]?.name));
    const apart = shown.length <= MOST_ROWS;
    this.rows = apart ? shown.map((i) => result.flows[i]?.name ?? `flow ${i + 1}`) : ["all flows"];
    const row = new Map(shown.map((i, n) => [i, apart ? n : 0]));
    this.places = Int32Array.from(flow, (i) => row.get(i) ?? -1);
  }

  /** Of each row, how many were lost at random and how many were dropped. @returns {[number, number][]} */
  counts() {
    /** @type {[number, number][]} */
    const counts = this.rows.map(() => [0, 0]);
    this.places.forEach((row, i) => { if (row >= 0) counts[row][this.list?.random[i] ? 0 : 1]++; });
    return counts;
  }

  /** How high the chart is. */
  get height() {
    return 44 + ROW * Math.max(1, this.rows.length);
  }

  /** The rows' names at their places on the y axis, the first one on top. */
  get ticks() {
    return this.rows.map((_, n) => n);
  }

  /** @param {any} plot */
  draw(plot) {
    if (!this.list) return;
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    const { time, random } = this.list;
    const { min, max } = plot.scales.x;
    const [width, high] = [bbox.width / (max - min), bbox.height / Math.max(1, this.rows.length)];
    const size = Math.round(SIZE * ratio);
    const columns = Math.ceil(bbox.width / (APART * ratio)) + 1;
    // A mark that would lie on another one of its kind is not drawn: there may be thousands.
    const taken = new Uint8Array(2 * columns * this.rows.length);
    const [crosses, squares] = [new Path2D(), new Path2D()];
    for (let i = 0; i < time.length; i++) {
      const row = this.places[i];
      if (row < 0 || time[i] < min || time[i] > max) continue;
      const cause = random[i] ? 0 : 1;
      const across = (time[i] - min) * width;
      const place = (2 * row + cause) * columns + Math.floor(across / (APART * ratio));
      if (taken[place]) continue;
      taken[place] = 1;
      const x = Math.round(bbox.left + across);
      const y = Math.round(bbox.top + (row + (cause ? 0.72 : 0.28)) * high);
      if (cause) squares.rect(x - size, y - size, 2 * size, 2 * size);
      else {
        crosses.moveTo(x - size, y - size);
        crosses.lineTo(x + size, y + size);
        crosses.moveTo(x + size, y - size);
        crosses.lineTo(x - size, y + size);
      }
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.setLineDash([]);
    ctx.lineWidth = 1.5 * ratio;
    ctx.strokeStyle = style("--random");
    ctx.stroke(crosses);
    ctx.fillStyle = style("--congestion");
    ctx.fill(squares);
    ctx.restore();
  }
}
