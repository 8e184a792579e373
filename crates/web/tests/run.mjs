// node run.mjs MODULE.wasm SEED < scenario.toml: prints the module's outcome, or the mistakes that it found and exits
// with code 1.
import { readFileSync, writeSync } from "node:fs";
import { read } from "../page/engine/answer.js";

const [, , file, seed] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(file), { lab: { stopped() {}, own: () => 1 } });
const { memory, lab_room: room, lab_run: run, lab_answer: answer, lab_answer_len: length } = instance.exports;
const text = readFileSync(0);
// Any call may grow the memory, which detaches its old buffer.
const place = room(text.length);
new Uint8Array(memory.buffer, place, text.length).set(text);
const code = run(1, BigInt(seed));
const { outcomeText, rest } = read(memory.buffer.slice(answer(), answer() + length()));
writeSync(1, code === 0 ? outcomeText : rest.message);
process.exitCode = code;
