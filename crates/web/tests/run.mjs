// node run.mjs MODULE.wasm SEED < scenario.toml: prints what the module answers. Exit code 1: it refused.
import { readFileSync, writeSync } from "node:fs";

const [, , file, seed] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
const { memory, room, run, answer, answer_len } = instance.exports;
const text = readFileSync(0);
// Each call may let the memory grow: its old buffer is gone then.
const place = room(text.length);
new Uint8Array(memory.buffer, place, text.length).set(text);
const code = run(BigInt(seed));
writeSync(1, new Uint8Array(memory.buffer, answer(), answer_len()));
process.exitCode = code;
