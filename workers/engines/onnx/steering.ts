import type { SpeechChunk, VoiceTraits } from "#protocol/speech/chunk";
import { variation } from "../sampling.js";

/** What a voice can be bent by before it stops sounding like speech. */
const PITCH_SEMITONES_LIMIT = 9;
const PITCH_RANGE_LIMITS = { low: 0.4, high: 1.8 };
const LENGTH_FACTOR_LIMITS = { low: 0.3, high: 4 };
const TRAIT_RATE_LIMITS = { low: 0.75, high: 1.35 };

/** How a chunk's voice, delivery and sampling bend a speaker's own speech. */
export interface Steering {
  pitchSemitones: number;
  /** Factor on pitch movement. */
  pitchRange: number;
  /** Factor on duration. */
  length: number;
  /** Factor on the level of noise. */
  noise: number;
  /** How much brighter the audio must be made. */
  tiltDbPerOctave: number;
}

/** Nothing is asked for. */
export const ownSteering: Steering = { pitchSemitones: 0, pitchRange: 1, length: 1, noise: 1, tiltDbPerOctave: 0 };

/**
 * Steers a speaker with these traits of its own, null where they are unknown: a cloned voice then steers nothing.
 * `pace` is what sampling drew for the whole chunk (factor on the rate).
 */
export function steer(
  chunk: Pick<SpeechChunk, "voice" | "delivery" | "sampling">,
  own: VoiceTraits | null,
  pace: number,
): Steering {
  const { voice, delivery } = chunk;
  const varied = variation(chunk.sampling);
  const wanted = own === null ? null : voice.traits;
  const towards = wanted === null || own === null ? null : { wanted, own };
  const pitch =
    delivery.pitchSemitones + (towards === null ? 0 : semitones(towards.wanted.pitchHz / towards.own.pitchHz));
  const range =
    delivery.pitchRangeFactor *
    varied.pitchRange *
    (towards === null ? 1 : towards.wanted.pitchRangeSemitones / towards.own.pitchRangeSemitones);
  const traitRate = towards === null ? 1 : towards.wanted.syllablesPerSecond / towards.own.syllablesPerSecond;
  const rate =
    pace * voice.speed * delivery.rateFactor * clamp(traitRate, TRAIT_RATE_LIMITS.low, TRAIT_RATE_LIMITS.high);
  return {
    pitchSemitones: clamp(pitch, -PITCH_SEMITONES_LIMIT, PITCH_SEMITONES_LIMIT, 0),
    pitchRange: clamp(range, PITCH_RANGE_LIMITS.low, PITCH_RANGE_LIMITS.high),
    length: clamp(1 / rate, LENGTH_FACTOR_LIMITS.low, LENGTH_FACTOR_LIMITS.high),
    noise: varied.noise,
    tiltDbPerOctave:
      towards === null ? 0 : towards.wanted.spectralTiltDbPerOctave - towards.own.spectralTiltDbPerOctave,
  };
}

/**
 * The speaker (by index) that is nearest to a measured voice: pitch counts most, brightness less. Null when no speaker
 * has been measured.
 */
export function nearestSpeaker(wanted: VoiceTraits, speakers: readonly (VoiceTraits | null)[]): number | null {
  let nearest: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, own] of speakers.entries()) {
    if (own === null) continue;
    const distance =
      Math.abs(semitones(wanted.pitchHz / own.pitchHz)) +
      0.5 * Math.abs(wanted.spectralTiltDbPerOctave - own.spectralTiltDbPerOctave);
    if (distance < least) [nearest, least] = [index, distance];
  }
  return nearest;
}

function semitones(ratio: number): number {
  return 12 * Math.log2(ratio);
}

function clamp(value: number, low: number, high: number, otherwise = 1): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise;
}
