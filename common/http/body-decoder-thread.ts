import { move, transferableSymbol, valueSymbol } from "piscina";
import { type ErrorRecord, toErrorRecord } from "#protocol/errors";
import { workInBackground } from "../threads/background.js";
import { decodeBodyHere, type EncodedBody } from "./body-encoding.js";

workInBackground();

/** What the thread answers: failures are data, since errors do not cross threads whole. */
export type DecodedBody = { value: unknown } | { error: ErrorRecord };

/** Decodes a body; the byte arrays in it are handed over, not copied. */
export default function decode(body: EncodedBody): DecodedBody {
  let decoded: DecodedBody;
  try {
    decoded = { value: decodeBodyHere(body) };
  } catch (error) {
    decoded = { error: toErrorRecord(error) };
  }
  const memory = "value" in decoded ? [...new Set(memoryOf(decoded.value))] : [];
  return move({ [transferableSymbol]: memory, [valueSymbol]: decoded } as never) as unknown as DecodedBody;
}

/** The memory behind every byte array in a value; several may share it. */
function memoryOf(value: unknown): ArrayBufferLike[] {
  if (value instanceof Uint8Array) return [value.buffer];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(memoryOf);
}
