// Bars and a scatter with intervals, as SVG: the same drawing is on the page and in a file.

import { short } from "../scenario/quantity.js";
import { h, style } from "./dom.js";

/** @typedef {{ name: string, colour: string, mean: number, half: number }} Bar */
/** @typedef {{ name: string, colour: string, x: { mean: number, half: number }, y: { mean: number, half: number } }} Dot */

const FONT = { "font-family": "system-ui, sans-serif", "font-size": 12, fill: "currentColor" };

/** A number that is round and not below this one. @param {number} value */
export function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * 0.999) ?? 10);
}

/** Rows of bars. @param {Bar[]} list @param {{ title: string, words: (value: number) => string, width: number, most?: number }} options */
export function bars(list, { title, words, width, most }) {
  const [row, left, right] = [30, Math.min(150, width * 0.3), 104];
  const height = 34 + list.length * row;
  const top = most ?? ceiling(Math.max(...list.map(({ mean, half }) => mean + (Number.isFinite(half) ? half : 0)).filter(Number.isFinite), 0));
  const across = (/** @type {number} */ value) => left + (Math.max(0, Math.min(value, top)) / top) * (width - left - right);
  const label = `${title}: ${list.map(({ name, mean, half }) => `${name} ${words(mean)}${Number.isFinite(half) ? ` plus or minus ${words(half)}` : ""}`).join(", ")}`;
  return h("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "bars" },
    h("text", { x: 0, y: 16, ...FONT, "font-weight": 600, "font-size": 13 }, title),
    h("line", { x1: left, x2: left, y1: 28, y2: height - 2, stroke: "currentColor", "stroke-opacity": 0.4 }),
    list.map(({ name, colour, mean, half }, i) => {
      const y = 32 + i * row;
      const middle = y + 10;
      const bounds = Number.isFinite(half) && half > 0 ? [across(mean - half), across(mean + half)] : null;
      return h("g", { "data-bar": name, "data-mean": mean, "data-half": half },
        h("text", { x: left - 8, y: middle + 4, "text-anchor": "end", ...FONT }, cut(name, Math.floor((left - 8) / 6.6))),
        Number.isFinite(mean) ? h("rect", { x: left, y, width: Math.max(0, across(mean) - left), height: 20, fill: colour, rx: 2 }) : null,
        bounds && h("path", { d: `M${bounds[0]} ${middle}H${bounds[1]}M${bounds[0]} ${middle - 5}v10M${bounds[1]} ${middle - 5}v10`, stroke: "currentColor", "stroke-width": 1.5, fill: "none" }),
        h("text", { x: Math.max(across(mean), bounds?.[1] ?? 0) + 7, y: middle + 4, ...FONT }, words(mean)));
    }));
}

/** @param {string} name @param {number} letters */
const cut = (name, letters) => (name.length > letters ? `${name.slice(0, Math.max(3, letters - 1))}…` : name);

const SHAPES = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", "M-5-5h10v10h-10z", "M0-6l6 10h-12z", "M0-6l6 6-6 6-6-6z", "M-5-4h10l-5 10z", "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z"];

/** Goodput against delay. @param {Dot[]} list @param {{ title: string, x: string, y: string, xWords: (value: number) => string, yWords: (value: number) => string, width: number }} options */
export function scatter(list, { title, x, y, xWords, yWords, width }) {
  const height = Math.min(340, Math.max(240, width * 0.55));
  const [left, right, top, bottom] = [70, 20, 30, 44];
  const known = list.filter((dot) => Number.isFinite(dot.x.mean) && Number.isFinite(dot.y.mean));
  const reach = (/** @type {{ mean: number, half: number }} */ one) => one.mean + (Number.isFinite(one.half) ? one.half : 0);
  const [xMost, yMost] = [ceiling(Math.max(...known.map((dot) => reach(dot.x)), 1e-9)), ceiling(Math.max(...known.map((dot) => reach(dot.y)), 1e-9))];
  const across = (/** @type {number} */ value) => left + (Math.max(0, Math.min(value, xMost)) / xMost) * (width - left - right);
  const up = (/** @type {number} */ value) => height - bottom - (Math.max(0, Math.min(value, yMost)) / yMost) * (height - top - bottom);
  const steps = [0, 0.25, 0.5, 0.75, 1];
  const ends = (/** @type {{ mean: number, half: number }} */ { mean, half }, /** @type {(value: number) => number} */ place) => (Number.isFinite(half) ? [place(mean - half), place(mean + half)] : [place(mean), place(mean)]);
  const labels = labelled(known.map((dot) => {
    const [[west, east], [south, north]] = [ends(dot.x, across), ends(dot.y, up)];
    return { x: across(dot.x.mean), y: up(dot.y.mean), letters: dot.name.length, arms: [west, east, north, south] };
  }), width - right);
  return h("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "scatter",
    "aria-label": `${title}: ${known.map((dot) => `${dot.name} ${yWords(dot.y.mean)} at ${xWords(dot.x.mean)}`).join(", ")}` },
    h("text", { x: 0, y: 16, ...FONT, "font-weight": 600, "font-size": 13 }, title),
    steps.map((step) => h("g", {},
      h("path", { d: `M${left} ${up(step * yMost)}H${width - right}M${across(step * xMost)} ${top}V${height - bottom}`, stroke: "currentColor", "stroke-opacity": 0.13, fill: "none" }),
      h("text", { x: left - 8, y: up(step * yMost) + 4, "text-anchor": "end", ...FONT, "font-size": 11 }, yWords(step * yMost)),
      step % 0.5 === 0 ? h("text", { x: across(step * xMost), y: height - bottom + 16, "text-anchor": step === 1 ? "end" : "middle", ...FONT, "font-size": 11 }, xWords(step * xMost)) : null)),
    h("text", { x: width - right, y: height - 8, "text-anchor": "end", ...FONT, "font-size": 11 }, `${x} →`),
    h("text", { x: left + 6, y: top + 4, ...FONT, "font-size": 11 }, `↑ ${y}`),
    known.map((dot, i) => {
      const [cx, cy] = [across(dot.x.mean), up(dot.y.mean)];
      const arms = (Number.isFinite(dot.x.half) ? `M${across(dot.x.mean - dot.x.half)} ${cy}H${across(dot.x.mean + dot.x.half)}` : "")
        + (Number.isFinite(dot.y.half) ? `M${cx} ${up(dot.y.mean - dot.y.half)}V${up(dot.y.mean + dot.y.half)}` : "");
      return h("g", { "data-dot": dot.name }, h("path", { d: arms, stroke: dot.colour, "stroke-width": 1.5, fill: "none" }),
        h("path", { d: SHAPES[i % SHAPES.length], transform: `translate(${cx} ${cy})`, fill: dot.colour }),
        h("text", { ...labels[i], ...FONT, stroke: style("--raised"), "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" }, dot.name));
    }));
}

/**
 * Places for labels: beside their marks, where they lie least on marks, intervals and each other.
 * @param {{ x: number, y: number, letters: number, arms: [number, number, number, number] }[]} list `arms`: how far the intervals reach, to the left, the right, the top and the bottom
 * @param {number} width of the drawing
 * @returns {{ x: number, y: number }[]}
 */
export function labelled(list, width) {
  const [line, letter, mark] = [12, 6.6, 6];
  /** @typedef {[number, number, number, number]} Box */
  /** @type {Box[]} */
  const taken = list.flatMap(({ x, y, arms: [left, right, top, bottom] }) => /** @type {Box[]} */ ([
    [x - mark, y - mark, x + mark, y + mark], [left, y - 1, right, y + 1], [x - 1, top, x + 1, bottom]]));
  const shared = (/** @type {Box} */ a, /** @type {Box} */ b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return list.map(({ x, y, letters, arms: [left, right] }) => {
    const long = letters * letter;
    const all = [[x + 9, -8], [x + 9, 17], [x - 9 - long, -8], [x - 9 - long, 17], [right + 6, 4], [left - 6 - long, 4], [x - long / 2, -14], [x - long / 2, 24], [x + 9, -20], [x - 9 - long, -20]].map(([from, down], place) => {
      /** @type {Box} */
      const box = [from, y + down - line + 2, from + long, y + down + 2];
      const outside = Math.max(0, -box[0]) + Math.max(0, box[2] - width);
      return { box, cost: taken.reduce((sum, other) => sum + shared(box, other), 0) + 40 * outside + place, y: y + down };
    });
    const best = all.reduce((one, other) => (other.cost < one.cost ? other : one));
    taken.push(best.box);
    return { x: best.box[0], y: best.y };
  });
}

/** A share as words. @param {number} value */
export const percent = (value) => (Number.isFinite(value) ? `${short(value * 100)} %` : "–");
