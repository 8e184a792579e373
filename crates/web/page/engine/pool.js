// Workers of one source: each makes one run at a time, and ends if a run takes too long.

import { read } from "./answer.js";

/**
 * Why a call failed. `superseded`: a later call took its place. `errors`: the mistakes in the scenario's text.
 * `late`: it took too long. `line`: the line of the user's code, from 1.
 */
export class EngineError extends Error {
  constructor(message, fields = {}) {
    super(message);
    this.name = "EngineError";
    Object.assign(this, { superseded: false, late: false, errors: [], line: null }, fields);
  }
}

/** Milliseconds that a run of which nobody wants the result any more may go on: most end sooner than a worker starts. */
const PATIENCE = 250;

export class Pool {
  #module;
  #source;
  #most;
  #describe;
  #late;
  #begin;
  #workers = [];
  #waiting = [];
  #disposed = null;

  /**
   * @param {{module: Promise<WebAssembly.Module|ArrayBuffer>, source: string, most: number,
   *   describe?: (failure: {message: string, line: number|null}) => {message: string, line: number|null},
   *   late?: (seconds: number) => string, begin?: (source: string) => any}} parts
   *   `module` may be its bytes, for workers of another process. `describe` says what a failure of the source is to
   *   people, and `late` what it is that took too long. `begin` starts a worker; by default one of the page.
   */
  constructor({ module, source, most, describe, late, begin }) {
    this.#module = module;
    this.#source = source;
    this.#begin = begin ?? worker;
    this.#most = most;
    this.#describe = describe ?? ((failure) => ({ ...failure, line: null }));
    this.#late = late ?? ((seconds) => `the run took longer than ${seconds} s and was stopped; make it shorter, or its rate lower`);
  }

  /** @returns {{promise: Promise<any>, supersede: () => void}} */
  call(call, job, { limit, patient = false }) {
    const task = { call, job, limit, patient, isOver: false };
    task.promise = new Promise((resolve, reject) => Object.assign(task, { resolve, reject }));
    task.supersede = () => this.#supersede(task);
    if (this.#disposed) {
      reject(task, this.#disposed());
      return task;
    }
    // What a person waits for goes before the runs of a comparison.
    const place = patient ? -1 : this.#waiting.findIndex((other) => other.patient);
    this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, task);
    this.#assign();
    return task;
  }

  /** Ends all workers, and rejects what they were doing. */
  dispose(message, fields) {
    this.#disposed = () => new EngineError(message, fields);
    for (const task of this.#waiting.splice(0)) reject(task, this.#disposed());
    for (const worker of [...this.#workers]) this.#fail(worker, this.#disposed());
  }

  #supersede(task) {
    if (task.isOver) return;
    reject(task, new EngineError("a later call took its place", { superseded: true }));
    this.#waiting = this.#waiting.filter((other) => other !== task);
    const worker = this.#workers.find((worker) => worker.task === task);
    if (worker) setTimeout(() => worker.task === task && this.#end(worker), PATIENCE);
  }

  #assign() {
    while (this.#waiting.length > 0) {
      let worker = this.#workers.find((worker) => !worker.task);
      if (!worker && this.#workers.length < this.#most) worker = this.#start();
      if (!worker) return;
      this.#give(worker, this.#waiting.shift());
    }
  }

  #start() {
    const thread = this.#begin(this.#source);
    const worker = { thread, task: null, timer: null, isReady: false };
    thread.onmessage = ({ data }) => this.#hear(worker, data);
    thread.onerror = (event) => {
      event.preventDefault?.();
      const { message, line } = this.#describe({ message: event.message, line: event.lineno || null });
      this.#fail(worker, new EngineError(message ?? "the worker cannot be started", { line }));
    };
    worker.ready = this.#module.then((module) => {
      thread.postMessage({ id: 0, call: "module", module });
      worker.isReady = true;
    });
    worker.ready.catch(() => {}); // Each call reports it.
    this.#workers.push(worker);
    return worker;
  }

  #give(worker, task) {
    worker.task = task;
    // At once where that is possible: what the page still does now would come before a promise.
    if (worker.isReady) return this.#send(worker, task);
    worker.ready.then(
      () => worker.task === task && this.#send(worker, task),
      (error) => this.#fail(worker, new EngineError(`the module cannot be compiled: ${error.message}`)),
    );
  }

  #send(worker, task) {
    const late = () => this.#fail(worker, new EngineError(this.#late(task.limit), { late: true }));
    worker.timer = setTimeout(late, task.limit * 1000);
    worker.thread.postMessage({ id: 1, call: task.call, job: task.job });
  }

  #hear(worker, { id, code, bytes, milliseconds, message, line }) {
    if (code === 3) {
      const text = `the simulator stopped: ${message}`;
      return this.#fail(worker, new EngineError(text));
    }
    if (id === 0) return;
    const task = this.#release(worker);
    this.#assign();
    if (!task || task.isOver) return;
    if (code === 4) return reject(task, new EngineError(message, this.#describe({ message, line })));
    task.isOver = true;
    const answer = { ...read(bytes), milliseconds };
    if (code === 0) task.resolve(answer);
    else task.reject(new EngineError(answer.rest.message, { errors: answer.rest.errors ?? [] }));
  }

  #release(worker) {
    clearTimeout(worker.timer);
    const { task } = worker;
    worker.task = null;
    return task;
  }

  /** Ends a worker, whose state is unknown, and rejects what it was doing. The next call starts another one. */
  #fail(worker, error) {
    const { task } = worker;
    this.#end(worker);
    if (task) reject(task, error);
  }

  #end(worker) {
    this.#release(worker);
    worker.thread.terminate();
    this.#workers = this.#workers.filter((other) => other !== worker);
    if (!this.#disposed) this.#assign();
  }
}

/** A worker of the page, whose address is given back as soon as it has said something. */
function worker(source) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const thread = new Worker(url);
  const give = () => URL.revokeObjectURL(url);
  for (const event of ["message", "error"]) thread.addEventListener?.(event, give, { once: true });
  return thread;
}

function reject(task, error) {
  if (task.isOver) return;
  task.isOver = true;
  task.reject(error);
}
