// A control of one's own: it runs after a click, it cannot harm the page, and its mistakes are said.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asker, launch, open, settled, slide } from "./lib/browser.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** @param {any} page */
async function view(page) {
  await page.click("#tab-own");
  return async (/** @type {string | null} */ code) => {
    if (code !== null) await page.fill("#code", code);
    await page.click("#run-own");
    await page.waitForFunction(() => !(/** @type {any} */ (document.querySelector("#run-own")).disabled), null, { timeout: 30_000 });
    return page.locator("#own-mistake").innerText();
  };
}
const bar = (page, name) => page.locator(`#own-result [data-bar="${name}"]`).getAttribute("data-mean").then(Number);

test("the code that is there runs beside Veno and CUBIC, and a change of it changes its goodput", async () => {
  const { page, errors, close } = await open(browser);
  const run = await view(page);
  assert.equal(await page.locator("#own-result svg").count(), 0, "nothing runs before the click");
  assert.equal(await run(null), "");
  const [own, veno, cubic] = [await bar(page, "Yours"), await bar(page, "Veno"), await bar(page, "CUBIC")];
  assert.ok(own > 0 && veno > 0 && cubic > 0);
  assert.equal(await run("function onAck(state) { state.cwnd = 2; }\nfunction onLoss() {}\nfunction onTimeout() {}"), "");
  assert.ok(await bar(page, "Yours") < own / 2);
  assert.deepEqual(errors, []);
  await close();
});

test("code that throws, loops or cannot be read: a message, and a page that lives", async () => {
  const { page, close } = await open(browser);
  const run = await view(page);
  const cases = [["function onAck(state) {\n  nothing.here += 1;\n}", /line 2.*nothing/], ["function onAck( {", /your code/], ["}", /your code/], ["function onAck(state) { for (;;); }", /loop without an end/],
    ["for (;;);", /loop|long|stopped/], ["function onAck(state) { state.cwnd = NaN; }", /cwnd|window/i],
    ["function onAck(state) { state.cwnd = 1e300; }", /cwnd|window/i], ["throw new Error('at once')", /at once/]];
  for (const [code, says] of cases) assert.match(await run(/** @type {string} */ (code)), /** @type {RegExp} */ (says), String(code));
  await slide(page, "loss", 0.4);
  assert.match(await page.locator("#toml").inputValue(), /bernoulli = 0\.048/);
  assert.equal(await run("function onAck(state) { state.cwnd += 1 / state.cwnd; }"), "");
  await close();
});

test("code that fills the memory ends its own process: a message, and a page that lives", async () => {
  // So that it is full soon: 160 MB instead of 4 GB. A page whose own worker fills it is gone.
  const small = await launch(["--js-flags=--max-old-space-size=160"]);
  const { page } = await open(small);
  let ended = 0;
  page.on("crash", () => ended++);
  await page.click("#tab-own");
  const ask = await asker(small);
  const run = (/** @type {string} */ code) => ask(`(async () => {
    document.querySelector("#code").value = ${JSON.stringify(code)};
    document.querySelector("#run-own").click();
    while (document.querySelector("#run-own").disabled) await new Promise((go) => setTimeout(go, 50));
    return document.querySelector("#own-mistake").textContent;
  })()`);
  for (const code of ["const all = [];\nfunction onAck() { for (;;) all.push(new Array(1e6).fill(1.5)); }", "const all = [];\nfor (;;) all.push(new Array(1e6).fill(1.5));"]) {
    assert.match(await run(code), /was stopped.*keeps ever more/);
    assert.equal(await ask("document.querySelectorAll('iframe').length"), 0);
  }
  assert.equal(ended > 0, true, "no process has ended");
  assert.equal(await run("function onAck(state) { state.cwnd += 1 / state.cwnd; }"), "");
  assert.equal(await ask("document.querySelectorAll('#own-result [data-bar]').length"), 3);
  assert.equal(await ask("document.querySelectorAll('iframe').length"), 1);
  await small.close();
});

test("the code has no network, no page and no storage, and no address holds it", async () => {
  const { page, close } = await open(browser);
  const run = await view(page);
  const reach = (/** @type {string} */ what) => run(`function onAck() {}\nthrow new Error("it is " + typeof ${what})`);
  for (const what of ["fetch", "XMLHttpRequest", "WebSocket", "importScripts", "indexedDB", "document", "caches", "BroadcastChannel", "Worker", "postMessage"]) {
    assert.match(await reach(what), /it is undefined/, what);
  }
  await run("// secret-marker\nfunction onAck() {}");
  await page.waitForTimeout(600);
  const hash = new URL(page.url()).hash;
  const { fragmentText } = await page.evaluate((text) => ({ fragmentText: text }), hash);
  assert.ok(!Buffer.from(fragmentText.slice(3), "base64url").toString("latin1").includes("secret"));
  const state = await page.evaluate(() => JSON.stringify(/** @type {any} */ (globalThis).dumbbell.state));
  assert.ok(!state.includes("secret-marker"));
  await settled(page);
  await close();
});
