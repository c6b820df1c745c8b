import { Decoder, Encoder } from "@msgpack/msgpack";

/** Deepest nesting accepted from a stranger; the deepest documented body has 5 levels. */
export const MAX_NESTING = 32;

const encoder = new Encoder({ ignoreUndefined: true, maxDepth: MAX_NESTING });
const decoder = new Decoder();

/** Encodes plain data as MessagePack. Undefined properties are left out; `Uint8Array` becomes bin. */
export function encodeMsgpack(value: unknown): Uint8Array {
  return encoder.encode(value);
}

/**
 * Decodes MessagePack. Byte arrays are views on `bytes`: copy them when the memory has another owner.
 * Throws on truncated input, trailing bytes and `__proto__` keys.
 */
export function decodeMsgpack(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}
