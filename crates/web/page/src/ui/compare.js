// Controls side by side over several seeds: means with intervals of 95 %, fairness, and goodput against delay.

import { MOST_SEEDS, MOST_VARIANTS } from "../lab.js";
import { flowName } from "../scenario/places.js";
import { quantity, short } from "../scenario/quantity.js";
import { controlsOf, ofControls, summary, tcpFlows, textOf, USUAL } from "../variants.js";
import { bars, percent, scatter } from "./bars.js";
import { announce, byId, h } from "./dom.js";
import { colour } from "./theme.js";

/** @typedef {import("../lab.js").Lab} Lab */

const WAIT = 150;
const EVERY = 200;

/** @param {Lab} lab */
export function compare(lab) {
  const place = byId("view-compare");
  const controls = controlsOf(lab.catalogue);
  const state = h("p", { class: "hint", role: "status" });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Runs that are done" });
  const drawings = h("div", { class: "drawings", id: "comparison" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "What is compared" });
  const target = h("select", { id: "compare-flow", onchange: () => choose(chosen()) });
  const seeds = h("input", { type: "number", id: "compare-seeds", min: 1, max: MOST_SEEDS, value: lab.state.seeds, onchange: () => {
    const value = Math.round(Number(seeds.value));
    lab.state.seeds = Math.max(1, Math.min(MOST_SEEDS, Number.isFinite(value) ? value : 10));
    seeds.value = String(lab.state.seeds);
    lab.tell("variants");
  } });
  const sweep = h("div", { class: "sweep" });
  place.append(h("div", { class: "compare-head" }, chips, h("div", { class: "row" },
    h("label", { for: "compare-flow" }, "In place of "), target, h("label", { for: "compare-seeds" }, "Seeds "), seeds)), sweep, progress, state, drawings);

  const flowsNow = () => {
    const all = tcpFlows(lab.document.value);
    return target.value === "" || !all.includes(Number(target.value)) ? all : [Number(target.value)];
  };
  const variants = () => lab.state.variants ?? ofControls(controls, USUAL, flowsNow());
  const chosen = () => variants().map((variant) => variant.name).filter((name) => controls.some((/** @type {any} */ one) => one.name === name));
  const ofCatalogue = () => variants().every((variant) => controls.some((/** @type {any} */ one) => one.name === variant.name));

  /** @param {string[]} names */
  function choose(names) {
    lab.state.variants = ofControls(controls, controls.map((/** @type {any} */ one) => one.name).filter((/** @type {string} */ name) => names.includes(name)).slice(0, MOST_VARIANTS), flowsNow());
    lab.tell("variants");
  }

  function showChoices() {
    const flows = tcpFlows(lab.document.value);
    const names = [["", "all TCP flows"], ...flows.map((i) => [String(i), flowName(lab.document.value.flow[i]) || `flow ${i + 1}`])];
    const before = target.value;
    target.replaceChildren(...names.map(([value, text]) => h("option", { value }, text)));
    target.value = names.some(([value]) => value === before) ? before : "";
    seeds.value = String(lab.state.seeds);
    const focused = chips.contains(document.activeElement) ? document.activeElement?.getAttribute("data-name") : null;
    if (ofCatalogue()) {
      const on = new Set(chosen());
      chips.replaceChildren(...controls.map((/** @type {any} */ one) => h("button", {
        type: "button", class: "chip", "aria-pressed": String(on.has(one.name)), title: one.summary, "data-name": one.name,
        onclick: () => choose(on.has(one.name) ? [...on].filter((name) => name !== one.name) : [...on, one.name]),
      }, one.name)));
    } else {
      chips.replaceChildren(...variants().map((variant) => h("button", {
        type: "button", class: "chip", "aria-pressed": "true", title: "Leave it out", "data-name": variant.name,
        onclick: () => { lab.state.variants = variants().filter((other) => other !== variant); lab.tell("variants"); },
      }, variant.name)), h("button", { type: "button", class: "button quiet", "data-name": "", onclick: () => { lab.state.variants = null; lab.preset = null; lab.tell("variants"); } }, "Choose controls instead"));
    }
    if (focused) chips.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
    showSweep();
  }

  /** Of a paper's figure: the value on its x axis. */
  function showSweep() {
    const x = lab.preset?.x;
    if (!x || sweep.dataset.key === x.key) {
      if (!x) { sweep.replaceChildren(); delete sweep.dataset.key; }
      return;
    }
    sweep.dataset.key = x.key;
    const output = h("output", { for: "figure-x" });
    const slider = h("input", { type: "range", id: "figure-x", min: 0, max: x.values.length - 1, step: 1, oninput: () => {
      const value = x.values[Number(slider.value)];
      output.textContent = String(value);
      lab.edit(lab.preset.at(lab.document, value), "sweep");
    } });
    const start = x.values.findIndex((/** @type {any} */ value) => value === lab.preset.now(lab.document));
    slider.value = String(start < 0 ? Math.floor(x.values.length / 2) : start);
    output.textContent = start < 0 ? "" : String(x.values[start]);
    sweep.replaceChildren(h("div", { class: "knob" }, h("div", { class: "row" }, h("label", { for: "figure-x" }, x.label), output), slider));
  }

  /** @type {any} */
  let timer = 0;
  let generation = 0;
  function later() {
    if (lab.comparison) lab.comparison.done = false;
    if (place.hidden) return;
    clearTimeout(timer);
    drawings.setAttribute("aria-busy", "true");
    timer = setTimeout(run, WAIT);
  }

  async function run() {
    const mine = ++generation;
    const list = variants();
    const { seed, seeds: count } = lab.state;
    drawings.setAttribute("aria-busy", "true");
    if (!list.length) {
      drawings.replaceChildren();
      state.textContent = "Choose at least one.";
      return;
    }
    try {
      const texts = list.map((variant) => textOf(lab.document, variant));
      /** @type {any[][]} */
      const parts = list.map(() => []);
      let drawn = performance.now();
      progress.hidden = false;
      const outcomes = await lab.engine.many({ variants: texts, seeds: Array.from({ length: count }, (_, i) => seed + i), superseded: "compare" }, (/** @type {any} */ part) => {
        if (mine !== generation) return;
        parts[part.variant].push(part.outcome);
        progress.value = part.done / part.of;
        if (performance.now() - drawn > EVERY && parts.every((one) => one.length)) {
          drawn = performance.now();
          show(list, parts, false);
        }
      });
      // In the order of the seeds, not of their ends: so a mean is the same each time, to its last digit.
      if (mine === generation) show(list, outcomes, true);
    } catch (wrong) {
      if (/** @type {any} */ (wrong).superseded || mine !== generation) return;
      state.textContent = /** @type {Error} */ (wrong).message;
      state.classList.add("mistake");
      progress.hidden = true;
      drawings.replaceChildren();
    }
  }

  /** @param {any[]} list @param {any[][]} parts @param {boolean} done */
  function show(list, parts, done) {
    const rows = list.map((variant, i) => ({ name: variant.name, colour: colour(i), ...summary(parts[i]) }));
    const runs = parts.reduce((sum, one) => sum + one.length, 0);
    state.classList.remove("mistake");
    state.textContent = `${runs} runs, ${lab.state.seeds} ${lab.state.seeds === 1 ? "seed" : "seeds each; whiskers are intervals of 95 % of the mean"}. Goodput is that of all flows but datagrams.`;
    lab.comparison = { rows, done };
    draw();
    if (!done) return;
    drawings.removeAttribute("aria-busy");
    progress.hidden = true;
    const best = [...rows].sort((a, b) => b.goodput.mean - a.goodput.mean)[0];
    announce(`Compared: the most goodput has ${best.name}, ${quantity("rate", best.goodput.mean)}`);
  }

  function draw() {
    const rows = lab.comparison?.rows;
    if (!rows || place.hidden) return;
    const full = Math.max(260, drawings.clientWidth);
    const width = full > 640 ? Math.floor((full - 32) / 2) : full;
    const of = (/** @type {"goodput" | "fairness" | "delay" | "resent"} */ key) => rows.map((/** @type {any} */ row) => ({ name: row.name, colour: row.colour, mean: row[key].mean, half: row[key].half }));
    const rate = (/** @type {number} */ value) => quantity("rate", value);
    const time = (/** @type {number} */ value) => quantity("time", value);
    drawings.replaceChildren(
      bars(of("goodput"), { title: "Goodput", words: rate, width }),
      scatter(rows.map((/** @type {any} */ row) => ({ name: row.name, colour: row.colour, x: row.delay, y: row.goodput })),
        { title: "Goodput against delay", x: "mean time in queues", y: "goodput", xWords: time, yWords: rate, width }),
      bars(of("fairness"), { title: "Fairness (Jain's index)", words: (value) => short(value), width, most: 1 }),
      bars(of("resent"), { title: "Sent again", words: percent, width }));
  }

  lab.on("result", later);
  lab.on("variants", () => { showChoices(); later(); });
  lab.on("text", showChoices);
  lab.on("view", () => { later(); draw(); });
  lab.on("theme", () => {
    for (const [i, row] of (lab.comparison?.rows ?? []).entries()) row.colour = colour(i);
    draw();
  });
  new ResizeObserver(draw).observe(place);
  showChoices();
}
