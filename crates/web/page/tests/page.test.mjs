// The page in Chromium: what it shows is what the command computes, and each of its controls does what it says.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { Document } from "../src/scenario/document.js";
import { ADDRESS, launch, open, settled, slide } from "./lib/browser.mjs";
import { run } from "./lib/native.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** @param {any} page */
const toml = (page) => page.locator("#toml").inputValue();
/** @param {any} page */
const value = async (page) => new Document(await toml(page)).value;
/** The fields of an outcome that the page shows. @param {any} page */
const outcome = (page) => page.evaluate(() => /** @type {any} */ (globalThis).dumbbell.result.outcome);
/** Writes a text into the editor, as typing does. @param {any} page @param {string} text */
async function write(page, text) {
  await page.locator("#toml").fill(text);
  await page.waitForTimeout(200);
  await settled(page);
}
/** @param {any} page */
async function equalsNative(page) {
  const [shown, text, seed] = [await outcome(page), await toml(page), await page.evaluate(() => /** @type {any} */ (globalThis).dumbbell.state.seed)];
  const native = run(text, ["--seed", String(seed)]).outcomes[0];
  assert.deepEqual(shown.flows, native.flows);
  assert.deepEqual(shown.links, native.links);
}

describe("at first", () => {
  test("Veno beats Reno at 2 % loss, and one sees why", async () => {
    const { page, errors, close } = await open(browser);
    assert.match(await page.locator("h1").innerText(), /^Veno gets 1\.[3-9] times what Reno gets$/);
    assert.match(await page.locator("[data-group=Reno] .kept").innerText(), /^50 %/);
    const kept = Number(/^(\d+) %/.exec(await page.locator("[data-group=Veno] .kept").innerText())?.[1]);
    assert.ok(kept > 70 && kept <= 80, String(kept));
    assert.equal(await page.locator("[data-knob=loss] output").innerText(), "2 %");
    await equalsNative(page);
    const [reno, veno] = (await outcome(page)).flows.map((flow) => flow.goodput_bps);
    assert.ok(veno > 1.3 * reno);
    assert.equal(Number(await page.locator("[data-group=Veno]").getAttribute("data-goodput")), veno);
    assert.deepEqual(errors, []);
    await close();
  });

  test("it begins with what `dumbbell lab` was given: a scenario, or a figure", async () => {
    const built = readFileSync(fileURLToPath(ADDRESS), "utf8");
    for (const [start, check] of [[{ toml: 'duration = "3 s"\n[dumbbell]\naccess = { rate = "1 Mb/s", delay = "1 ms" }\nbottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = { droptail = 9 } }\n[[flow]]\ncontrol = "vegas" # <b>\n' },
      async (page) => assert.match(await toml(page), /# <b>/)], [{ preset: "venodb/fig2" }, async (page) => {
      assert.match(await toml(page), /VenoDB, section 4\.1/);
      assert.equal(await page.locator("#view-compare").isVisible(), true);
    }]]) {
      const path = join(tmpdir(), `lab-${process.pid}.html`);
      writeFileSync(path, built.replace("<body>", `<body>\n<script type="application/json" id="start">${JSON.stringify(start).replaceAll("<", "\\u003c")}</script>`));
      const { page, errors, close } = await open(browser, { address: pathToFileURL(path).href });
      await check(page);
      assert.deepEqual(errors, []);
      await close();
      rmSync(path);
    }
  });

  test("the curves are those of the command, sample by sample", async () => {
    const { page, close } = await open(browser);
    const every = await page.evaluate(() => /** @type {any} */ (globalThis).dumbbell.result.time[1]);
    const { samples } = run(`${await toml(page)}\n[probe]\ninterval = "${Math.round(every * 1e9)} ns"\n`, ["--seed", "1"], true);
    const drawn = await page.evaluate(() => {
      const { result } = /** @type {any} */ (globalThis).dumbbell;
      return { time: [...result.time], flows: result.flows.map((flow) => ({ name: flow.name, cwnd: [...flow.cwnd], rtt: [...flow.rtt].map((x) => (Number.isNaN(x) ? null : x)) })), queue: [...result.links[0].queue] };
    });
    for (const { name, cwnd, rtt } of drawn.flows) {
      const of = (quantity) => samples.find((one) => one.subject === name && one.quantity === quantity);
      const native = new Map(of("cwnd").time_s.map((at, i) => [at, of("cwnd").value[i]]));
      const times = new Map(of("rtt").time_s.map((at, i) => [at, of("rtt").value[i]]));
      assert.ok(native.size > 2900);
      drawn.time.forEach((at, i) => {
        if (native.has(at)) assert.equal(cwnd[i], native.get(at), `${name} at ${at}`);
        if (times.has(at)) assert.equal(rtt[i], times.get(at), `${name} at ${at}`);
      });
    }
    const queue = samples.find((one) => one.subject === "bottleneck" && one.quantity === "queue");
    assert.deepEqual(drawn.queue.slice(-queue.value.length), queue.value);
    await close();
  });
});

describe("the knobs", () => {
  test("each slider changes its value in the text, keeps the comments, and the run is the command's", async () => {
    const { page, errors, close } = await open(browser);
    const places = [["loss", 0.5, ["dumbbell", "bottleneck", "loss", "bernoulli"]], ["rate", 0.6, ["dumbbell", "bottleneck", "rate"]],
      ["delay", 0.4, ["dumbbell", "bottleneck", "delay"]], ["buffer", 0.2, ["dumbbell", "bottleneck", "queue", "droptail"]], ["duration", 0.3, ["duration"]]];
    for (const [id, way, path] of places) {
      const old = new Document(await toml(page));
      await slide(page, id, way);
      const now = new Document(await toml(page));
      assert.notEqual(now.get(path), old.get(path), id);
      assert.equal(old.set(path, now.get(path)).text, now.text, `${id} changed something else`);
      await equalsNative(page);
    }
    assert.match(await toml(page), /# halves its window at each loss/);
    assert.deepEqual(errors, []);
    await close();
  });

  test("every loss model, and its fields", async () => {
    const { page, errors, close } = await open(browser);
    const models = await page.locator("#loss-model option").evaluateAll((list) => list.map((one) => one.value));
    assert.deepEqual(models, ["none", "bernoulli", "geometric", "gilbert_elliott", "recorded", "timed", "two_state"].filter((name) => models.includes(name)).sort((a, b) => models.indexOf(a) - models.indexOf(b)));
    for (const model of models) {
      await page.selectOption("#loss-model", model);
      await settled(page);
      assert.equal(await page.locator("#mistakes").innerText(), "", model);
      const { loss } = (await value(page)).dumbbell.bottleneck;
      assert.ok(model === "none" ? loss === "none" : model in loss, model);
      await equalsNative(page);
    }
    await page.selectOption("#loss-model", "gilbert_elliott");
    await page.locator(".field[data-key=to_bad] input").fill("0.05");
    await page.keyboard.press("Tab");
    await settled(page);
    assert.equal((await value(page)).dumbbell.bottleneck.loss.gilbert_elliott.to_bad, 0.05);
    assert.equal(await page.locator("#loss").isDisabled(), true);
    assert.deepEqual(errors, []);
    await close();
  });

  test("every queue discipline, its limit and its fields", async () => {
    const { page, errors, close } = await open(browser);
    for (const queue of await page.locator("#queue option").evaluateAll((list) => list.map((one) => one.value))) {
      await page.selectOption("#queue", queue);
      await settled(page);
      assert.equal(await page.locator("#mistakes").innerText(), "", queue);
      const now = (await value(page)).dumbbell.bottleneck.queue;
      assert.ok(queue === "unlimited" ? now === "unlimited" : queue in now, queue);
      await equalsNative(page);
    }
    await page.selectOption("#queue", "red");
    await page.locator(".field[data-key=gentle] input").check();
    await slide(page, "buffer", 0.7);
    const { red } = (await value(page)).dumbbell.bottleneck.queue;
    assert.ok(red.gentle === true && red.limit > 100, JSON.stringify(red));
    assert.deepEqual(errors, []);
    await close();
  });

  test("cross traffic comes, changes, turns round and goes", async () => {
    const { page, errors, close } = await open(browser);
    const begun = await toml(page);
    for (const kind of ["cbr", "exponential", "pareto"]) {
      await page.selectOption("#cross", kind);
      await settled(page);
      assert.deepEqual(Object.keys((await value(page)).flow[2].source), [kind]);
      await equalsNative(page);
    }
    await slide(page, "cross-rate", 0.5);
    assert.notEqual((await value(page)).flow[2].source.pareto.rate, "2 Mb/s");
    await page.selectOption("#cross-way", "left");
    await settled(page);
    assert.equal((await value(page)).flow[2].direction, "left");
    await page.selectOption("#cross", "none");
    await settled(page);
    assert.equal((await toml(page)).trim(), begun.trim());
    assert.deepEqual(errors, []);
    await close();
  });

  test("the seed is that of the command, and the next one is other luck", async () => {
    const { page, close } = await open(browser);
    const one = (await outcome(page)).flows[0].goodput_bps;
    await page.click("#next-seed");
    await settled(page);
    assert.notEqual((await outcome(page)).flows[0].goodput_bps, one);
    await page.fill("#seed", "77");
    await page.keyboard.press("Tab");
    await settled(page);
    await equalsNative(page);
    await close();
  });
});

describe("the flows", () => {
  test("each control of the catalogue runs as in the command", async () => {
    const { page, errors, close } = await open(browser);
    await write(page, (await toml(page)).replace('"60 s"', '"5 s"'));
    const names = await page.locator("#control-1 option").evaluateAll((list) => list.map((one) => one.value));
    assert.ok(names.length > 15);
    for (const name of names) {
      await page.selectOption("#control-1", name);
      await settled(page);
      assert.equal(await page.locator("#mistakes").innerText(), "", name);
      assert.equal((await value(page)).flow[1].control, name);
    }
    await equalsNative(page);
    assert.deepEqual(errors, []);
    await close();
  });

  test("recovery, stack and parameters", async () => {
    const { page, errors, close } = await open(browser);
    await page.selectOption("#recovery-1", "sack");
    await page.selectOption("#stack-1", "linux");
    await settled(page);
    await page.locator("#flows .flow").nth(1).locator("summary").click();
    await page.locator("#flows .flow").nth(1).locator(".field[data-key=beta] input").fill("6");
    await page.keyboard.press("Tab");
    await settled(page);
    const { name, control, recovery, stack } = (await value(page)).flow[1];
    assert.deepEqual({ name, control, recovery, stack }, { name: "Veno", control: { name: "veno", beta: 6 }, recovery: "sack", stack: "linux" });
    await equalsNative(page);
    await page.selectOption("#stack-1", "quic");
    await settled(page);
    assert.equal((await value(page)).flow[1].stack, "quic");
    assert.deepEqual(errors, []);
    await close();
  });

  test("flows of every sort are added and removed", async () => {
    const { page, errors, close } = await open(browser);
    for (const [id, n] of [["add-flow", 3], ["add-quic", 4], ["add-media", 5]]) {
      await page.click(`#${id}`);
      await settled(page);
      assert.equal((await value(page)).flow.length, n);
      assert.equal(await page.locator("#mistakes").innerText(), "");
    }
    await page.selectOption("#rate-control-4", "tfrc-veno");
    await settled(page);
    await equalsNative(page);
    for (let n = 5; n > 1; n--) await page.locator("#flows .flow .remove").first().click();
    await settled(page);
    assert.deepEqual((await value(page)).flow.map((flow) => flow.rate_control), ["tfrc-veno"]);
    assert.deepEqual(errors, []);
    await close();
  });
});

describe("the text", () => {
  test("it changes the knobs, and a mistake is shown at its place while the last curves stay", async () => {
    const { page, errors, close } = await open(browser);
    const good = await toml(page);
    await write(page, good.replace("0.02", "0.07"));
    assert.equal(await page.locator("[data-knob=loss] output").innerText(), "7 %");
    const goodput = (await outcome(page)).flows[0].goodput_bps;
    await write(page, good.replace('delay = "20 ms"', 'dealy = "20 ms"'));
    assert.match(await page.locator("#mistakes").innerText(), /Line 6[\s\S]*dealy[\s\S]*delay/);
    assert.equal(await page.locator(".lines .bad").innerText(), "6");
    assert.equal((await outcome(page)).flows[0].goodput_bps, goodput);
    await page.locator("#mistakes button").first().click();
    assert.equal(await page.evaluate(() => {
      const area = /** @type {HTMLTextAreaElement} */ (document.activeElement);
      return area.value.slice(area.selectionStart, area.selectionEnd);
    }), "dealy");
    await write(page, good);
    assert.equal(await page.locator("#mistakes").innerText(), "");
    await write(page, `${good}x = `);
    assert.equal(await page.locator("#knobs").evaluate((one) => one.inert), true);
    await write(page, good);
    assert.equal(await page.locator("#knobs").evaluate((one) => one.inert), false);
    assert.deepEqual(errors, []);
    await close();
  });

  test("texts of any kind leave the page alive", async () => {
    const { page, errors, close } = await open(browser);
    const good = await toml(page);
    const wrong = ["", "\u0000\u0001", "= = =", "[[flow]]", "a".repeat(250_000), "[".repeat(5000), `x = ${"[".repeat(3000)}`, "flow = 5\ndumbbell = 7", 'duration = "1 s"\nflow = [1, "x"]\n[dumbbell]\nbottleneck = 3',
      "<script>document.title='gone'</script>", 'duration = "60 s"\n[[flow]]\nname = "<img src=x onerror=alert(1)>"', good.replace("60 s", "999 days"), good.replace('"4 Mb/s"', '"4 Pb/s"'),
      good.replace('control  = "reno"', 'control = "__proto__"'), "__proto__ = 1\n[constructor]\nx = 1"];
    for (const text of wrong) {
      await write(page, text);
      assert.notEqual(await page.locator("#mistakes").innerText(), "", text.slice(0, 40));
    }
    await write(page, good.replace('"Reno"', '"<img src=x onerror=document.title=1>"'));
    assert.equal(await page.locator("#mistakes").innerText(), "");
    assert.equal(await page.title(), "Dumbbell lab");
    assert.equal(await page.locator("main img").count(), 0);
    await write(page, good);
    await equalsNative(page);
    assert.deepEqual(errors, []);
    await close();
  });
});

describe("the charts", () => {
  test("the sentence of a cut is that of `explain`, by pointer and by keys", async () => {
    const { page, close } = await open(browser);
    const place = await page.evaluate(() => {
      const { result } = /** @type {any} */ (globalThis).dumbbell;
      const cut = result.cuts.find((one) => one.rule === "random loss" && one.time > 20);
      const over = document.querySelector("#plot-window .u-over").getBoundingClientRect();
      const most = Math.max(...result.flows.flatMap((flow) => [...flow.cwnd])) * 1.06;
      return { cut, x: over.left + (cut.time / 60) * over.width, y: over.top + over.height * (1 - cut.before / most) };
    });
    await page.locator("#plot-window").scrollIntoViewIfNeeded();
    const top = await page.locator("#plot-window .u-over").evaluate((over) => over.getBoundingClientRect().top);
    const now = await page.evaluate(() => scrollY);
    await page.mouse.move(place.x, place.y - now, { steps: 3 });
    assert.ok(top > 0);
    const tip = await page.locator("#plot-window .tip").innerText();
    assert.ok(tip.includes(place.cut.sentence) && tip.includes(place.cut.source), tip);
    assert.match(await page.locator("#legend caption").innerText(), /^At /);
    await page.locator("#plot-window").focus();
    await page.keyboard.press("ArrowRight");
    const spoken = await page.locator("#announcement").innerText();
    assert.match(spoken, /^(Reno|Veno) at \d+\.\d+ s: .+; .+\. Window .+ to .+ segments\.$/);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.locator("#announcement").innerText(), spoken);
    await close();
  });

  test("a flow is hidden and shown, a part is enlarged, and the whole comes back", async () => {
    const { page, errors, close } = await open(browser);
    await page.click('#legend [data-flow="Reno"]');
    assert.equal(await page.getAttribute('#legend [data-flow="Reno"]', "aria-pressed"), "false");
    await page.click('#legend [data-flow="Reno"]');
    await page.locator("#plot-goodput").scrollIntoViewIfNeeded();
    const box = await page.locator("#plot-goodput .u-over").boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 5 });
    await page.mouse.up();
    assert.equal(await page.locator("#whole-run").isVisible(), true);
    await page.click("#whole-run");
    assert.equal(await page.locator("#whole-run").isVisible(), false);
    await page.selectOption("#queue-link", "bottleneck.reverse");
    assert.deepEqual(errors, []);
    await close();
  });
});

describe("sharing", () => {
  test("the address holds the state, and no code", async () => {
    const { page, errors, close } = await open(browser);
    await slide(page, "loss", 0.4);
    await page.click("#next-seed");
    await settled(page);
    await page.waitForTimeout(600);
    const [hash, text, shown] = [new URL(page.url()).hash, await toml(page), await outcome(page)];
    const other = await open(browser, { hash });
    assert.equal(await toml(other.page), text);
    assert.deepEqual(await outcome(other.page), shown);
    assert.deepEqual([...errors, ...other.errors], []);
    await other.close();
    await close();
  });

  test("hostile fragments: a message and the page as it begins", async () => {
    const { page, errors, close } = await open(browser);
    const begun = await toml(page);
    page.on("dialog", () => assert.fail("a dialog"));
    for (const hash of ["#<script>alert(1)</script>", "#javascript:alert(1)", "#1.AAAA", `#1.${"A".repeat(100_000)}`, "#%00%ff", "#1.__proto__", "#\"><img src=x onerror=alert(1)>"]) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.waitForTimeout(50);
      await settled(page);
      assert.equal(await toml(page), begun, hash.slice(0, 40));
      assert.match(await page.locator("#note").innerText(), /no scenario that can be read/);
    }
    assert.deepEqual(errors, []);
    await close();
  });

  test("files and commands are what they say", async () => {
    const { page, errors, close } = await open(browser);
    await page.click("#open-share");
    const files = {};
    for (const id of ["save-toml", "save-csv", "save-svg", "save-png"]) {
      const [got] = await Promise.all([page.waitForEvent("download"), page.click(`#${id}`)]);
      files[id] = readFileSync(await got.path());
    }
    assert.equal(files["save-toml"].toString(), await toml(page));
    const rows = files["save-csv"].toString().trim().split("\n");
    assert.equal(rows[0], "time_s,Reno.cwnd_segments,Reno.ssthresh_segments,Reno.rtt_s,Reno.goodput_bps,Veno.cwnd_segments,Veno.ssthresh_segments,Veno.rtt_s,Veno.goodput_bps,bottleneck.queue_packets,bottleneck.reverse.queue_packets");
    assert.equal(rows.length, 3002);
    assert.match(files["save-svg"].toString(), /^<\?xml[\s\S]*<svg[\s\S]*Congestion window[\s\S]*<\/svg>\s*$/);
    assert.equal(files["save-png"].subarray(1, 4).toString(), "PNG");
    assert.ok(files["save-png"].length > 20_000);
    const words = await page.locator("#share-command").innerText();
    assert.ok(words.includes(await toml(page)) && words.trimEnd().endsWith("dumbbell run scenario.toml --seed 1"), words);
    await page.click("[data-copy=share-command]");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), words.endsWith("\n") ? words : `${words}\n`);
    assert.deepEqual(errors, []);
    await close();
  });
});
