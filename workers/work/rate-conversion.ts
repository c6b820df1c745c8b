import { fromFloat, toFloat } from "#audio/pcm";
import { createResampler } from "#audio/resampling/resampler";
import type { SpeechOutput } from "../engines/engine.js";

/** Passes a chunk's audio on at another rate; words keep their times. */
export interface RateConversion {
  send(piece: SpeechOutput): void;
  /** The chunk is complete: passes on what the conversion still holds. */
  finish(): void;
}

/** Converts between two rates in Hz. The samples do not depend on how the audio is cut into pieces. */
export function convertRate(from: number, to: number, send: (piece: SpeechOutput) => void): RateConversion {
  if (from === to) return { send, finish: () => undefined };
  const resampler = createResampler(from, to);
  return {
    send: ({ samples, words }) => send({ samples: fromFloat(resampler.process(toFloat(samples))), words }),
    finish: () => send({ samples: fromFloat(resampler.flush()), words: [] }),
  };
}
