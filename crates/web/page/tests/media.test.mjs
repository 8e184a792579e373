// Media flows: each rate control of the catalogue, and video in frames.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, settled } from "./lib/browser.mjs";
import { run } from "./lib/native.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const state = (/** @type {any} */ page) => page.evaluate(() => {
  const { state, document, result } = /** @type {any} */ (globalThis).dumbbell;
  return { toml: state.toml, value: document.value, outcomes: [result.outcome] };
});
const mistakes = (/** @type {any} */ page) => page.locator("#mistakes").innerText();

test("each rate control of the catalogue runs as in the command, with and without frames", async () => {
  const { page, errors, close } = await open(browser);
  await page.click("#add-media");
  await settled(page);
  const names = await page.locator("#rate-control-2 option").evaluateAll((list) => list.map((one) => /** @type {any} */ (one).value));
  const { catalogue } = await page.evaluate(() => ({ catalogue: /** @type {any} */ (globalThis).dumbbell.catalogue.sections.find((/** @type {any} */ one) => one.sort === "rate control").entries.map((/** @type {any} */ one) => one.name) }));
  assert.deepEqual(names, catalogue);
  for (const name of names) {
    for (const carries of ["video", "data"]) {
      await page.selectOption("#rate-control-2", name);
      await page.selectOption("#carries-2", carries);
      await settled(page);
      assert.equal(await mistakes(page), "", name);
      const { toml, value, outcomes } = await state(page);
      assert.equal(value.flow[2].rate_control, name);
      assert.equal("encoder" in value.flow[2], carries === "video");
      const [, , flow] = run(toml, ["--seed", "1"]).outcomes[0].flows;
      assert.deepEqual(outcomes[0].flows[2], flow, name);
      assert.equal((flow.media?.made ?? 0) > 0, carries === "video");
    }
  }
  assert.deepEqual(errors, []);
  await close();
});

test("a card says what the viewer sees: how far behind, and how long still", async () => {
  const { page, errors, close } = await open(browser);
  await page.click("#add-media");
  await settled(page);
  await page.selectOption("#carries-2", "video");
  await settled(page);
  const { outcomes } = await state(page);
  const { frozen_s: frozen, played_s: played } = outcomes[0].flows[2].media;
  const words = await page.locator(".card .who small").nth(2).innerText();
  const [, percent] = /; video: .*s behind, still for ([\d.]+) % of the time$/.exec(words) ?? [];
  assert.ok(Math.abs(Number(percent) - (100 * frozen) / (played + frozen)) < 0.5, words);
  assert.ok(Number(percent) > 0, "on a path that loses packets a picture stands still now and then");
  assert.deepEqual(errors, []);
  await close();
});
