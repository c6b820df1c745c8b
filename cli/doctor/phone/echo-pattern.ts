/** Tones that telephones carry, in an order that no announcement has by chance. */
const FREQUENCIES_HZ = [620, 1130, 850] as const;
const TONE_MS = 300;
const FRAME_MS = 20;

/** A tone is there in so many frames in a row, with some of them torn. */
const FEWEST_FRAMES = 7;
/** Share of a frame's energy. */
const PURITY = 0.5;
const QUIETEST = 0.003;
/** Between the ends of two tones of the pattern. */
const LONGEST_GAP_FRAMES = 40;

/** How long the pattern lasts. */
export const PATTERN_MS = FREQUENCIES_HZ.length * TONE_MS;

/** Three tones, one after the other. */
export function echoPattern(sampleRate: number): Int16Array {
  const each = Math.round((sampleRate * TONE_MS) / 1000);
  return Int16Array.from({ length: each * FREQUENCIES_HZ.length }, (_, at) => {
    const frequency = FREQUENCIES_HZ[Math.floor(at / each)] ?? 0;
    return Math.round(0.4 * 32_767 * Math.sin((2 * Math.PI * frequency * at) / sampleRate));
  });
}

/** Whether all tones of the pattern are in the audio, in their order. */
export function hasEchoPattern(samples: Int16Array, sampleRate: number): boolean {
  let from = 0;
  for (const [at, frequency] of FREQUENCIES_HZ.entries()) {
    const end = endOfTone(samples, sampleRate, { frequency, from, within: at === 0 ? null : LONGEST_GAP_FRAMES });
    if (end === null) return at === 0 ? false : hasEchoPattern(samples.subarray(from), sampleRate);
    from = end;
  }
  return true;
}

/** Where a tone has lasted long enough; null where it does not. */
function endOfTone(
  samples: Int16Array,
  sampleRate: number,
  { frequency, from, within }: { frequency: number; from: number; within: number | null },
): number | null {
  const frame = Math.round((sampleRate * FRAME_MS) / 1000);
  const limit = within === null ? samples.length : from + within * frame;
  let frames = 0;
  for (let at = from; at + frame <= samples.length && at <= limit; at += frame) {
    const isTone = purityOf(samples.subarray(at, at + frame), frequency, sampleRate) > PURITY;
    frames = isTone ? frames + 1 : Math.max(0, frames - 2);
    if (frames >= FEWEST_FRAMES) return at + frame;
  }
  return null;
}

/** The share of a frame's energy that one frequency has (Goertzel); 0 for silence. */
function purityOf(samples: Int16Array, frequency: number, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate);
  let [previous, beforePrevious, energy] = [0, 0, 0];
  for (const sample of samples) {
    const value = sample / 32_768;
    const next = value + coefficient * previous - beforePrevious;
    [beforePrevious, previous] = [previous, next];
    energy += value * value;
  }
  if (Math.sqrt(energy / samples.length) < QUIETEST) return 0;
  const power = previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
  return (2 * power) / (samples.length * energy);
}
