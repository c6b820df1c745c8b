import type { IncomingMessage } from "node:http";
import { ServiceError } from "#protocol/errors";

/** Reads a whole body. Rejects with `payload_too_large` past the limit, with `internal` when the client leaves first. */
export function readBody(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (announcedBytes(incoming) > limitBytes) {
      incoming.resume();
      return reject(tooLarge(limitBytes));
    }
    if (incoming.destroyed) return reject(new ServiceError("internal"));
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest flows by, so that the connection stays usable for the next request.
      chunks.length = 0;
      reject(tooLarge(limitBytes));
    });
    incoming.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.on("close", () => reject(new ServiceError("internal")));
  });
}

/** Gives a body piece by piece as it arrives. Throws what `readBody` rejects with. */
export async function* streamBody(incoming: IncomingMessage, limitBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = announcedBytes(incoming);
  try {
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    bytes = 0;
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
  } finally {
    incoming.resume();
  }
}

function announcedBytes(incoming: IncomingMessage): number {
  return Number(incoming.headers["content-length"] ?? 0);
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError("payload_too_large", { parameters: { limitBytes } });
}
