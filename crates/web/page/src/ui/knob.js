// A slider with its name, its value in words, and a scale that suits the quantity.

import { fresh, h } from "./dom.js";
import { quantity, short } from "../scenario/quantity.js";

/**
 * @typedef {object} Scale how a slider's way from 0 to 1 becomes a value
 * @property {(way: number) => number} value
 * @property {(value: number) => number} way
 * @property {(value: number) => string} words
 * @property {number} step
 */

const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
/** The nearest number with few digits. @param {number} value */
function round(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const nearest = [...ROUND, 10].reduce((best, digits) => (Math.abs(digits * power - value) < Math.abs(best - value) ? digits * power : best), power);
  return Number(nearest.toPrecision(3));
}

/** Equal ways are equal factors; the slider's left end is 0 if asked. @param {number} least @param {number} most
 * @param {(value: number) => string} words @param {{ zero?: boolean }} [options] @returns {Scale} */
export function logarithmic(least, most, words, { zero = false } = {}) {
  const span = Math.log(most / least);
  const first = zero ? 0.04 : 0;
  return {
    words,
    step: 0.002,
    value: (way) => (way < first ? 0 : round(least * Math.exp(((way - first) / (1 - first)) * span))),
    way: (value) => (value < least ? 0 : Math.min(1, first + (Math.log(value / least) / span) * (1 - first))),
  };
}

/** Loss: even at low rates, where a tenth of a percent matters, and up to 30 %. @returns {Scale} */
export function lossScale() {
  const most = 0.3;
  return {
    words: (value) => `${short(value * 100)} %`,
    step: 0.0025,
    // The square root of the way, so that 1 % is at a fifth and 2 % at a quarter.
    value: (way) => {
      const percent = way * way * most * 100;
      const digits = percent < 1 ? 2 : percent < 10 ? 1 : 0;
      return Number((Number(percent.toFixed(digits)) / 100).toPrecision(6));
    },
    way: (value) => Math.min(1, Math.sqrt(Math.max(0, value) / most)),
  };
}

/** @param {"rate" | "time"} kind */
export const inUnits = (kind) => (/** @type {number} */ value) => quantity(kind, value);

/**
 * A slider. `input` is called at every movement.
 * @param {{ id: string, name: string, scale: Scale, input: (value: number) => void, ticks?: number[], hint?: string }} options
 */
export function knob({ id, name, scale, input, ticks = [], hint }) {
  const slider = h("input", { type: "range", id, min: 0, max: 1, step: scale.step, "aria-describedby": hint ? `${id}-hint` : null });
  const output = h("output", { for: id });
  const off = h("p", { class: "hint", hidden: true });
  const element = h("div", { class: "knob", "data-knob": id },
    h("div", { class: "row" }, h("label", { for: id }, name), output),
    slider,
    ticks.length > 0 && h("div", { class: "ticks", "aria-hidden": "true" }, ticks.map((tick) => h("span", {}, scale.words(tick)))),
    hint ? h("p", { class: "unseen", id: `${id}-hint` }, hint) : null, off);
  let shown = NaN;
  const say = (/** @type {number} */ value) => {
    shown = value;
    output.textContent = scale.words(value);
    slider.setAttribute("aria-valuetext", scale.words(value));
  };
  slider.addEventListener("input", () => {
    const value = scale.value(Number(slider.value));
    if (value === shown) return;
    say(value);
    input(value);
  });
  // An arrow key goes to the next value, not to the next place of the slider, which may have the same one.
  slider.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    let way = Number(slider.value);
    while (scale.value(way) === shown && (step > 0 ? way < 1 : way > 0)) way = Math.max(0, Math.min(1, way + step * scale.step));
    slider.value = String(way);
    slider.dispatchEvent(new Event("input"));
  });
  return {
    element,
    slider,
    /** Shows a value, or why there is none. @param {number} value @param {string} [why] */
    show(value, why) {
      slider.disabled = !Number.isFinite(value);
      off.hidden = !slider.disabled;
      off.textContent = why ?? "";
      if (slider.disabled) {
        output.textContent = "–";
        shown = NaN;
        return;
      }
      if (value === shown) return;
      // A value that was written, not dragged, stands between two places of the slider.
      slider.value = String(scale.way(value));
      say(value);
    },
  };
}

/** A choice with its name. @param {{ id: string, name: string, options: [string, string][], change: (value: string) => void }} options */
export function choice({ id, name, options, change }) {
  const select = h("select", { id, onchange: () => change(select.value) });
  const element = h("div", { class: "knob choice", "data-knob": id }, h("div", { class: "row" }, h("label", { for: id }, name), select));
  const fill = (/** @type {[string, string][]} */ list) => {
    select.replaceChildren(...list.map(([value, text]) => h("option", { value }, text)));
  };
  fill(options);
  return { element, select, fill };
}

/** The parts of a form, in the order of a schema: a field for each key of a table.
 * @param {any} schema @param {any} table @param {(key: string, value: unknown) => void} change */
export function fields(schema, table, change) {
  const list = Object.entries(schema?.properties ?? {}).map(([key, part]) => field(key, part, table?.[key], (value) => change(key, value)));
  return h("div", { class: "fields" }, list);
}

/** @param {string} key @param {any} part @param {unknown} value @param {(value: unknown) => void} change */
function field(key, part, value, change) {
  const id = fresh("field");
  const label = h("label", { for: id, title: part.description }, key);
  const about = h("span", { class: "unseen", id: `${id}-about` }, part.description ?? "");
  const fallback = part.default;
  /** @type {any} */
  let input;
  if (part.type === "boolean") {
    input = h("input", { type: "checkbox", id, checked: value ?? fallback ?? false, onchange: () => change(input.checked) });
  } else if (part.enum) {
    input = h("select", { id, onchange: () => change(input.value) }, part.enum.map((/** @type {string} */ word) => h("option", { value: word }, word)));
    input.value = String(value ?? fallback ?? "");
  } else {
    const written = value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    input = h("input", { type: "text", id, value: written, placeholder: fallback === undefined ? "must be set" : String(fallback), spellcheck: "false" });
    input.addEventListener("change", () => change(read(input.value, part)));
  }
  input.setAttribute("aria-describedby", `${id}-about`);
  return h("div", { class: "field", "data-key": key }, label, input, about);
}

/** What was typed, as a value; a text where it is no number. @param {string} typed @param {any} part */
function read(typed, part) {
  const text = typed.trim();
  if (text === "") return undefined;
  if (/^[+-]?([0-9][0-9_]*)?\.?[0-9]+(e[+-]?[0-9]+)?$/i.test(text) && part.type !== "string") return Number(text.replaceAll("_", ""));
  if (text.startsWith("[")) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}
