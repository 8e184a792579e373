// Light or dark: as the system says, or as chosen.

import { forgetStyle, style } from "./dom.js";

/** @param {import("../lab.js").Lab} lab */
export function theme(lab) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const radios = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[name=theme]")]);
  const chosen = () => radios.find((radio) => radio.checked)?.value ?? "auto";
  const apply = () => {
    const word = chosen();
    document.documentElement.dataset.theme = word === "auto" ? (dark.matches ? "dark" : "light") : word;
    forgetStyle();
    lab.tell("theme");
  };
  for (const radio of radios) radio.addEventListener("change", apply);
  dark.addEventListener("change", apply);
  apply();
}

const COUNT = 7;
/** The name of the colour of the flow at this place. @param {number} i */
export const colourName = (i) => `--series-${i % COUNT}`;
/** The colour of the flow at this place, for drawings. @param {number} i */
export const colour = (i) => style(colourName(i));
/** The dashes of the flow at this place: beyond the number of colours, lines differ by their dashes. @param {number} i */
export const dashes = (i) => [[], [7, 3], [2, 3], [9, 3, 2, 3]][Math.floor(i / COUNT) % 4];
