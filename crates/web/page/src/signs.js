/** Bytes as text without letters: digits and signs of five bits each. Among millions of them none spells a word or a path by chance. */

/** None of them ends a script, or begins a placeholder of the page. */
const SIGNS = "0123456789!#$%&()*+,-:;=?@[]^_|~";

/** The text of bytes. @param {Uint8Array} bytes @returns {string} */
export function signsOf(bytes) {
  let [text, held, bits] = ["", 0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; ) text += SIGNS[(held >> (bits -= 5)) & 31];
    held &= 31;
  }
  return bits > 0 ? text + SIGNS[(held << (5 - bits)) & 31] : text;
}

/** The bytes of a text that `signsOf` has made. Throws at any other sign. @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function bytesOfSigns(text) {
  const values = new Int8Array(128).fill(-1);
  for (let i = 0; i < SIGNS.length; i++) values[SIGNS.charCodeAt(i)] = i;
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let [at, held, bits] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) throw new Error(`not a sign: ${text[i]}`);
    held = ((held & 255) << 5) | value;
    bits += 5;
    if (bits >= 8) bytes[at++] = (held >> (bits -= 8)) & 255;
  }
  return bytes;
}
