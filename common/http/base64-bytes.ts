const PADDING = 0x3d;
const BLANK = 0xfe;
const FOREIGN = 0xff;

/** Six bits by character, of both alphabets of RFC 4648 (sections 4 and 5). */
const sextets = new Uint8Array(256).fill(FOREIGN);
for (const [value, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  sextets[character.charCodeAt(0)] = value;
sextets["-".charCodeAt(0)] = 62;
sextets["_".charCodeAt(0)] = 63;
for (const blank of [0x20, 0x0a, 0x0d, 0x09]) sextets[blank] = BLANK;

/** Longest head of a data URL. */
const MAX_HEAD = 256;

/**
 * The bytes that a text of ASCII characters carries as base64, or as a base64 data URL (RFC 2397); null where it is
 * neither. Takes both alphabets, with padding and without; blanks are skipped.
 */
export function decodeBase64(text: Uint8Array): Uint8Array | null {
  const start = payloadStart(text);
  let end = text.length;
  for (let padding = 0; padding < 2 && end > start && text[end - 1] === PADDING; padding++) end--;
  if (end === start) return null;
  const bytes = new Uint8Array(Math.ceil(((end - start) * 3) / 4));
  let [length, bits, held] = [0, 0, 0];
  for (let at = start; at < end; at++) {
    const sextet = sextets[text[at] as number] as number;
    if (sextet === BLANK) continue;
    if (sextet === FOREIGN) return null;
    bits = ((bits << 6) | sextet) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[length++] = bits >> held;
  }
  // A single character after the last whole group holds no byte.
  return held >= 6 || length === 0 ? null : bytes.slice(0, length);
}

/** Where the base64 begins: after the head of a data URL, or at once. */
function payloadStart(text: Uint8Array): number {
  const head = Buffer.from(text.buffer, text.byteOffset, Math.min(text.length, MAX_HEAD)).toString("latin1");
  return /^data:[^,]*;base64,/.exec(head)?.[0].length ?? 0;
}
