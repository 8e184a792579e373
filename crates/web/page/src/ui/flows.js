// The flows: added, removed, and what each runs. Names, choices and parameters are those of the catalogue.

import { controlName, isTcp, setOne } from "../scenario/places.js";
import { controlsOf, withNeeds } from "../variants.js";
import { byId, h } from "./dom.js";
import { colourName } from "./theme.js";
import { choice, fields } from "./knob.js";

/** @typedef {import("../lab.js").Lab} Lab */

const STACKS = [["plain", "plain TCP"], ["linux", "as in Linux"], ["quic", "QUIC"]];

/** @param {Lab} lab */
export function flows(lab) {
  const place = byId("flows");
  const list = h("div", {});
  const section = (/** @type {string} */ sort) => lab.catalogue.sections.find((/** @type {any} */ one) => one.sort === sort)?.entries ?? [];
  const [controls, shorts, rates] = [controlsOf(lab.catalogue), section("short name"), section("rate control")];
  const edit = (/** @type {any} */ document) => lab.edit(document, "knobs");
  const edges = () => {
    const first = lab.document.value.flow?.[0];
    return lab.document.value.graph && first ? { from: first.from, to: first.to } : {};
  };
  const add = (/** @type {Record<string, unknown>} */ table) => edit(lab.document.append("flow", { ...table, ...edges() }));
  place.append(list, h("div", { class: "add-row" },
    h("button", { type: "button", class: "button", id: "add-flow", onclick: () => add({ control: "cubic" }) }, "Add TCP"),
    h("button", { type: "button", class: "button", id: "add-quic", onclick: () => add({ control: "cubic", stack: "quic" }) }, "Add QUIC"),
    h("button", { type: "button", class: "button", id: "add-media", onclick: () => add({ rate_control: "tfrc" }) }, "Add media")));

  let shown = "";
  const show = () => {
    const { document } = lab;
    if (document.mistake) return;
    const entries = Array.isArray(document.value.flow) ? document.value.flow : [];
    const now = JSON.stringify([entries.map((/** @type {any} */ flow) => ({ ...flow, source: flow?.source && 1 })), document.value.tcp ?? null]);
    if (now === shown) return;
    shown = now;
    const focused = list.contains(window.document.activeElement) && window.document.activeElement?.id;
    const open = new Set([...list.querySelectorAll("details[open]")].map((one) => one.getAttribute("data-flow")));
    let first = 0;
    list.replaceChildren(...entries.map((/** @type {any} */ flow, /** @type {number} */ i) => {
      const card = one(flow ?? {}, i, first, open.has(String(i)));
      first += Math.max(1, Number(flow?.count ?? 1) || 1);
      return card;
    }));
    if (focused) byId(focused)?.focus();
  };

  /** @param {any} flow @param {number} i @param {number} number the place of its first flow among all @param {boolean} open */
  function one(flow, i, number, open) {
    const title = flow.name ?? controlName(flow.control ?? lab.document.value.tcp?.control) ?? controlName(flow.rate_control) ?? "datagrams";
    const parts = isTcp(flow) ? tcp(flow, i, open) : flow.rate_control !== undefined ? media(flow, i, open) : [h("p", { class: "hint" }, sourceWords(flow))];
    return h("div", { class: "flow", style: { "--own": `var(${colourName(number)})` }, "data-flow": i },
      h("div", { class: "head" }, h("span", { class: "swatch", "aria-hidden": "true" }), h("b", {}, flow.count > 1 ? `${title} × ${flow.count}` : title),
        h("button", { type: "button", class: "remove", "aria-label": `Remove ${title}`, title: "Remove", onclick: () => edit(lab.document.remove(["flow", i])) }, "×")),
      parts);
  }

  /** @param {any} flow @param {number} i @param {boolean} open */
  function tcp(flow, i, open) {
    const inherited = lab.document.value.tcp ?? {};
    const value = flow.control ?? inherited.control;
    const name = controlName(value) ?? "";
    const short = shorts.find((/** @type {any} */ one) => one.name === name);
    const entry = controls.find((/** @type {any} */ one) => one.name === (short ? /control (\S+)/.exec(short.summary)?.[1] : name));
    const control = choice({
      id: `control-${i}`, name: "Control", options: [...controls, ...shorts].map((/** @type {any} */ one) => [one.name, one.name]),
      change: (word) => {
        const next = controls.find((/** @type {any} */ one) => one.name === word);
        let document = lab.document.set(["flow", i, "control"], word);
        const own = controlName(document.get(["flow", i, "recovery"]));
        // A recovery that does not go with the new control is left to its default.
        if (own !== undefined && (!next || !next.recoveries.includes(own))) document = document.remove(["flow", i, "recovery"]);
        // A name that says the old control would be wrong.
        if (String(flow.name ?? "").toLowerCase() === name.toLowerCase() && flow.name) document = document.set(["flow", i, "name"], unused(word, i));
        edit(withNeeds(document, next ?? controls.find((/** @type {any} */ one) => one.name === word)));
      },
    });
    control.select.value = name;
    const recovery = choice({
      id: `recovery-${i}`, name: "Recovery", options: [["", `default (${entry?.recoveries[0] ?? "–"})`], ...(entry?.recoveries ?? []).map((/** @type {string} */ word) => [word, word])],
      change: (word) => edit(word ? lab.document.set(["flow", i, "recovery"], word) : lab.document.remove(["flow", i, "recovery"])),
    });
    recovery.select.value = controlName(flow.recovery) ?? "";
    const stack = choice({
      id: `stack-${i}`, name: "Stack", options: /** @type {[string, string][]} */ (STACKS),
      change: (word) => edit(word === "plain" && inherited.stack === undefined ? lab.document.remove(["flow", i, "stack"]) : lab.document.set(["flow", i, "stack"], word)),
    });
    stack.select.value = flow.stack ?? inherited.stack ?? "plain";
    recovery.element.hidden = stack.select.value === "quic";
    return [control.element, h("p", { class: "hint" }, entry?.summary ?? short?.summary ?? ""), recovery.element, stack.element,
      parameters("control", entry?.parameters, value, i, open)];
  }

  /** A name after a control that no other flow has. @param {string} word @param {number} i */
  function unused(word, i) {
    const others = lab.document.value.flow.filter((/** @type {any} */ _, /** @type {number} */ n) => n !== i).map((/** @type {any} */ flow) => String(flow?.name ?? controlName(flow?.control)));
    const name = label(word);
    if (!others.includes(name)) return name;
    for (let n = 2; ; n++) if (!others.includes(`${name} ${n}`)) return `${name} ${n}`;
  }

  /** @param {any} flow @param {number} i @param {boolean} open */
  function media(flow, i, open) {
    const name = controlName(flow.rate_control) ?? "";
    const entry = rates.find((/** @type {any} */ one) => one.name === name);
    const control = choice({
      id: `rate-control-${i}`, name: "Rate control", options: rates.map((/** @type {any} */ one) => [one.name, one.name]),
      change: (word) => edit(lab.document.set(["flow", i, "rate_control"], word)),
    });
    control.select.value = name;
    const carries = choice({
      id: `carries-${i}`, name: "Carries", options: [["data", "always something"], ["video", "video in frames"]],
      change: (word) => edit(word === "video" ? lab.document.set(["flow", i, "encoder"], {}) : ["encoder", "player"].reduce((document, key) => document.remove(["flow", i, key]), lab.document)),
    });
    carries.select.value = flow.encoder === undefined ? "data" : "video";
    return [control.element, h("p", { class: "hint" }, entry?.summary ?? ""), carries.element, parameters("rate_control", entry?.parameters, flow.rate_control, i, open)];
  }

  /** @param {"control" | "rate_control"} key @param {any[] | undefined} list @param {any} value @param {number} i @param {boolean} open */
  function parameters(key, list, value, i, open) {
    if (!list?.length) return null;
    const properties = Object.fromEntries(list.map((one) => [one.name, {
      default: plain(one.default), description: `${one.doc} ${one.range}; default ${one.default}.`,
      ...(one.range === "true or false" ? { type: "boolean" } : {}), ...(/^one of /.test(one.range) ? { enum: [...one.range.matchAll(/`([^`]+)`/g)].map((word) => word[1]) } : {}),
    }]));
    const details = h("details", { "data-flow": i, open }, h("summary", {}, `Parameters (${list.length})`),
      fields({ properties }, typeof value === "object" ? value : {}, (name, word) => edit(setOne(lab.document, ["flow", i, key, name], word))));
    return details;
  }

  lab.on("text", show);
  show();
}

/** A default, without the quotes of its TOML. @param {string} text */
function plain(text) {
  if (text === "true" || text === "false") return text === "true";
  return text.replace(/^"(.*)"$/, "$1");
}

/** The name of a flow that runs this control. @param {string} word */
const label = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** @param {any} flow */
function sourceWords(flow) {
  const [kind, value] = Object.entries(flow.source ?? {})[0] ?? ["", ""];
  const detail = typeof value === "object" && value ? /** @type {any} */ (value).rate : value;
  return `${kind === "cbr" ? "A constant stream" : "Bursts"} of ${detail}${flow.direction === "left" ? ", against the data" : ""}`;
}
