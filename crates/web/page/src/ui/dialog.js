// The one dialog of the page, for lists that one chooses from.

import { byId, h } from "./dom.js";

/** Opens it. @param {string} title @param {...any} children */
export function openDialog(title, ...children) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
  dialog.replaceChildren(h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, title),
    h("button", { type: "button", class: "remove", "aria-label": "Close", onclick: () => dialog.close() }, "×")), h("div", { class: "dialog-body" }, children));
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export const closeDialog = () => /** @type {HTMLDialogElement} */ (byId("dialog")).close();
