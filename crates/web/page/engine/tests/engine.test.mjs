// node --test: the engine under Node, with the module whose path is in LAB_WASM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { install } from "./browser.mjs";
import { Engine } from "../engine.js";

install();
const file = (name) => readFileSync(new URL(name, import.meta.url));
const wasm = readFileSync(process.env.LAB_WASM);
const workerSource = file("../worker.js").toString();
const toml = ({ duration = "20 s", control = "veno", loss = 0.02, more = "" } = {}) => `
duration = "${duration}"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "10 Mb/s", delay = "20 ms", queue = { droptail = 50 }, loss = { bernoulli = ${loss} } }
[[flow]]
control = "${control}"
${more}
`;

let engine;
before(() => {
  engine = new Engine({ wasm, workerSource, workers: 2 });
});
after(() => engine.dispose());

test("the catalogue has controls with parameters, and the schema", async () => {
  const { sections, schema } = await engine.catalogue();
  const controls = sections.find(({ sort }) => sort === "control").entries;
  const veno = controls.find(({ name }) => name === "veno");
  assert.ok(veno.parameters.some(({ name, range }) => name === "beta" && range.includes("segments")));
  assert.ok(schema.properties.duration);
});

test("a mistake has its place, and a model its defaults", async () => {
  const wrong = await engine.check(toml({ control: "vneo" }));
  assert.equal(wrong.ok, false);
  assert.equal(wrong.model, null);
  const [mistake] = wrong.errors;
  assert.deepEqual([mistake.line, mistake.column, mistake.length], [7, 11, 6]);
  assert.match(mistake.help, /veno/);
  const right = await engine.check(toml());
  assert.equal(right.ok, true);
  assert.equal(right.document.flow[0].control, "veno");
  assert.equal(right.model.seed, 1);
  assert.deepEqual(right.flows, ["veno"]);
});

test("a run has curves and explained cuts that agree with its outcome", async () => {
  const result = await engine.run(toml(), { seed: 7 });
  const [flow] = result.flows;
  assert.equal(result.outcome.seed, 7);
  assert.equal(result.time.length, flow.cwnd.length);
  assert.ok(result.time.length > 2900 && result.time.length <= 3001, `${result.time.length}`);
  const step = result.time[1];
  const goodput = flow.goodput.slice(1).reduce((sum, rate) => sum + rate * step, 0) / 20;
  assert.ok(Math.abs(goodput / result.outcome.flows[0].goodput_bps - 1) < 0.02, `${goodput}`);
  assert.ok(result.cuts.length > 10);
  const cut = result.cuts.find(({ rule }) => rule === "random loss");
  assert.ok(cut.after < cut.before && cut.source.length > 5 && cut.sentence.includes("random loss"));
  const [link] = result.links;
  assert.deepEqual([link.name, link.capacity], ["bottleneck", 50]);
  assert.ok(Math.max(...link.queue) <= 50);
});

test("a later call takes the place of an earlier one", async () => {
  const calls = [1, 2, 3, 4].map((seed) => engine.run(toml(), { seed, superseded: "a" }));
  const ends = await Promise.allSettled(calls);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ["rejected", "rejected", "rejected", "fulfilled"],
  );
  assert.ok(ends.slice(0, 3).every(({ reason }) => reason.superseded));
  assert.equal(ends[3].value.outcome.seed, 4);
});

test("many runs come in parts and in order", async () => {
  const variants = ["reno", "veno"].map((control) => toml({ control, duration: "5 s" }));
  const parts = [];
  const outcomes = await engine.many({ variants, seeds: [1, 2, 3] }, (part) => parts.push(part));
  assert.equal(parts.length, 6);
  assert.equal(parts.at(-1).done, 6);
  assert.deepEqual(outcomes.map((of) => of.map(({ seed }) => seed)), [[1, 2, 3], [1, 2, 3]]);
  assert.equal(outcomes[1][0].flows[0].control, "veno");
});

test("many runs can be cancelled", async () => {
  const stop = new AbortController();
  const all = engine.many({ variants: [toml()], seeds: [...Array(50).keys()], signal: stop.signal }, () => stop.abort());
  await assert.rejects(all, ({ superseded }) => superseded);
  assert.equal((await engine.run(toml())).outcome.seed, 1);
});

test("mistakes reject a run with their places, and a long run ends at its limit", async () => {
  await assert.rejects(engine.run("duration = 3"), ({ errors }) => errors.length > 0 && errors[0].line === 1);
  const long = toml({ duration: "720 h", loss: 0 });
  await assert.rejects(engine.run(long, { limit: 0.5 }), ({ late, message }) => late && /longer than 0.5 s/.test(message));
  assert.equal((await engine.run(toml())).outcome.seed, 1);
});
