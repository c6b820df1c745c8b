import type { Backlog, CallerEvent } from "#protocol/bus/conversation";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { samplesToBytes } from "#audio/pcm";
import type { Clock } from "#common/clock";
import { LONGEST_STAY_MS } from "./departure.js";
import type { ReceivedEvent } from "./join-events.js";
import { RecentAudio } from "./recent-audio.js";

/** A message of the bus takes no more, with the audio: only a program sends so much while it waits. */
const MOST_EVENT_BYTES = 512 * 1024;

/** Holds what a caller does from a hand-over on, until the next runtime asks for it. */
export class BacklogWriter {
  readonly #clock: Clock;
  readonly #audio: RecentAudio;
  readonly #events: ReceivedEvent[] = [];
  #eventBytes = 0;
  #sealed: { events: ReceivedEvent[]; audio: Uint8Array } | null = null;

  /** `before`: what the caller said last may be the beginning of what nobody has noticed yet. */
  constructor(clock: Clock, before: readonly Int16Array[]) {
    this.#clock = clock;
    const lengthBefore = before.reduce((sum, { length }) => sum + length, 0);
    this.#audio = new RecentAudio((LONGEST_STAY_MS * RECOGNITION_RATE) / 1000 + lengthBefore);
    for (const samples of before) this.#audio.add(samples);
  }

  /** False where it cannot be held. Once the backlog was read, the next runtime receives what comes. */
  event(event: CallerEvent): boolean {
    if (this.#sealed !== null) return true;
    this.#eventBytes += Buffer.byteLength(JSON.stringify(event));
    if (this.#eventBytes > MOST_EVENT_BYTES) return false;
    this.#events.push({ event, atMs: this.#clock.nowMs() });
    return true;
  }

  audio(samples: Int16Array): void {
    if (this.#sealed === null) this.#audio.add(samples);
  }

  /** Whoever asks is in the room by then: nothing that comes later belongs to it. */
  read(): Backlog {
    this.#sealed ??= { events: this.#events, audio: samplesToBytes(this.#audio.all()) };
    const nowMs = this.#clock.nowMs();
    const { events, audio } = this.#sealed;
    return { events: events.map(({ event, atMs }) => ({ event, ageMs: nowMs - atMs })), audio };
  }
}
