// A worker: it holds one instance of the module and makes one run at a time. A classic script without imports, so
// that it can be started from a blob. What it may do is what `Host` does; it reads no clock but for `milliseconds`.
"use strict";
(() => {
  const { postMessage: post, performance } = self;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let instance = null;
  let told = "";

  const imports = {
    lab: {
      // The module has stopped with this message; a trap follows.
      stopped(at, length) {
        told = decoder.decode(new Uint8Array(instance.exports.memory.buffer, at, length));
      },
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

  const calls = {
    catalogue: () => instance.exports.lab_list(),
    check: ({ toml }) => (write(toml), instance.exports.lab_read()),
    outcome: (job) => (write(job.toml), instance.exports.lab_run(...seed(job))),
    run: (job) => {
      write(job.toml);
      return instance.exports.lab_observe(...seed(job), nanoseconds(job.every), job.cuts === false ? 0 : 1);
    },
  };

  self.onmessage = ({ data }) => {
    const { id, call, job } = data;
    try {
      if (call === "module") {
        instance = new WebAssembly.Instance(data.module, imports);
        return post({ id, code: 0 });
      }
      const begin = performance.now();
      const code = calls[call](job);
      const milliseconds = performance.now() - begin;
      const { memory, lab_answer: answer, lab_answer_len: length } = instance.exports;
      const bytes = memory.buffer.slice(answer(), answer() + length());
      post({ id, code, bytes, milliseconds }, [bytes]);
    } catch (error) {
      // After a trap the module's memory is in no known state: the worker is of no more use.
      post({ id, code: 3, message: told || String(error?.message ?? error) });
      told = "";
    }
  };
})();
