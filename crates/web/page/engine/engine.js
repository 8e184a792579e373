// The engine of the lab: the simulator in workers. This file is the contract with the page.

import { EngineError, Pool } from "./pool.js";
import { assemble } from "./own.js";

/**
 * @typedef {object} Catalogue What `dumbbell list --json` and `dumbbell schema` print.
 * @property {string} version
 * @property {Section[]} sections Sorts: "control", "short name", "recovery", "queue", "loss", "link", "source",
 *   "workload", "size", "rate control", "estimator", "classifier".
 * @property {object} schema The JSON Schema (draft-07) of scenario files: every key with its type, range, default,
 *   examples and meaning.
 *
 * @typedef {object} Section
 * @property {string} sort
 * @property {string} title
 * @property {{name: string, summary: string, origin?: "published"|"reconstruction", recoveries?: string[],
 *   needs?: string[], parameters?: Parameter[]}[]} entries
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} default As it would stand in a file.
 * @property {string} range In words.
 * @property {string} doc What it does, and the source of its default.
 *
 * @typedef {object} Checked
 * @property {boolean} ok
 * @property {Mistake[]} errors
 * @property {object|null} model The scenario with every default spelled out; null if there is a mistake.
 * @property {object|null} document What the text itself says; null if it is no TOML.
 * @property {string|null} canonical `model` as TOML.
 * @property {string[]} flows The names of the flows, counts expanded.
 *
 * @typedef {object} Mistake
 * @property {number} line From 1.
 * @property {number} column From 1, in characters.
 * @property {number} length In characters.
 * @property {string} message
 * @property {string|null} help
 *
 * @typedef {object} RunOptions
 * @property {number|bigint|string} [seed] Without it, the scenario's.
 * @property {number} [every] Seconds between two samples. Without it, two samples for each of 1500 columns.
 * @property {boolean} [cuts] Explain the cuts; true unless it is false.
 * @property {string} [superseded] A key: a later call with the same key rejects this one with `superseded` true.
 * @property {number} [limit] Seconds after which the run is stopped; 60.
 *
 * @typedef {object} Result
 * @property {object} outcome What `dumbbell run --json` prints, without its times.
 * @property {string} outcomeText The same, byte for byte.
 * @property {Float64Array} time Of all curves, in seconds. With more than 3000 samples, a column of samples has two
 *   points: the least and the greatest, in their order.
 * @property {FlowCurves[]} flows The first 64.
 * @property {LinkCurves[]} links Those between routers, one for each direction.
 * @property {Cut[]} cuts In order of time; the first 5000.
 * @property {number} moreCuts How many cuts are not listed.
 * @property {Losses} losses Data packets that never arrive, in order of time; the first 20,000.
 * @property {number} moreLosses How many losses are not listed.
 * @property {number} milliseconds How long the worker took.
 *
 * @typedef {object} FlowCurves A quantity that the flow does not have is null; where nothing is known, NaN.
 * @property {string} name
 * @property {string} control "udp" for a source without one.
 * @property {number} start In seconds.
 * @property {Float64Array} time The same for all curves of a result.
 * @property {Float64Array|null} cwnd In segments.
 * @property {Float64Array|null} ssthresh In segments; NaN without a limit.
 * @property {Float64Array|null} rtt In seconds.
 * @property {Float64Array|null} goodput Payload that arrived since the previous sample, in bit/s.
 *
 * @typedef {object} LinkCurves
 * @property {string} name
 * @property {Float64Array} time
 * @property {Float64Array|null} queue In packets, with the one in transmission.
 * @property {number|null} capacity In packets; null if there is no limit in packets.
 *
 * @typedef {object} Cut
 * @property {number} flow Its position among the flows.
 * @property {number} time In seconds.
 * @property {"dup_acks"|"fine_timer"|"ecn"|"timeout"|"ack"|"recovery_end"|"undo"|"unused"} event
 * @property {"reduction"|"spared"|"restoration"} kind "spared": a loss that changed nothing.
 * @property {number} before The window in segments.
 * @property {number} after
 * @property {number|null} ssthresh_before
 * @property {number|null} ssthresh_after
 * @property {string} rule The branch that was taken: "random loss", "congestion", "timeout", ...
 * @property {string} sentence Why, with the values; what it does.
 * @property {string} source The publication and section.
 *
 * @typedef {object} Losses Columns of the same length, one place for each loss.
 * @property {Float64Array} flow Its position among the flows.
 * @property {Float64Array} link The position of the link among `names`; NaN for a packet that arrives damaged.
 * @property {Float64Array} time In seconds.
 * @property {Float64Array} random 1 for what a loss model took, 0 for what a queue dropped.
 * @property {string[]} names Of all links.
 *
 * @typedef {object} Film What happens to each packet on each link. All arrays of `hops` have the same length; a hop is
 *   one packet on one link, in the order in which packets arrive at links.
 * @property {{name: string}[]} links
 * @property {{name: string}[]} flows
 * @property {{packet: Float64Array, flow: Float64Array, kind: Float64Array, bytes: Float64Array, link: Float64Array,
 *   enqueue: Float64Array, start: Float64Array, depart: Float64Array, arrive: Float64Array, fate: Float64Array}} hops
 *   `packet`: a number that is the same on all links of its way. `kind`: 0 data, 1 ACK or opening, 2 datagram, 3 media.
 *   `link`, `flow`: positions in `links`, `flows`. Times in seconds: `enqueue` it arrives at the queue, `start` and
 *   `depart` its transmission begins and ends, `arrive` it is at the end of the link; NaN if that does not happen.
 *   `fate`: 0 it arrives, 1 a queue drops it (congestion), 2 it is lost at random, 3 an ACK filter removes it, 4 it
 *   is still under way at the end of the run.
 * @property {number} more How many hops are not listed.
 * @property {number} from In seconds.
 * @property {number} to In seconds.
 *
 * @typedef {object} OwnState What the functions of a user's control get and may change. Each flow has one; what a
 *   function adds to it stays.
 * @property {number} cwnd The window in segments: to be changed.
 * @property {number} ssthresh The slow-start threshold in segments, or Infinity: to be changed.
 * @property {number} time In seconds.
 * @property {number} rtt The last round-trip time in seconds; NaN before the first.
 * @property {number} srtt The smoothed one (7/8 and 1/8).
 * @property {number} minRtt The least so far.
 * @property {number} flight Segments that are outstanding.
 * @property {number} mss Bytes of payload in a segment.
 * @property {number} flow The position of the flow.
 *
 * A scenario says `control = "own"`. The code has functions `onAck(state, ack)`, `onLoss(state, loss)`,
 * `onTimeout(state, timeout)`, and may have `onStart(state)`. `ack`: `{acked}`, segments that it acknowledges, and
 * whether it is `limited` by what the application writes. `loss`: `{by: "dup_acks"|"fine_timer"|"ecn", transmissions}`.
 * `timeout`: `{consecutive}`. Without `onLoss` a loss halves the window; without `onTimeout` a timeout makes it 1.
 */

export { apart } from "./apart.js";
export { EngineError };

/** Seconds that a run may take, and one with a control of the user's. */
const LIMIT = 60;
const OWN_LIMIT = 3;

export class Engine {
  #module;
  #source;
  /** How the worker of a user's control is started, and what it gets. */
  #apart;
  #pool;
  /** The workers for the code of a user's control: one, as long as the code is the same. */
  #own = { code: null, pool: null };
  #newest = new Map();
  #catalogue = null;

  /**
   * @param {object} parts
   * @param {ArrayBuffer|WebAssembly.Module} parts.wasm
   * @param {string} parts.workerSource The text of worker.js.
   * @param {number} [parts.workers] How many; the number of cores.
   * @param {{begin: (source: string) => any, wasm: () => Promise<ArrayBuffer>}} [parts.apart] Starts the workers of users'
   *   controls in a process of their own (apart.js), and has the module's bytes for them. Without it, they are workers
   *   like the others, and code that fills the memory may end the page.
   */
  constructor({ wasm, workerSource, workers, apart }) {
    this.#module = wasm instanceof WebAssembly.Module ? Promise.resolve(wasm) : WebAssembly.compile(wasm);
    this.#module.catch(() => {}); // Each call reports it.
    this.#source = workerSource;
    this.#apart = apart;
    const most = Math.max(1, workers ?? globalThis.navigator?.hardwareConcurrency ?? 2);
    this.#pool = new Pool({ module: this.#module, source: workerSource, most });
  }

  /** @returns {Promise<Catalogue>} */
  catalogue() {
    this.#catalogue ??= this.#pool.call("catalogue", {}, { limit: LIMIT }).promise.then(({ rest }) => rest);
    return this.#catalogue;
  }

  /** Reads a scenario. Mistakes are a result. @param {string} toml @returns {Promise<Checked>} */
  async check(toml, { superseded } = {}) {
    return (await this.#call(this.#pool, "check", { toml }, { superseded })).rest;
  }

  /** Runs a scenario. @param {string} toml @param {RunOptions} [options] @returns {Promise<Result>} */
  async run(toml, { seed, every, cuts, losses, superseded, limit } = {}) {
    return result(await this.#call(this.#pool, "run", { toml, seed, every, cuts, losses }, { superseded, limit }));
  }

  /**
   * Runs a scenario whose control "own" is this code. Call it only after the user has asked for it. A mistake in the
   * code rejects with its message, and with `line` where it is known, from 1. So does code that takes too long.
   * @param {{code: string, toml: string} & RunOptions} what The limit is 3 s, unless it is set.
   * @returns {Promise<Result>}
   */
  async own({ code, toml, seed, every, cuts, losses, superseded, limit = OWN_LIMIT }) {
    if (this.#own.code !== code) {
      this.#own.pool?.dispose("the code has changed", { superseded: true });
      this.#own = { code, pool: new Pool({ module: this.#apart?.wasm() ?? this.#module, begin: this.#apart?.begin, most: 1, ...assemble(this.#source, code) }) };
    }
    return result(await this.#call(this.#own.pool, "run", { toml, seed, every, cuts, losses }, { superseded, limit }));
  }

  /**
   * What happens to each packet on each link in a span of time, at most 60,000 hops.
   * @param {string} toml
   * @param {{seed?: number|bigint|string, from?: number, to?: number, superseded?: string, limit?: number}} [options]
   *   The span in seconds; by default the first second.
   * @returns {Promise<Film>}
   */
  async film(toml, { seed, from = 0, to = from + 1, superseded, limit } = {}) {
    const { rest, revive } = await this.#call(this.#pool, "film", { toml, seed, from, to }, { superseded, limit });
    const { links, flows, hops, more } = rest;
    return { links, flows, hops: revive(hops), more, from, to };
  }

  /**
   * Runs each variant with each seed, over all workers. `onPart` gets each outcome as it comes.
   * @param {{variants: string[], seeds: (number|bigint|string)[], superseded?: string, limit?: number,
   *   signal?: AbortSignal}} what
   * @param {(part: {variant: number, seed: number|bigint|string, outcome: object, done: number, of: number}) => void}
   *   [onPart]
   * @returns {Promise<object[][]>} The outcomes by variant and seed.
   */
  async many({ variants, seeds, superseded, limit = LIMIT, signal }, onPart) {
    const tasks = new Set();
    let stopped = false;
    const stop = () => {
      stopped = true;
      for (const task of tasks) task.supersede();
    };
    if (superseded !== undefined) this.#replace(superseded, { supersede: stop });
    const of = variants.length * seeds.length;
    let done = 0;
    const one = async (variant, seed) => {
      const task = this.#pool.call("outcome", { toml: variants[variant], seed }, { limit, patient: true });
      tasks.add(task);
      const outcome = JSON.parse((await task.promise).outcomeText);
      done += 1;
      if (!stopped) onPart?.({ variant, seed, outcome, done, of });
      return outcome;
    };
    signal?.addEventListener("abort", stop);
    try {
      const all = variants.map((_, variant) => Promise.all(seeds.map((seed) => one(variant, seed))));
      if (signal?.aborted) stop();
      return await Promise.all(all);
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Ends all workers. What is still running is rejected. */
  dispose() {
    this.#pool.dispose("the engine was disposed of");
    this.#own.pool?.dispose("the engine was disposed of");
  }

  #call(pool, call, job, { superseded, limit = LIMIT } = {}) {
    const task = pool.call(call, job, { limit });
    if (superseded !== undefined) this.#replace(superseded, task);
    return task.promise;
  }

  #replace(key, task) {
    this.#newest.get(key)?.supersede();
    this.#newest.set(key, task);
  }
}

function result({ outcomeText, rest, revive, milliseconds }) {
  const { time, flows, links, cuts, more_cuts, losses, more_losses } = rest;
  const times = revive(time);
  return {
    outcome: JSON.parse(outcomeText),
    outcomeText,
    time: times,
    flows: flows.map((flow) => ({ ...revive(flow), time: times })),
    links: links.map((link) => ({ ...revive(link), time: times })),
    cuts,
    moreCuts: more_cuts,
    losses: { ...revive(losses), names: rest.names },
    moreLosses: more_losses,
    milliseconds,
  };
}
