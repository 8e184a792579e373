// Fragments: a state comes back as it was, and what is none is refused without harm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync, strToU8 } from "fflate";
import { begin } from "../src/lab.js";
import { fragment, readFragment } from "../src/share.js";

const packed = (value) => `#1.${Buffer.from(deflateSync(strToU8(typeof value === "string" ? value : JSON.stringify(value)))).toString("base64url")}`;

test("a state comes back from its fragment", () => {
  const state = { ...begin(), toml: 'duration = "1 s" # ä€😀\n', seed: 7, view: "compare", seeds: 3, variants: [{ name: "x", set: { "flow.0.control": { name: "veno", beta: 4 }, a: ["1 s", 2, true] } }] };
  assert.deepEqual(readFragment(fragment(state)), { state, problem: null });
});

test("no fragment is the page as it begins", () => {
  for (const text of ["", "#", "#lab"]) assert.deepEqual(readFragment(text), { state: begin(), problem: null });
});

test("what is no state is refused, with a message", () => {
  const good = begin();
  const wrong = ["#1.", "#1.@@", "#2.abc", "#<script>alert(1)</script>", "#javascript:alert(1)", packed("x"), packed("null"), packed([]), packed({}),
    packed({ ...good, toml: 5 }), packed({ ...good, toml: "a".repeat(300_000) }), packed({ ...good, seed: -1 }), packed({ ...good, seed: 1.5 }),
    packed({ ...good, view: "code" }), packed({ ...good, view: "__proto__" }), packed({ ...good, seeds: 1e9 }), packed({ ...good, variants: "x" }),
    packed({ ...good, variants: [{ name: "x" }] }), packed({ ...good, variants: [{ name: "x", set: { a: null } }] }), packed({ ...good, variants: Array(99).fill({ name: "x", set: {} }) }),
    `#1.${"A".repeat(400_000)}`, fragment(good).slice(0, -8)];
  for (const text of wrong) {
    const { state, problem } = readFragment(text);
    assert.ok(problem, text.slice(0, 60));
    assert.deepEqual(state, good);
  }
});

test("a small fragment cannot fill the memory", () => {
  const bomb = packed(" ".repeat(50_000_000));
  assert.ok(bomb.length < 200_000, String(bomb.length));
  const begun = process.memoryUsage().rss;
  assert.match(readFragment(bomb).problem ?? "", /too much/);
  assert.ok(process.memoryUsage().rss - begun < 60_000_000);
});

test("keys beyond the known ones do not come through, nor does a prototype", () => {
  const { state } = readFragment(packed(`{"toml":"","seed":1,"view":"curves","seeds":1,"variants":[{"name":"n","set":{"__proto__":1}}],"code":"alert(1)","__proto__":{"x":1}}`));
  assert.deepEqual(Object.keys(state).sort(), ["seed", "seeds", "toml", "variants", "view"]);
  assert.equal(/** @type {any} */ ({}).x, undefined);
});

test("random fragments never throw", () => {
  let seed = 1;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31);
  const good = fragment(begin());
  for (let i = 0; i < 3000; i++) {
    const letters = i % 2 ? [...good] : Array.from({ length: random() * 300 }, () => String.fromCharCode(random() * 0x250));
    for (let k = 0; k < 4 && i % 2; k++) letters[4 + Math.floor(random() * (letters.length - 4))] = "ABCxyz019-_"[Math.floor(random() * 11)];
    const { state } = readFragment(`#${i % 3 ? "" : "1."}${letters.join("").replace(/^#/, "")}`);
    assert.equal(typeof state.toml, "string");
  }
});
