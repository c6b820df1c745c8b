import type { ErrorRecord } from "#protocol/errors";
import type { EncoderSpec } from "./encoder.js";

/** From the pool to an encoder thread. `call` numbers the answer. */
export type ThreadRequest =
  | { kind: "open"; stream: number; spec: EncoderSpec }
  | { kind: "write"; stream: number; call: number; samples: Int16Array }
  | { kind: "flush" | "finish"; stream: number; call: number }
  | { kind: "close"; stream: number };

/** From an encoder thread to the pool, one for each numbered call. */
export type ThreadReply = { call: number; bytes: Uint8Array } | { call: number; error: ErrorRecord };
