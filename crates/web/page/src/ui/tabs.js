// The tabs: over time, compare, your control.

import { byId } from "./dom.js";
import { VIEWS } from "../lab.js";

/** @param {import("../lab.js").Lab} lab */
export function tabs(lab) {
  const buttons = VIEWS.map((view) => byId(`tab-${view}`));
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => lab.show(VIEWS[i]));
    button.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = (i + step + VIEWS.length) % VIEWS.length;
      lab.show(VIEWS[next]);
      buttons[next].focus();
    });
  });
  const show = () => VIEWS.forEach((view, i) => {
    const on = lab.state.view === view;
    buttons[i].setAttribute("aria-selected", String(on));
    buttons[i].tabIndex = on ? 0 : -1;
    byId(`view-${view}`).hidden = !on;
  });
  // Before the views hear of it, so that they can measure themselves.
  lab.listeners.set("view", [show, ...(lab.listeners.get("view") ?? [])]);
  show();
}
