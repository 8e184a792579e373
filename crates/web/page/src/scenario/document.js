// A TOML text whose values can be changed one by one: everything else in the text stays as it is, comments included.

import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";

/**
 * @typedef {(string | number)[]} Path the keys that lead to a value; a number is a place in an array
 * @typedef {{ line: number, column: number, message: string, help?: string }} Mistake
 * @typedef {{ path: Path, node: any, inside: "section" | "inline" | "array", parent: any, section: Path }} Entry
 * @typedef {{ path: Path, node: any, end: number }} Section
 * @typedef {{ from: number, to: number, text: string }} Edit
 */

/** The largest text that is read: parsing must stay a matter of milliseconds. */
export const LONGEST = 200_000;

/** @param {Path} path @param {Path} prefix */
const begins = (path, prefix) => path.length >= prefix.length && prefix.every((key, i) => path[i] === key);
/** @param {Path} a @param {Path} b */
const same = (a, b) => a.length === b.length && begins(a, b);

/** A key as TOML writes it. @param {string | number} key */
const written = (key) => (/^[A-Za-z0-9_-]+$/.test(String(key)) ? String(key) : JSON.stringify(String(key)));

/** A value as TOML writes it. @param {unknown} value @returns {string} */
export function literal(value) {
  if (typeof value === "string") return JSON.stringify(value).replace(/\x7f/g, "\\u007f");
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value).replace("e+", "e");
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value && typeof value === "object") {
    const parts = Object.entries(value).map(([key, part]) => `${written(key)} = ${literal(part)}`);
    return parts.length ? `{ ${parts.join(", ")} }` : "{}";
  }
  throw new TypeError(`no TOML value: ${value}`);
}

/** A text, what it says, and where it says it. */
export class Document {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Mistake | null} */
    this.mistake = null;
    /** @type {any} */
    this.value = {};
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {Section[]} */
    this.sections = [];
    if (text.length > LONGEST) {
      this.mistake = { line: 1, column: 1, message: `the text has more than ${LONGEST} characters` };
      return;
    }
    try {
      const tree = /** @type {any} */ (parseTOML(text, { tomlVersion: "1.0" }));
      this.value = getStaticTOMLValue(tree);
      this.#enter(tree.body[0]);
    } catch (wrong) {
      const { lineNumber, column, message } = /** @type {any} */ (wrong);
      this.mistake = { line: lineNumber ?? 1, column: (column ?? 0) + 1, message: String(message) };
    }
  }

  /** @param {any} top */
  #enter(top) {
    this.sections.push({ path: [], node: top, end: top.range[0] });
    for (const node of top.body) {
      if (node.type !== "TOMLTable") {
        this.#keep(node, [], "section", top, []);
        this.sections[0].end = node.range[1];
        continue;
      }
      const section = { path: node.resolvedKey, node, end: node.range[0] };
      section.end = node.body.length ? node.range[1] : this.#lineEnd(node.range[0]);
      this.sections.push(section);
      for (const child of node.body) this.#keep(child, node.resolvedKey, "section", node, node.resolvedKey);
    }
  }

  /** @param {any} node @param {Path} above @param {Entry["inside"]} inside @param {any} parent @param {Path} section */
  #keep(node, above, inside, parent, section) {
    const path = [...above, ...node.key.keys.map((/** @type {any} */ key) => key.name ?? key.value)];
    this.entries.push({ path, node, inside, parent, section });
    this.#descend(node.value, path, section);
  }

  /** @param {any} value @param {Path} path @param {Path} section */
  #descend(value, path, section) {
    if (value.type === "TOMLInlineTable") {
      for (const child of value.body) this.#keep(child, path, "inline", value, section);
    } else if (value.type === "TOMLArray") {
      value.elements.forEach((/** @type {any} */ element, /** @type {number} */ i) => {
        const place = [...path, i];
        this.entries.push({ path: place, node: { value: element, range: element.range }, inside: "array", parent: value, section });
        this.#descend(element, place, section);
      });
    }
  }

  /** What the text says at a path, or undefined. @param {Path} path */
  get(path) {
    let value = this.value;
    for (const key of path) value = value !== null && typeof value === "object" ? value[key] : undefined;
    return value;
  }

  /** The text with this value at this path. @param {Path} path @param {unknown} value @returns {Document} */
  set(path, value) {
    return this.write(path, literal(value));
  }

  /** The text with these words as the value at this path. @param {Path} path @param {string} words @returns {Document} */
  write(path, words) {
    // Where nothing can be read, nothing is changed.
    if (this.mistake) return this;
    const there = this.entries.find((entry) => same(entry.path, path));
    if (there) return this.#changed([{ from: there.node.value.range[0], to: there.node.value.range[1], text: words }]);
    const clear = this.get(path) === undefined ? this : this.remove(path);
    return clear.#insert(path, words);
  }

  /** The text without what it says at this path. @param {Path} path @returns {Document} */
  remove(path) {
    if (this.mistake) return this;
    /** @type {Edit[]} */
    const edits = [];
    for (const entry of this.entries) {
      const outer = edits.some((edit) => edit.from <= entry.node.range[0] && entry.node.range[1] <= edit.to);
      if (!begins(entry.path, path) || begins(entry.section, path) || outer) continue;
      edits.push(entry.inside === "section" ? this.#line(entry.node) : this.#between(entry));
    }
    for (const section of this.sections) {
      if (section.path.length && begins(section.path, path)) edits.push(this.#whole(section));
    }
    return this.#changed(edits);
  }

  /** The text with one more element of an array of tables. @param {string} name @param {Record<string, unknown>} table */
  append(name, table) {
    if (this.mistake) return this;
    const width = Math.max(...Object.keys(table).map((key) => key.length));
    const lines = Object.entries(table).map(([key, value]) => `${written(key).padEnd(width)} = ${literal(value)}`);
    const existing = this.get([name]);
    const inline = this.entries.find((entry) => same(entry.path, [name]));
    if (inline && Array.isArray(existing)) {
      const end = inline.node.value.range[1] - 1;
      const comma = existing.length && !/,\s*$/.test(this.text.slice(0, end)) ? ", " : "";
      return this.#changed([{ from: end, to: end, text: `${comma}${literal(table)}` }]);
    }
    const block = `[[${name}]]\n${lines.join("\n")}\n`;
    // After the last of its kind and the tables below it, so that what follows stays together.
    const last = this.sections.filter((section) => section.path[0] === name).at(-1);
    const at = last ? this.#lineEnd(last.end) : this.text.length;
    const before = this.text.slice(0, at);
    const gap = before === "" ? "" : before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
    return this.#changed([{ from: at, to: at, text: `${gap}${block}` }]);
  }

  /** @param {Path} path @param {string} words */
  #insert(path, words) {
    for (let depth = path.length - 1; depth >= 0; depth--) {
      const above = path.slice(0, depth);
      const rest = (/** @type {number} */ from) => path.slice(from).map(written).join(".");
      const inline = this.entries.find((entry) => same(entry.path, above) && entry.node.value.type === "TOMLInlineTable");
      if (inline) return this.#intoInline(inline.node.value, `${rest(depth)} = ${words}`);
      const section = this.sections.find((one) => same(one.path, above));
      if (section && depth) return this.#intoSection(section, rest(depth), words);
      const dotted = this.entries.filter((entry) => entry.inside === "section" && begins(entry.path, above)
        && begins(above, entry.section)).at(-1);
      if (dotted && depth > dotted.section.length) {
        const at = this.#lineEnd(dotted.node.range[1]);
        return this.#changed([{ from: at, to: at, text: this.#ownLine(at, `${rest(dotted.section.length)} = ${words}`) }]);
      }
      const implicit = this.sections.some((one) => one.path.length > depth && begins(one.path, above));
      if (implicit && depth) {
        const gap = this.text.endsWith("\n") ? "\n" : "\n\n";
        const head = `[${above.map(written).join(".")}]\n${rest(depth)} = ${words}\n`;
        return this.#changed([{ from: this.text.length, to: this.text.length, text: gap + head }]);
      }
    }
    return this.#intoSection(this.sections[0], path.map(written).join("."), words);
  }

  /** @param {any} table @param {string} text */
  #intoInline(table, text) {
    const last = table.body.at(-1);
    if (last) return this.#changed([{ from: last.range[1], to: last.range[1], text: `, ${text}` }]);
    return this.#changed([{ from: table.range[0], to: table.range[1], text: `{ ${text} }` }]);
  }

  /** @param {Section} section @param {string} key @param {string} words */
  #intoSection(section, key, words) {
    const first = section.node.body.find((/** @type {any} */ node) => node.type === "TOMLKeyValue");
    // Keys are written in a column, if those beside them are.
    const gap = first ? this.text.slice(first.key.range[0], first.value.range[0]).indexOf("=") : 0;
    const line = `${key.padEnd(Math.max(gap - 1, 0))} = ${words}`;
    if (!section.path.length && !first) return this.#changed([{ from: 0, to: 0, text: `${line}\n` }]);
    const at = this.#lineEnd(section.end);
    return this.#changed([{ from: at, to: at, text: this.#ownLine(at, line) }]);
  }

  /** @param {number} at @param {string} line */
  #ownLine(at, line) {
    return at && this.text[at - 1] !== "\n" ? `\n${line}` : `${line}\n`;
  }

  /** Behind the end of the line of this place. @param {number} at */
  #lineEnd(at) {
    const end = this.text.indexOf("\n", at);
    return end < 0 ? this.text.length : end + 1;
  }

  /** @param {any} node @returns {Edit} */
  #line(node) {
    const from = this.text.lastIndexOf("\n", node.range[0] - 1) + 1;
    return { from, to: this.#lineEnd(node.range[1]), text: "" };
  }

  /** An element of an inline table or an array, and one comma. @param {Entry} entry @returns {Edit} */
  #between(entry) {
    const list = entry.parent.body ?? entry.parent.elements;
    const i = list.findIndex((/** @type {any} */ one) => one.range[0] === entry.node.range[0]);
    if (i > 0) return { from: list[i - 1].range[1], to: entry.node.range[1], text: "" };
    if (list.length > 1) return { from: entry.node.range[0], to: list[1].range[0], text: "" };
    return { from: entry.parent.range[0] + 1, to: entry.parent.range[1] - 1, text: "" };
  }

  /** A section, without comments that belong to the next. @param {Section} section @returns {Edit} */
  #whole(section) {
    let to = this.#lineEnd(section.end);
    while (this.text[to] === "\n") to++;
    return { from: section.node.range[0], to, text: "" };
  }

  /** @param {Edit[]} edits */
  #changed(edits) {
    let text = this.text;
    for (const edit of [...edits].sort((a, b) => b.from - a.from)) {
      text = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
    }
    return new Document(text);
  }
}
