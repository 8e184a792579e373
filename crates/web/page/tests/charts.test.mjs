// The charts over time: losses by their true cause, and parts of the run that are enlarged by keys and buttons.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { moved } from "../src/ui/look.js";
import { launch, open, settled, slide } from "./lib/browser.mjs";
import { run } from "./lib/native.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const MIXED = `duration = "20 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "4 Mb/s", delay = "20 ms", queue = { droptail = 8 }, loss = { bernoulli = 0.01 } }
[[flow]]
name    = "Reno"
control = "reno"
[[flow]]
name    = "Veno"
control = "veno"
`;
/** @param {any} page @param {string} toml */
async function write(page, toml) {
  await page.evaluate((/** @type {string} */ to) => /** @type {any} */ (globalThis).dumbbell.edit(to), toml);
  await settled(page);
}
const words = (/** @type {any} */ page) => page.locator('[data-chart="losses"] .unit').innerText();

/** Pixels of the chart of losses in this colour of the style, by rows of the chart from the top. @param {any} page @param {string} name */
const pixels = (page, name) => page.evaluate((/** @type {string} */ word) => {
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("#plot-losses canvas"));
  const colour = getComputedStyle(document.documentElement).getPropertyValue(word).trim();
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const copy = /** @type {any} */ (new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true }));
  copy.drawImage(canvas, 0, 0);
  const { data, width, height } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const rows = new Array(height).fill(0);
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && wanted.every((part, n) => Math.abs(data[i + n] - part) < 12)) rows[Math.floor(i / 4 / width)]++;
  return rows;
}, name);
const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);

describe("losses by their true cause", () => {
  test("their numbers are the command's, their marks have the colour of their cause, and a hidden flow has none", async () => {
    const { page, errors, close } = await open(browser);
    await write(page, MIXED);
    const { outcomes } = run(MIXED, ["--seed", "1"]);
    const said = outcomes[0].flows.map((/** @type {any} */ flow) => `${flow.name}: ${flow.lost} at random, ${flow.dropped} dropped`).join("; ");
    assert.ok(outcomes[0].flows.every((/** @type {any} */ flow) => flow.lost > 5 && flow.dropped > 2), said);
    assert.equal(await words(page), said);
    assert.ok((await page.getAttribute("#plot-losses", "aria-label")).includes(said));
    assert.ok(sum(await pixels(page, "--random")) > 100 && sum(await pixels(page, "--congestion")) > 100);
    await page.click('#legend [data-flow="Reno"]');
    assert.equal(await words(page), said.split("; ")[1]);
    await page.click('#legend [data-flow="Reno"]');
    await write(page, MIXED.replace("bernoulli = 0.01", "bernoulli = 0"));
    assert.match(await words(page), /^Reno: 0 at random, \d+ dropped; Veno: 0 at random, \d+ dropped$/);
    assert.equal(sum(await pixels(page, "--random")), 0);
    assert.ok(sum(await pixels(page, "--congestion")) > 50);
    await write(page, MIXED.replace("droptail = 8", "droptail = 5000"));
    assert.equal(sum(await pixels(page, "--congestion")), 0);
    await write(page, MIXED.replace("20 s", "0.2 s").replace("bernoulli = 0.01", "bernoulli = 0"));
    assert.equal(await words(page), "none");
    assert.deepEqual(errors, []);
    await close();
  });

  test("more flows than rows fit are one row", async () => {
    const { page, errors, close } = await open(browser);
    await write(page, `${MIXED}${'[[flow]]\ncontrol = "cubic"\ncount = 9\n'}`);
    assert.match(await words(page), /^all flows: \d+ at random, \d+ dropped$/);
    assert.ok(sum(await pixels(page, "--random")) > 100);
    assert.deepEqual(errors, []);
    await close();
  });

  test("the two colours differ for every kind of eye, in both themes", async () => {
    // Machado, Oliveira and Fernandes 2009: what is left of linear red, green and blue, at full severity.
    const eyes = {
      usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
      protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
      deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
      tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    };
    const by = (/** @type {number[][]} */ matrix, /** @type {number[]} */ vector) => matrix.map((row) => sum(row.map((part, i) => part * vector[i])));
    const linear = (/** @type {string} */ text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    const cielab = (/** @type {number[]} */ light) => {
      const [x, y, z] = by([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], light.map((part) => Math.min(1, Math.max(0, part))))
        .map((part, i) => part / [0.9505, 1, 1.089][i]).map((part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116));
      return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
    };
    for (const dark of [false, true]) {
      const { page, close } = await open(browser, { dark });
      const colours = await page.evaluate(() => ["--random", "--congestion"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
      for (const [eye, matrix] of Object.entries(eyes)) {
        const [a, b] = colours.map((colour) => cielab(by(matrix, linear(colour))));
        // Two is what an eye just sees.
        assert.ok(Math.hypot(...a.map((part, i) => part - b[i])) > 15, `${eye}: ${colours}`);
      }
      await close();
    }
  });
});

describe("a part of the run", () => {
  const seen = (/** @type {any} */ page) => page.locator("#announcement").innerText();

  test("each chart is enlarged, moved and shown whole by keys; the others follow", async () => {
    const { page, errors, close } = await open(browser);
    for (const chart of ["window", "losses", "goodput", "rtt", "queue"]) {
      await page.locator(`#plot-${chart}`).focus();
      await page.keyboard.press("+");
      assert.equal(await seen(page), "Seen: 15 s to 45 s", chart);
      await page.keyboard.press("PageDown");
      assert.equal(await seen(page), "Seen: 30 s to 60 s");
      await page.keyboard.press("+");
      assert.equal(await seen(page), "Seen: 37.5 s to 52.5 s");
      await page.keyboard.press("PageUp");
      assert.equal(await seen(page), "Seen: 30 s to 45 s");
      assert.equal(await page.locator("#whole-run").isVisible(), true);
      await page.keyboard.press("0");
      assert.equal(await seen(page), "The whole run is seen");
      assert.equal(await page.locator("#whole-run").isVisible(), false);
    }
    assert.deepEqual(errors, []);
    await close();
  });

  test("a closer look shows fewer losses, and stays at what is pointed to", async () => {
    const { page, errors, close } = await open(browser);
    const all = sum(await pixels(page, "--random"));
    await page.locator("#plot-rtt").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    assert.match(await page.locator("#legend caption").innerText(), /^At 1\.800 s/);
    assert.match(await seen(page), /Reno .* Veno /);
    for (let i = 0; i < 3; i++) await page.keyboard.press("+");
    assert.match(await seen(page), /^Seen: 1\.5[78] s to 9\.0[78] s$/);
    await page.waitForTimeout(100);
    assert.ok(sum(await pixels(page, "--random")) < all / 2);
    await slide(page, "loss", 0.4);
    assert.equal(await page.locator("#whole-run").isVisible(), true, "a slider does not change what is seen");
    assert.deepEqual(errors, []);
    await close();
  });

  test("by buttons, too", async () => {
    const { page, close } = await open(browser);
    assert.equal(await page.locator("#look-later").isVisible(), false);
    await page.click("#look-closer");
    await page.click("#look-later");
    assert.equal(await seen(page), "Seen: 30 s to 60 s");
    await page.click("#look-earlier");
    await page.click("#look-wider");
    assert.equal(await page.locator("#whole-run").isVisible(), false);
    await close();
  });

  test("steps by hand", () => {
    assert.deepEqual(moved(null, 60, null, { factor: 0.5 }), [15, 45]);
    assert.deepEqual(moved(null, 60, 12, { factor: 0.5 }), [6, 36]);
    assert.deepEqual(moved([10, 20], 60, 50, { factor: 0.5 }), [12.5, 17.5]);
    assert.deepEqual(moved([50, 60], 60, null, { shift: 0.5 }), [50, 60]);
    assert.deepEqual(moved([2, 12], 60, null, { shift: -0.5 }), [0, 10]);
    assert.equal(moved([0, 40], 60, null, { factor: 2 }), null);
    const [from, to] = /** @type {[number, number]} */ (moved([10, 10.03], 60, null, { factor: 0.5 }));
    assert.ok(Math.abs(to - from - 0.03) < 1e-9, "no closer than a 2000th");
  });
});
