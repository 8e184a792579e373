// node many.mjs MODULE.wasm < TEXTS.json: runs each scenario of a list, and prints the list of their outcomes, or of
// what the module says of them, as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { read } from "../page/engine/answer.js";

const imports = { lab: { stopped() {}, own: () => 1 } };
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), imports);
const { memory, lab_room: room, lab_run: run, lab_answer: answer, lab_answer_len: length } = instance.exports;
const outcomes = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const bytes = new TextEncoder().encode(text);
  const place = room(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const code = run(0, 0n);
  const { outcomeText, rest } = read(memory.buffer.slice(answer(), answer() + length()));
  return code === 0 ? outcomeText : rest.message;
});
writeFileSync(1, JSON.stringify(outcomes));
