// node run.mjs MODULE.wasm SEED < scenario.toml: prints the module's result. Exit code 1: the scenario is invalid.
import { readFileSync, writeSync } from "node:fs";

const [, , file, seed] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
const { memory, room, run, answer, answer_len } = instance.exports;
const text = readFileSync(0);
// Any call may grow the memory, which detaches its old buffer.
const place = room(text.length);
new Uint8Array(memory.buffer, place, text.length).set(text);
const code = run(BigInt(seed));
writeSync(1, new Uint8Array(memory.buffer, answer(), answer_len()));
process.exitCode = code;
