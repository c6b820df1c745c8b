import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../../../http/exchange.js";
import { expectedSamples } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingConnection, type SpeechBench } from "../../../speech/testing/speech-bench.js";
import { liveSpeechRoute } from "../live-speech.js";

/** What the server sends. */
export type Event = { event: string; audio?: Uint8Array; reason?: string; message?: string; chunk_seq?: number };

/** A client of the live socket that sends and receives events. */
export class Caller {
  readonly connection = new RecordingConnection();
  readonly bench: SpeechBench;
  #session: SocketSession | null = null;

  constructor(bench: SpeechBench) {
    this.bench = bench;
  }

  async connect(headers: Record<string, string> = {}, query = ""): Promise<this> {
    const open = await liveSpeechRoute(this.bench.context).upgrade({ ...jsonRequest({}, headers), query });
    this.#session = open(this.connection);
    return this;
  }

  send(...events: object[]): void {
    for (const event of events) this.raw(encodeMsgpack(event));
  }

  raw(bytes: Uint8Array, isBinary = true): void {
    this.#session?.message(bytes, isBinary);
  }

  leave(): void {
    this.#session?.end();
  }

  drain(): void {
    this.#session?.drain?.();
  }

  get events(): Event[] {
    return this.connection.sent.map((frame) => decodeMsgpack(frame) as Event);
  }

  /** All audio so far. */
  get audio(): Buffer {
    return Buffer.concat(this.events.map((event) => event.audio ?? new Uint8Array()));
  }

  get last(): Event | undefined {
    return this.events.at(-1);
  }
}

export const start = {
  event: "start",
  request: { text: "", format: "pcm", reference_id: null, prosody: null, sample_rate: null, references: [] },
};
export const text = (value: string): object => ({ event: "text", text: value });
export const texts = (value: string, count: number): object[] => Array.from({ length: count }, () => text(value));
export const flush = { event: "flush" };
export const stop = { event: "stop" };

/** The audio of everything that was submitted to the cluster. */
export function audioOf(bench: SpeechBench): Buffer {
  return Buffer.concat(bench.cluster.submits.map(({ submit }) => samplesToBytes(expectedSamples(submit.chunk))));
}
