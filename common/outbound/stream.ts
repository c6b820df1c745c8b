import { startDeadline } from "./deadline.js";
import { type OpenAnswer, toOutboundError } from "./exchange.js";
import { OutboundError } from "./outbound-error.js";
import type { HeaderList } from "./request-headers.js";
import { streamCapped } from "./response-body.js";

/** A request whose answer is read as it comes. */
export interface OutboundStreamRequest {
  method: "GET" | "POST";
  url: string;
  headers?: HeaderList;
  body?: Uint8Array | null;
  /** For everything, the last byte of the body included. */
  timeoutMs: number;
  /** Of the answer's body, decompressed; more is `response_too_large`. */
  maxResponseBytes: number;
  /** Gives up when it fires, in the middle of the body too. */
  signal?: AbortSignal;
}

export interface OutboundStream {
  status: number;
  /** By lower-case name; repeated ones joined with a comma. */
  headers: Readonly<Record<string, string>>;
  /** Read once, decompressed. Throws OutboundError; whoever stops reading ends the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Ends the connection; for whoever does not read the body. */
  close(): void;
}

/** Compression would hold back the last words of what is streamed. */
export const NO_ENCODING = "identity";

/** Gives the answer to a request that `open` sends, until its deadline. Throws OutboundError and nothing else. */
export async function streamAnswer(
  request: OutboundStreamRequest,
  open: (signal: AbortSignal) => Promise<OpenAnswer>,
): Promise<OutboundStream> {
  const { maxResponseBytes } = request;
  const deadline = startDeadline(request);
  const send = async (): Promise<OpenAnswer> => {
    const answer = await open(deadline.signal);
    // The deadline outlives the head: the connection ends with it, whether or not anybody reads.
    deadline.signal.addEventListener("abort", answer.close, { once: true });
    if (deadline.signal.aborted) answer.close();
    return answer;
  };
  try {
    const answer = await deadline.race(send());
    return { status: answer.status, headers: answer.headers, body: read(answer), close: deadline.end };
  } catch (error) {
    deadline.end();
    throw error instanceof OutboundError ? error : new OutboundError("connection_lost", { cause: error });
  }

  async function* read(answer: OpenAnswer): AsyncGenerator<Uint8Array, void, void> {
    const chunks = streamCapped(answer.body, answer.encoding, maxResponseBytes);
    let hasFailed = false;
    try {
      for (;;) {
        const next = await deadline.race(chunks.next());
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      hasFailed = true;
      throw toOutboundError(error, deadline.signal);
    } finally {
      const isTakenOver = !hasFailed && !deadline.signal.aborted && answer.keep !== undefined;
      if (isTakenOver) answer.keep?.(chunks);
      deadline.end();
      if (!isTakenOver) chunks.return().catch(() => undefined);
    }
  }
}
