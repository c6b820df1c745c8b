import { encode, decode } from "@msgpack/msgpack";
import { openLive } from "../../harness/live-client.js";
import type { TestCluster } from "../../harness/cluster.js";

/** What one stream came to. */
export interface StreamResult {
  audio: Uint8Array;
  /**
   * `complete`: it said that it was, by `finish` with `stop` and code 1000, or by a body that ended. `error`: it said
   * that it was not. `hang`: neither, within `HANG_MS`.
   */
  end: "complete" | "error" | "hang";
  /** What the error was. */
  detail: string;
  /** Ends that came: a socket's `finish` and its close count as one. */
  ends: number;
  tookMs: number;
}

/** When something happens in a stream. */
export interface StreamWatcher {
  /** The text is sent, and no answer came yet. */
  onSent(): void;
  onAudio(bytes: number): void;
  onEnd(): void;
}

/** One request that is made in every run alike. */
export interface StreamRequest {
  kind: "live" | "file";
  format: string;
  sentences: readonly string[];
}

/** Longer than whatever any cell promises. */
const HANG_MS = 90_000;

const nouns = ["river", "window", "teacher", "garden", "letter", "station", "doctor", "island"];

/** Streams of every kind and format; no two share a sentence, so that audio of another stream is seen. */
export const streamRequests: readonly StreamRequest[] = ["pcm", "wav", "mp3", "opus", "pcm", "mp3", "wav", "opus"].map(
  (format, index): StreamRequest => {
    const noun = (offset: number): string => nouns[(index + offset) % nouns.length] ?? "";
    const kind = index < 6 ? "live" : "file";
    return {
      kind,
      format,
      sentences: [
        `Stream ${index} begins. `,
        `The ${noun(0)} near the ${noun(3)} was closed. `,
        `Number ${index} ends. `,
      ],
    };
  },
);

/** Makes a request to its end; never rejects. */
export async function openStream(
  cluster: Pick<TestCluster, "baseUrl">,
  apiKey: string,
  request: StreamRequest,
  watcher: StreamWatcher,
): Promise<StreamResult> {
  const beganMs = performance.now();
  const open = request.kind === "live" ? openSocket : openBody;
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const parts: Uint8Array[] = [];
  const received = (bytes: Uint8Array): void => {
    parts.push(bytes);
    watcher.onAudio(bytes.byteLength);
  };
  const hang = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve({ end: "hang", detail: `nothing ended it within ${HANG_MS} ms`, ends: 0 }),
      HANG_MS,
    );
  });
  const outcome = await Promise.race([
    open({ cluster, apiKey, request, signal: abort.signal, onSent: () => watcher.onSent(), received }),
    hang,
  ]);
  clearTimeout(timer);
  abort.abort();
  watcher.onEnd();
  return { ...outcome, audio: Buffer.concat(parts), tookMs: performance.now() - beganMs };
}

type Outcome = Pick<StreamResult, "end" | "detail" | "ends">;

interface Opening {
  cluster: Pick<TestCluster, "baseUrl">;
  apiKey: string;
  request: StreamRequest;
  signal: AbortSignal;
  onSent: () => void;
  received: (bytes: Uint8Array) => void;
}

function openSocket({ cluster, apiKey, request, signal, onSent, received }: Opening): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = openLive({ baseUrl: cluster.baseUrl, apiKey });
    let finish: { reason: string; message?: string } | null = null;
    let ends = 0;
    let problem = "";
    signal.addEventListener("abort", () => socket.terminate());
    socket.on("open", () => {
      socket.send(encode({ event: "start", request: { text: "", format: request.format } }));
      for (const text of request.sentences) socket.send(encode({ event: "text", text }));
      socket.send(encode({ event: "stop" }), onSent);
    });
    socket.on("message", (data: Buffer) => {
      const message = decode(data) as { event: string; audio?: Uint8Array; reason?: string; message?: string };
      if (finish !== null) problem = `${message.event} came after the end`;
      if (message.event === "audio" && message.audio instanceof Uint8Array) received(message.audio);
      if (message.event === "finish") {
        ends++;
        finish = { reason: message.reason ?? "", message: message.message ?? "" };
      }
    });
    socket.on("error", (error) => (problem ||= error.message));
    socket.on("close", (code) => {
      const isComplete = finish?.reason === "stop" && code === 1000 && problem === "";
      const detail = `${finish === null ? "no finish" : `finish ${finish.reason} ${finish.message}`}, code ${code} ${problem}`;
      resolve({ end: isComplete ? "complete" : "error", detail, ends: Math.max(1, ends) });
    });
  });
}

async function openBody({ cluster, apiKey, request, signal, onSent, received }: Opening): Promise<Outcome> {
  try {
    const answering = fetch(`${cluster.baseUrl}/v1/tts`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ text: request.sentences.join(""), format: request.format }),
      signal,
    });
    onSent();
    const response = await answering;
    if (response.status !== 200)
      return { end: "error", detail: `${response.status} ${await response.text()}`, ends: 1 };
    for await (const bytes of response.body ?? []) received(bytes as Uint8Array);
    return { end: "complete", detail: "", ends: 1 };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { end: "error", detail: String(cause), ends: 1 };
  }
}
