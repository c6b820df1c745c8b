import type { Clock } from "#common/clock";
import type { VoiceTrack } from "../room/room.js";
import type { ReplyAudio } from "./reply-audio.js";

/** Written at once: fewer samples than a listener notices, and many enough to cost little. */
const FRAME_MS = 40;
/** How soon to look again whether a track has played all of it. */
const LOOK_AGAIN_MS = 5;
/** What is louder than this, of 32768, can be heard. */
const AUDIBLE = 64;
/** How much is heard is told at most this often. */
const TELL_EVERY_MS = 100;

export interface ReplyPlayerOptions {
  track: VoiceTrack;
  clock: Clock;
  audio: ReplyAudio;
  /** The first audible sample was written. */
  onAudible(): void;
  /** So many UTF-16 units of the reply's text have been heard; `isOver`: all of it. */
  onPlayed(characters: number, isOver: boolean): void;
  /** The track does not take samples any more. */
  onError(error: unknown): void;
}

/** Plays one reply while it is made: it can be paused, go on from the word that was cut, and be stopped for good. */
export class ReplyPlayer {
  readonly #options: ReplyPlayerOptions;
  /** The next sample to write. */
  #position = 0;
  #farthest = 0;
  #state: "playing" | "paused" | "over" = "playing";
  #isWriting = false;
  #isAudible = false;
  #heard = 0;
  #reportedAt = 0;

  constructor(options: ReplyPlayerOptions) {
    this.#options = options;
  }

  /** Samples of the reply that have been written at least once. */
  get playedSamples(): number {
    return this.#farthest;
  }

  /** To be called whenever more of the audio has come, or all of it. */
  more(): void {
    if (this.#isWriting || this.#state !== "playing") return;
    this.#isWriting = true;
    this.#write().catch((error: unknown) => this.#options.onError(error));
  }

  /** Falls silent now. Tells what has been heard. */
  pause(): void {
    if (this.#state !== "playing") return;
    this.#state = "paused";
    const { track, audio } = this.#options;
    const endOfPlayed = this.#playedTo();
    track.clear();
    this.#position = audio.resumeAt(endOfPlayed);
    this.#reportedAt = this.#position;
    this.#tell(endOfPlayed);
  }

  /** Goes on from the beginning of the word that was cut. */
  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "playing";
    this.more();
  }

  /** Falls silent for good. Gives the UTF-16 units of the text that have been heard. */
  stop(): number {
    if (this.#state === "over") return this.#heard;
    this.pause();
    this.#state = "over";
    return this.#heard;
  }

  /** Writes until there is nothing more to write now. A pause and its end may come while it waits for the track. */
  async #write(): Promise<void> {
    const { track, audio } = this.#options;
    try {
      while (this.#state === "playing") {
        const samples = audio.read(this.#position, Math.round((audio.sampleRate * FRAME_MS) / 1000));
        if (samples.length > 0) {
          this.#position += samples.length;
          this.#farthest = Math.max(this.#farthest, this.#position);
          this.#noteAudible(samples);
          await track.write(samples);
          this.#tellNowAndThen();
        } else if (audio.isComplete) {
          await this.#played();
          this.#finishIfAllPlayed();
        } else return;
      }
    } finally {
      this.#isWriting = false;
    }
  }

  /** Resolves when nothing waits in the track any more, or what waited is not wanted. */
  async #played(): Promise<void> {
    const { track, clock } = this.#options;
    for (let leftMs = track.queuedMs(); leftMs > 0 && this.#state === "playing"; leftMs = track.queuedMs())
      await new Promise<void>((resolve) => void clock.after(Math.max(LOOK_AGAIN_MS, leftMs), resolve));
  }

  #finishIfAllPlayed(): void {
    const { audio, onPlayed } = this.#options;
    if (this.#state !== "playing" || this.#position < audio.length) return;
    this.#state = "over";
    this.#heard = audio.textLength;
    onPlayed(this.#heard, true);
  }

  #tellNowAndThen(): void {
    const everySamples = (this.#options.audio.sampleRate * TELL_EVERY_MS) / 1000;
    if (this.#state !== "playing" || this.#position - this.#reportedAt < everySamples) return;
    this.#reportedAt = this.#position;
    this.#tell(this.#playedTo());
  }

  #noteAudible(samples: Int16Array): void {
    if (this.#isAudible || !samples.some((sample) => Math.abs(sample) >= AUDIBLE)) return;
    this.#isAudible = true;
    this.#options.onAudible();
  }

  #playedTo(): number {
    const { track, audio } = this.#options;
    return Math.max(0, this.#position - Math.round((track.queuedMs() * audio.sampleRate) / 1000));
  }

  #tell(position: number): void {
    const heard = this.#options.audio.playedCharacters(position);
    if (heard <= this.#heard) return;
    this.#heard = heard;
    this.#options.onPlayed(heard, false);
  }
}
