// The state of the page as the fragment of an address, and back. A fragment is data: numbers, names and a scenario's text. It
// never holds code, and whatever is not of this form is refused.

import { bytesOf } from "./base64url.js";
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";
import { begin, MOST_SEEDS, MOST_VARIANTS, VIEWS } from "./lab.js";
import { LONGEST } from "./scenario/document.js";

/** @typedef {import("./lab.js").State} State */

const LONGEST_FRAGMENT = 300_000;
const MOST_BYTES = 4 * LONGEST;

/** @param {State} state @returns {string} */
export function fragment(state) {
  const { toml, seed, view, seeds, variants } = state;
  const bytes = deflateSync(strToU8(JSON.stringify({ toml, seed, view, seeds, variants })), { level: 9 });
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#1.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Reads a fragment; an empty one is the page as it begins. @param {string} text @returns {{ state: State, problem: string | null }} */
export function readFragment(text) {
  const plain = text.replace(/^#/, "");
  if (plain === "" || plain === "lab") return { state: begin(), problem: null };
  try {
    return { state: parse(plain), problem: null };
  } catch (wrong) {
    return { state: begin(), problem: `This address holds no scenario that can be read (${/** @type {Error} */ (wrong).message}), so the page shows its own.` };
  }
}

/** @param {string} text @returns {State} */
function parse(text) {
  if (text.length > LONGEST_FRAGMENT) throw new Error("it is too long");
  const parts = /^1\.([A-Za-z0-9_-]+)$/.exec(text);
  if (!parts) throw new Error("it is of another form");
  const bytes = bytesOf(parts[1]);
  return checked(JSON.parse(strFromU8(inflate(bytes))));
}

/** Inflates a bounded number of bytes. @param {Uint8Array} bytes */
function inflate(bytes) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let total = 0;
  let ended = false;
  const stream = new Inflate((chunk, final) => {
    total += chunk.length;
    if (total > MOST_BYTES) throw new Error("it holds too much");
    chunks.push(chunk);
    ended ||= final;
  });
  for (let at = 0; at < bytes.length; at += 1024) stream.push(bytes.subarray(at, at + 1024), at + 1024 >= bytes.length);
  if (!ended) throw new Error("it is cut off");
  const all = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** @param {any} value @returns {State} */
export function checked(value) {
  const whole = (/** @type {any} */ number, /** @type {number} */ least, /** @type {number} */ most) =>
    Number.isInteger(number) && number >= least && number <= most;
  if (!value || typeof value !== "object") throw new Error("it is of another form");
  const { toml, seed, view, seeds, variants } = value;
  if (typeof toml !== "string" || toml.length > LONGEST) throw new Error("it has no scenario");
  if (!whole(seed, 0, Number.MAX_SAFE_INTEGER)) throw new Error("its seed is no whole number");
  if (!VIEWS.includes(view)) throw new Error("it names no view of the page");
  if (!whole(seeds, 1, MOST_SEEDS)) throw new Error("it asks for too many runs");
  return { toml, seed, view, seeds, variants: variants === null || variants === undefined ? null : variants_(variants) };
}

/** @param {any} list */
function variants_(list) {
  if (!Array.isArray(list) || list.length > MOST_VARIANTS) throw new Error("it compares too many");
  return list.map((one) => {
    if (typeof one?.name !== "string" || one.name.length > 200) throw new Error("a variant has no name");
    if (!one.set || typeof one.set !== "object" || Array.isArray(one.set)) throw new Error("a variant sets nothing");
    /** @type {Record<string, unknown>} */
    const set = {};
    for (const [path, word] of Object.entries(one.set)) {
      if (path.length > 200 || !plain(word, 6)) throw new Error("a variant sets no plain value");
      Object.defineProperty(set, path, { value: word, enumerable: true, configurable: true, writable: true });
    }
    return { name: one.name, set };
  });
}

/** Whether a value is one of TOML's: words, numbers, and lists and tables of them. @param {unknown} value @param {number} depth @returns {boolean} */
function plain(value, depth) {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean") return true;
  if (!value || typeof value !== "object" || depth === 0) return false;
  return Object.values(value).every((part) => plain(part, depth - 1));
}
