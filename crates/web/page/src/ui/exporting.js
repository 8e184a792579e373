// Share and export: an address, a command, and files.

import { fragment } from "../share.js";
import { exportCsv, exportComparison } from "../files/csv.js";
import { command } from "../files/command.js";
import { chartsSvg, comparisonSvg, png } from "../files/picture.js";
import { openDialog } from "./dialog.js";
import { byId, download, h, note } from "./dom.js";

/** @param {import("../lab.js").Lab} lab */
export function exporting(lab) {
  const copy = async (/** @type {string} */ text, /** @type {string} */ what) => {
    try {
      await navigator.clipboard.writeText(text);
      note(`${what} is copied`);
    } catch {
      note("The browser does not let the page copy: mark the text and copy it");
    }
  };
  const row = (/** @type {string} */ id, /** @type {string} */ title, /** @type {string} */ text, /** @type {string} */ what) => [h("h3", {}, title),
    h("div", { class: "copy-row" }, h("pre", { id, tabindex: "0" }, text), h("button", { type: "button", class: "button", "data-copy": id, onclick: () => copy(text, what) }, "Copy"))];
  const save = (/** @type {string} */ id, /** @type {string} */ title, /** @type {() => (string | Blob | Promise<Blob>)} */ make, /** @type {string} */ name, /** @type {string} */ type) =>
    h("button", { type: "button", class: "button", id, disabled: !lab.result, onclick: async () => {
      try {
        const made = await make();
        download(name, made instanceof Blob ? made : new Blob([made], { type }));
      } catch (wrong) {
        note(/** @type {Error} */ (wrong).message);
      }
    } }, title);
  const picture = () => (lab.state.view === "compare" && lab.comparison ? comparisonSvg(lab) : chartsSvg(lab));
  byId("open-share").addEventListener("click", () => openDialog("Share and export",
    row("share-address", "This page, as an address", `${location.href.split("#")[0]}${fragment(lab.state)}`, "The address"),
    h("p", { class: "hint" }, "The scenario is in the address itself. Nothing is sent anywhere, and a control that you have written is not in it."),
    row("share-command", lab.state.view === "compare" ? "The same comparison on the command line" : "The same run on the command line", command(lab), "The command"),
    h("h3", {}, "Files"),
    h("div", { class: "file-row" },
      save("save-toml", "Scenario (TOML)", () => lab.state.toml, "scenario.toml", "application/toml"),
      save("save-csv", "Curves (CSV)", () => exportCsv(lab), "curves.csv", "text/csv"),
      lab.comparison ? save("save-comparison", "Comparison (CSV)", () => exportComparison(lab), "comparison.csv", "text/csv") : null,
      save("save-svg", "Picture (SVG)", picture, "lab.svg", "image/svg+xml"),
      save("save-png", "Picture (PNG)", () => png(picture()), "lab.png", "image/png"))));
}
