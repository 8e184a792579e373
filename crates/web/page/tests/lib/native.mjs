// The command, whose numbers the page must have.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../build/fingerprint.mjs";

const command = [process.env.DUMBBELL, join(ROOT, "target/release/dumbbell"), join(ROOT, "target/debug/dumbbell")].find((name) => name && existsSync(name));
if (!command) throw new Error("there is no command to compare with: cargo build, or set DUMBBELL to its path");

/** What the command makes of a scenario: its lines of JSON, and its samples if asked. @param {string} toml @param {string[]} options @param {boolean} [samples] */
export function run(toml, options = [], samples = false) {
  const folder = mkdtempSync(join(tmpdir(), "lab-"));
  try {
    const file = join(folder, "scenario.toml");
    writeFileSync(file, toml);
    const out = join(folder, "samples.json");
    const text = execFileSync(command, ["run", file, "--json", ...options, ...(samples ? ["--samples", out] : [])], { encoding: "utf8", maxBuffer: 1 << 28 });
    return { outcomes: text.trim().split("\n").map((line) => JSON.parse(line)), samples: samples ? JSON.parse(readFileSync(out, "utf8")) : [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
