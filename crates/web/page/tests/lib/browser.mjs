// The page in Chromium, opened from its file.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { PAGE } from "../../build/fingerprint.mjs";

const names = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = names.find((name) => name && existsSync(name));
if (!executablePath) throw new Error("there is no Chromium: set CHROMIUM to its path");

export const ADDRESS = pathToFileURL(join(PAGE, "dist/lab.html")).href;

/** @param {string[]} more further arguments */
export const launch = (more = []) => chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", ...more] });

/** Opens the page. What it says to the console as an error, and what it asks of a network, is collected.
 * @param {import("playwright-core").Browser} browser @param {{ width?: number, height?: number, dark?: boolean, hash?: string, still?: boolean, touch?: boolean, address?: string, before?: () => void }} [options] `before` runs in the page before its own code. */
export async function open(browser, { width = 1440, height = 1000, dark = false, hash = "", still = true, touch = false, address = ADDRESS, before } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: still ? "reduce" : "no-preference", hasTouch: touch, acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  /** @type {string[]} */
  const errors = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => {
    const { protocol } = new URL(request.url());
    if (!["file:", "blob:", "data:"].includes(protocol)) errors.push(`asked for ${request.url()}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector("main[data-ready]", { timeout: 60_000 });
  await settled(page);
  return { page, errors, close: () => context.close() };
}

/** Waits until the page shows the run of its text. @param {import("playwright-core").Page} page */
export const settled = (page) => page.waitForFunction(() => {
  const lab = /** @type {any} */ (globalThis).dumbbell;
  // A truth value: what is returned here is kept by the test as long as the page is open.
  return Boolean(lab && !lab.running && !lab.stale && (lab.result || lab.mistakes.length));
}, null, { timeout: 60_000 });

/** Drags a slider to a way from 0 to 1, as a person does: one step of its movement. @param {import("playwright-core").Page} page @param {string} id @param {number} way */
export async function slide(page, id, way) {
  await page.locator(`#${id}`).evaluate((slider, to) => {
    /** @type {any} */ (slider).value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, way);
  await settled(page);
}

/** Asks the page without Playwright, which takes a page for dead when one of its frames is. @param {import("playwright-core").Browser} browser
 * @returns {Promise<(expression: string) => Promise<any>>} evaluates an expression in the page, and waits for its promise */
export async function asker(browser) {
  const client = await browser.newBrowserCDPSession();
  const { targetInfos } = await client.send("Target.getTargets");
  const target = targetInfos.find(({ type, url }) => type === "page" && url.startsWith(ADDRESS));
  if (!target) throw new Error("there is no page");
  const { sessionId } = await client.send("Target.attachToTarget", { targetId: target.targetId, flatten: false });
  let id = 0;
  return (expression) => new Promise((resolve, reject) => {
    const mine = ++id;
    const timer = setTimeout(() => reject(new Error("the page does not answer")), 30_000);
    client.on("Target.receivedMessageFromTarget", ({ message }) => {
      const answer = JSON.parse(message);
      if (answer.id !== mine) return;
      clearTimeout(timer);
      const { result, exceptionDetails } = answer.result ?? {};
      if (exceptionDetails || !result) reject(new Error(JSON.stringify(answer)));
      else resolve(result.value);
    });
    const params = { expression, awaitPromise: true, returnByValue: true };
    client.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id: mine, method: "Runtime.evaluate", params }) }).catch(reject);
  });
}
