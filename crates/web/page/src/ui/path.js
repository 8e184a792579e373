// The knobs of the path. Each changes its own values in the scenario's text.

import { Document } from "../scenario/document.js";
import { lossPath, links, setOne } from "../scenario/places.js";
import { amount, quantity } from "../scenario/quantity.js";
import { example, firstSentence, sorts } from "../scenario/schema.js";
import { byId, h } from "./dom.js";
import { choice, fields, inUnits, knob, logarithmic, lossScale } from "./knob.js";
import { crossTraffic } from "./traffic.js";

/** @typedef {import("../lab.js").Lab} Lab */

/** The names of sorts for people. @type {Record<string, string>} */
const NAMES = {
  none: "none", bernoulli: "independent", geometric: "independent, by gaps", two_state: "good and bad periods", gilbert_elliott: "Gilbert-Elliott",
  timed: "over time", recorded: "recorded", droptail: "drop-tail", unlimited: "unlimited", red: "RED", codel: "CoDel", fq: "FQ",
  fq_codel: "FQ-CoDel", pie: "PIE", dualpi2: "DualPI2",
};
const LIMITS = ["limit", "droptail"];

/** @param {Lab} lab */
export function path(lab) {
  const { schema } = lab.catalogue;
  let link = 0;
  const at = () => {
    const list = links(lab.document.value);
    return (list[link] ?? list[0])?.path ?? ["dumbbell", "bottleneck"];
  };
  const edit = (/** @type {Document} */ document) => lab.edit(document, "knobs");
  const set = (/** @type {string[]} */ keys, /** @type {unknown} */ value) => edit(setOne(lab.document, [...at(), ...keys], value));

  const which = choice({ id: "link", name: "Link", options: [], change: (value) => { link = Number(value); show(); } });
  const rate = knob({ id: "rate", name: "Rate", scale: logarithmic(64e3, 1e9, inUnits("rate")), input: (value) => set(["rate"], quantity("rate", value)) });
  const delay = knob({
    id: "delay", name: "Delay, one way", scale: logarithmic(1e-3, 0.5, inUnits("time"), { zero: true }), input: (value) => set(["delay"], quantity("time", value)),
  });
  const loss = knob({
    id: "loss", name: "Random loss", scale: lossScale(), ticks: [0, 0.003, 0.012, 0.027, 0.048, 0.075, 0.11, 0.15, 0.19, 0.24, 0.3].filter((_, i) => i % 2 === 0),
    hint: "The part of the packets that the link loses although its queue has room",
    input: (value) => {
      const place = lossPath(lab.document.value, at());
      const kind = sort(lab.document.get(place), "none");
      edit(setOne(lab.document, [...place, kind === "geometric" ? kind : "bernoulli"], value));
    },
  });
  const models = sorts(schema, "loss");
  const model = choice({
    id: "loss-model", name: "Loss model", options: ["none", ...models.map(({ name }) => name)].map((name) => [name, NAMES[name] ?? name]),
    change: (name) => {
      const place = lossPath(lab.document.value, at());
      const before = lab.document.get(place);
      const part = models.find((one) => one.name === name)?.part;
      const old = Number(before?.bernoulli ?? before?.geometric);
      const value = (name === "bernoulli" || name === "geometric") && Number.isFinite(old) ? old : part && example(part);
      edit(lab.document.set(place, name === "none" ? "none" : { [name]: value, ...(before?.on ? { on: before.on } : {}) }));
    },
  });
  const modelFields = h("div", {});
  const buffer = knob({
    id: "buffer", name: "Buffer", scale: logarithmic(1, 5000, (value) => `${Math.round(value)} ${Math.round(value) === 1 ? "packet" : "packets"}`),
    input: (value) => {
      const keys = bufferKeys(lab.document.get([...at(), "queue"]));
      if (keys) set(["queue", ...keys], Math.max(1, Math.round(value)));
    },
  });
  const disciplines = sorts(schema, "queue");
  const discipline = choice({
    id: "queue", name: "Queue", options: [...disciplines.map(({ name }) => name), "unlimited"].map((name) => [name, NAMES[name] ?? name]),
    change: (name) => {
      const before = lab.document.get([...at(), "queue"]);
      const keys = bufferKeys(before);
      const limit = keys?.reduce((/** @type {any} */ part, key) => part?.[key], before);
      const part = disciplines.find((one) => one.name === name)?.part;
      /** @type {any} */
      let value = part ? example(part) : undefined;
      if (name === "droptail") value = limit ?? 50;
      else if (part?.required?.includes("limit")) value.limit = Number.isInteger(limit) ? limit : 60;
      set(["queue"], name === "unlimited" ? "unlimited" : { [name]: value });
    },
  });
  const queueFields = h("div", {});
  const traffic = crossTraffic(lab);
  const duration = knob({
    id: "duration", name: "Length of the run", scale: logarithmic(2, 600, inUnits("time")), input: (value) => edit(lab.document.set(["duration"], `${value} s`)),
  });
  const seed = h("input", { type: "number", id: "seed", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, onchange: () => {
    const value = Number(seed.value);
    if (Number.isSafeInteger(value) && value >= 0) lab.reseed(value);
    else seed.value = String(lab.state.seed);
  } });

  byId("first-knob").append(loss.element);
  byId("knobs").append(which.element, rate.element, delay.element, model.element, modelFields, discipline.element, buffer.element, queueFields,
    ...traffic.elements, duration.element,
    h("div", { class: "knob choice", "data-knob": "seed" }, h("div", { class: "row" }, h("label", { for: "seed" }, "Seed"), h("span", { class: "seed" }, seed,
      h("button", { type: "button", class: "button quiet", id: "next-seed", title: "The same path with other luck", onclick: () => lab.reseed(lab.state.seed + 1) }, "Next")))));

  /** Shows what the text says. */
  function show() {
    const { document } = lab;
    if (document.mistake) return;
    const list = links(document.value);
    if (link >= list.length) link = 0;
    which.element.hidden = list.length < 2;
    which.fill(list.map(({ name }, i) => [String(i), name]));
    which.select.value = String(link);
    const here = document.get(at()) ?? {};
    const other = "It changes over time; see the text.";
    rate.show(amount("rate", here.rate), other);
    delay.show(amount("time", here.delay), other);
    const place = lossPath(document.value, at());
    const lossHere = document.get(place);
    const kind = sort(lossHere, "none");
    model.select.value = kind;
    const plain = kind === "none" || kind === "bernoulli" || kind === "geometric";
    loss.show(plain ? Number(kind === "none" ? 0 : lossHere[kind]) : NaN, "This model has more than one number: they are in the panel Path.");
    remake(modelFields, [kind, place], plain ? null : models.find((one) => one.name === kind)?.part, lossHere?.[kind],
      (key, value) => edit(key === null ? document.set([...place, kind], value) : setOne(lab.document, [...place, kind, key], value)));
    const queueKind = sort(here.queue, "unlimited");
    discipline.select.value = queueKind;
    const keys = bufferKeys(here.queue);
    const limit = keys?.reduce((/** @type {any} */ part, key) => part?.[key], here.queue);
    const fallback = keys?.at(-1) === "limit" ? disciplines.find((one) => one.name === queueKind)?.part.properties?.limit?.default : undefined;
    buffer.show(Number(limit ?? fallback ?? NaN), queueKind === "unlimited" ? "It has no end." : "It is not counted in packets; see the text.");
    remake(queueFields, [queueKind, at()], queueKind === "droptail" ? null : disciplines.find((one) => one.name === queueKind)?.part, here.queue?.[queueKind],
      (key, value) => key !== null && edit(setOne(lab.document, [...at(), "queue", queueKind, key], value)));
    traffic.show();
    duration.show(amount("time", document.value.duration), "It is set in the text.");
    seed.value = String(lab.state.seed);
  }
  lab.on("text", show);
  show();
}

/** The name of the sort of a loss or a queue. @param {any} value @param {string} none */
function sort(value, none) {
  if (!value || typeof value !== "object") return none;
  return Object.keys(value).find((key) => key !== "on" && key !== "ack_filter") ?? none;
}

/** Where a queue has its limit. @param {any} queue @returns {string[] | null} */
function bufferKeys(queue) {
  const kind = sort(queue, "unlimited");
  if (kind === "unlimited") return null;
  return kind === "droptail" ? ["droptail"] : [kind, "limit"];
}

/** Makes the fields of a sort anew, if it is another one or its values have changed elsewhere.
 * @param {any} place @param {unknown} identity @param {any} part @param {any} table @param {(key: string | null, value: unknown) => void} change */
function remake(place, identity, part, table, change) {
  const now = JSON.stringify([identity, part ? table : null]);
  if (place.dataset.shown === now) return;
  place.dataset.shown = now;
  const hasFocus = place.contains(document.activeElement) && document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  if (!part) place.replaceChildren();
  else if (part.type === "object") {
    const shown = { ...part, properties: Object.fromEntries(Object.entries(part.properties).filter(([key]) => !LIMITS.includes(key))) };
    place.replaceChildren(h("p", { class: "hint" }, firstSentence(part.description)), fields(shown, table, change));
  } else {
    const single = { properties: { [Array.isArray(identity) ? String(identity[0]) : "value"]: part } };
    place.replaceChildren(fields(single, { [Object.keys(single.properties)[0]]: table }, (_, value) => change(null, value)));
  }
  if (hasFocus) place.querySelector(`[data-key="${hasFocus}"] :is(input, select)`)?.focus();
}
