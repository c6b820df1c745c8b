/**
 * The tokens of a byte pair encoding in arrays: each is the bytes from `ends[rank - 1]` to `ends[rank]`. As strings in
 * a Map the 200,000 of o200k_base take ten times as much.
 */
export interface TokenTable {
  bytes: Uint8Array<ArrayBuffer>;
  ends: Uint32Array<ArrayBuffer>;
  /** Ranks by the hash of their bytes, each plus one; 0 is free. Its length is a power of two. */
  slots: Uint32Array<ArrayBuffer>;
}

/** A token as the package has it: text, or the bytes of what is no text; a rank may be unused. */
type ListedToken = string | readonly number[] | undefined;

/** UTF-8 bytes that one UTF-16 unit of a text takes at most. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Puts tokens, in the order of their ranks, into a table. Each goes straight to its place: a buffer for every one would
 * leave the process 40 MB of holes.
 */
export function buildTokenTable(tokens: readonly ListedToken[]): TokenTable {
  const encoder = new TextEncoder();
  const ends = new Uint32Array(tokens.length);
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * tokens.length)));
  const bytes = new Uint8Array(tokens.reduce((sum, token) => sum + MAX_BYTES_PER_UNIT * (token?.length ?? 0), 0));
  let end = 0;
  for (let rank = 0; rank < tokens.length; rank++) {
    const token = tokens[rank] ?? [];
    const start = end;
    if (typeof token === "string") end += encoder.encodeInto(token, bytes.subarray(start)).written;
    else for (const byte of token) bytes[end++] = byte;
    ends[rank] = end;
    if (end === start) continue;
    let slot = hashOf(bytes, start, end) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = rank + 1;
  }
  return { bytes: bytes.slice(0, end), ends, slots };
}

/** The rank of the token that is exactly the bytes from `from` to `to`; -1 where there is none. */
export function rankOf({ bytes, ends, slots }: TokenTable, text: Uint8Array, from: number, to: number): number {
  const mask = slots.length - 1;
  for (let slot = hashOf(text, from, to) & mask; ; slot = (slot + 1) & mask) {
    const rank = (slots[slot] as number) - 1;
    if (rank < 0) return -1;
    const start = rank === 0 ? 0 : (ends[rank - 1] as number);
    if ((ends[rank] as number) - start !== to - from) continue;
    let i = from;
    while (i < to && bytes[start + i - from] === text[i]) i++;
    if (i === to) return rank;
  }
}

/** FNV-1a, its high bits mixed into those that choose the slot. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
