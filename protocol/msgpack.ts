import { Decoder, Encoder } from "@msgpack/msgpack";
import { assertMsgpackShape } from "./msgpack-shape.js";

/** Deepest nesting accepted from a stranger; the deepest documented body has 5 levels. */
export const MAX_NESTING = 32;

/** Most values and keys accepted from a stranger in one body; the largest documented one has some thousands. */
export const MAX_VALUES = 50_000;

const encoder = new Encoder({ ignoreUndefined: true, maxDepth: MAX_NESTING });
const decoder = new Decoder();

/** Encodes plain data as MessagePack. Undefined properties are left out; `Uint8Array` becomes bin. */
export function encodeMsgpack(value: unknown): Uint8Array {
  return encoder.encode(value);
}

/**
 * The same without a copy for the caller: the bytes are valid until the next encoding, so only for who copies them at
 * once.
 */
export function encodeMsgpackForNow(value: unknown): Uint8Array {
  return encoder.encodeSharedRef(value);
}

/**
 * Decodes MessagePack. Byte arrays are views on `bytes`: copy them when the memory has another owner. Throws on
 * truncated input, trailing bytes, `__proto__` keys, nesting deeper than `MAX_NESTING` and more than `maxItems` items.
 */
export function decodeMsgpack(bytes: Uint8Array, maxItems = Number.POSITIVE_INFINITY): unknown {
  assertMsgpackShape(bytes, MAX_NESTING, maxItems);
  return decoder.decode(bytes);
}
