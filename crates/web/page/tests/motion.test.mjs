// The path in motion: what is drawn is what the film of the engine says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, settled, slide } from "./lib/browser.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** Moves to a time of the run. @param {any} page @param {number} time */
async function seek(page, time) {
  await page.locator("#moment").evaluate((slider, at) => {
    slider.value = String(at / /** @type {any} */ (globalThis).dumbbell.result.time.at(-1));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, time);
  await page.waitForFunction((at) => Math.abs(Number(/** @type {any} */ (document.querySelector("#drawing")).dataset.time) - at) < 0.05, time);
  return Number(await page.getAttribute("#drawing", "data-time"));
}

/** Waits until the motion has gone on: how soon it does depends on how busy the machine is. @param {any} page @param {number} begun */
const moves = (page, begun) => page.waitForFunction((from) => Number(/** @type {any} */ (document.querySelector("#drawing")).dataset.time) > from, begun, { timeout: 60_000 });

/** How many points of the picture have this colour of the style. */
const inked = (page, name) => page.evaluate((variable) => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".motion"));
  // A copy is read, so that the page's own canvas stays as it is.
  Object.assign(probe.canvas, { width: canvas.width, height: canvas.height });
  probe.drawImage(canvas, 0, 0);
  const { data } = probe.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12 && data[i + 3] > 200) count++;
  return count;
}, name);

const fates = (page, fate, from) => page.evaluate(async ([wanted, begin]) => {
  const { dumbbell } = /** @type {any} */ (globalThis);
  const { hops } = await dumbbell.engine.film(dumbbell.state.toml, { seed: dumbbell.state.seed, from: begin, to: begin + 4 });
  const i = hops.fate.findIndex((one, k) => one === wanted && hops.enqueue[k] > begin + 0.5);
  return i < 0 ? null : wanted === 2 ? hops.depart[i] : hops.enqueue[i];
}, [fate, from]);

test("losses at random and of a full queue are told apart by colour", async () => {
  const { page, errors, close } = await open(browser);
  const lost = await fates(page, 2, 9);
  await seek(page, lost + 0.01);
  assert.ok(await inked(page, "--random") > 20);
  assert.equal(await inked(page, "--congestion"), 0);
  await slide(page, "loss", 0);
  await page.waitForTimeout(400);
  const dropped = await fates(page, 1, 20);
  await seek(page, dropped + 0.005);
  assert.ok(await inked(page, "--congestion") > 40);
  assert.equal(await inked(page, "--random"), 0);
  assert.deepEqual(errors, []);
  await close();
});

test("as many packets wait in the picture as in the run", async () => {
  const { page, errors, close } = await open(browser);
  await slide(page, "loss", 0);
  await page.waitForTimeout(400);
  let seen = 0;
  for (const time of [12.1, 20.7, 33.3, 41.9]) {
    const at = await seek(page, time);
    const waiting = Number(await page.getAttribute("#drawing", "data-waiting"));
    const native = await page.evaluate(async (now) => {
      const { dumbbell } = /** @type {any} */ (globalThis);
      const { hops, links } = await dumbbell.engine.film(dumbbell.state.toml, { seed: 1, from: now - 2, to: now + 0.001 });
      const link = links.findIndex((one) => one.name === "bottleneck");
      return hops.enqueue.filter((enqueue, i) => hops.link[i] === link && enqueue <= now && hops.start[i] > now && hops.fate[i] !== 1).length;
    }, at);
    assert.equal(waiting, native, `at ${at}`);
    seen += waiting;
  }
  assert.ok(seen > 10);
  assert.deepEqual(errors, []);
  await close();
});

test("it plays, pauses, goes slower and faster, and moves the cursor of the charts", async () => {
  const { page, errors, close } = await open(browser);
  await seek(page, 5);
  for (const speed of ["0.1", "10", "0.01"]) {
    await page.selectOption("#speed", speed);
    const begun = Number(await page.getAttribute("#drawing", "data-time"));
    const clock = performance.now();
    await page.click("#play");
    await moves(page, begun);
    await page.click("#play");
    const moved = Number(await page.getAttribute("#drawing", "data-time")) - begun;
    const most = ((performance.now() - clock) / 1000) * Number(speed);
    assert.ok(moved > 0 && moved <= most, `${speed}: ${moved} of ${most}`);
    await page.waitForTimeout(200);
    const still = await page.getAttribute("#drawing", "data-time");
    await page.waitForTimeout(150);
    assert.equal(await page.getAttribute("#drawing", "data-time"), still);
  }
  assert.match(await page.locator("#legend caption").innerText(), /^At /);
  assert.match(await page.getAttribute(".motion", "aria-label"), /^The path at [\d.]+ s: \d+ packets wait/);
  assert.deepEqual(errors, []);
  await close();
});

test("other networks are drawn, too", async () => {
  const { page, errors, close } = await open(browser);
  const lot = '[parking_lot]\naccess = { rate = "100 Mb/s", delay = "1 ms" }\nbottleneck = { rate = "5 Mb/s", delay = "5 ms", queue = { droptail = 50 } }\nhops = 3\n[[flow]]\nname = "long"\ncontrol = "reno"\n[[flow]]\ncontrol = "reno"\nfrom = "r4"\nto = "r3"\n';
  const graph = '[[graph.link]]\nfrom = "a"\nto = "b"\nrate = "5 Mb/s"\ndelay = "5 ms"\nqueue = { droptail = 9 }\n[[flow]]\ncontrol = "reno"\nfrom = "a"\nto = "b"\n';
  for (const network of [lot, graph]) {
    await page.evaluate((text) => /** @type {any} */ (globalThis).dumbbell.edit(text), `duration = "20 s"\n${network}`);
    await settled(page);
    await page.waitForTimeout(400);
    await seek(page, 4);
    assert.ok(await inked(page, "--series-0") > 60);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("motion goes on while the sliders move, and the page stays free of errors", async () => {
  const { page, errors, close } = await open(browser, { still: false });
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "true");
  for (let i = 0; i < 12; i++) await slide(page, i % 2 ? "loss" : "rate", 0.15 + (i % 5) * 0.1);
  const begun = Number(await page.getAttribute("#drawing", "data-time"));
  await moves(page, begun);
  assert.deepEqual(errors, []);
  await close();
});
