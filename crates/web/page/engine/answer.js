// Reads what the module answers: two texts and numbers in one buffer (crates/web/src/answer.rs).

const decoder = new TextDecoder();

/** Returns the outcome's text and the rest of an answer; lists of numbers become views of the same buffer. */
export function read(bytes) {
  const lengths = new DataView(bytes);
  const [outcome, rest] = [lengths.getUint32(0, true), lengths.getUint32(4, true)];
  const text = (at, length) => decoder.decode(new Uint8Array(bytes, at, length));
  const begin = Math.ceil((8 + outcome + rest) / 8) * 8;
  const numbers = new Float64Array(bytes, begin);
  const revive = (value) => {
    if (Array.isArray(value)) return value.map(revive);
    if (value === null || typeof value !== "object") return value;
    if ("at" in value && "len" in value) return numbers.subarray(value.at, value.at + value.len);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revive(inner)]));
  };
  return {
    outcomeText: text(8, outcome),
    rest: rest ? JSON.parse(text(8 + outcome, rest)) : null,
    revive,
  };
}
