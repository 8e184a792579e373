// Bars and a scatter with intervals, as SVG: the same drawing is on the page and in a file.

import { short } from "../scenario/quantity.js";
import { h } from "./dom.js";

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
  const labels = apart(known.map((dot) => ({ x: across(dot.x.mean), y: up(dot.y.mean) - 8, letters: dot.name.length })));
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
        h("text", { x: cx > width * 0.75 ? cx - 10 : cx + 10, y: labels[i], "text-anchor": cx > width * 0.75 ? "end" : "start", ...FONT }, dot.name));
    }));
}

/** Heights of labels, moved up where they would lie on each other. @param {{ x: number, y: number, letters: number }[]} list @returns {number[]} */
function apart(list) {
  const [line, letter] = [14, 7];
  /** @type {{ x: number, y: number, letters: number }[]} */
  const placed = [];
  const order = list.map((_, i) => i).sort((a, b) => list[b].y - list[a].y);
  const heights = list.map(() => 0);
  for (const i of order) {
    const { x, letters } = list[i];
    let { y } = list[i];
    const near = () => placed.find((other) => Math.abs(other.y - y) < line && Math.abs(other.x - x) < letter * Math.max(letters, other.letters) + 12);
    for (let other = near(); other; other = near()) y = other.y - line;
    placed.push({ x, y, letters });
    heights[i] = y;
  }
  return heights;
}

/** A share as words. @param {number} value */
export const percent = (value) => (Number.isFinite(value) ? `${short(value * 100)} %` : "–");
