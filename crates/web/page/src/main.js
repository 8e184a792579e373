// Starts the page.

import { apart, Engine } from "lab-engine";
import { Lab } from "./lab.js";
import { fragment, readFragment } from "./share.js";
import { byId, h, note } from "./ui/dom.js";
import { compare } from "./ui/compare.js";
import { curves } from "./ui/curves.js";
import { drawing } from "./ui/drawing.js";
import { exporting } from "./ui/exporting.js";
import { figures } from "./ui/figures.js";
import { flows } from "./ui/flows.js";
import { own } from "./ui/own.js";
import { path } from "./ui/path.js";
import { tabs } from "./ui/tabs.js";
import { text } from "./ui/text.js";
import { theme } from "./ui/theme.js";
import { tours } from "./ui/tours.js";
import { verdict } from "./ui/verdict.js";
import { bytesOfSigns } from "./signs.js";

/** How long the page waits after a change before the address says so: addresses are for people, not for every movement. */
const WAIT = 400;
/** How often, and for how many milliseconds at most, the first run is repeated when the page has nothing to do. */
const WARM = { times: 24, most: 1000 };

async function start() {
  performance.mark("begin");
  const packed = new Blob([bytesOfSigns(byId("wasm").textContent ?? "")]);
  byId("wasm").remove();
  const engine = new Engine({
    wasm: await WebAssembly.compileStreaming(unpacked(packed)), workerSource: JSON.parse(byId("worker").textContent),
    apart: { begin: apart(byId("frame").textContent ?? ""), wasm: () => unpacked(packed).arrayBuffer() },
  });
  performance.mark("compiled");
  const { state, problem } = readFragment(location.hash);
  const given = location.hash.length < 2 ? beginning() : {};
  if (typeof given.toml === "string") state.toml = given.toml;
  // The first run and the catalogue are made at the same time, by two workers.
  const early = engine.run(state.toml, { seed: state.seed });
  early.catch(() => {});
  const lab = new Lab(engine, await engine.catalogue(), state);
  lab.early = { toml: state.toml, seed: state.seed, result: early };
  /** @type {any} */ (globalThis).dumbbell = lab;
  performance.mark("catalogue");
  theme(lab);
  verdict(lab);
  path(lab);
  flows(lab);
  text(lab);
  curves(lab);
  drawing(lab);
  compare(lab);
  own(lab);
  tabs(lab);
  const figure = figures(lab, JSON.parse(byId("presets").textContent));
  tours(lab, JSON.parse(byId("tours").textContent));
  exporting(lab);
  address(lab);
  byId("made").textContent = `Simulated in your browser by Dumbbell ${lab.catalogue.version}: the same engine and the same numbers as the command. Nothing leaves this page.`;
  if (problem) note(problem);
  performance.mark("controls");
  const ready = () => {
    byId("lab").setAttribute("data-ready", "");
    performance.mark("run");
  };
  lab.on("mistakes", () => lab.mistakes.length && ready());
  lab.first = () => {
    lab.first = null;
    ready();
    (globalThis.requestIdleCallback ?? setTimeout)(() => warm(lab));
  };
  if (typeof given.preset !== "string" || !figure(given.preset)) lab.run();
}

/**
 * Runs the scenario again for nothing: browsers compile a module's functions well only after they have run often, and the
 * first movement of a slider would be several times slower than the later ones. It ends as soon as somebody does something.
 * @param {Lab} lab
 */
async function warm(lab) {
  const { toml, seed } = lab.state;
  const until = performance.now() + WARM.most;
  const goesOn = () => performance.now() + lab.timing.engine < until && lab.state.toml === toml && !lab.running;
  for (let i = 0; i < WARM.times && goesOn(); i++) await lab.engine.run(toml, { seed }).catch(() => {});
}

/** What `dumbbell lab` was told to begin with: a scenario's text, or the name of a figure. */
function beginning() {
  try {
    return JSON.parse(byId("start")?.textContent ?? "{}");
  } catch {
    return {};
  }
}

/** The module, which stands in the page as packed text: it is unpacked while it is read. @param {Blob} packed */
const unpacked = (packed) => new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")), { headers: { "content-type": "application/wasm" } });

/** Keeps the address and the state alike. @param {Lab} lab */
function address(lab) {
  /** @type {any} */
  let timer = 0;
  let written = location.hash;
  const write = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = fragment(lab.state);
      history.replaceState(null, "", written);
    }, WAIT);
  };
  for (const topic of /** @type {import("./lab.js").Topic[]} */ (["text", "view", "variants"])) lab.on(topic, write);
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    const { state, problem } = readFragment(location.hash);
    if (problem) note(problem);
    lab.preset = null;
    lab.restore(state);
  });
  byId("home").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    lab.preset = null;
    lab.restore(readFragment("").state);
  });
}

start().catch((wrong) => {
  byId("lab").setAttribute("data-ready", "");
  byId("headline").textContent = "The lab does not work in this browser";
  byId("verdict").replaceChildren(h("p", {}, `It needs WebAssembly and workers. ${wrong.message}`));
});
