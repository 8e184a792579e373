// A worker: it holds one instance of the module and makes one run at a time. A classic script without imports, so
// that it can be started from a blob. The code of a user's control may follow it (own.js).
"use strict";
(() => {
  const { postMessage: post } = self;
  const clock = self.performance;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const { ArrayBuffer, Error, Float64Array, Uint8Array, BigInt, String, WebAssembly } = self;
  let instance = null;
  /** The last words of the module. */
  let told = "";

  // The user's functions, the state of each flow, and how a function failed.
  let functions = {};
  let states = [];
  let failure = null;
  /** Whether this worker is for the user's code, and has nothing but the language any more. */
  let isLocked = false;

  const SIGNALS = ["dup_acks", "fine_timer", "ecn"];
  const EVENTS = [
    { name: "onStart", about: () => undefined, usual: () => {} },
    { name: "onAck", about: (acked, limited) => ({ acked, limited: limited === 1 }), usual: () => {} },
    {
      name: "onLoss",
      about: (by, transmissions) => ({ by: SIGNALS[by], transmissions }),
      usual: (state) => {
        state.ssthresh = Math.max(2, state.cwnd / 2);
        state.cwnd = state.ssthresh;
      },
    },
    {
      name: "onTimeout",
      about: (consecutive) => ({ consecutive }),
      usual: (state) => {
        state.ssthresh = Math.max(2, state.cwnd / 2);
        state.cwnd = 1;
      },
    },
  ];
  /** The places of the numbers that the module passes (crates/web/src/own.rs). */
  const [CWND, SSTHRESH, TIME, RTT, SRTT, MIN_RTT, FLIGHT, MSS, FIRST, SECOND] = Array(10).keys();

  /** Calls a function of the user's, and returns whether it failed. */
  function own(event, flow, at, length) {
    const numbers = new Float64Array(instance.exports.memory.buffer, at, length);
    if (!isLocked) {
      failure = { message: "the code of the control `own` is not here: it runs only when you ask for it", line: null };
      return 1;
    }
    if (event === 0) states[flow] = { flow };
    const state = states[flow];
    const { name, about, usual } = EVENTS[event];
    state.cwnd = numbers[CWND];
    state.ssthresh = numbers[SSTHRESH];
    state.time = numbers[TIME];
    state.rtt = numbers[RTT];
    state.srtt = numbers[SRTT];
    state.minRtt = numbers[MIN_RTT];
    state.flight = numbers[FLIGHT];
    state.mss = numbers[MSS];
    try {
      (functions[name] ?? usual)(state, about(numbers[FIRST], numbers[SECOND]));
      for (const key of ["cwnd", "ssthresh"]) {
        if (typeof state[key] !== "number") throw new Error(`state.${key} is no number after ${name}`);
      }
    } catch (error) {
      failure = { message: text(error), line: line(error) };
      return 1;
    }
    numbers[CWND] = state.cwnd;
    numbers[SSTHRESH] = state.ssthresh;
    return 0;
  }

  function text(error) {
    try {
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    } catch {
      return "something was thrown that is no error";
    }
  }

  /** The line of this script at which an error was thrown. */
  function line(error) {
    try {
      const found = /:(\d+):\d+\)?\s*$/m.exec(error.stack);
      return found ? Number(found[1]) : null;
    } catch {
      return null;
    }
  }

  const imports = {
    lab: {
      // The module has stopped with this message; a trap follows.
      stopped(at, length) {
        told = decoder.decode(new Uint8Array(instance.exports.memory.buffer, at, length));
      },
      own,
    },
  };

  function write(text) {
    const bytes = encoder.encode(text);
    const at = instance.exports.lab_room(bytes.length);
    new Uint8Array(instance.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  // The seed as two arguments of the module: whether there is one, and its value.
  const seed = ({ seed }) => (seed === undefined || seed === null ? [0, 0n] : [1, BigInt.asUintN(64, BigInt(seed))]);
  const nanoseconds = (seconds) => BigInt(Math.max(0, Math.round((seconds ?? 0) * 1e9)));
  const flag = (wanted) => (wanted === false ? 0 : 1);

  const calls = {
    catalogue: () => instance.exports.lab_list(),
    check: ({ toml }) => (write(toml), instance.exports.lab_read()),
    outcome: (job) => (write(job.toml), instance.exports.lab_run(...seed(job))),
    run: (job) => {
      write(job.toml);
      const { every, cuts, losses } = job;
      return instance.exports.lab_observe(...seed(job), nanoseconds(every), flag(cuts), flag(losses));
    },
    film: (job) => {
      write(job.toml);
      return instance.exports.lab_film(...seed(job), nanoseconds(job.from), nanoseconds(job.to));
    },
  };

  self.addEventListener("message", ({ data }) => {
    const { id, call, job } = data;
    states = [];
    failure = null;
    told = "";
    try {
      if (call === "module") {
        // Another process gets its bytes: a compiled module stays in its own.
        const module = data.module instanceof ArrayBuffer ? new WebAssembly.Module(data.module) : data.module;
        instance = new WebAssembly.Instance(module, imports);
        return post({ id, code: 0 });
      }
      const begin = clock.now();
      const code = calls[call](job);
      const milliseconds = clock.now() - begin;
      if (code !== 0 && failure) return post({ id, code: 4, ...failure });
      const { memory, lab_answer: answer, lab_answer_len: length } = instance.exports;
      const bytes = memory.buffer.slice(answer(), answer() + length());
      post({ id, code, bytes, milliseconds }, [bytes]);
    } catch (error) {
      // After a trap the module's memory is in no known state: the worker is of no more use.
      post({ id, code: 3, message: told || text(error) });
    }
  });

  // The language itself, without clocks and chance: a run depends only on its scenario and its seed.
  const KEPT = new Set(
    `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol BigInt Math JSON
    Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError Map Set WeakMap WeakSet
    ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
    Float32Array Float64Array BigInt64Array BigUint64Array Reflect Proxy Promise Iterator isFinite isNaN globalThis
    console dumbbellOwn constructor toString valueOf hasOwnProperty`.split(/\s+/),
  );

  Object.defineProperty(self, "dumbbellOwn", {
    value(code) {
      if (isLocked) return;
      isLocked = true;
      for (let place = self; place && place !== Object.prototype; place = Object.getPrototypeOf(place)) {
        for (const name of Object.getOwnPropertyNames(place)) {
          if (KEPT.has(name)) continue;
          try {
            if (delete place[name]) continue;
          } catch {}
          try {
            Object.defineProperty(place, name, { value: undefined });
          } catch {}
        }
      }
      Math.random = () => {
        throw new Error("there is no Math.random: a run depends only on its scenario and its seed");
      };
      functions = code() ?? {};
    },
  });
})();
