// node measure.mjs MODULE.wasm NATIVE [RUNS]: how long a slider's movement takes until its data is there, and how that
// compares with a native run. NATIVE is the example of that name, built with the profile `web`.
// The shortest and the middle one of 20 runs count: other programs of the machine only add time. The ratio is one of mean
// processor times, here with what the page's thread does to read the answer.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "./engine.js";
import { install } from "./tests/browser.mjs";

const path = (duration, rate, flows) => `
duration = "${duration} s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "${rate} Mb/s", delay = "20 ms", queue = { droptail = 50 }, loss = { bernoulli = 0.005 } }
${flows.map((control) => `[[flow]]\ncontrol = "${control}"\n`).join("")}`;
const cases = [
  ["four flows, 60 s, 10 Mb/s", 50, path(60, 10, ["veno", "reno", "cubic", "venodb"])],
  ["one flow, 60 s, 10 Mb/s", 30, path(60, 10, ["veno"])],
  ["one flow, 100 s, 2 Mb/s", 16, path(100, 2, ["veno"])],
];
const TIMES = 20;
const [, , module, native, runs] = process.argv;
/** Runs before those that count: the first ones are compiled on the way. */
const WARM = Number(runs ?? 10);

const folder = mkdtempSync(join(tmpdir(), "lab-"));
const files = cases.map(([, , toml], i) => {
  const file = join(folder, `${i}.toml`);
  writeFileSync(file, toml);
  return file;
});
const lines = execFileSync(native, files, { encoding: "utf8" }).trim().split("\n");
rmSync(folder, { recursive: true });

install();
const workerSource = readFileSync(new URL("worker.js", import.meta.url), "utf8");
const engine = new Engine({ wasm: readFileSync(module), workerSource, workers: 1 });
let missed = 0;
for (const [i, [name, most, toml]] of cases.entries()) {
  const [plain, watched] = lines[i].split(" ").map(Number);
  const chain = [];
  const inside = [];
  for (let n = 0; n < WARM; n += 1) await engine.run(toml);
  const before = process.cpuUsage();
  for (let n = 0; n < TIMES; n += 1) {
    const begin = performance.now();
    const { milliseconds } = await engine.run(toml);
    chain.push(performance.now() - begin);
    inside.push(milliseconds);
  }
  const { user, system } = process.cpuUsage(before);
  const busy = (user + system) / 1000 / TIMES;
  const [least, middle] = [0, TIMES / 2].map((place) => chain.toSorted((a, b) => a - b)[place]);
  const ratio = busy / watched;
  const kept = least <= most && ratio <= 2.5;
  missed += kept ? 0 : 1;
  console.log(
    `${name}: ${least.toFixed(1)} ms (middle ${middle.toFixed(1)}) until the data is there, at most ${most}; ` +
      `in the worker ${Math.min(...inside).toFixed(1)} ms; processor ${busy.toFixed(1)} ms, ${ratio.toFixed(2)} times the native ${watched.toFixed(1)} ms ` +
      `(outcome alone ${plain.toFixed(1)} ms)${kept ? "" : "  MISSED"}`,
  );
}
engine.dispose();
process.exitCode = missed ? 1 : 0;
