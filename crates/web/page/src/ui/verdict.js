// The front: who got how much, and what is left of a window after a loss. All numbers are those of the run.

import { quantity, short } from "../scenario/quantity.js";
import { announce, byId, h } from "./dom.js";
import { colourName } from "./theme.js";

const MOST = 6;
/** The verdict is spoken once the sliders have been still for this long. */
const CALM = 900;

/** @typedef {import("../lab.js").Lab} Lab */
/** @typedef {{ name: string, control: string, recovery: string | null, first: number, flows: number, goodput: number, each: number, kept: number | null, cuts: number, timeouts: number, picture: Picture | null }} Group */
/** @typedef {{ frozen: number, delay: number }} Picture the part of the time in which a video stood still, and how old its frames were when they were shown, in seconds */

/** The groups of a result, with what is left of their windows at losses. @param {any} result @returns {Group[]} */
export function groups(result) {
  const { outcome, cuts } = result;
  /** @type {Map<string, any[]>} */
  const members = new Map();
  outcome.flows.forEach((/** @type {any} */ flow, /** @type {number} */ i) => members.set(flow.group, [...(members.get(flow.group) ?? []), { ...flow, i }]));
  return [...members].map(([name, flows]) => {
    const places = new Set(flows.map((flow) => flow.i));
    const own = cuts.filter((/** @type {any} */ cut) => places.has(cut.flow) && cut.unit === "segments" && cut.kind !== "restoration" && cut.event !== "ack" && cut.before > 0);
    const losses = own.filter((/** @type {any} */ cut) => cut.event !== "timeout");
    const kept = losses.length ? losses.reduce((/** @type {number} */ sum, /** @type {any} */ cut) => sum + Math.min(1, cut.after / cut.before), 0) / losses.length : null;
    const goodput = flows.reduce((sum, flow) => sum + (flow.goodput_bps ?? 0), 0);
    return {
      name, control: flows[0].control, recovery: flows[0].recovery ?? null, first: flows[0].i, flows: flows.length, goodput, each: goodput / flows.length, kept,
      cuts: losses.length, timeouts: own.length - losses.length, picture: pictureOf(flows.flatMap((flow) => flow.media ?? [])),
    };
  });
}

/** What the viewers of these flows have seen, on average. @param {any[]} list @returns {Picture | null} */
function pictureOf(list) {
  if (!list.length) return null;
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { frozen: mean(list.map((one) => one.frozen_s / (one.played_s + one.frozen_s))), delay: mean(list.flatMap((one) => one.delay_mean_s ?? [])) };
}

/** @param {Picture} picture */
function seen({ frozen, delay }) {
  return Number.isFinite(frozen) ? `video: ${quantity("time", delay)} behind, still for ${short(frozen * 100, 2)} % of the time` : "video: no picture";
}

/** One sentence on who got more. @param {Group[]} list @param {any} outcome */
export function headline(list, outcome) {
  const rivals = list.filter((group) => group.control !== "udp" && Number.isFinite(group.each));
  if (!rivals.length) return "Nothing but datagrams";
  if (rivals.length === 1) {
    const link = outcome.links?.[0];
    const share = Number.isFinite(link?.utilisation) ? `, and ${Math.round(link.utilisation * 100)} % of the link is used` : "";
    return `${rivals[0].name} gets ${rate(rivals[0].goodput)}${share}`;
  }
  const sorted = [...rivals].sort((a, b) => b.each - a.each);
  const [best, worst] = [sorted[0], sorted[sorted.length - 1]];
  if (!(worst.each > 0)) return `${best.name} gets ${rate(best.each)}, ${worst.name} nothing`;
  const times = best.each / worst.each;
  if (times < 1.05) return rivals.length === 2 ? `${rivals[0].name} and ${rivals[1].name} share alike` : "All share alike";
  return `${best.name} gets ${times < 10 ? times.toFixed(1) : Math.round(times)} times what ${worst.name} gets`;
}

/** @param {number} value */
function rate(value) {
  const [text, unit] = parts(value);
  return `${text} ${unit}`;
}

/** A rate with its unit apart. @param {number} value @returns {[string, string]} */
export function parts(value) {
  if (!Number.isFinite(value)) return ["–", ""];
  if (value >= 999.5e6) return [short(value / 1e9), "Gb/s"];
  if (value >= 999.5e3) return [(value / 1e6).toFixed(value < 99.5e6 ? (value < 9.995e6 ? 2 : 1) : 0), "Mb/s"];
  return [short(value / 1e3), "kb/s"];
}

/** @param {Lab} lab */
export function verdict(lab) {
  const place = byId("verdict");
  const title = byId("headline");
  /** @type {Map<string, any>} */
  let cards = new Map();
  /** @type {any} */
  let timer = 0;
  const show = () => {
    const list = groups(lab.result);
    title.textContent = headline(list, lab.result.outcome);
    clearTimeout(timer);
    // Not at the start, when it is read anyway.
    if (lab.timing.redraws) timer = setTimeout(() => announce(title.textContent), CALM);
    const most = Math.max(...list.map((group) => group.each), 1);
    const shown = list.filter((group) => group.control !== "udp" || list.length < 3).slice(0, MOST);
    const keys = shown.map((group) => `${group.name}|${group.first}`);
    if (keys.join("\n") !== [...cards.keys()].join("\n")) {
      cards = new Map(keys.map((key, i) => [key, card(shown[i])]));
      place.replaceChildren(...[...cards.values()].map((one) => one.element));
    }
    shown.forEach((group, i) => cards.get(keys[i]).show(group, most));
  };
  lab.on("result", show);
}

/** @param {Group} group */
function card(group) {
  const much = h("span", { class: "number" });
  const unit = h("small", {});
  const bar = h("span", {});
  const left = h("span", {});
  const kept = h("b", {});
  const number = h("span", {});
  const words = h("span", {}, "left", h("span", { class: "wide" }, " of the window at each of ", number, " losses"), h("span", { class: "slim" }, " at a loss"));
  const about = h("small", {});
  const glass = h("div", { class: "kept" }, h("div", { class: "glass", "aria-hidden": "true" }, left), kept, words);
  const element = h("article", { class: "card", style: { "--own": `var(${colourName(group.first)})` }, "data-group": group.name },
    h("div", { class: "who" }, group.flows > 1 ? `${group.name} × ${group.flows}` : group.name, about),
    h("div", { class: "much" }, much, unit), h("div", { class: "share", "aria-hidden": "true" }, bar), glass);
  return {
    element,
    /** @param {Group} now @param {number} most */
    show(now, most) {
      const [text, of] = parts(now.each);
      much.textContent = text;
      unit.textContent = now.flows > 1 ? `${of} each` : of;
      element.dataset.goodput = String(now.goodput);
      const control = now.control === "udp" ? "datagrams" : now.recovery ? `${now.control} (${now.recovery})` : now.control;
      about.textContent = now.picture ? `${control}; ${seen(now.picture)}` : control;
      bar.style.transform = `scaleX(${Math.max(0, Math.min(1, now.each / most))})`;
      glass.hidden = now.kept === null;
      if (now.kept === null) return;
      left.style.transform = `scaleY(${now.kept})`;
      kept.textContent = `${Math.round(now.kept * 100)} %`;
      number.textContent = String(now.cuts);
    },
  };
}
