// The cuts of windows, as marks on the chart of windows, or the falls of rates on that of goodput, and the sentence that explains
// the one under the pointer.

import { quantity, short } from "../scenario/quantity.js";
import { h, style } from "./dom.js";
import { colour } from "./theme.js";

/** Marks that are drawn, at most; beyond, every second, third ... is. */
const MOST = 1500;
const REACH = 14;

export class Cuts {
  /** @param {"segments" | "bit/s"} unit Of a window, or of a rate. */
  constructor(unit) {
    this.unit = unit;
    this.tip = h("div", { class: "tip", hidden: true });
    const mark = (/** @type {string} */ path, /** @type {string} */ words) => h("span", {}, h("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, h("path", { d: path, class: "key-mark" })), words);
    this.element = h("p", { class: "keys" }, h("span", {}, "Cut for"), mark("M-5-4h10l-5 9z", "congestion or any loss,"), mark("M0-4.5a4.5 4.5 0 1 0 .01 0z", "a loss taken as random,"),
      mark("M-4.5-4.5h9v9h-9z", "a timeout"));
    /** @type {any[]} */
    this.list = [];
    /** @type {any} */
    this.current = null;
    /** @type {string[]} */
    this.names = [];
  }

  /** @param {any} result @param {Set<string>} off */
  take(result, off) {
    this.names = result.flows.map((/** @type {any} */ flow) => flow.name);
    this.list = result.cuts.filter((/** @type {any} */ cut) => cut.unit === this.unit && cut.flow < this.names.length && !off.has(this.names[cut.flow]));
    this.leave();
  }

  /** @param {any} plot */
  draw(plot) {
    const { ctx } = plot;
    const ratio = devicePixelRatio;
    const { min, max } = plot.scales.x;
    const visible = this.list.filter((cut) => cut.time >= min && cut.time <= max && cut.kind !== "restoration");
    const every = Math.ceil(visible.length / MOST);
    const dense = visible.length / plot.width;
    const size = (dense > 0.5 ? 2.2 : dense > 0.2 ? 3 : 4.2) * ratio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.4 * ratio;
    const paper = style("--raised");
    for (let i = 0; i < visible.length; i += every) {
      const cut = visible[i];
      const [x, y] = [plot.valToPos(cut.time, "x", true), plot.valToPos(cut.before, "y", true)];
      mark(ctx, cut, x, y, cut === this.current ? size * 1.8 : size, colour(cut.flow), paper);
    }
    ctx.restore();
  }

  /** Shows the cut under the pointer. @param {any} plot */
  hover(plot) {
    const { left, top } = plot.cursor;
    let [best, distance] = [null, REACH ** 2];
    for (const cut of this.list) {
      const x = plot.valToPos(cut.time, "x") - left;
      if (Math.abs(x) > REACH) continue;
      const y = plot.valToPos(cut.before, "y") - top;
      // Along the line of time a mark is found from farther away than across it.
      const away = x * x + (y * y) / 16;
      if (away < distance) [best, distance] = [cut, away];
    }
    this.#show(best, plot);
  }

  /** The next or the last cut before the current one. @param {number} way @param {any} plot */
  step(way, plot) {
    const seen = this.list.filter((cut) => cut.time >= plot.scales.x.min && cut.time <= plot.scales.x.max);
    const i = this.current ? seen.indexOf(this.current) + way : way > 0 ? 0 : seen.length - 1;
    const cut = seen[Math.max(0, Math.min(seen.length - 1, i))];
    this.#show(cut, plot);
    return cut ?? null;
  }

  leave() {
    this.tip.hidden = true;
    this.current = null;
    return null;
  }

  /** @param {any} cut */
  sentence(cut) {
    const change = this.unit === "bit/s" ? `Rate ${quantity("rate", cut.before)} to ${quantity("rate", cut.after)}` : `Window ${short(cut.before)} to ${short(cut.after)} segments`;
    return `${this.names[cut.flow]} at ${cut.time.toFixed(2)} s: ${cut.sentence}; ${cut.source}. ${change}.`;
  }

  /** @param {any} cut @param {any} plot */
  #show(cut, plot) {
    if (cut === this.current) return;
    this.current = cut ?? null;
    this.tip.hidden = !cut;
    if (cut) {
      this.tip.replaceChildren(h("b", { style: { color: colour(cut.flow) } }, this.names[cut.flow]), ` at ${cut.time.toFixed(3)} s, ${this.unit === "bit/s" ? `rate ${quantity("rate", cut.before)} → ${quantity("rate", cut.after)}` : `window ${short(cut.before)} → ${short(cut.after)}`}`,
        h("p", { class: "why" }, cut.sentence), h("p", { class: "hint" }, cut.source));
      const x = plot.valToPos(cut.time, "x") + plot.bbox.left / devicePixelRatio;
      const half = plot.width / 2;
      this.tip.style.setProperty("left", x < half ? `${x + 12}px` : "auto");
      this.tip.style.setProperty("right", x < half ? "auto" : `${plot.width - x + 12}px`);
    }
    plot.redraw(false, false);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {any} cut @param {number} x @param {number} y @param {number} size @param {string} ink @param {string} paper */
function mark(ctx, cut, x, y, size, ink, paper) {
  ctx.beginPath();
  const random = cut.rule.includes("random");
  if (cut.event === "timeout") ctx.rect(x - size, y - size, 2 * size, 2 * size);
  else if (random) ctx.arc(x, y, size, 0, 2 * Math.PI);
  else {
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y - size);
    ctx.lineTo(x, y + size);
    ctx.closePath();
  }
  ctx.fillStyle = random ? paper : ink;
  ctx.strokeStyle = ink;
  ctx.fill();
  ctx.stroke();
}
