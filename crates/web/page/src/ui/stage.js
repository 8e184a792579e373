// Where things stand in the drawing of the path: hosts at both sides, routers and links between them. Data go along the upper
// track of a link, what comes back along the lower one.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ links: { name: string }[], flows: { name: string }[], hops: Record<string, Float64Array> }} Film as the engine describes it */
/** @typedef {{ from: Point, to: Point, access: boolean, queue: Point | null, way: 1 | -1 }} Track */

const BACK = ".reverse";
const TRACK = 9;
const MOST_ROWS = 8;

/** @param {string} name */
const isAccess = (name) => /\.(sender|receiver)(\.reverse)?$/.test(name);
/** @param {string} name */
const other = (name) => (name.endsWith(BACK) ? name.slice(0, -BACK.length) : name + BACK);

/**
 * Places the links of a film.
 * @param {Film} film @param {number} width @param {number} height
 */
export function stage(film, width, height) {
  const narrow = width < 520;
  const ways = routes(film);
  const chain = longest(ways.map((way) => way.data.filter((link) => !isAccess(film.links[link].name))));
  const rows = Math.min(MOST_ROWS, Math.max(1, ways.filter((way) => way.data.length).length));
  const names = new Set(chain.map((link) => film.links[link].name));
  // Senders at the right have their names there.
  const leftward = ways.some(({ data }) => data.some((link) => !isAccess(film.links[link].name) && !names.has(film.links[link].name) && names.has(other(film.links[link].name))));
  const left = narrow ? 74 : 132;
  const right = leftward ? left - 12 : narrow ? 20 : 28;
  const fan = narrow ? 34 : Math.min(90, width * 0.1);
  const [first, last] = [left + fan + (narrow ? 22 : 52), width - right - fan];
  const middle = height / 2;
  /** @type {Point[]} the routers: one more than links */
  const routers = Array.from({ length: chain.length + 1 }, (_, i) => ({ x: chain.length ? first + ((last - first) * i) / chain.length : (first + last) / 2, y: middle }));
  /** @type {(Track | null)[]} */
  const tracks = film.links.map(() => null);
  const byName = new Map(film.links.map((/** @type {any} */ link, /** @type {number} */ i) => [link.name, i]));
  const put = (/** @type {number | undefined} */ link, /** @type {Track} */ track) => {
    if (link !== undefined && !tracks[link]) tracks[link] = track;
  };
  chain.forEach((link, i) => {
    const [a, b] = [routers[i], routers[i + 1]];
    put(link, { from: { x: a.x, y: middle - TRACK }, to: { x: b.x, y: middle - TRACK }, access: false, queue: { x: a.x, y: middle - TRACK }, way: 1 });
    put(byName.get(other(film.links[link].name)), { from: { x: b.x, y: middle + TRACK }, to: { x: a.x, y: middle + TRACK }, access: false, queue: { x: b.x, y: middle + TRACK }, way: -1 });
  });
  // Where ACKs take links of their own, these lie below those of the data.
  for (const way of ways) {
    const back = way.acks.filter((link) => !isAccess(film.links[link].name));
    back.forEach((link, k) => {
      const i = Math.max(0, chain.length - 1 - k);
      const [a, b] = [routers[i], routers[i + 1] ?? routers[i]];
      put(link, { from: { x: b.x, y: middle + TRACK }, to: { x: a.x, y: middle + TRACK }, access: false, queue: { x: b.x, y: middle + TRACK }, way: -1 });
    });
  }
  /** @type {{ flow: number, sender: Point, receiver: Point }[]} */
  const hosts = [];
  /** Hosts that are nodes of a graph stand apart from it. @type {[Point, Point][]} */
  const stubs = [];
  ways.forEach((way, flow) => {
    if (!way.data.length) return;
    const row = hosts.length % MOST_ROWS;
    const y = rows === 1 ? middle : 34 + ((height - 68) * row) / (rows - 1);
    const core = way.data.filter((link) => tracks[link] && !isAccess(film.links[link].name)).map((link) => /** @type {Track} */ (tracks[link]));
    const turned = core[0]?.way === -1;
    const [begin, end] = [core[0]?.from ?? routers[0], core.at(-1)?.to ?? routers[routers.length - 1]];
    const sides = { left: left, right: width - right };
    const sender = { x: turned ? sides.right : sides.left, y };
    const receiver = { x: turned ? sides.left : sides.right, y };
    hosts.push({ flow, sender, receiver });
    const accesses = way.data.filter((link) => isAccess(film.links[link].name));
    if (!accesses.length) stubs.push([sender, { x: begin.x, y: middle }], [{ x: end.x, y: middle }, receiver]);
    for (const link of accesses) {
      const isSender = film.links[link].name.includes(".sender");
      const [from, to] = isSender ? [sender, { x: begin.x, y: middle }] : [{ x: end.x, y: middle }, receiver];
      put(link, { from, to, access: true, queue: null, way: turned ? -1 : 1 });
      put(byName.get(other(film.links[link].name)), { from: to, to: from, access: true, queue: null, way: turned ? 1 : -1 });
    }
  });
  return { tracks, stubs, hosts, routers, chain, width, height, narrow };
}

/** The links that each flow's data and its ACKs take, in their order: those of the packet with the most. @param {Film} film */
function routes(film) {
  const { packet, flow, kind, link, enqueue } = film.hops;
  /** @type {Map<number, number[]>} */
  const hops = new Map();
  for (let i = 0; i < packet.length; i++) {
    const list = hops.get(packet[i]);
    if (list) list.push(i);
    else hops.set(packet[i], [i]);
  }
  const ways = film.flows.map(() => ({ data: /** @type {number[]} */ ([]), acks: /** @type {number[]} */ ([]) }));
  for (const list of hops.values()) {
    const [i] = list;
    const way = ways[flow[i]];
    if (!way) continue;
    const key = kind[i] === 1 ? "acks" : "data";
    if (list.length <= way[key].length) continue;
    way[key] = [...list].sort((a, b) => enqueue[a] - enqueue[b]).map((n) => link[n]);
  }
  return ways;
}

/** @param {number[][]} lists */
const longest = (lists) => lists.reduce((best, list) => (list.length > best.length ? list : best), /** @type {number[]} */ ([]));
