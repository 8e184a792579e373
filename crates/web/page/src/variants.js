// Variants of a scenario that are compared: each sets some values on top of its text.

import { isTcp, setAll } from "./scenario/places.js";
import { estimate, jain } from "./statistics.js";

/** @typedef {import("./lab.js").Variant} Variant */
/** @typedef {import("./scenario/document.js").Document} Document */

export const USUAL = ["reno", "veno", "venodb", "westwood+", "vegas", "cubic"];

/** The controls of the catalogue. `own` is not among them: its code is in another place. @param {any} catalogue @returns {any[]} */
export const controlsOf = (catalogue) => catalogue.sections.find((/** @type {any} */ one) => one.sort === "control").entries.filter((/** @type {any} */ one) => one.name !== "own");

/** The flows that a control can be given to. @param {any} value @returns {number[]} */
export const tcpFlows = (value) => (Array.isArray(value.flow) ? value.flow : []).flatMap((/** @type {any} */ flow, /** @type {number} */ i) => (isTcp(flow) ? [i] : []));

/** A text whose routers report waiting times, if the control needs it. @param {Document} document @param {any} control of the catalogue */
export function withNeeds(document, control) {
  const topology = ["dumbbell", "parking_lot", "graph"].find((name) => document.value[name]);
  return topology && control?.needs?.some((/** @type {string} */ need) => need.includes("queueing times from routers")) && document.get([topology, "aqt"]) === undefined ? document.set([topology, "aqt"], "all") : document;
}

/** One variant for each control, in place of that of these flows. @param {any[]} controls of the catalogue @param {string[]} names @param {number[]} flows @returns {Variant[]} */
export function ofControls(controls, names, flows) {
  return names.map((name) => {
    const recovery = controls.find((one) => one.name === name)?.recoveries[0];
    const set = Object.fromEntries(flows.flatMap((i) => [[`flow.${i}.control`, name], ...(recovery ? [[`flow.${i}.recovery`, recovery]] : [])]));
    return { name, set };
  });
}

/** The text of a variant. @param {Document} document @param {Variant} variant */
export function textOf(document, variant) {
  const changed = setAll(document, variant.set);
  if (changed.mistake) throw new Error(`${variant.name}: ${changed.mistake.message}`);
  return changed.text;
}

/**
 * What is compared of a variant's runs: each is a mean over the seeds.
 * @param {any[]} outcomes
 */
export function summary(outcomes) {
  const senders = (/** @type {any} */ outcome) => outcome.flows.filter((/** @type {any} */ flow) => flow.control !== "udp");
  const goodputs = outcomes.map((outcome) => senders(outcome).map((/** @type {any} */ flow) => flow.goodput_bps ?? 0));
  const total = (/** @type {number[]} */ list) => list.reduce((sum, value) => sum + value, 0);
  const delay = (/** @type {any} */ outcome) => {
    const list = senders(outcome).filter((/** @type {any} */ flow) => Number.isFinite(flow.queueing_mean_s) && flow.goodput_bps > 0);
    const weight = total(list.map((/** @type {any} */ flow) => flow.goodput_bps));
    return weight ? total(list.map((/** @type {any} */ flow) => flow.queueing_mean_s * flow.goodput_bps)) / weight : NaN;
  };
  return {
    goodput: estimate(goodputs.map(total)),
    fairness: estimate(goodputs.map(jain)),
    delay: estimate(outcomes.map(delay)),
    resent: estimate(outcomes.map((outcome) => {
      const sent = total(senders(outcome).map((/** @type {any} */ flow) => flow.sent ?? 0));
      return sent ? total(senders(outcome).map((/** @type {any} */ flow) => flow.retransmits ?? 0)) / sent : NaN;
    })),
  };
}
