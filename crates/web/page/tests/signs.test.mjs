// The module in the page: bytes as digits and signs, and back.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import { bytesOfSigns, signsOf } from "../src/signs.js";

test("bytes of every length come back", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = createHash("shake256", { outputLength: length + 1 }).update(`${length}`).digest().subarray(0, length);
    const text = signsOf(bytes);
    assert.ok(!/[A-Za-z/.<>{}"'\\]/.test(text), text);
    assert.deepEqual(Buffer.from(bytesOfSigns(text)), Buffer.from(bytes));
  }
  // By hand: 0xff is 11111 and 111 with two zeros behind, 31 and 28.
  assert.equal(signsOf(new Uint8Array([0xff])), "~^");
});

test("another sign is an error", () => {
  assert.throws(() => bytesOfSigns("01a"), /not a sign: a/);
});

test("no letter of the page is the module's", () => {
  const page = readFileSync(new URL("../dist/lab.html", import.meta.url), "utf8");
  const module = /<script type="application\/gzip" id="wasm">([^<]*)<\/script>/.exec(page)?.[1] ?? "";
  assert.ok(module.length > 1_000_000);
  assert.ok(!/[A-Za-z/]/.test(module));
});
