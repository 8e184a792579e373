// The scenario's text, edited by hand, with what is wrong with it where it is wrong.

import { byId, h } from "./dom.js";

const WAIT = 120;

/** @param {import("../lab.js").Lab} lab */
export function text(lab) {
  const lines = h("div", { class: "lines", "aria-hidden": "true" });
  const area = h("textarea", {
    id: "toml", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "The scenario as TOML", "aria-describedby": "mistakes",
  });
  const mistakes = h("div", { id: "mistakes", role: "alert" });
  byId("text").append(h("p", { class: "hint" }, "The page's controls change this text, and this text changes the page. Comments stay."),
    h("div", { class: "editor" }, lines, area), mistakes);

  let count = 0;
  let bad = "";
  const number = (/** @type {Set<number>} */ wrong) => {
    const now = area.value.split("\n").length;
    const marks = [...wrong].join();
    if (now === count && marks === bad) return;
    [count, bad] = [now, marks];
    lines.replaceChildren(...Array.from({ length: now }, (_, i) => (wrong.has(i + 1) ? h("span", { class: "bad" }, i + 1) : document.createTextNode(String(i + 1))))
      .flatMap((one) => [one, document.createTextNode("\n")]));
    lines.scrollTop = area.scrollTop;
  };
  const wrongLines = () => new Set(lab.mistakes.map((mistake) => mistake.line).filter((line) => line > 0));
  /** @type {any} */
  let timer = 0;
  area.addEventListener("input", () => {
    number(wrongLines());
    clearTimeout(timer);
    timer = setTimeout(() => lab.edit(area.value, "text"), WAIT);
  });
  area.addEventListener("scroll", () => { lines.scrollTop = area.scrollTop; });
  lab.on("text", (source) => {
    // Knobs change what can be read: until the text is TOML again they wait.
    for (const id of ["first-knob", "knobs", "flows"]) byId(id).inert = Boolean(lab.document.mistake);
    if (source === "text") return;
    clearTimeout(timer);
    if (area.value === lab.state.toml) return;
    const { scrollTop } = area;
    area.value = lab.state.toml;
    area.scrollTop = scrollTop;
    number(wrongLines());
  });
  lab.on("mistakes", () => {
    number(wrongLines());
    area.setAttribute("aria-invalid", String(lab.mistakes.length > 0));
    const rows = area.value.split("\n");
    mistakes.replaceChildren(...lab.mistakes.slice(0, 5).map((mistake) => h("div", { class: "mistake" },
      mistake.line > 0 ? h("b", {}, h("button", { type: "button", class: "button quiet", onclick: () => go(mistake) }, `Line ${mistake.line}`)) : null,
      ` ${mistake.message}`,
      mistake.line > 0 && rows[mistake.line - 1] !== undefined ? h("pre", {}, excerpt(rows[mistake.line - 1], mistake)) : null,
      mistake.help ? h("div", { class: "hint" }, mistake.help) : null)));
  });
  /** Puts the cursor where a mistake is. @param {any} mistake */
  function go(mistake) {
    const rows = area.value.split("\n");
    const from = rows.slice(0, mistake.line - 1).reduce((/** @type {number} */ sum, /** @type {string} */ row) => sum + row.length + 1, 0) + mistake.column - 1;
    area.focus();
    area.setSelectionRange(from, from + Math.max(1, mistake.length ?? 1));
  }
  area.value = lab.state.toml;
  number(new Set());
}

/** The line, and what of it is wrong. @param {string} row @param {any} mistake */
function excerpt(row, mistake) {
  const from = Math.max(0, mistake.column - 30);
  const part = row.slice(from, from + 70);
  return `${part}\n${" ".repeat(Math.max(0, mistake.column - 1 - from))}${"^".repeat(Math.max(1, Math.min(mistake.length ?? 1, 60)))}`;
}
