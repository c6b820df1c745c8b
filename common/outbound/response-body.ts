import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { OutboundError } from "./outbound-error.js";

/** Encodings that are asked for, where the answer is read at all. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** What of an answer's body was kept. */
export interface CappedBody {
  bytes: Uint8Array;
  /** There was more. */
  truncated: boolean;
}

/**
 * Reads a body, decompressed, up to `limitBytes` of its final form: a small compressed body cannot become a large one.
 * With a limit of 0 and `truncate` nothing is read and nothing waited for. Throws `response_too_large` past the limit
 * unless `truncate`, and `bad_response` for an encoding that was not asked for.
 */
export async function readCapped(
  body: Readable,
  encoding: string,
  limitBytes: number,
  truncate: boolean,
): Promise<CappedBody> {
  if (limitBytes === 0 && truncate) return discard(body);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of decoded(body, encoding)) {
    const room = limitBytes - total;
    if (chunk.byteLength > room) {
      if (!truncate) throw new OutboundError("response_too_large");
      chunks.push(chunk.subarray(0, room));
      return { bytes: Buffer.concat(chunks), truncated: true };
    }
    chunks.push(chunk);
    total += chunk.byteLength;
  }
  return { bytes: Buffer.concat(chunks), truncated: false };
}

/**
 * Gives a body as it comes, decompressed. Throws `response_too_large` past the limit, and `bad_response` for an
 * encoding that was not asked for. Whoever stops reading destroys the body.
 */
export async function* streamCapped(
  body: Readable,
  encoding: string,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let total = 0;
  for await (const chunk of decoded(body, encoding)) {
    total += chunk.byteLength;
    if (total > limitBytes) throw new OutboundError("response_too_large");
    yield chunk;
  }
}

async function* decoded(body: Readable, encoding: string): AsyncGenerator<Uint8Array, void, void> {
  const decoder = decoderFor(encoding);
  const source = decoder === null ? body : pipeInto(body, decoder);
  try {
    yield* source as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (
      decoder !== null &&
      cause instanceof Error &&
      "code" in cause &&
      /^(Z_|ERR__?Z|ERR_BROTLI)/.test(String(cause.code))
    ) {
      throw new OutboundError("bad_response", { cause });
    }
    throw cause;
  } finally {
    decoder?.destroy();
    body.destroy();
  }
}

/** Whoever wants nothing of a body does not wait for it either. */
function discard(body: Readable): CappedBody {
  body.on("error", () => undefined);
  body.destroy();
  return { bytes: new Uint8Array(0), truncated: true };
}

function pipeInto(body: Readable, decoder: Transform): Transform {
  body.on("error", (error) => decoder.destroy(error));
  return body.pipe(decoder);
}

/** One layer only: nested encodings are how a few bytes become many. */
function decoderFor(encoding: string): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new OutboundError("bad_response");
  }
}
