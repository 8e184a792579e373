// Tours: chosen from a list or read from a file, and gone through step by step.

import { POINTS, readTour } from "../tour.js";
import { closeDialog, openDialog } from "./dialog.js";
import { announce, byId, h, note } from "./dom.js";

/** @typedef {import("../tour.js").Tour} Tour */

/** @param {import("../lab.js").Lab} lab @param {{ file: string, text: string }[]} list */
export function tours(lab, list) {
  const place = byId("tour");
  /** @type {Tour | null} */
  let tour = null;
  let at = 0;

  /** @param {Tour} next */
  function begin(next) {
    tour = next;
    closeDialog();
    go(0);
  }

  /** @param {number} step */
  function go(step) {
    if (!tour) return;
    at = step;
    const { title, text, point, state } = tour.steps[at];
    lab.preset = null;
    lab.restore({ ...state });
    lab.tell("variants");
    const last = at === tour.steps.length - 1;
    place.hidden = false;
    place.replaceChildren(h("p", { class: "where" }, `${tour.title}, ${at + 1} of ${tour.steps.length}`), h("h2", { tabindex: "-1", id: "tour-step" }, title), h("p", {}, text),
      h("div", { class: "step-buttons" },
        h("button", { type: "button", id: "tour-back", disabled: at === 0, onclick: () => go(at - 1) }, "Back"),
        h("button", { type: "button", id: "tour-next", class: "button main", onclick: () => (last ? end() : go(at + 1)) }, last ? "Done" : "Next"),
        h("button", { type: "button", id: "tour-end", hidden: last, onclick: end }, "Leave the tour")));
    mark(point);
    announce(`${title}. ${text}`);
    byId("tour-next").focus({ preventScroll: true });
  }

  /** @param {string | null} point */
  function mark(point) {
    for (const one of document.querySelectorAll(".marked")) one.classList.remove("marked");
    const element = point && document.querySelector(POINTS[/** @type {keyof typeof POINTS} */ (point)]);
    if (!element) return;
    element.classList.add("marked");
    const box = element.getBoundingClientRect();
    if (box.top > innerHeight * 0.8) element.scrollIntoView({ block: "center" });
  }

  function end() {
    tour = null;
    place.hidden = true;
    mark(null);
    byId("open-tours").focus();
  }

  const file = h("input", { type: "file", accept: ".toml", class: "unseen", id: "tour-file", "aria-label": "A tour's file", onchange: async () => {
    const [picked] = file.files ?? [];
    file.value = "";
    if (!picked) return;
    try {
      begin(readTour(await picked.text()));
    } catch (wrong) {
      closeDialog();
      note(`${picked.name}: ${/** @type {Error} */ (wrong).message}`);
    }
  } });
  byId("open-tours").addEventListener("click", () => openDialog("Tours",
    h("ul", {}, list.map(({ file: name, text }) => {
      const one = readTour(text);
      return h("li", {}, h("button", { type: "button", class: "pick", "data-tour": name, onclick: () => begin(one) }, h("b", {}, one.title), h("span", { class: "hint" }, one.about)));
    })),
    h("div", { class: "file-row" }, h("button", { type: "button", class: "button", onclick: () => file.click() }, "Open a tour's file …"), file),
    h("p", { class: "hint" }, "A tour is a TOML file that you can write yourself: its format is in the documentation, under “The lab”.")));
}
