// node tests/play.mjs [MINUTES]: plays with the page as a person does for ten minutes, or as many as are said, and tells twelve
// times what memory it holds. Exit code 1 if the heap or the elements of the page grow with the time.
import { readFileSync } from "node:fs";
import { launch, open, settled, slide } from "./lib/browser.mjs";

const minutes = Number(process.argv[2] ?? 10);
const browser = await launch();
const { page, errors } = await open(browser, { still: false });
const client = await page.context().newCDPSession(page);
const machine = await browser.newBrowserCDPSession();

/** Megabytes of the page's processes: resident, without what they share. */
async function resident() {
  const { processInfo } = await machine.send("SystemInfo.getProcessInfo");
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    try {
      const [, all, shared] = readFileSync(`/proc/${id}/statm`, "utf8").split(" ").map(Number);
      return ((all - shared) * 4096) / 1e6;
    } catch {
      return 0;
    }
  });
  return Math.max(...sizes);
}

async function memory() {
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  return { heap: usedSize / 1e6, elements, resident: await resident() };
}

// Numbers that look random and are the same each time.
let state = 1;
const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
const some = (list) => list[Math.floor(chance() * list.length)];
const press = async (selector) => { await page.locator(selector).first().click(); };

const moves = {
  async drag() {
    const id = some(["loss", "rate", "delay", "buffer", "duration"]);
    if (await page.locator(`#${id}`).isDisabled()) return;
    const from = chance() * 0.5;
    // No long and fast runs: a person's patience, not the page's memory, would end them.
    const most = id === "rate" || id === "duration" ? 0.35 : 0.8;
    for (let i = 0; i < 12; i++) await slide(page, id, Math.min(most, from + i * 0.02));
  },
  seed: () => press("#next-seed"),
  async flows() {
    await press(some(["#add-flow", "#add-quic", "#add-media"]));
    await settled(page);
    for (let n = await page.locator("#flows .remove").count(); n > 2; n--) await press("#flows .remove");
  },
  async control() {
    if (!(await page.locator("#control-0").count())) return;
    await page.selectOption("#control-0", some(["reno", "veno", "venodb", "cubic", "vegas", "bbr", "sarbe", "rovegas"]));
  },
  async look() {
    await page.locator(`#plot-${some(["window", "losses", "rtt", "queue"])}`).focus();
    for (const key of ["+", "+", "ArrowRight", "ArrowRight", "PageDown", "ArrowLeft", "0"]) await page.keyboard.press(key);
  },
  async point() {
    const box = await page.locator("#plot-window").boundingBox();
    if (!box) return;
    await page.mouse.move(box.x + 80, box.y + 60);
    await page.mouse.move(box.x + box.width - 20, box.y + 100, { steps: 30 });
  },
  async compare() {
    await press("#tab-compare");
    await page.waitForTimeout(2000);
    await press("#tab-curves");
  },
  async own() {
    await press("#tab-own");
    await page.fill("#code", `function onAck(state) { state.cwnd += ${1 + Math.floor(chance() * 5)} / state.cwnd; }`);
    await press("#run-own");
    await page.waitForFunction(() => !(/** @type {any} */ (document.querySelector("#run-own")).disabled), null, { timeout: 30_000 });
    await press("#tab-curves");
  },
  async tour() {
    await press("#open-tours");
    const tours = await page.locator("[data-tour]").count();
    await page.locator("[data-tour]").nth(Math.floor(chance() * tours)).click();
    for (let i = 0; i < 2; i++) {
      await settled(page);
      await press("#tour-next");
    }
  },
  home: () => press("#home"),
};

const begun = performance.now();
const end = begun + minutes * 60_000;
const list = [];
let made = 0;
for (let next = begun; performance.now() < end || list.length < 12;) {
  const now = performance.now();
  if (now >= next || now >= end) {
    const one = await memory();
    list.push(one);
    next += (minutes * 60_000) / 11;
    console.log(`${((now - begun) / 1000).toFixed(0)} s, ${made} things done: heap ${one.heap.toFixed(1)} MB, ${one.elements} elements, process ${one.resident.toFixed(0)} MB`);
    if (now >= end) break;
  }
  // Each thing begins where the page is as it was, or nearly.
  await moves[/** @type {keyof typeof moves} */ (some(Object.keys(moves)))]();
  await settled(page);
  made++;
}
await moves.home();
await settled(page);
await page.waitForTimeout(1000);
const last = await memory();
console.log(`at home again: heap ${last.heap.toFixed(1)} MB, ${last.elements} elements, process ${last.resident.toFixed(0)} MB`);
const half = list.slice(1, Math.ceil(list.length / 2));
const grown = last.heap - Math.min(...half.map(({ heap }) => heap));
for (const error of errors) console.error(error);
await browser.close();
if (grown > 8 || errors.length) {
  console.error(`the heap has grown by ${grown.toFixed(1)} MB since the first half`);
  process.exit(1);
}
