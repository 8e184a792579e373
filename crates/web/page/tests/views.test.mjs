// Tours, the papers' figures and the comparison.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PAGE } from "../build/fingerprint.mjs";
import { presets } from "../build/presets.mjs";
import { estimate, jain } from "../src/statistics.js";
import { readTour } from "../src/tour.js";
import { launch, open, settled } from "./lib/browser.mjs";
import { run } from "./lib/native.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const files = readdirSync(join(PAGE, "tours")).sort();
const goodputs = (page) => page.evaluate(() => Object.fromEntries(/** @type {any} */ (globalThis).dumbbell.result.outcome.flows.map((flow) => [flow.name, flow.goodput_bps])));
const utilisation = (page) => page.evaluate(() => /** @type {any} */ (globalThis).dumbbell.result.outcome.links[0].utilisation);
const compared = async (page) => {
  await page.waitForFunction(() => /** @type {any} */ (globalThis).dumbbell.comparison?.done && !document.querySelector("#comparison").hasAttribute("aria-busy"), null, { timeout: 60_000 });
  return page.evaluate(() => /** @type {any} */ (globalThis).dumbbell.comparison.rows);
};
/** The relative spread of a flow's goodput over means of half a second. */
const spread = (page, name) => page.evaluate((wanted) => {
  const { flows, time } = /** @type {any} */ (globalThis).dumbbell.result;
  const { goodput } = flows.find((flow) => flow.name === wanted);
  const bins = Array.from({ length: 180 }, (_, bin) => {
    const list = [...goodput].filter((_, i) => time[i] > 10 + bin / 2 && time[i] <= 10.5 + bin / 2);
    return list.reduce((sum, x) => sum + x, 0) / list.length;
  });
  const mean = bins.reduce((sum, x) => sum + x, 0) / bins.length;
  return Math.sqrt(bins.reduce((sum, x) => sum + (x - mean) ** 2, 0) / bins.length) / mean;
}, name);

/** What each step says, as a check of the run that it shows. */
const SAYS = {
  "1-reno-on-a-lossy-link.toml": [
    async (page) => assert.ok(await utilisation(page) > 0.95, String(await utilisation(page))),
    async (page) => assert.ok(await utilisation(page) < 0.35, String(await utilisation(page))),
    async () => {},
    async (page) => assert.ok(await utilisation(page) < 0.15, String(await utilisation(page))),
  ],
  "2-what-veno-sees.toml": [
    async (page) => { const { Reno, Veno } = await goodputs(page); assert.ok(Veno / Reno > 1.6 && Veno / Reno < 2.1, String(Veno / Reno)); },
    async () => {},
    async (page) => { const { Reno, Veno } = await goodputs(page); assert.ok(Veno / Reno > 0.8 && Veno / Reno < 1.25, String(Veno / Reno)); },
    async (page) => { const { Reno, Veno } = await goodputs(page); assert.ok(Veno / Reno > 1.3, String(Veno / Reno)); },
  ],
  "3-how-venodb-differs.toml": [
    async (page) => { const [veno, venodb] = await compared(page); assert.ok(venodb.goodput.mean > 1.25 * veno.goodput.mean); },
    async (page) => {
      const [a, b, c, d] = await compared(page);
      assert.ok(b.goodput.mean / a.goodput.mean < 1.06 && d.goodput.mean / c.goodput.mean < 1.06 && c.goodput.mean / a.goodput.mean > 1.25);
    },
    async () => {},
  ],
  "4-rovegas-and-the-way-back.toml": [
    async (page) => assert.ok((await goodputs(page)).Vegas > 900e3),
    async (page) => assert.ok((await goodputs(page)).Vegas < 400e3),
    async (page) => assert.ok((await goodputs(page)).RoVegas > 500e3),
    async (page) => { const [vegas, rovegas] = await compared(page); assert.ok(rovegas.goodput.mean > 1.4 * vegas.goodput.mean); },
  ],
  "5-sarbe.toml": [
    async (page) => { const { Reno, SARBE } = await goodputs(page); assert.ok(SARBE > 3 * Reno, `${SARBE} ${Reno}`); },
    async () => {},
    async (page) => { const { Reno, SARBE } = await goodputs(page); assert.ok(SARBE / Reno > 1.8 && SARBE / Reno < 2.4, String(SARBE / Reno)); },
  ],
  "6-tfrc-for-media.toml": [
    async (page) => {
      const { TCP, TFRC } = await goodputs(page);
      assert.ok(TFRC / TCP > 0.8 && TFRC / TCP < 1.25, String(TFRC / TCP));
      const [tcp, tfrc] = [await spread(page, "TCP"), await spread(page, "TFRC")];
      assert.ok(tfrc < 0.7 * tcp, `${tfrc} ${tcp}`);
    },
    async (page) => { const { TCP, TFRC } = await goodputs(page); assert.ok(TCP < 1e6 && TFRC < 1e6 && await utilisation(page) < 0.5); },
    async (page) => { const flows = await goodputs(page); assert.ok(flows["TFRC Veno"] > 2 * flows.TCP, JSON.stringify(flows)); },
  ],
};

describe("tours", () => {
  test("there are six, and each is checked", () => assert.deepEqual(files, Object.keys(SAYS)));

  for (const file of files) {
    test(`${file}: each step shows what it says`, async () => {
      const { page, errors, close } = await open(browser);
      const tour = readTour(readFileSync(join(PAGE, "tours", file), "utf8"));
      assert.equal(SAYS[file].length, tour.steps.length);
      await page.click("#open-tours");
      await page.click(`[data-tour="${file}"]`);
      for (const [i, step] of tour.steps.entries()) {
        await settled(page);
        assert.equal(await page.locator("#mistakes").innerText(), "");
        assert.equal(await page.locator("#tour-step").innerText(), step.title);
        assert.equal(await page.locator("#toml").inputValue(), step.state.toml);
        assert.equal(await page.locator(".marked").count(), step.point ? 1 : 0);
        await SAYS[file][i](page);
        await page.click("#tour-next");
      }
      assert.equal(await page.locator("#tour").isVisible(), false);
      assert.deepEqual(errors, []);
      await close();
    });
  }

  test("a teacher's file is read, and a wrong one has a message", async () => {
    const { page, errors, close } = await open(browser);
    const path = join(tmpdir(), `tour-${process.pid}.toml`);
    await page.click("#open-tours");
    writeFileSync(path, 'title = "Mine"\n[[step]]\ntitle = "One"\ntext = "<b>x</b>"\nscenario = """\nduration = "1 s"\n[dumbbell]\naccess = { rate = "1 Mb/s", delay = "1 ms" }\nbottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = { droptail = 9 } }\n[[flow]]\ncontrol = "vegas"\n"""\n');
    await page.setInputFiles("#tour-file", path);
    await page.waitForSelector("#tour-step");
    await settled(page);
    assert.equal(await page.locator("#tour p:not(.where)").innerText(), "<b>x</b>");
    await page.click("#open-tours");
    writeFileSync(path, 'title = "Mine"\n[[step]]\ntitle = "One"\ntext = "x"\nscenaro = ""\n');
    await page.setInputFiles("#tour-file", path);
    await page.waitForFunction(() => /scenaro/.test(document.querySelector("#note").textContent));
    assert.deepEqual(errors, []);
    await close();
  });

  test("the tour in the documentation is one", async () => {
    const [, text] = /```text\n(title[\s\S]*?)```/.exec(readFileSync(join(PAGE, "../../../docs/lab.md"), "utf8"));
    const { steps } = readTour(text);
    assert.equal(steps.length, 2);
    const [short, long] = steps.map((step) => run(step.state.toml, ["--seed", "1"]).outcomes[0].flows[0].goodput_bps);
    assert.ok(short > 2 * long, `${short} ${long}`);
  });

  test("what is wrong with a tour is said with its step", () => {
    const good = 'title = "t"\n[[step]]\ntitle = "a"\ntext = "b"\nscenario = "duration = \\"1 s\\""\n';
    assert.equal(readTour(good).steps.length, 1);
    for (const [text, says] of [["", /title/], ['title = "t"', /steps/], [`${good}point = "x"`, /step 1.*point/], [`${good}seed = -1`, /seed/], [`${good}view = "x"`, /view/],
      [`${good}[[step]]\ntitle = "a"`, /step 2.*text/], [`${good}set = { "flow.nobody.control" = "x" }`, /step 1.*nobody/], ["x = ", /line 1/], [`${good}nonsense = 1`, /nonsense/],
      ['title = "t"\n[[step]]\ntitle = "a"\ntext = "b"\n', /first step/]]) {
      assert.throws(() => readTour(text), says, text);
    }
  });
});

describe("figures", () => {
  test("each of them is read by the engine without a mistake, with all its series", async () => {
    const { page, close } = await open(browser);
    const list = presets().flatMap((paper) => paper.figures);
    assert.ok(list.length > 60, String(list.length));
    for (const figure of list) {
      const wrong = await page.evaluate(async ({ scenario }) => {
        const { errors } = await /** @type {any} */ (globalThis).dumbbell.engine.check(scenario);
        return errors.map((one) => one.message);
      }, figure);
      assert.deepEqual(wrong, [], figure.id);
    }
    await close();
  });

  test("VenoDB's figure 2 at 2 %: its bars are the command's means, and they move with the loss", async () => {
    const { page, errors, close } = await open(browser);
    await page.click("#open-figures");
    await page.click('[data-figure="venodb/fig2"]');
    await settled(page);
    const rows = await compared(page);
    assert.deepEqual(rows.map((row) => row.name), ["VenoDB", "Veno", "WestwoodNR", "NewReno"]);
    const figure = presets().flatMap((paper) => paper.figures).find((one) => one.id === "fig2" && one.title.startsWith("VenoDB"));
    for (const [i, variant] of figure.variants.entries()) {
      const sets = Object.entries(variant.set).flatMap(([path, value]) => ["--set", `${path}=${value}`]);
      const { outcomes } = run(figure.scenario, ["--seed", "1", "--repeat", "5", ...sets]);
      const native = estimate(outcomes.map((outcome) => outcome.flows[0].goodput_bps));
      assert.equal(rows[i].goodput.mean, native.mean, variant.name);
      assert.equal(rows[i].goodput.half, native.half, variant.name);
    }
    await page.locator("#figure-x").evaluate((slider) => { slider.value = slider.max; slider.dispatchEvent(new Event("input", { bubbles: true })); });
    await settled(page);
    await page.waitForTimeout(400);
    const later = await compared(page);
    assert.ok(later[0].goodput.mean < rows[0].goodput.mean / 2);
    assert.match(await page.locator("#toml").inputValue(), /bernoulli = 0\.1 /);
    assert.deepEqual(errors, []);
    await close();
  });
});

describe("the comparison", () => {
  test("controls are chosen, flows and seeds too; numbers are the command's; files hold them", async () => {
    const { page, errors, close } = await open(browser);
    await page.click("#tab-compare");
    let rows = await compared(page);
    assert.equal(rows.length, 6);
    assert.equal(rows[0].goodput.n, 10);
    for (const name of ["venodb", "westwood+", "vegas"]) await page.click(`.chip[data-name="${name}"]`);
    await page.selectOption("#compare-flow", { label: "Veno" });
    await page.fill("#compare-seeds", "4");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(400);
    rows = await compared(page);
    assert.deepEqual(rows.map((row) => row.name), ["reno", "veno", "cubic"]);
    const text = await page.locator("#toml").inputValue();
    const { outcomes } = run(text, ["--seed", "1", "--repeat", "4", "--set", "flow.1.control=cubic", "--set", "flow.1.recovery=sack"]);
    assert.equal(rows[2].goodput.mean, estimate(outcomes.map((outcome) => outcome.flows.reduce((sum, flow) => sum + flow.goodput_bps, 0))).mean);
    assert.ok(Math.abs(rows[2].fairness.mean - estimate(outcomes.map((outcome) => outcome.jain_all)).mean) < 1e-12);
    await page.click("#open-share");
    assert.match(await page.locator("#share-command").innerText(), /--seed 1 --repeat 4 --set 'flow\.1\.control="cubic"' --set 'flow\.1\.recovery="sack"' {2}# cubic/);
    const [got] = await Promise.all([page.waitForEvent("download"), page.click("#save-comparison")]);
    assert.match(readFileSync(await got.path(), "utf8"), /^variant,runs,goodput_bps[^\n]*\nreno,4,/);
    const [svg] = await Promise.all([page.waitForEvent("download"), page.click("#save-svg")]);
    assert.match(readFileSync(await svg.path(), "utf8"), /Goodput against delay/);
    assert.deepEqual(errors, []);
    await close();
  });

  test("a variant that does not fit has a message", async () => {
    const { page, close } = await open(browser);
    await page.evaluate(() => {
      const { dumbbell } = /** @type {any} */ (globalThis);
      dumbbell.restore({ ...dumbbell.state, view: "compare", variants: [{ name: "x", set: { "flow.9.control": "veno" } }] });
      dumbbell.tell("variants");
    });
    await page.waitForSelector("#view-compare .mistake");
    assert.match(await page.locator("#view-compare .mistake").innerText(), /no flow/);
    await close();
  });

  test("intervals and fairness by hand", () => {
    // Three numbers with mean 2 and standard deviation 1: 4.303 / sqrt(3).
    const { mean, half } = estimate([1, 2, 3]);
    assert.equal(mean, 2);
    assert.ok(Math.abs(half - 2.4843) < 1e-3);
    assert.ok(Number.isNaN(estimate([5]).half));
    // 1.9842 is Student's t for 99 degrees of freedom.
    const many = Array.from({ length: 100 }, (_, i) => (i % 2 ? 1 : -1));
    assert.ok(Math.abs(estimate(many).half - 1.9842 * Math.sqrt(100 / 99) / 10) < 1e-4);
    assert.equal(jain([1, 1]), 1);
    assert.equal(jain([1, 0, 0, 0]), 0.25);
  });
});
