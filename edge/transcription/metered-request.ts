import type { HttpRequest } from "../http/exchange.js";
import type { MemoryAccount } from "../memory/memory-budget.js";
import type { UploadPace } from "./upload-pace.js";

/**
 * A request whose body, which `body` gives, is put to an account as it arrives, and must not come too slowly. Reading
 * it throws what `MemoryAccount.add` and `UploadPace.wait` throw besides.
 */
export function meteredRequest(
  request: HttpRequest,
  { body, account, pace }: { body: AsyncIterable<Uint8Array>; account: MemoryAccount; pace: UploadPace },
): HttpRequest {
  async function* stream(): AsyncGenerator<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]();
    for (let next = await pace.wait(pieces.next()); next.done !== true; next = await pace.wait(pieces.next())) {
      await account.add(next.value.byteLength);
      yield next.value;
    }
  }
  return {
    ...request,
    stream,
    async body() {
      const pieces: Uint8Array[] = [];
      for await (const piece of stream()) pieces.push(piece);
      return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    },
  };
}
