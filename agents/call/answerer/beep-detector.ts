import { FRAME_SAMPLES, type ToneFrame, ToneFrames } from "./tone-frame.js";

/** A beep was found, or it is over. */
export type BeepChange = "started" | "ended";

/** So many frames of one tone are a beep: 160 ms. Nothing that people say stays on one frequency for so long. */
const BEEP_FRAMES = 8;
/** So many frames without the tone are its end: 60 ms. */
const SILENT_FRAMES = 3;
/** Frequencies of one tone, as measured, differ by no more from its first; nor do its levels from one frame to the next. */
const SAME_HZ = 35;
const SAME_DB = 3;

/** Finds the beep of an answering machine: one tone, or two at once, that stay as they are. */
export class BeepDetector {
  readonly #frames = new ToneFrames();
  readonly #rest = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  /** The tone that may become a beep, or is one: its first frequency, and its last level. */
  #tone: { frame: ToneFrame; frames: number; silentFrames: number } | null = null;

  /** Takes audio at `RECOGNITION_RATE`, in portions of any size; gives what was found in it, in order. */
  push(samples: Int16Array): BeepChange[] {
    const changes: BeepChange[] = [];
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(samples.length - at, FRAME_SAMPLES - this.#filled);
      this.#rest.set(samples.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled < FRAME_SAMPLES) break;
      this.#filled = 0;
      const change = this.#follow(this.#frames.next(this.#rest));
      if (change !== null) changes.push(change);
    }
    return changes;
  }

  #follow(frame: ToneFrame): BeepChange | null {
    const tone = this.#tone;
    if (tone === null) {
      this.#tone = frame.isTone ? { frame, frames: 1, silentFrames: 0 } : null;
      return null;
    }
    const isBeep = tone.frames >= BEEP_FRAMES;
    if (isSameTone(tone.frame, frame)) {
      const { frequencyHz } = tone.frame;
      this.#tone = { frame: { ...frame, frequencyHz }, frames: tone.frames + 1, silentFrames: 0 };
      return tone.frames + 1 === BEEP_FRAMES ? "started" : null;
    }
    if (!isBeep) {
      this.#tone = frame.isTone ? { frame, frames: 1, silentFrames: 0 } : null;
      return null;
    }
    // A beep may go over into another tone: it ends when there is none.
    tone.silentFrames = frame.isTone ? 0 : tone.silentFrames + 1;
    if (frame.isTone) tone.frame = frame;
    if (tone.silentFrames < SILENT_FRAMES) return null;
    this.#tone = null;
    return "ended";
  }
}

function isSameTone(before: ToneFrame, frame: ToneFrame): boolean {
  if (!frame.isTone || Math.abs(frame.frequencyHz - before.frequencyHz) > SAME_HZ) return false;
  return Math.abs(frame.levelDb - before.levelDb) < SAME_DB;
}
