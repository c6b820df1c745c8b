import { resampleWhole } from "../resampling/resampler.js";
import { ANALYSIS_RATE, HOP_SECONDS } from "./levels.js";

const RATE = 8000;
const LOWEST_HZ = 60;
const HIGHEST_HZ = 500;
const WINDOW_SAMPLES = 320;
const LONGEST_LAG = Math.ceil(RATE / LOWEST_HZ);
const SHORTEST_LAG = Math.floor(RATE / HIGHEST_HZ);
/** Audio is voiced when it repeats itself but for this part of its energy; noisy rooms and telephones need the room. */
const APERIODICITY_LIMIT = 0.3;
/** Multiples of the period repeat as well as the period: the shortest lag about as good as the best one is taken. */
const TOLERANCE = 0.1;
/** Long samples are tracked at wider steps: a median does not need more. */
const MAX_FRAMES = 6000;

/**
 * Fundamental frequency of each 10 ms frame in Hz, 0 where the audio is not voiced or was not looked at, by the
 * difference function of YIN (de Cheveigné and Kawahara 2002). Only frames that `wanted` marks are tracked.
 */
export function pitchTrack(samples: Float32Array, wanted: readonly boolean[]): Float64Array {
  const signal = resampleWhole(samples, ANALYSIS_RATE, RATE);
  const pitches = new Float64Array(wanted.length);
  const step = Math.max(1, Math.ceil(wanted.filter(Boolean).length / MAX_FRAMES));
  const difference = new Float64Array(LONGEST_LAG + 2);
  for (let frame = 0; frame < wanted.length; frame++) {
    if (!wanted[frame] || frame % step !== 0) continue;
    const from = Math.round(frame * HOP_SECONDS * RATE) - WINDOW_SAMPLES / 2;
    if (from < 0 || from + WINDOW_SAMPLES + LONGEST_LAG + 2 > signal.length) continue;
    pitches[frame] = framePitch(signal, from, difference);
  }
  return pitches;
}

function framePitch(signal: Float32Array, from: number, difference: Float64Array): number {
  let sum = 0;
  difference[0] = 1;
  for (let lag = 1; lag < difference.length; lag++) {
    let squares = 0;
    for (let i = from; i < from + WINDOW_SAMPLES; i++)
      squares += ((signal[i] as number) - (signal[i + lag] as number)) ** 2;
    sum += squares;
    // Cumulative mean normalised difference: 1 means no likeness at this lag, 0 a perfect period.
    difference[lag] = sum > 0 ? (squares * lag) / sum : 1;
  }
  const best = difference.subarray(SHORTEST_LAG, LONGEST_LAG + 1).reduce((least, value) => Math.min(least, value), 1);
  if (best >= APERIODICITY_LIMIT) return 0;
  for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
    if ((difference[lag] as number) > best + TOLERANCE) continue;
    while (lag < LONGEST_LAG && (difference[lag + 1] as number) < (difference[lag] as number)) lag++;
    return (
      RATE / (lag + vertex(difference[lag - 1] as number, difference[lag] as number, difference[lag + 1] as number))
    );
  }
  return 0;
}

/** Offset of the lowest point of the parabola through three neighbours. */
function vertex(before: number, at: number, after: number): number {
  const curvature = before - 2 * at + after;
  return curvature > 0 ? (before - after) / (2 * curvature) : 0;
}
