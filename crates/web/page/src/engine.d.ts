// The engine is checked by its own tests; engine/engine.js states its contract.
declare module "lab-engine" {
  export class Engine {
    constructor(parts: {
      wasm: ArrayBufferLike | WebAssembly.Module;
      workerSource: string;
      workers?: number;
      apart?: { begin: (source: string) => any; wasm: () => Promise<ArrayBuffer> };
    });
    [method: string]: any;
  }
  export function apart(script: string): (source: string) => any;
}
