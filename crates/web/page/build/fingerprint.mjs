// The fingerprint of what the page is made of: a page whose own fingerprint is another one is stale.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const PAGE = join(dirname(fileURLToPath(import.meta.url)), "..");
export const ROOT = join(PAGE, "../../..");

/** What makes the page itself. */
const OWN = ["src", "build", "tours", "engine", "build.mjs", "package.json", "package-lock.json"];
/** What makes the simulator: the crate `web` and all crates of the project that it needs. @param {string} name @param {Set<string>} found */
function crates(name = "web", found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = readFileSync(join(ROOT, "crates", name, "Cargo.toml"), "utf8");
  const needs = /^\[dependencies\]\n([^[]*)/m.exec(manifest)?.[1] ?? "";
  for (const [, needed] of needs.matchAll(/^dumbbell-([a-z0-9-]+)/gm)) crates(needed, found);
  return found;
}

/** @param {string} path @returns {string[]} */
function files(path) {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const below = join(path, entry.name);
      if (entry.isDirectory()) return ["node_modules", "tests", "dist", "benches", "examples", "page"].includes(entry.name) ? [] : files(below);
      return [below];
    });
  } catch (wrong) {
    if (/** @type {any} */ (wrong).code === "ENOTDIR") return [path];
    throw wrong;
  }
}

/** @param {string[]} list @returns {string} */
function hash(list) {
  const sum = createHash("sha256");
  const named = list.map((path) => [relative(ROOT, path).replaceAll("\\", "/"), path]).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  for (const [name, path] of named) {
    const bytes = readFileSync(path);
    sum.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return sum.digest("hex").slice(0, 32);
}

/** Of the page and its presets, and of the simulator. */
export function fingerprint() {
  const page = [...OWN.map((name) => join(PAGE, name)), join(ROOT, "crates/papers/src")].flatMap(files);
  const engine = [...[...crates()].flatMap((name) => [join(ROOT, "crates", name, "src"), join(ROOT, "crates", name, "Cargo.toml")]), join(ROOT, "Cargo.toml"),
    join(ROOT, "Cargo.lock"), join(ROOT, "rust-toolchain.toml")].flatMap((path) => {
    try {
      return files(path);
    } catch (wrong) {
      if (/** @type {any} */ (wrong).code === "ENOENT") return [];
      throw wrong;
    }
  });
  return `page ${hash(page.filter((path) => !path.endsWith(".md")))} engine ${hash(engine)}`;
}
