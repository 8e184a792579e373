// Changes of single values in a TOML text: what is said changes, and nothing else does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Document, literal } from "../src/scenario/document.js";

const TEXT = `# A path
duration = "60 s" # long

[dumbbell]
# the links
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "10 Mb/s", loss = { bernoulli = 0.02 } } # lossy
reverse.rate = "1 Mb/s"

[[flow]]
name    = "a" # first
control = "reno"

# the second
[[flow]]
control = { name = "veno", beta = 3 }

[flow.access]
rate = "1 Mb/s"
`;

const changed = (path, value) => new Document(TEXT).set(path, value);

test("a value changes, and all other bytes stay", () => {
  const after = changed(["dumbbell", "bottleneck", "loss", "bernoulli"], 0.1);
  assert.equal(after.text, TEXT.replace("0.02", "0.1"));
  assert.equal(changed(["duration"], "5 s").text, TEXT.replace('"60 s"', '"5 s"'));
  assert.equal(changed(["flow", 1, "control", "beta"], 4).text, TEXT.replace("beta = 3", "beta = 4"));
});

test("a key that is missing is put beside its kin", () => {
  assert.match(changed(["dumbbell", "bottleneck", "delay"], "5 ms").text, /\{ bernoulli = 0\.02 \}, delay = "5 ms" \} # lossy/);
  assert.match(changed(["flow", 0, "recovery"], "sack").text, /control = "reno"\nrecovery = "sack"\n\n# the second/);
  assert.match(changed(["seed"], 7).text, /# long\nseed     = 7\n/);
  assert.match(changed(["dumbbell", "reverse", "delay"], "1 ms").text, /reverse\.rate = "1 Mb\/s"\nreverse\.delay = "1 ms"\n/);
  assert.match(changed(["flow", 1, "access", "delay"], "1 ms").text, /rate = "1 Mb\/s"\ndelay = "1 ms"\n$/);
  const added = changed(["tcp", "payload"], "500 B");
  assert.deepEqual(added.value.tcp, { payload: "500 B" });
});

test("each inserted value reads back, in every kind of place", () => {
  const paths = [["a"], ["a", "b", "c"], ["dumbbell", "aqt"], ["dumbbell", "bottleneck", "queue", "droptail"], ["flow", 1, "name"],
    ["flow", 1, "access", "loss", "bernoulli"], ["dumbbell", "reverse", "queue"], ["flow", 0, "access", "delay"]];
  for (const path of paths) {
    const after = changed(path, "x");
    assert.equal(after.mistake, null, `${path}: ${after.mistake?.message}`);
    assert.equal(after.get(path), "x", String(path));
    for (const comment of TEXT.match(/#.*/g)) assert.ok(after.text.includes(comment), `${path}: ${comment} is gone`);
  }
});

test("a value is removed with its comma or its line", () => {
  assert.match(new Document(TEXT).remove(["dumbbell", "access", "rate"]).text, /access     = \{ delay = "10 ms" \}/);
  assert.match(new Document(TEXT).remove(["dumbbell", "bottleneck", "loss"]).text, /\{ rate = "10 Mb\/s" \} # lossy/);
  assert.doesNotMatch(new Document(TEXT).remove(["flow", 0, "name"]).text, /first/);
  const single = new Document(TEXT).remove(["flow", 1]);
  assert.equal(single.value.flow.length, 1);
  assert.doesNotMatch(single.text, /flow\.access/);
  const second = new Document(TEXT).remove(["flow", 0]);
  assert.deepEqual(second.value.flow, [{ control: { name: "veno", beta: 3 }, access: { rate: "1 Mb/s" } }]);
  assert.match(second.text, /# the second\n\[\[flow\]\]/);
});

test("a table that has a section of its own is replaced by a value", () => {
  const after = changed(["flow", 1, "access"], { delay: "1 ms" });
  assert.deepEqual(after.value.flow[1].access, { delay: "1 ms" });
});

test("flows are appended behind flows", () => {
  const after = new Document(`${TEXT}\n[probe]\ninterval = "1 s"\n`).append("flow", { control: "cubic" });
  assert.equal(after.value.flow.length, 3);
  assert.deepEqual(after.value.probe, { interval: "1 s" });
  assert.ok(after.text.indexOf("cubic") < after.text.indexOf("[probe]"));
  assert.equal(new Document('flow = [{ control = "reno" }]\n').append("flow", { control: "veno" }).value.flow.length, 2);
});

test("a text that is no TOML has a mistake with its place", () => {
  const wrong = new Document('a = 1\nb = "x\n');
  assert.equal(wrong.mistake?.line, 2);
  for (const after of [wrong.set(["a"], 2), wrong.remove(["a"]), wrong.append("flow", { a: 1 })]) assert.equal(after.text, wrong.text);
  assert.ok(new Document("a".repeat(300_000)).mistake);
});

test("literals read back as they were", () => {
  for (const value of [1, 0.02, 1e-9, 1e22, "a\"b\\\n\u007f", true, [1, "x"], { a: { "b c": 1 } }, {}]) {
    assert.deepEqual(new Document(`x = ${literal(value)}`).value.x, value);
  }
});
