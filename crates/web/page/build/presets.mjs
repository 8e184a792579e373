// The papers' figures as presets: each is a scenario, its series, and the value that its x axis varies. They are read from the
// very files that `dumbbell reproduce` runs.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { ROOT } from "./fingerprint.mjs";

const PAPERS = join(ROOT, "crates/papers/src");
/** Larger scenarios would make the page long to load, and long to run. */
const LONGEST = 12_000;

const toml = (/** @type {string} */ path) => /** @type {any} */ (getStaticTOMLValue(parseTOML(readFileSync(path, "utf8"), { tomlVersion: "1.0" })));
/** Whether a scenario reads a file, which a page cannot. @param {any} value @returns {boolean} */
const readsFile = (value) => value !== null && typeof value === "object" && Object.entries(value).some(([key, part]) => (key === "trace" && typeof part === "string") || readsFile(part));

export function presets() {
  const papers = readdirSync(PAPERS, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  return papers.flatMap((name) => {
    const folder = join(PAPERS, name);
    /** @type {any} */
    let paper;
    try {
      paper = toml(join(folder, "paper.toml"));
    } catch {
      return [];
    }
    const figures = Object.entries(paper.figure ?? {}).flatMap(([figure, scenario]) => one(folder, paper, figure, String(scenario)));
    return figures.length ? [{ id: name, title: paper.title, citation: paper.citation, study: Boolean(paper.study), figures }] : [];
  }).sort((a, b) => Number(a.study) - Number(b.study));
}

/** @param {string} folder @param {any} paper @param {string} figure @param {string} scenario */
function one(folder, paper, figure, scenario) {
  const text = readFileSync(join(folder, `${scenario}.scenario.toml`), "utf8");
  const about = toml(join(folder, `${figure}.toml`));
  if (text.length > LONGEST || readsFile(toml(join(folder, `${scenario}.scenario.toml`)))) return [];
  const series = (about.series ?? []).map((/** @type {any} */ entry) => (typeof entry === "string" ? { name: entry, set: paper.protocol?.[entry] ?? {} } : { name: entry.name, set: entry.set ?? {} }));
  const variants = series.filter((/** @type {any} */ entry, /** @type {number} */ i) =>
    series.findIndex((/** @type {any} */ other) => JSON.stringify(other.set) === JSON.stringify(entry.set)) === i);
  const x = about.x && typeof about.x.key === "string" ? { label: about.x.label, key: about.x.key, values: about.x.values } : null;
  return [{ id: figure, title: about.title, source: about.source, about: about.about ?? "", scenario: text, variants, x }];
}
