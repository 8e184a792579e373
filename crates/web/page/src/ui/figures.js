// The papers' figures as presets.

import { MOST_VARIANTS } from "../lab.js";
import { resolve, setAll } from "../scenario/places.js";
import { closeDialog, openDialog } from "./dialog.js";
import { byId, h, note } from "./dom.js";

/** @typedef {{ id: string, title: string, source: string, about: string, scenario: string, variants: import("../lab.js").Variant[], x: { label: string, key: string, values: any[] } | null }} Figure */
/** @typedef {{ id: string, title: string, citation: string, figures: Figure[] }} Paper */

const SEEDS = 5;

/** @param {import("../lab.js").Lab} lab @param {Paper[]} papers @returns {(name: string) => boolean} loads the figure of this name, as `venodb/fig2` */
export function figures(lab, papers) {
  /** @param {Figure} figure */
  function load(figure) {
    const { x } = figure;
    const variants = figure.variants.slice(0, MOST_VARIANTS);
    lab.preset = {
      x,
      now: (/** @type {any} */ document) => {
        try {
          return x && document.get(resolve(document.value, x.key)[0]);
        } catch {
          return undefined;
        }
      },
      at: (/** @type {any} */ document, /** @type {unknown} */ value) => setAll(document, { [/** @type {any} */ (x).key]: value }),
    };
    lab.restore({ toml: figure.scenario, seed: 1, seeds: SEEDS, view: variants.length > 1 ? "compare" : "curves", variants: variants.length > 1 ? variants : null });
    lab.tell("variants");
    closeDialog();
    note(figure.title);
    return true;
  }
  byId("open-figures").addEventListener("click", () => openDialog("The papers' figures",
    h("p", { class: "hint" }, "Each is the scenario of a figure, with its curves as bars. Then move the loss, the rate or the queue, and see whether the figure still holds."),
    papers.map((paper) => h("details", { class: "paper", open: paper.id === "venodb" }, h("summary", {}, paper.title), h("p", { class: "hint" }, paper.citation),
      h("ul", {}, paper.figures.map((figure) => h("li", {}, h("button", { type: "button", class: "pick", "data-figure": `${paper.id}/${figure.id}`, onclick: () => load(figure) },
        h("b", {}, figure.title), h("span", { class: "hint" }, figure.source ?? "")))))))));
  return (name) => {
    const figure = papers.flatMap((paper) => paper.figures.filter((one) => `${paper.id}/${one.id}` === name))[0];
    return figure ? load(figure) : false;
  };
}
