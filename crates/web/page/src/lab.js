// The state of the page: a scenario's text and what is shown of it. Every change runs the scenario again; the newest text wins.

import { Document } from "./scenario/document.js";
import { START } from "./start.js";

/**
 * @typedef {{ name: string, set: Record<string, unknown> }} Variant
 * @typedef {{ toml: string, seed: number, view: View, seeds: number, variants: Variant[] | null }} State
 * @typedef {"curves" | "compare" | "own"} View
 * @typedef {"text" | "result" | "mistakes" | "view" | "busy" | "theme" | "variants" | "at"} Topic
 */

/** @type {View[]} */
export const VIEWS = ["curves", "compare", "own"];
export const MOST_SEEDS = 100;
export const MOST_VARIANTS = 24;

/** @returns {State} */
export const begin = () => ({ toml: START, seed: 1, view: "curves", seeds: 10, variants: null });

export class Lab {
  /** @param {any} engine @param {any} catalogue @param {State} state */
  constructor(engine, catalogue, state) {
    this.engine = engine;
    this.catalogue = catalogue;
    this.state = state;
    this.document = new Document(state.toml);
    /** The last run that succeeded. @type {any} */
    this.result = null;
    /** What is wrong with the text. @type {any[]} */
    this.mistakes = [];
    /** The moment that the charts and the drawing point to, in seconds. @type {number | null} */
    this.at = null;
    /** @type {Map<Topic, ((source: unknown) => void)[]>} */
    this.listeners = new Map();
    /** The comparison that is shown, and the paper's figure that it began with. @type {any} */
    this.comparison = null;
    /** @type {any} */
    this.preset = null;
    /** A run that began before the rest of the page. @type {{ toml: string, seed: number, result: Promise<any> } | null} */
    this.early = null;
    /** What is done before the first result is shown. @type {(() => void) | null} */
    this.first = null;
    this.running = false;
    this.stale = false;
    /** Redraws so far, for tests: how long after the change of the text each was done. @type {{ redraws: number, milliseconds: number, engine: number }} */
    this.timing = { redraws: 0, milliseconds: 0, engine: 0 };
    this.changedAt = 0;
  }

  /** Calls a function whenever something has changed. @param {Topic} topic @param {(source: unknown) => void} listener */
  on(topic, listener) {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  /** @param {Topic} topic @param {unknown} [source] */
  tell(topic, source) {
    for (const listener of this.listeners.get(topic) ?? []) listener(source);
  }

  /** Takes another text. `source` is whoever changed it and needs no telling. @param {string | Document} text @param {unknown} [source] */
  edit(text, source) {
    const document = typeof text === "string" ? new Document(text) : text;
    if (document.text === this.state.toml && this.result) return;
    this.document = document;
    this.state.toml = document.text;
    this.changedAt = performance.now();
    // The worker begins while the page shows what has changed.
    this.run();
    this.tell("text", source);
  }

  /** Takes a whole state, as of a link or a tour. @param {Partial<State>} state */
  restore(state) {
    const { view, variants } = this.state;
    Object.assign(this.state, state);
    this.document = new Document(this.state.toml);
    this.changedAt = performance.now();
    this.at = null;
    this.tell("text");
    if (variants !== this.state.variants) this.tell("variants");
    if (view !== this.state.view) this.tell("view");
    this.run();
  }

  /** @param {View} view */
  show(view) {
    if (this.state.view === view) return;
    this.state.view = view;
    this.tell("view");
  }

  /** @param {number} seed */
  reseed(seed) {
    this.state.seed = seed;
    this.changedAt = performance.now();
    this.tell("text");
    this.run();
  }

  /** @param {number | null} at @param {unknown} [source] */
  point(at, source) {
    this.at = at;
    this.tell("at", source);
  }

  /** Runs the scenario; while a run goes on, only the newest text waits. */
  run() {
    this.stale = true;
    if (!this.running) this.#loop();
  }

  async #loop() {
    this.running = true;
    this.tell("busy");
    while (this.stale) {
      this.stale = false;
      await this.#once();
    }
    this.running = false;
    this.tell("busy");
  }

  async #once() {
    const { toml, seed } = this.state;
    const changed = this.changedAt;
    try {
      const { early } = this;
      this.early = null;
      const result = await (early?.toml === toml && early.seed === seed ? early.result : this.engine.run(toml, { seed, superseded: "lab" }));
      this.mistakes = [];
      this.result = result;
      // The page is laid out before charts are drawn, which measure it.
      this.first?.();
      this.tell("mistakes");
      this.tell("result");
      // The charts draw when all of them know what.
      await null;
      const milliseconds = performance.now() - changed;
      this.timing = { redraws: this.timing.redraws + 1, milliseconds, engine: result.milliseconds };
    } catch (wrong) {
      const { superseded, errors, message } = /** @type {any} */ (wrong);
      if (superseded) return;
      this.mistakes = errors?.length ? errors : [{ line: 0, column: 0, length: 0, message: String(message), help: null }];
      this.tell("mistakes");
    }
  }
}
