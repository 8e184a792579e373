// What is on the page as one SVG, and as a picture of points.

import { ceiling } from "../ui/bars.js";
import { h, style } from "../ui/dom.js";
import { quantity, short } from "../scenario/quantity.js";
import { colour, dashes } from "../ui/theme.js";
import { smooth } from "../ui/curves.js";

const WIDTH = 900;
const FONT = { "font-family": "system-ui, sans-serif", "font-size": 12 };

/** @param {any} element */
const text = (element) => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(element)}\n`;

/** @param {number} height @param {any[]} children */
const sheet = (height, children) => h("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, color: style("--ink") },
  h("rect", { width: WIDTH, height, fill: style("--raised") }), children);

/** The charts over time. @param {import("../lab.js").Lab} lab */
export function chartsSvg(lab) {
  const { time, flows, links } = lab.result;
  const end = time.at(-1) ?? 1;
  const of = (/** @type {string} */ key, /** @type {(values: any) => any} */ change = (values) => values) => flows.slice(0, 24).map((/** @type {any} */ flow, /** @type {number} */ i) => ({ name: flow.name, i, values: flow[key] && change(flow[key]) }))
    .filter((/** @type {any} */ one) => one.values);
  const panels = [
    { title: "Congestion window, segments", curves: of("cwnd"), words: (/** @type {number} */ value) => short(value) },
    { title: "Goodput", curves: of("goodput", (values) => smooth(time, values, end / 120)), words: (/** @type {number} */ value) => quantity("rate", value) },
    { title: "Round-trip time", curves: of("rtt"), words: (/** @type {number} */ value) => quantity("time", value) },
    { title: `Queue at ${links[0]?.name ?? ""}, packets`, curves: links.slice(0, 1).filter((/** @type {any} */ link) => link.queue).map((/** @type {any} */ link) => ({ name: link.name, i: 6, values: link.queue })), words: (/** @type {number} */ value) => short(value) },
  ].filter((panel) => panel.curves.length);
  const [high, gap, top] = [170, 40, 40];
  const key = h("g", {}, flows.slice(0, 24).map((/** @type {any} */ flow, /** @type {number} */ i) => h("g", { transform: `translate(${70 + (i % 5) * 160} ${20 + Math.floor(i / 5) * 16})` },
    h("path", { d: "M0-4h18", stroke: colour(i), "stroke-width": 3, "stroke-dasharray": dashes(i).join(" ") || null }), h("text", { x: 24, fill: "currentColor", ...FONT }, flow.name))));
  const below = top + Math.floor(Math.max(0, Math.min(flows.length, 24) - 1) / 5) * 16;
  return text(sheet(below + panels.length * (high + gap), [key, ...panels.map((panel, n) => drawPanel(panel, time, below + 12 + n * (high + gap), high))]));
}

/** @param {any} panel @param {Float64Array} time @param {number} y @param {number} height */
function drawPanel({ title, curves, words }, time, y, height) {
  const [left, right] = [70, 16];
  const end = time.at(-1) ?? 1;
  let highest = 0;
  for (const { values } of curves) for (const value of values) if (value > highest) highest = value;
  const most = ceiling(highest);
  const across = (/** @type {number} */ at) => left + (at / end) * (WIDTH - left - right);
  const up = (/** @type {number} */ value) => y + height - (Math.min(value, most) / most) * (height - 18);
  const lines = [0, 0.5, 1].map((part) => h("g", {}, h("path", { d: `M${left} ${up(part * most)}H${WIDTH - right}`, stroke: "currentColor", "stroke-opacity": 0.15 }),
    h("text", { x: left - 8, y: up(part * most) + 4, "text-anchor": "end", fill: "currentColor", ...FONT, "font-size": 11 }, words(part * most))));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => h("text", { x: across(part * end), y: y + height + 15, "text-anchor": part === 1 ? "end" : "middle", fill: "currentColor", ...FONT, "font-size": 11 }, `${short(part * end)} s`));
  return h("g", {}, h("text", { x: left, y: y + 8, fill: "currentColor", ...FONT, "font-weight": 600 }, title), lines, ticks,
    curves.map((/** @type {any} */ curve) => h("path", { d: line(time, curve.values, across, up), fill: "none", stroke: colour(curve.i), "stroke-width": 1.3, "stroke-dasharray": dashes(curve.i).join(" ") || null, "stroke-linejoin": "round" })));
}

/** @param {Float64Array} time @param {Float64Array} values @param {(at: number) => number} across @param {(value: number) => number} up */
function line(time, values, across, up) {
  let [d, pen] = ["", false];
  for (let i = 0; i < time.length; i++) {
    if (Number.isNaN(values[i])) { pen = false; continue; }
    d += `${pen ? "L" : "M"}${across(time[i]).toFixed(1)} ${up(values[i]).toFixed(1)}`;
    pen = true;
  }
  return d;
}

/** The drawings of the comparison. @param {import("../lab.js").Lab} _lab */
export function comparisonSvg(_lab) {
  const drawn = [...document.querySelectorAll("#comparison svg")];
  let y = 20;
  const parts = drawn.map((one) => {
    const height = Number(one.getAttribute("height"));
    const part = h("g", { transform: `translate(20 ${y})` }, [...one.cloneNode(true).childNodes]);
    y += height + 24;
    return part;
  });
  return text(sheet(y, parts));
}

/** A picture of points, twice as fine. @param {string} svg @returns {Promise<Blob>} */
export async function png(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
    const ctx = canvas.getContext("2d");
    ctx.scale(2, 2);
    ctx.drawImage(image, 0, 0);
    return await new Promise((done, fail) => canvas.toBlob((/** @type {Blob | null} */ blob) => (blob ? done(blob) : fail(new Error("the browser made no picture"))), "image/png"));
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
