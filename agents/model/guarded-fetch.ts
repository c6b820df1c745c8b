import type { StreamingOutbound } from "#common/outbound/outbound";
import type { HeaderList } from "#common/outbound/request-headers";
import { dataEvents } from "./event-stream.js";

/** What the client library may say; the rest of its headers describes this machine and concerns nobody. */
const sentHeaders = ["authorization", "content-type"];

/** Bytes of one answer. Replies are bounded far below; endpoints wrap each word in several hundred bytes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * `fetch` for a client of streamed completions, through the guarded way out. The body of a refusal is not read: it may
 * repeat what was asked, or the key.
 */
export function guardedFetch(outbound: Pick<StreamingOutbound, "stream">, timeoutMs: number) {
  return async (url: unknown, init: RequestInit | undefined): Promise<Response> => {
    const given = new Headers(init?.headers);
    const headers: HeaderList = [
      ["accept", "text/event-stream"],
      ...sentHeaders.flatMap((name): [string, string][] => {
        const value = given.get(name);
        return value === null ? [] : [[name, value]];
      }),
    ];
    const answer = await outbound.stream({
      method: "POST",
      url: String(url),
      headers,
      body: Buffer.from(typeof init?.body === "string" ? init.body : ""),
      timeoutMs,
      maxResponseBytes: MAX_ANSWER_BYTES,
      ...(init?.signal ? { signal: init.signal } : {}),
    });
    if (answer.status !== 200) {
      answer.close();
      return new Response(null, { status: answer.status });
    }
    return new Response(ReadableStream.from(dataEvents(answer.body)), {
      headers: { "content-type": "text/event-stream" },
    });
  };
}
