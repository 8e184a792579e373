// Elements of the page, made in one expression. Texts are set as texts: nothing that a scenario says is read as HTML.

/** @typedef {Node | string | number | false | null | undefined} Child */

/**
 * An element. `on*` are listeners, `class`, `aria-*`, `data-*` and others attributes; booleans switch attributes on or off.
 * @param {string} name @param {Record<string, any>} [properties] @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(name, properties = {}, ...children) {
  const svg = ["svg", "path", "circle", "g", "line", "rect", "text", "use", "polyline", "title"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on") && typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected") /** @type {any} */ (element)[key] = value;
    else if (key === "style") for (const [name, part] of Object.entries(value)) /** @type {any} */ (element).style.setProperty(name, part);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.flat(Infinity).filter((child) => child !== false && child !== null && child !== undefined)
    .map((child) => (child instanceof Node ? child : String(child)))));
  return element;
}

/** The element of the page with this id. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** What is known of the style: to ask the browser costs it a look at all elements. @type {Map<string, string>} */
const known = new Map();

/** A colour or length of the style. @param {string} name */
export function style(name) {
  const there = known.get(name);
  if (there !== undefined) return there;
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  known.set(name, value);
  return value;
}

/** Has the style looked up again: the theme has changed. */
export const forgetStyle = () => known.clear();

let counted = 0;
/** An id that no other element has. @param {string} stem */
export const fresh = (stem) => `${stem}-${++counted}`;

/** Says something to those who do not see the page. @param {string} text */
export function announce(text) {
  const region = byId("announcement");
  if (region && region.textContent !== text) region.textContent = text;
}

/** A short note at the edge of the page that goes away by itself. @param {string} text */
export function note(text) {
  const place = byId("note");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(place.timer);
  place.timer = setTimeout(() => { place.hidden = true; }, 4000);
}

/** Gives a file to the browser. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
