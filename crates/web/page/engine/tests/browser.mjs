// What the engine needs of a browser, for Node: workers that start from a blob.
import { Worker as Thread } from "node:worker_threads";

const sources = new Map();

/** Makes `Worker` and blob addresses known to the engine. */
export function install() {
  const plain = globalThis.Blob;
  globalThis.Blob = class extends plain {
    constructor(parts, options) {
      super(parts, options);
      this.source = parts.join("");
    }
  };
  URL.createObjectURL = (blob) => {
    const url = `blob:lab/${sources.size}`;
    sources.set(url, blob.source);
    return url;
  };
  URL.revokeObjectURL = () => {};
  globalThis.Worker = class {
    constructor(url) {
      const before = `
        const { parentPort } = require("node:worker_threads");
        globalThis.self = globalThis;
        globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
        globalThis.addEventListener = (_, listener) => parentPort.on("message", (data) => listener({ data }));
      `.replaceAll("\n", " ");
      this.thread = new Thread(before + sources.get(url), { eval: true, resourceLimits: { maxOldGenerationSizeMb: 256 } });
      this.thread.on("message", (data) => this.onmessage({ data }));
      this.thread.on("error", (error) => this.onerror({ message: error.message, lineno: line(error) }));
    }
    postMessage(data, transfer) {
      this.thread.postMessage(data, transfer);
    }
    terminate() {
      this.thread.terminate();
    }
  };
}

function line(error) {
  const found = /\[worker eval\]:(\d+)/.exec(error.stack ?? "");
  return found ? Number(found[1]) : 0;
}
