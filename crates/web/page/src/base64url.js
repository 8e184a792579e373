/** Bytes as text without a slash, which has a meaning in addresses and paths (RFC 4648, section 5). */

/** The bytes of a text. Throws if it is none. @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
