import { MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { windowAnswers, nextWindow, STEP_SAMPLES, type VadWindow } from "../segmentation/vad-windows.js";

/** Cuts a complete recording of `samples` into windows, at most `maxSeconds` each. */
export function vadWindows(samples: number, maxSeconds = MAX_AUDIO_SECONDS): VadWindow[] {
  const windows: VadWindow[] = [];
  for (let kept = 0; kept * STEP_SAMPLES < samples; ) {
    const window = nextWindow(kept, { samples, isComplete: true, maxSeconds });
    windows.push(window);
    kept = window.startSample / STEP_SAMPLES + window.keepToStep;
  }
  return windows;
}

/** Puts the answers of the windows of one recording together, in order. */
export function joinAnswers(windows: readonly VadWindow[], answers: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(windows.map((window, i) => windowAnswers(window, answers[i] ?? new Uint8Array(0))));
}
