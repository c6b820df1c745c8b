import { decode, encode } from "@msgpack/msgpack";
import { setTimeout as delay } from "node:timers/promises";
import { openLive } from "../../harness/live-client.js";

const sentences = [
  "The first sentence of this stream is here. ",
  "A second one follows it after a while. ",
  "The third was written while the second was spoken. ",
  "And with the fourth this stream comes to its end. ",
];
const PAUSE_MS = 700;

/** A stream that lost a sentence is shorter. Where text is cut depends on when it comes, and so does a little of the length. */
const SHORTEST = 0.9;

/** An edge refuses a stream so while it would wait for too long. */
const TRY_AGAIN_LATER = 1013;

class Refused extends Error {
  override readonly name = "Refused";
}

const endOf = (code: number, bytes: number): Error =>
  code === TRY_AGAIN_LATER && bytes === 0
    ? new Refused("try again later")
    : new Error(`a stream was closed with ${code} after ${bytes} bytes`);

/** Callers that open one live stream after the other, and write as a language model does. */
export class LiveStreams {
  completed = 0;
  /** Those that were refused before any audio, with 1013: a machine that has no time for them says so. */
  refused = 0;
  readonly failures: string[] = [];
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #callers: Promise<void>[];
  #isOver = false;
  /** Bytes of audio of the first stream. */
  #bytes: number | null = null;

  constructor(baseUrl: string, apiKey: string, count: number) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
    this.#callers = Array.from({ length: count }, () => this.#call());
  }

  /** Lets the streams that run come to their end. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      try {
        const bytes = await this.#speak();
        this.#bytes ??= bytes;
        if (bytes < this.#bytes * SHORTEST) this.failures.push(`a stream has ${bytes} bytes, others ${this.#bytes}`);
        this.completed++;
      } catch (error) {
        if (error instanceof Refused) this.refused++;
        else this.failures.push(error instanceof Error ? error.message : String(error));
        await delay(PAUSE_MS);
      }
    }
  }

  async #speak(): Promise<number> {
    const socket = openLive({ baseUrl: this.#baseUrl, apiKey: this.#apiKey });
    let bytes = 0;
    const over = new Promise<number>((resolve, reject) => {
      socket.on("message", (data: Buffer) => {
        const event = decode(data) as { audio?: Uint8Array; event?: string; reason?: string };
        bytes += event.audio?.byteLength ?? 0;
        if (event.event !== "finish") return;
        if (event.reason !== "stop") return;
        // It has all of its audio. The edge would wait for another stream on this socket, and may leave meanwhile.
        resolve(bytes);
        socket.close();
      });
      socket.on("error", reject);
      socket.on("close", (code) => reject(endOf(code, bytes)));
    });
    // It may fail before somebody waits for it.
    over.catch(() => undefined);
    await Promise.race([new Promise((resolve) => socket.once("open", resolve)), over]);
    socket.send(encode({ event: "start", request: { text: "", format: "pcm", sample_rate: 24_000 } }));
    for (const text of sentences) {
      socket.send(encode({ event: "text", text }));
      await Promise.race([delay(PAUSE_MS), over]);
    }
    socket.send(encode({ event: "stop" }));
    return await over;
  }
}
