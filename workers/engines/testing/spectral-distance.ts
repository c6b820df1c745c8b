import { createLogMel } from "../../recognition/features/log-mel.js";

/** Bands that lie so many nats of power below the loudest one are not compared. */
const AUDIBLE_NATS = 7;

/**
 * How far the spectra of two sounds of one rate lie apart, decibels: the mean difference of their log-mel bands where
 * the first has something to hear, after both were made equally loud. They end together: engines leave silence at the
 * beginning out. Unlike a difference of samples it is small where the same is said with the same voice a little out of
 * step. Infinite where one of them is silent.
 */
export function spectralDistanceDb(one: Int16Array, other: Int16Array): number {
  const length = Math.min(one.length, other.length);
  const extract = createLogMel("kaldi");
  const [first, second] = [one, other].map((samples) => extract(samples.subarray(samples.length - length)).values);
  if (first === undefined || second === undefined) return Number.POSITIVE_INFINITY;
  const loudest = first.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const heard = [...first.keys()].filter((i) => (first[i] ?? 0) > loudest - AUDIBLE_NATS);
  const mean = (values: Float32Array): number => heard.reduce((sum, i) => sum + (values[i] ?? 0), 0) / heard.length;
  const louder = mean(first) - mean(second);
  const apart = heard.reduce((sum, i) => sum + Math.abs((first[i] ?? 0) - (second[i] ?? 0) - louder), 0);
  const silent = [one, other].some((samples) => samples.every((sample) => sample === 0));
  return silent ? Number.POSITIVE_INFINITY : ((10 / Math.LN10) * apart) / heard.length;
}
