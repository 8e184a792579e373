// Where a scenario says what the page's controls change: the link, its loss, its flows. Paths are those of `--set`.

/** @typedef {import("./document.js").Document} Document */
/** @typedef {import("./document.js").Path} Path */

/** The links between routers: their paths, and names for people. @param {any} value @returns {{ name: string, path: Path }[]} */
export function links(value) {
  if (value.dumbbell) return [{ name: "bottleneck", path: ["dumbbell", "bottleneck"] }];
  const lot = value.parking_lot;
  if (lot) {
    if (!Array.isArray(lot.hops)) return [{ name: "every hop", path: ["parking_lot", "bottleneck"] }];
    return lot.hops.map((/** @type {any} */ _, /** @type {number} */ i) => ({ name: `hop ${i + 1}`, path: ["parking_lot", "hops", i] }));
  }
  const list = Array.isArray(value.graph?.link) ? value.graph.link : [];
  return list.map((/** @type {any} */ link, /** @type {number} */ i) => ({
    name: String(link?.name ?? `${link?.from}-${link?.to}`), path: ["graph", "link", i],
  }));
}

/** Where the loss that the page's slider sets is: at the link, or at the receivers' links if only these have one.
 * @param {any} value @param {Path} link @returns {Path} */
export function lossPath(value, link) {
  const at = (/** @type {Path} */ path) => path.reduce((part, key) => (part && typeof part === "object" ? part[key] : undefined), value);
  const own = at([...link, "loss"]);
  if (own === undefined || own === "none") {
    const receivers = [[link[0], "access", "receiver", "loss"], [link[0], "access", "loss"]];
    const other = receivers.find((path) => typeof at(path) === "object");
    if (other) return other;
  }
  return [...link, "loss"];
}

/** The words of a path as `--set` takes it. @param {string} text @returns {string[]} */
export function words(text) {
  /** @type {string[]} */
  const parts = [];
  for (const [, quoted, plain] of text.matchAll(/(?:^|\.)(?:"((?:[^"\\]|\\.)*)"|([^."]+))/g)) parts.push(quoted ?? plain);
  return parts;
}

/** The paths in a file that a path of `--set` names. @param {any} value @param {string} text @returns {Path[]} */
export function resolve(value, text) {
  const [head, ...rest] = words(text);
  const topology = value.parking_lot ? "parking_lot" : "dumbbell";
  if (head === "bottleneck" || head === "access" || head === "reverse") return [[topology, head, ...rest]];
  const hop = /^hop([1-9][0-9]*)$/.exec(head ?? "");
  if (hop) return [["parking_lot", "hops", Number(hop[1]) - 1, ...rest]];
  if (head === "link") {
    const i = links(value).findIndex((link) => link.name === rest[0]);
    if (i < 0) throw new Error(`there is no link \`${rest[0]}\``);
    return [["graph", "link", i, ...rest.slice(1)]];
  }
  if (head === "flow") return flowPaths(value, rest);
  return [[head, ...rest]];
}

/** @param {any} value @param {string[]} rest @returns {Path[]} */
function flowPaths(value, rest) {
  const flows = Array.isArray(value.flow) ? value.flow : [];
  const [which, ...keys] = rest;
  if (which === "*") return flows.map((/** @type {any} */ _, /** @type {number} */ i) => ["flow", i, ...keys]);
  if (which === "tcp") {
    return flows.flatMap((/** @type {any} */ flow, /** @type {number} */ i) => (isTcp(flow) ? [["flow", i, ...keys]] : []));
  }
  if (/^[0-9]+$/.test(which ?? "") && Number(which) < flows.length) return [["flow", Number(which), ...keys]];
  const i = flows.findIndex((/** @type {any} */ flow) => flowName(flow) === which);
  if (i >= 0 && keys.length) return [["flow", i, ...keys]];
  if (flows.length === 1) return [["flow", 0, ...rest]];
  throw new Error(`there is no flow \`${which}\``);
}

/** Whether a flow is TCP or QUIC, and not media or datagrams. @param {any} flow */
export const isTcp = (flow) => Boolean(flow) && flow.rate_control === undefined && (flow.source === undefined || flow.control !== undefined);

/** The name of a flow, as far as the file has one. @param {any} flow */
export const flowName = (flow) => String(flow?.name ?? controlName(flow?.control) ?? controlName(flow?.rate_control) ?? Object.keys(flow?.source ?? {})[0] ?? "");

/** The name of a control that is given as a name or as a table. @param {any} control @returns {string | undefined} */
export const controlName = (control) => (typeof control === "string" ? control : control?.name);

/** A text with the values at these paths of `--set`. @param {Document} document @param {Record<string, unknown>} values */
export function setAll(document, values) {
  for (const [text, value] of Object.entries(values)) {
    for (const path of resolve(document.value, text)) document = setOne(document, path, value);
  }
  return document;
}

/** Sets one value. A sort of loss, queue or source replaces another sort; a parameter makes a table of a name.
 * @param {Document} document @param {Path} path @param {unknown} value */
export function setOne(document, path, value) {
  if (value === undefined) return document.get(path) === undefined ? document : document.remove(path);
  const above = path.slice(0, -1);
  const kind = above.at(-1);
  const there = document.get(above);
  if ((kind === "control" || kind === "rate_control") && typeof there !== "object") {
    const inherited = there ?? document.get(["tcp", "control"]);
    return document.set(above, { name: controlName(inherited), [String(path.at(-1))]: value });
  }
  if ((kind === "loss" || kind === "queue" || kind === "source") && document.get(path) === undefined) {
    const kept = kind === "loss" && there?.on ? { on: there.on } : {};
    return document.set(above, { [String(path.at(-1))]: value, ...kept });
  }
  return document.set(path, value);
}
