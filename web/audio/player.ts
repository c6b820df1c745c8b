import { Playout } from "./playout.js";

/** Plays samples while they come in. Make it where the user pressed something: browsers let nothing else play. */
export class Player {
  readonly #context: AudioContext;
  readonly #playout = new Playout();

  constructor(sampleRate: number) {
    // Of the audio's own rate: pieces that are resampled one by one do not join without a click.
    this.#context = new AudioContext({ sampleRate });
  }

  /** Plays samples after those before them. */
  add(samples: Float32Array<ArrayBuffer>): void {
    if (samples.length === 0 || this.#context.state === "closed") return;
    const buffer = this.#context.createBuffer(1, samples.length, this.#context.sampleRate);
    buffer.copyToChannel(samples, 0);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#context.destination);
    source.start(this.#playout.add(buffer.duration, this.#context.currentTime));
  }

  /** The place that sounds now, seconds from the first sample. */
  get positionSeconds(): number {
    return this.#playout.positionAt(this.#context.currentTime);
  }

  /** Whether everything that was added has sounded. */
  get hasPlayed(): boolean {
    return this.#playout.hasPlayedAt(this.#context.currentTime);
  }

  /** Is silent at once, for good. */
  stop(): void {
    if (this.#context.state !== "closed") void this.#context.close();
  }
}
