// The path in motion: packets, queues and losses, slow or fast, at the time that the charts point to.

import { quantity } from "../scenario/quantity.js";
import { nearest } from "./curves.js";
import { byId, h } from "./dom.js";
import { causes } from "./losses.js";
import { paint } from "./paint.js";
import { stage } from "./stage.js";

/** @typedef {import("../lab.js").Lab} Lab */

/** Seconds of the run in a second. @type {[number, string][]} */
const SPEEDS = [[0.01, "100 times slower"], [0.03, "30 times slower"], [0.1, "10 times slower"], [0.3, "3 times slower"], [1, "as it is"], [10, "10 times faster"]];
const FALL = 0.7;
const HEIGHT = 240;
/** Hops that one part of the film may have, about. */
const PART = 12_000;
const WAIT = 160;

/** @param {Lab} lab */
export function drawing(lab) {
  const place = byId("drawing");
  const canvas = h("canvas", { class: "motion", role: "img", "aria-label": "The path" });
  const ctx = canvas.getContext("2d");
  const play = h("button", { type: "button", class: "button", id: "play", "aria-pressed": "false", onclick: () => run(!playing) }, "Play");
  const speed = h("select", { id: "speed", "aria-label": "Speed of the motion" }, SPEEDS.map(([value, words]) => h("option", { value }, words)));
  speed.value = "0.1";
  const seek = h("input", { type: "range", id: "moment", min: 0, max: 1, step: 0.0005, "aria-label": "Moment of the run", oninput: () => { run(false); to(Number(seek.value) * end(), "seek"); } });
  const when = h("span", { class: "when" });
  place.append(canvas, h("div", { class: "motion-bar" }, play, speed, seek, when),
    h("p", { class: "keys motion-keys" }, causes(), h("span", {}, "● data, ○ ACKs; bars: windows")));

  let time = 8;
  let playing = false;
  let visible = true;
  /** The part of the film that is shown, and the next one. @type {any} */
  let film = null;
  /** @type {any} */
  let next = null;
  /** @type {ReturnType<typeof stage> | null} */
  let geometry = null;
  let generation = 0;
  let first = 0;
  let pointed = 0;
  let last = 0;
  let broken = "";

  const end = () => lab.result?.time.at(-1) ?? 1;
  /** How long a part of the film is, so that it has a bounded number of hops. */
  function span() {
    const { outcome } = lab.result;
    const hops = (outcome.links ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ link) => sum + (link.sent ?? 0), 0);
    return Math.max(0.02, Math.min(3, PART / Math.max(1, hops / end())));
  }
  /** Packets that were sent a while before are still on their way. */
  const ahead = () => Math.min(1.5, Math.max(0.3, 2 * Math.max(...lab.result.outcome.flows.map((/** @type {any} */ flow) => flow.rtt_mean_s ?? 0), 0.1)));

  /** @param {number} from */
  async function load(from) {
    const mine = generation;
    const { toml, seed } = lab.state;
    const part = await lab.engine.film(toml, { seed, from: Math.max(0, from - ahead()), to: Math.min(end(), from + span()) });
    return mine === generation ? { ...part, begin: from, until: Math.min(end(), from + span()) } : null;
  }

  /** Shows the film at a time, and fetches it if it is not there. @param {number} at @param {unknown} [source] */
  async function to(at, source) {
    time = Math.max(0, Math.min(end(), at));
    if (film && time >= film.begin && time <= film.until) {
      frame();
      if (source) lab.point(time, "motion");
      return;
    }
    const mine = ++generation;
    next = null;
    try {
      const part = await load(time);
      if (!part || mine !== generation) return;
      take(part);
      frame();
      if (source) lab.point(time, "motion");
    } catch (wrong) {
      fail(wrong);
    }
  }

  /** @param {any} part */
  function take(part) {
    film = part;
    first = 0;
    geometry = null;
    broken = "";
  }

  /** @param {any} wrong */
  function fail(wrong) {
    if (wrong.superseded) return;
    broken = wrong.message;
    run(false);
    canvas.setAttribute("aria-label", `The path cannot be drawn: ${broken}`);
  }

  /** @param {boolean} on */
  function run(on) {
    playing = on;
    play.textContent = on ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(on));
    if (on) {
      last = performance.now();
      requestAnimationFrame(tick);
    } else describe();
  }

  /** @param {number} now */
  function tick(now) {
    if (!playing) return;
    const step = Math.min(0.1, (now - last) / 1000) * Number(speed.value);
    last = now;
    if (visible && !document.hidden && film) advance(step, now);
    requestAnimationFrame(tick);
  }

  /** @param {number} step @param {number} now */
  function advance(step, now) {
    if (time + step >= end()) {
      to(0);
      return;
    }
    if (time + step > film.until) {
      if (!next?.part) return fetchNext();
      const { part } = next;
      next = null;
      take(part);
    }
    time += step;
    if (time > film.begin + (film.until - film.begin) * 0.4) fetchNext();
    frame();
    if (now - pointed > 100) {
      pointed = now;
      lab.point(time, "motion");
    }
  }

  function fetchNext() {
    if (next || film.until >= end()) return;
    const mine = { part: null };
    next = mine;
    load(film.until).then((part) => { if (next === mine && part) next.part = part; }, fail);
  }

  function frame() {
    when.textContent = `${time.toFixed(Number(speed.value) < 0.1 ? 3 : 2)} s`;
    if (document.activeElement !== seek || playing) seek.value = String(time / end());
    seek.setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
    if (!film) return;
    const [width, ratio] = [canvas.clientWidth || 300, devicePixelRatio || 1];
    if (!geometry || geometry.width !== width) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(HEIGHT * ratio);
      geometry = stage(film, width, HEIGHT);
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { result } = lab;
    const i = nearest(result.time, time);
    const fall = FALL * Number(speed.value);
    while (first < film.hops.enqueue.length && over(first, time - fall)) first++;
    if (first > 0 && film.hops.enqueue[first - 1] > time) first = 0;
    const windows = result.flows.map((/** @type {any} */ flow) => (flow.cwnd ? flow.cwnd[i] : null));
    const waiting = paint(ctx, geometry, film, time, {
      fall, first, windows, most: largest(), names: film.flows.map((/** @type {any} */ flow) => flow.name),
      capacity: (name) => result.links.find((/** @type {any} */ link) => link.name === name)?.capacity ?? null,
    });
    place.dataset.time = String(time);
    place.dataset.waiting = String(waiting[geometry.chain[0]] ?? 0);
  }

  /** Whether nothing of a hop is to be seen from this time on. @param {number} i @param {number} at */
  function over(i, at) {
    const { fate, enqueue, depart, arrive, start } = film.hops;
    const gone = fate[i] === 0 ? arrive[i] : fate[i] === 1 ? enqueue[i] : fate[i] === 2 ? (depart[i] ?? start[i]) : NaN;
    return gone < at;
  }

  let known = /** @type {any} */ (null);
  let most = 1;
  function largest() {
    if (known === lab.result) return most;
    known = lab.result;
    most = 1;
    for (const flow of known.flows) for (const value of flow.cwnd ?? []) if (value > most) most = value;
    return most;
  }

  function describe() {
    if (!film || broken) return;
    canvas.setAttribute("aria-label", `The path at ${time.toFixed(2)} s: ${place.dataset.waiting} packets wait in front of the first link. ${quantity("time", 1 / Number(speed.value))} of your time is a second of the run.`);
  }

  /** @type {any} */
  let timer = 0;
  lab.on("result", () => {
    generation++;
    next = null;
    clearTimeout(timer);
    // While a slider moves, the last picture stays.
    timer = setTimeout(() => {
      film = null;
      to(Math.min(time, end() * 0.98)).then(describe);
    }, WAIT);
  });
  lab.on("at", (source) => {
    if (source === "motion" || playing || lab.at === null) return;
    clearTimeout(timer);
    const at = lab.at;
    if (film && at >= film.begin && at <= film.until) to(at);
    else timer = setTimeout(() => to(at), WAIT);
  });
  lab.on("theme", () => frame());
  new ResizeObserver(() => film && frame()).observe(canvas);
  // Of several changes that are told together, the last one holds.
  new IntersectionObserver((entries) => { visible = entries[entries.length - 1].isIntersecting; }).observe(canvas);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) run(true);
}
