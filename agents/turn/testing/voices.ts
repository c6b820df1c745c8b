import { RECOGNITION_RATE } from "#protocol/transcription/chunk";

/** A word of tests: a voice of this pitch that swells and fades, from `atMs` on. Its name is in its samples. */
export interface SpokenWord {
  atMs: number;
  forMs: number;
  /** 1 to 15. */
  name: number;
}

const PER_MS = RECOGNITION_RATE / 1000;

/** Samples of a voice: harmonics of a pitch that wavers, louder and softer four times a second. */
export function voice(durationMs: number, { pitchHz = 140, levelDb = -25 } = {}): Float64Array {
  const samples = new Float64Array(Math.round(durationMs * PER_MS));
  const peak = 10 ** (levelDb / 20) * 32768;
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const seconds = i / RECOGNITION_RATE;
    phase += (pitchHz * (1 + 0.06 * Math.sin(2 * Math.PI * 3 * seconds))) / RECOGNITION_RATE;
    let value = 0;
    for (let harmonic = 1; harmonic <= 12; harmonic++)
      value += Math.sin(2 * Math.PI * harmonic * phase + harmonic * harmonic) / harmonic;
    const attack = Math.min(1, i / (20 * PER_MS));
    samples[i] = peak * attack * (0.75 + 0.25 * Math.sin(2 * Math.PI * 9 * seconds)) * value;
  }
  return samples;
}

/** Somebody who says these words; every sample carries the word's name in its last four bits, 0 where nobody speaks. */
export function talk(lengthMs: number, words: readonly SpokenWord[]): Int16Array {
  const samples = new Int16Array(lengthMs * PER_MS);
  for (const { atMs, forMs, name } of words)
    for (const [at, value] of voice(forMs, { pitchHz: 110 + 8 * name }).entries())
      samples[atMs * PER_MS + at] = (Math.round(value) & ~15) | name;
  return samples;
}

/** The words of a talk, as a perfect recognizer recognizes them: also those that are cut off. */
export function wordsOfTalk(
  samples: Int16Array,
): { text: string; startMs: number; endMs: number; confidence: number }[] {
  const words: { text: string; startMs: number; endMs: number; confidence: number }[] = [];
  for (let at = 0; at < samples.length; at++) {
    const name = (samples[at] as number) & 15;
    if (name === 0) continue;
    const from = at;
    while (at + 1 < samples.length && ((samples[at + 1] as number) & 15) === name) at++;
    words.push({ text: `w${name}`, startMs: from / PER_MS, endMs: (at + 1) / PER_MS, confidence: 1 });
  }
  return words;
}

/** Where a talk has words, as a detector without fault says it: 255, else 0. */
export function speechOfTalk(samples: Int16Array): Uint8Array {
  const step = 10 * PER_MS;
  return Uint8Array.from({ length: Math.ceil(samples.length / step) }, (_, at) =>
    ((samples[Math.min(samples.length - 1, at * step + step / 2)] as number) & 15) > 0 ? 255 : 0,
  );
}
