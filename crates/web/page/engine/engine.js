// The engine of the lab: the simulator in workers. This file is the contract with the page.

import { read } from "./answer.js";

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
 */

/** Why a call failed. `superseded`: a later call took its place. `errors`: the mistakes in the text. */
export class EngineError extends Error {
  constructor(message, fields = {}) {
    super(message);
    this.name = "EngineError";
    this.superseded = false;
    this.errors = [];
    Object.assign(this, fields);
  }
}

/** Seconds that a run may take. */
const LIMIT = 60;
/** Milliseconds that a run of which nobody wants the result any more may go on. */
const PATIENCE = 250;

export class Engine {
  #module;
  #source;
  #most;
  #workers = [];
  #waiting = [];
  #newest = new Map();
  #catalogue = null;
  #disposed = false;

  /**
   * @param {object} parts
   * @param {ArrayBuffer|WebAssembly.Module} parts.wasm
   * @param {string} parts.workerSource The text of worker.js.
   * @param {number} [parts.workers] How many; the number of cores.
   */
  constructor({ wasm, workerSource, workers }) {
    this.#module = wasm instanceof WebAssembly.Module ? Promise.resolve(wasm) : WebAssembly.compile(wasm);
    this.#module.catch(() => {}); // Each call reports it.
    this.#source = workerSource;
    this.#most = Math.max(1, workers ?? globalThis.navigator?.hardwareConcurrency ?? 2);
  }

  /** @returns {Promise<Catalogue>} */
  catalogue() {
    this.#catalogue ??= this.#call("catalogue", {}).then(({ rest }) => rest);
    return this.#catalogue;
  }

  /** Reads a scenario. Mistakes are a result. @param {string} toml @returns {Promise<Checked>} */
  async check(toml, { superseded } = {}) {
    return (await this.#call("check", { toml }, { superseded })).rest;
  }

  /** Runs a scenario. @param {string} toml @param {RunOptions} [options] @returns {Promise<Result>} */
  async run(toml, { seed, every, cuts, superseded, limit } = {}) {
    return result(await this.#call("run", { toml, seed, every, cuts }, { superseded, limit }));
  }

  /**
   * Runs each variant with each seed, over all workers. `onPart` gets each outcome as it comes.
   * @param {{variants: string[], seeds: (number|bigint|string)[], superseded?: string, limit?: number,
   *   signal?: AbortSignal}} what
   * @param {(part: {variant: number, seed: number|bigint|string, outcome: object, done: number, of: number}) => void}
   *   [onPart]
   * @returns {Promise<object[][]>} The outcomes by variant and seed.
   */
  async many({ variants, seeds, superseded, limit, signal }, onPart) {
    const group = new AbortController();
    const stop = () => group.abort();
    signal?.addEventListener("abort", stop);
    if (superseded !== undefined) this.#replace(superseded, { supersede: stop });
    const of = variants.length * seeds.length;
    let done = 0;
    const tasks = new Set();
    group.signal.addEventListener("abort", () => tasks.forEach((task) => task.supersede()));
    const one = async (variant, seed) => {
      const options = { limit, tasks, patient: true };
      const { outcomeText } = await this.#call("outcome", { toml: variants[variant], seed }, options);
      const outcome = JSON.parse(outcomeText);
      done += 1;
      onPart?.({ variant, seed, outcome, done, of });
      return outcome;
    };
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
    this.#disposed = true;
    for (const job of this.#waiting.splice(0)) job.reject(new EngineError("the engine was disposed of"));
    for (const worker of this.#workers.splice(0)) {
      worker.thread.terminate();
      worker.job?.reject(new EngineError("the engine was disposed of"));
    }
  }

  #call(call, job, { superseded, limit = LIMIT, tasks, patient = false } = {}) {
    if (this.#disposed) return Promise.reject(new EngineError("the engine was disposed of"));
    return new Promise((resolve, reject) => {
      const task = { call, job, limit, patient, resolve, reject, isOver: false };
      task.supersede = () => this.#supersede(task);
      if (superseded !== undefined) this.#replace(superseded, task);
      tasks?.add(task);
      // What a person waits for goes before the runs of a comparison.
      const place = patient ? this.#waiting.length : this.#waiting.findIndex((other) => other.patient);
      this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, task);
      this.#assign();
    });
  }

  #replace(key, task) {
    this.#newest.get(key)?.supersede();
    this.#newest.set(key, task);
  }

  #supersede(task) {
    if (task.isOver) return;
    task.isOver = true;
    task.reject(new EngineError("a later call took its place", { superseded: true }));
    this.#waiting = this.#waiting.filter((other) => other !== task);
    const worker = this.#workers.find((worker) => worker.job === task);
    if (!worker) return;
    // Most runs end sooner than a worker starts.
    setTimeout(() => worker.job === task && this.#end(worker), PATIENCE);
  }

  #assign() {
    while (this.#waiting.length > 0) {
      let worker = this.#workers.find((worker) => !worker.job);
      if (!worker && this.#workers.length < this.#most) worker = this.#start();
      if (!worker) return;
      this.#give(worker, this.#waiting.shift());
    }
  }

  #start() {
    const url = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const thread = new Worker(url);
    const worker = { thread, job: null, timer: null, url };
    thread.onmessage = ({ data }) => this.#hear(worker, data);
    thread.onerror = (event) => {
      event.preventDefault?.();
      this.#fail(worker, new EngineError(`the worker failed: ${event.message ?? "it could not be started"}`));
    };
    worker.ready = this.#module.then((module) => thread.postMessage({ id: 0, call: "module", module }));
    this.#workers.push(worker);
    return worker;
  }

  #give(worker, task) {
    worker.job = task;
    worker.ready.then(
      () => {
        if (worker.job !== task) return;
        worker.timer = setTimeout(() => {
          const message = `the run took longer than ${task.limit} s and was stopped; make it shorter, or its rate lower`;
          this.#fail(worker, new EngineError(message, { late: true }));
        }, task.limit * 1000);
        worker.thread.postMessage({ id: 1, call: task.call, job: task.job });
      },
      (error) => this.#fail(worker, new EngineError(`the module cannot be compiled: ${error.message}`)),
    );
  }

  #hear(worker, { id, code, bytes, milliseconds, message }) {
    if (code === 3) return this.#fail(worker, new EngineError(`the simulator stopped: ${message}`));
    if (id === 0) {
      URL.revokeObjectURL(worker.url);
      return;
    }
    const task = this.#release(worker);
    this.#assign();
    if (!task || task.isOver) return;
    task.isOver = true;
    const answer = { ...read(bytes), milliseconds };
    if (code === 0) task.resolve(answer);
    else task.reject(new EngineError(answer.rest.message, { errors: answer.rest.errors ?? [] }));
  }

  #release(worker) {
    clearTimeout(worker.timer);
    const task = worker.job;
    worker.job = null;
    return task;
  }

  /** Ends a worker, whose state is unknown, and rejects what it was doing. The next call starts another one. */
  #fail(worker, error) {
    const task = worker.job;
    this.#end(worker);
    if (task && !task.isOver) {
      task.isOver = true;
      task.reject(error);
    }
  }

  #end(worker) {
    this.#release(worker);
    worker.thread.terminate();
    URL.revokeObjectURL(worker.url);
    this.#workers = this.#workers.filter((other) => other !== worker);
    this.#assign();
  }
}

function result({ outcomeText, rest, revive, milliseconds }) {
  const { time, flows, links, cuts, more_cuts } = rest;
  const times = revive(time);
  return {
    outcome: JSON.parse(outcomeText),
    outcomeText,
    time: times,
    flows: flows.map((flow) => ({ ...revive(flow), time: times })),
    links: links.map((link) => ({ ...revive(link), time: times })),
    cuts,
    moreCuts: more_cuts,
    milliseconds,
  };
}
