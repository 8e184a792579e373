// A tour: a TOML file with a sequence of states of the page and a sentence or two on each. docs/lab.md describes the format.

import { begin, MOST_SEEDS, MOST_VARIANTS, VIEWS } from "./lab.js";
import { Document, LONGEST } from "./scenario/document.js";
import { setAll } from "./scenario/places.js";

/** What a step can point to, and the element that is marked. */
export const POINTS = {
  loss: "#first-knob", rate: "[data-knob=rate]", delay: "[data-knob=delay]", buffer: "[data-knob=buffer]", queue: "[data-knob=queue]", cross: "[data-knob=cross]",
  flows: "#flows", window: "[data-chart=window]", goodput: "[data-chart=goodput]", rtt: "[data-chart=rtt]", "queue length": "[data-chart=queue]", path: "#drawing",
  scenario: "#text", compare: "#view-compare", verdict: "#verdict",
};

/**
 * @typedef {{ title: string, text: string, point: string | null, state: import("./lab.js").State }} Step
 * @typedef {{ title: string, about: string, steps: Step[] }} Tour
 */

const STEP = ["title", "text", "scenario", "set", "seed", "seeds", "view", "variant", "point"];

/** Reads a tour. Every mistake is an error that says where. @param {string} text @returns {Tour} */
export function readTour(text) {
  if (text.length > LONGEST) throw new Error(`a tour has at most ${LONGEST} characters`);
  const file = new Document(text);
  if (file.mistake) throw new Error(`line ${file.mistake.line}: ${file.mistake.message}`);
  const { title, about = "", step, ...more } = file.value;
  if (typeof title !== "string") throw new Error("a tour has a `title`");
  if (typeof about !== "string") throw new Error("`about` is a text");
  unknown(more, "a tour", ["title", "about", "step"]);
  if (!Array.isArray(step) || !step.length || step.length > 100) throw new Error("a tour has 1 to 100 steps: tables `[[step]]`");
  /** @type {Step[]} */
  const steps = [];
  step.forEach((one, i) => steps.push(readStep(one, `step ${i + 1}`, steps.at(-1)?.state ?? null)));
  return { title, about, steps };
}

/** @param {any} step @param {string} where @param {import("./lab.js").State | null} before @returns {Step} */
function readStep(step, where, before) {
  const { title, text, scenario, set, seed, seeds, view, variant, point, ...more } = step;
  unknown(more, where, STEP);
  if (typeof title !== "string" || typeof text !== "string") throw new Error(`${where}: it has a \`title\` and a \`text\``);
  if (scenario === undefined && !before) throw new Error(`${where}: the first step has a \`scenario\``);
  if (point !== undefined && !Object.hasOwn(POINTS, point)) throw new Error(`${where}: \`point\` is one of ${Object.keys(POINTS).join(", ")}`);
  const state = { ...begin(), ...before };
  if (scenario !== undefined) state.toml = words(scenario, where, "scenario");
  if (set !== undefined) state.toml = changed(state.toml, table(set, where, "set"), where);
  state.seed = whole(seed ?? state.seed, where, "seed", 0, Number.MAX_SAFE_INTEGER);
  state.seeds = whole(seeds ?? state.seeds, where, "seeds", 1, MOST_SEEDS);
  state.view = view ?? (variant ? "compare" : "curves");
  if (!VIEWS.includes(state.view)) throw new Error(`${where}: \`view\` is one of ${VIEWS.join(", ")}`);
  if (variant !== undefined) {
    if (!Array.isArray(variant) || variant.length > MOST_VARIANTS) throw new Error(`${where}: it has at most ${MOST_VARIANTS} tables \`[[step.variant]]\``);
    state.variants = variant.map((one) => ({ name: words(one?.name, where, "name"), set: table(one?.set, where, "set") }));
    for (const one of state.variants) changed(state.toml, one.set, where);
  }
  return { title, text, point: point ?? null, state };
}

/** @param {string} toml @param {Record<string, unknown>} set @param {string} where */
function changed(toml, set, where) {
  try {
    const document = new Document(toml);
    if (document.mistake) throw new Error(`line ${document.mistake.line} of its scenario: ${document.mistake.message}`);
    return setAll(document, set).text;
  } catch (wrong) {
    throw new Error(`${where}: ${/** @type {Error} */ (wrong).message}`);
  }
}

/** @param {object} more @param {string} where @param {string[]} known */
function unknown(more, where, known) {
  const [key] = Object.keys(more);
  if (key !== undefined) throw new Error(`${where}: there is no key \`${key}\`; there are ${known.join(", ")}`);
}
/** @param {any} value @param {string} where @param {string} key @returns {string} */
function words(value, where, key) {
  if (typeof value !== "string") throw new Error(`${where}: \`${key}\` is a text`);
  return value;
}
/** @param {any} value @param {string} where @param {string} key @returns {Record<string, unknown>} */
function table(value, where, key) {
  if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error(`${where}: \`${key}\` is a table of paths and values`);
  return value;
}
/** @param {any} value @param {string} where @param {string} key @param {number} least @param {number} most @returns {number} */
function whole(value, where, key, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) throw new Error(`${where}: \`${key}\` is a whole number from ${least} to ${most}`);
  return value;
}
