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

const reno = `
function onAck(state) {
  state.cwnd += state.cwnd < state.ssthresh ? 1 : 1 / state.cwnd;
}
function onLoss(state) {
  state.ssthresh = Math.max(2, state.cwnd / 2);
  state.cwnd = state.ssthresh;
}
function onTimeout(state) {
  state.ssthresh = Math.max(2, state.cwnd / 2);
  state.cwnd = 1;
}`;
const beside = toml({ control: "own", more: '[[flow]]\ncontrol = "reno"' });

test("a control of the user's runs beside a built-in one, the same every time", async () => {
  const [first, second] = [await engine.own({ code: reno, toml: beside }), await engine.own({ code: reno, toml: beside })];
  assert.equal(first.outcomeText, second.outcomeText);
  const [own, builtin] = first.outcome.flows;
  assert.deepEqual([own.control, builtin.control], ["own", "reno"]);
  assert.ok(own.goodput_bps > 3e5 && builtin.goodput_bps > 3e5);
  assert.ok(first.cuts.some(({ flow, rule }) => flow === 0 && rule === "your onLoss"));
});

test("the same rules in JavaScript make the same flow as in Rust", async () => {
  for (const seed of [1, 2, 3]) {
    const own = await engine.own({ code: reno, toml: toml({ control: "own" }), seed });
    const builtin = await engine.run(toml({ control: "reno" }), { seed });
    const [one, other] = [own, builtin].map(({ outcome }) => outcome.flows[0]);
    assert.equal(one.goodput_bps, other.goodput_bps);
    assert.equal(one.retransmits, other.retransmits);
  }
});

const refused = (code, check, more = {}) => assert.rejects(engine.own({ code, toml: beside, ...more }), check);

test("a mistake in the user's code is a message with its line, and the engine goes on", async () => {
  await refused("\n\nfunction onAck() {\n  throw new TypeError('so it is');\n}", ({ message, line }) =>
    line === 4 && /line 4 of your code: TypeError: so it is/.test(message));
  await refused("function onAck(state) {\n  state.cwnd = Math.random();\n}", ({ message }) => /no Math.random/.test(message));
  await refused("function onAck(state) {\n  state.cwnd = 0 / 0;\n}", ({ message }) => /state.cwnd is NaN after onAck/.test(message));
  await refused("function onAck(state) {\n  state.cwnd = 1e9;\n}", ({ message }) => /state.cwnd is 1000000000 after onAck/.test(message));
  await refused("function onAck(state) {\n  state.cwnd = 'a';\n}", ({ message }) => /state.cwnd is no number after onAck/.test(message));
  await refused("function onAck(state) {\n  const x = ;\n}", ({ line }) => line === 2);
  await refused("function onAck(state) {\n", ({ message }) => /ends too early/.test(message));
  await refused("function onAck(state) {\n  nothing();\n}", ({ message, line }) => line === 2 && /nothing is not defined/.test(message));
  assert.equal((await engine.run(toml())).outcome.seed, 1);
});

test("a loop without end and endless memory end the worker, not the engine", async () => {
  await refused("function onLoss() { for (;;); }", ({ late, message }) => late && /loop without an end/.test(message), { limit: 1 });
  await refused("for (;;);", ({ late }) => late, { limit: 1 });
  await refused("const all = []; function onAck() { for (;;) all.push(new Array(1e6).fill(1.5)); }", ({ message }) => message.length > 10, { limit: 10 });
  await refused("function onAck() { new ArrayBuffer(1e15); }", ({ message }) => /RangeError/.test(message));
  assert.ok((await engine.own({ code: reno, toml: beside })).outcome.flows.length === 2);
});

test("the user's code has no network, no clock and no way to the page", async () => {
  const names = ["fetch", "XMLHttpRequest", "WebSocket", "importScripts", "postMessage", "Date", "performance", "setTimeout", "navigator", "Worker", "WebAssembly"];
  const code = `${names.map((name) => `if (typeof ${name} !== "undefined") throw new Error("${name} is there");`).join("\n")}\n${reno}`;
  assert.ok((await engine.own({ code, toml: beside })).outcome.flows.length === 2);
});

test("without its code, the control says what is missing", async () => {
  await assert.rejects(engine.run(beside), ({ message }) => /own/.test(message));
});

test("a film shows each packet on each link, and agrees with the losses of the run", async () => {
  const text = toml({ duration: "4 s", loss: 0.02 });
  const film = await engine.film(text, { seed: 3, from: 0, to: 4 });
  const { hops } = film;
  const { losses, outcome } = await engine.run(text, { seed: 3 });
  const of = (fate, link) => hops.packet.reduce((sum, _, i) => sum + (hops.fate[i] === fate && film.links[hops.link[i]].name === link ? 1 : 0), 0);
  const lost = losses.random.filter((random, i) => random === 1 && losses.names[losses.link[i]] === "bottleneck").length;
  assert.ok(lost > 10, `${lost}`);
  assert.equal(lost, outcome.flows[0].lost);
  assert.equal(of(2, "bottleneck"), lost);
  assert.equal(of(1, "bottleneck"), losses.random.filter((random) => random === 0).length);
  // A packet starts when it is at the head of the queue, takes its size over the rate, and then the delay.
  const seen = new Map();
  hops.packet.forEach((packet, i) => {
    assert.ok(hops.enqueue[i] >= (seen.get(packet) ?? 0), `${packet}`);
    seen.set(packet, hops.arrive[i]);
    if (hops.fate[i] !== 0) return;
    assert.ok(hops.start[i] >= hops.enqueue[i] - 1e-12);
    if (film.links[hops.link[i]].name !== "bottleneck") return;
    assert.ok(Math.abs(hops.depart[i] - hops.start[i] - (hops.bytes[i] * 8) / 10e6) < 2e-9);
    assert.ok(Math.abs(hops.arrive[i] - hops.depart[i] - 0.02) < 2e-9);
  });
  const part = await engine.film(text, { seed: 3, from: 1, to: 1.5 });
  const inside = hops.enqueue.filter((at) => at >= 1 && at <= 1.5).length;
  assert.equal(part.hops.packet.length, inside);
});
