import { Decoder, Encoder } from "@msgpack/msgpack";
import { assertMsgpackShape } from "./msgpack-shape.js";

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
 * Throws on truncated input, trailing bytes, `__proto__` keys and nesting deeper than `MAX_NESTING`.
 */
export function decodeMsgpack(bytes: Uint8Array): unknown {
  assertMsgpackShape(bytes, MAX_NESTING);
  return decoder.decode(bytes);
}
