// Which part of the run is seen: the whole, or a part that was chosen by dragging, by buttons or by keys.

import { announce, h } from "./dom.js";
import { quantity } from "../scenario/quantity.js";

/** The smallest part, of the run. */
const LEAST = 1 / 2000;

/** @typedef {[number, number]} Range in seconds */

/**
 * The part after a step: `factor` below 1 looks closer at the moment `at`, above 1 from farther away; `shift` goes on by a part of
 * what is seen. Null is the whole run.
 * @param {Range | null} range @param {number} end @param {number | null} at @param {{ factor?: number, shift?: number }} step @returns {Range | null}
 */
export function moved(range, end, at, { factor = 1, shift = 0 }) {
  const [from, to] = range ?? [0, end];
  const length = Math.min(end, Math.max(end * LEAST, (to - from) * factor));
  if (length >= end * (1 - 1e-9)) return null;
  // What is pointed to stays where it is.
  const fixed = at !== null && at >= from && at <= to ? at : (from + to) / 2;
  const begin = fixed - (fixed - from) * (length / (to - from)) + shift * length;
  const first = Math.max(0, Math.min(end - length, begin));
  return [first, first + length];
}

/** @type {Record<string, { factor?: number, shift?: number } | "whole">} */
const KEYS = { "+": { factor: 0.5 }, "=": { factor: 0.5 }, "-": { factor: 2 }, "PageDown": { shift: 0.5 }, "PageUp": { shift: -0.5 }, "0": "whole" };

export class Look {
  /** @param {() => { end: number, at: number | null }} now @param {() => void} show */
  constructor(now, show) {
    this.now = now;
    this.show = show;
    /** @type {Range | null} */
    this.range = null;
    const button = (/** @type {string} */ id, /** @type {string} */ sign, /** @type {string} */ name, /** @type {string} */ key) =>
      h("button", { type: "button", class: "button", id, "aria-label": name, title: `${name} (${key})`, onclick: () => this.press(key) }, sign);
    this.whole = h("button", { type: "button", class: "button", id: "whole-run", hidden: true, onclick: () => this.to(null) }, "Whole run");
    this.sides = [button("look-earlier", "‹", "Earlier", "PageUp"), button("look-later", "›", "Later", "PageDown")];
    for (const side of this.sides) side.hidden = true;
    this.element = h("div", { class: "look", role: "group", "aria-label": "Part of the run that is seen" }, this.whole, this.sides,
      button("look-wider", "−", "From farther away", "-"), button("look-closer", "+", "Closer", "+"));
  }

  /** @param {Range | null} range */
  to(range) {
    this.range = range;
    for (const one of [this.whole, ...this.sides]) one.hidden = !range;
    this.show();
  }

  /** Whether a key has a meaning here; then it is carried out. @param {string} key */
  press(key) {
    const step = KEYS[key];
    if (!step) return false;
    const { end, at } = this.now();
    this.to(step === "whole" ? null : moved(this.range, end, at, step));
    announce(this.range ? `Seen: ${this.range.map((time) => quantity("time", time)).join(" to ")}` : "The whole run is seen");
    return true;
  }
}
