// Paints one moment of a film.

import { style } from "./dom.js";
import { colour } from "./theme.js";

/** @typedef {ReturnType<typeof import("./stage.js").stage>} Stage */

const SLOT = 5;

/**
 * @param {CanvasRenderingContext2D} ctx @param {Stage} place @param {any} film @param {number} time
 * @param {{ fall: number, first: number, windows: (number | null)[], most: number, capacity: (name: string) => number | null, names: string[] }} more
 *   `fall`: how long a lost packet is seen, in seconds of the film; `first`: the hop before which nothing is on its way any more.
 */
export function paint(ctx, place, film, time, more) {
  const ink = { line: style("--line"), soft: style("--soft"), text: style("--ink"), sunk: style("--sunk"), raised: style("--raised"), random: style("--random"), congestion: style("--congestion") };
  const font = style("--sans");
  ctx.clearRect(0, 0, place.width, place.height);
  lines(ctx, place, ink);
  const waiting = place.tracks.map(() => 0);
  const { hops } = film;
  const colours = film.flows.map((/** @type {any} */ _, /** @type {number} */ i) => colour(i));
  /** @type {(() => void)[]} */
  const losses = [];
  for (let i = more.first; i < hops.enqueue.length && hops.enqueue[i] <= time; i++) {
    const track = place.tracks[hops.link[i]];
    if (!track) continue;
    const [fate, start, arrive] = [hops.fate[i], hops.start[i], hops.arrive[i]];
    if (fate === 1) {
      const age = (time - hops.enqueue[i]) / more.fall;
      if (age < 1) losses.push(() => gone(ctx, track.queue ?? track.from, age, ink.congestion, "drop"));
    } else if (!(start <= time)) {
      if (fate === 3 && !(start > time)) continue;
      slot(ctx, track, waiting[hops.link[i]]++, colours[hops.flow[i]], hops.kind[i] === 1);
    } else if (fate === 2) {
      const end = Number.isNaN(hops.depart[i]) ? start : hops.depart[i];
      // It is lost on its way: in the middle of the link, for the eye.
      const age = (time - end) / more.fall;
      if (age >= 1) continue;
      const at = between(track, 0.5);
      if (age >= 0) losses.push(() => gone(ctx, at, age, ink.random, "lost"));
      else dot(ctx, between(track, 0.5 * ((time - start) / Math.max(end - start, 1e-12))), colours[hops.flow[i]], hops.kind[i] === 1);
    } else if (time < arrive || (Number.isNaN(arrive) && fate === 4)) {
      const part = Number.isNaN(arrive) ? 0.5 : (time - start) / Math.max(arrive - start, 1e-12);
      dot(ctx, between(track, part), colours[hops.flow[i]], hops.kind[i] === 1);
    }
  }
  for (const loss of losses) loss();
  queues(ctx, place, film, waiting, more, ink, font);
  hosts(ctx, place, more, colours, ink, font);
  return waiting;
}

/** @param {import("./stage.js").Track} track @param {number} part */
const between = ({ from, to }, part) => ({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });

/** @param {CanvasRenderingContext2D} ctx @param {Stage} place @param {any} ink */
function lines(ctx, place, ink) {
  for (const track of place.tracks) {
    if (!track) continue;
    ctx.strokeStyle = ink.line;
    ctx.lineWidth = track.access ? 1 : 5;
    ctx.globalAlpha = track.access ? 0.8 : 0.45;
    ctx.beginPath();
    ctx.moveTo(track.from.x, track.from.y);
    ctx.lineTo(track.to.x, track.to.y);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  ctx.setLineDash([3, 4]);
  for (const [from, to] of place.stubs) {
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  for (const router of place.routers) {
    ctx.fillStyle = ink.sunk;
    ctx.strokeStyle = ink.soft;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.roundRect(router.x - 7, router.y - 22, 14, 44, 4);
    ctx.fill();
    ctx.stroke();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {import("./stage.js").Point} at @param {string} ink @param {boolean} ack */
function dot(ctx, at, ink, ack) {
  ctx.beginPath();
  ctx.arc(at.x, at.y, ack ? 2.4 : 4, 0, 2 * Math.PI);
  if (ack) {
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1.3;
    ctx.stroke();
  } else {
    ctx.fillStyle = ink;
    ctx.fill();
  }
}

/** A packet that waits: in a row in front of the router, beside the link. @param {CanvasRenderingContext2D} ctx @param {import("./stage.js").Track} track @param {number} n @param {string} ink @param {boolean} ack */
function slot(ctx, track, n, ink, ack) {
  if (!track.queue || n >= 120) return;
  const [column, row] = [Math.floor(n / 10), n % 10];
  const x = track.queue.x - track.way * (14 + column * SLOT);
  const y = track.queue.y + (track.way > 0 ? -16 - row * SLOT : 16 + row * SLOT);
  ctx.fillStyle = ink;
  ctx.globalAlpha = ack ? 0.55 : 1;
  ctx.fillRect(x - 2, y - 2, 4, 4);
  ctx.globalAlpha = 1;
}

/** A packet that is lost falls and fades; its shape says why, as its colour does. @param {CanvasRenderingContext2D} ctx
 * @param {import("./stage.js").Point} from @param {number} age @param {string} ink @param {"drop" | "lost"} kind */
function gone(ctx, from, age, ink, kind) {
  const y = from.y + (kind === "drop" ? -1 : 1) * (6 + 46 * age);
  ctx.globalAlpha = 1 - age * 0.8;
  ctx.strokeStyle = ink;
  ctx.fillStyle = ink;
  ctx.lineWidth = 3;
  ctx.beginPath();
  if (kind === "lost") {
    ctx.moveTo(from.x - 6, y - 6);
    ctx.lineTo(from.x + 6, y + 6);
    ctx.moveTo(from.x + 6, y - 6);
    ctx.lineTo(from.x - 6, y + 6);
    ctx.stroke();
  } else {
    ctx.rect(from.x - 42, y - 8, 13, 13);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

/** How many wait, and how many could. @param {CanvasRenderingContext2D} ctx @param {Stage} place @param {any} film @param {number[]} waiting @param {any} more @param {any} ink @param {string} font */
function queues(ctx, place, film, waiting, more, ink, font) {
  ctx.font = `12px ${font}`;
  ctx.fillStyle = ink.soft;
  ctx.textBaseline = "alphabetic";
  place.tracks.forEach((track, i) => {
    if (!track?.queue) return;
    const capacity = more.capacity(film.links[i].name);
    const full = capacity !== null && waiting[i] >= capacity - 1;
    ctx.fillStyle = full ? ink.congestion : ink.soft;
    const words = `${waiting[i]}${capacity === null ? "" : ` / ${capacity}`}`;
    ctx.textAlign = track.way > 0 ? "left" : "right";
    if (track.way > 0) ctx.fillText(words, track.queue.x + 12, track.queue.y - 14);
    else if (waiting[i] > 0) ctx.fillText(words, track.queue.x - 12, track.queue.y + 26);
  });
}

/** @param {CanvasRenderingContext2D} ctx @param {Stage} place @param {any} more @param {string[]} colours @param {any} ink @param {string} font */
function hosts(ctx, place, more, colours, ink, font) {
  for (const { flow, sender, receiver } of place.hosts) {
    for (const point of [sender, receiver]) {
      ctx.fillStyle = ink.raised;
      ctx.strokeStyle = colours[flow];
      ctx.lineWidth = 2.5;
      ctx.beginPath();
      ctx.arc(point.x, point.y, 7, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
    const window = more.windows[flow];
    const outside = sender.x < place.width / 2 ? -1 : 1;
    ctx.textAlign = outside < 0 ? "right" : "left";
    ctx.font = `600 12px ${font}`;
    ctx.fillStyle = ink.text;
    const room = place.narrow ? 9 : 15;
    const name = more.names[flow].length > room ? `${more.names[flow].slice(0, room - 1)}…` : more.names[flow];
    ctx.fillText(name, sender.x + outside * 14, sender.y - 2);
    if (window === null || !Number.isFinite(window)) continue;
    // The window as a bar under the name: the longest is the largest of the run.
    const span = place.narrow ? 52 : 100;
    const long = Math.max(2, span * Math.min(1, window / more.most));
    ctx.fillStyle = ink.sunk;
    ctx.fillRect(outside < 0 ? sender.x - 14 - span : sender.x + 14, sender.y + 5, span, 6);
    ctx.fillStyle = colours[flow];
    ctx.fillRect(outside < 0 ? sender.x - 14 - long : sender.x + 14, sender.y + 5, long, 6);
  }
}
