import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { cutAudio, type AudioSegment } from "./cut.js";
import { STEP_SAMPLES } from "./vad-windows.js";

const STEPS_PER_SECOND = RECOGNITION_RATE / STEP_SAMPLES;
/** So much of the audio is looked at together. */
const BLOCK_STEPS = 90 * STEPS_PER_SECOND;
/** What ends nearer to the end of a block may still be joined with what comes; longer than the longest segment. */
const OPEN_STEPS = 32 * STEPS_PER_SECOND;

/**
 * Cuts a recording at its pauses while it is still coming, in blocks, so that only some ninety seconds of it are held.
 * Where the cuts lie depends on the detector's answers alone, not on how they are cut into calls.
 */
export class ProgressiveCut {
  #speech = new Uint8Array(2 * BLOCK_STEPS);
  #steps = 0;
  /** Step of the audio at which `#speech` begins: everything before it is cut. */
  #from = 0;

  /** Sample before which all is cut. */
  get doneSample(): number {
    return this.#from * STEP_SAMPLES;
  }

  /** Takes the next answers; gives the segments that are sure by now, in order. */
  push(speech: Uint8Array): AudioSegment[] {
    const sure: AudioSegment[] = [];
    for (let at = 0; at < speech.length; ) {
      const part = speech.subarray(at, at + BLOCK_STEPS - this.#steps);
      this.#speech.set(part, this.#steps);
      this.#steps += part.length;
      at += part.length;
      if (this.#steps === BLOCK_STEPS) sure.push(...this.#cutBlock());
    }
    return sure;
  }

  /** The rest of the segments; `samples` is the length of the whole audio. */
  end(samples: number): AudioSegment[] {
    const segments = cutAudio(this.#speech.subarray(0, this.#steps), samples - this.doneSample).map((segment) =>
      this.#placed(segment),
    );
    this.#advance(this.#steps);
    return segments;
  }

  #cutBlock(): AudioSegment[] {
    const openFrom = (BLOCK_STEPS - OPEN_STEPS) * STEP_SAMPLES;
    const segments = cutAudio(this.#speech.subarray(0, this.#steps), this.#steps * STEP_SAMPLES);
    const sure = segments.filter(({ endSample }) => endSample <= openFrom);
    const placed = sure.map((segment) => this.#placed(segment));
    const next = segments[sure.length];
    // Silence up to the next segment is done too, but for the padding that a beginning may want.
    const doneSample = Math.max(sure.at(-1)?.endSample ?? 0, Math.min(openFrom, next?.startSample ?? openFrom));
    this.#advance(doneSample / STEP_SAMPLES);
    return placed;
  }

  #placed({ startSample, endSample }: AudioSegment): AudioSegment {
    return { startSample: startSample + this.doneSample, endSample: endSample + this.doneSample };
  }

  #advance(steps: number): void {
    this.#speech.copyWithin(0, steps, this.#steps);
    this.#steps -= steps;
    this.#from += steps;
  }
}
