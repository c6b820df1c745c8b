import type { SpeechChunk, VoiceTraits } from "#protocol/speech/chunk";
import { departures, paceFactor, variation } from "../sampling.js";
import type { VoiceConfig } from "./voice-config.js";

/** What a voice can be bent by before it stops sounding like speech. */
const PITCH_SEMITONES_LIMIT = 9;
const PITCH_RANGE_LIMITS = { low: 0.4, high: 1.8 };
const LENGTH_FACTOR_LIMITS = { low: 0.3, high: 4 };
const TRAIT_RATE_LIMITS = { low: 0.75, high: 1.35 };

/**
 * `noise_w` of a steerable graph is its pitch range: 0.8 is the voice's own, and each 0.5 more adds a quarter of the
 * movement.
 */
const OWN_RANGE_SCALE = 0.8;

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
 * Steers a speaker with these traits of its own, null where they are unknown: a cloned voice then steers nothing. A
 * graph that `steersIds` gets what sampling draws id by id (`variedSymbols`); for others one pace is drawn for the
 * whole chunk.
 */
export function steer(
  chunk: Pick<SpeechChunk, "voice" | "delivery" | "sampling" | "seed">,
  own: VoiceTraits | null,
  steersIds: boolean,
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
  const pace = steersIds ? 1 : paceFactor(departures(chunk.seed, "pace", varied)());
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
 * A graph's `scales`. One that cannot be steered speaks so much slower as the change of pitch afterwards makes it
 * faster.
 */
export function graphScales(
  { length, noise, pitchSemitones, pitchRange }: Steering,
  inference: VoiceConfig["inference"],
  steersIds: boolean,
): number[] {
  const { length_scale: ownLength, noise_scale: ownNoise } = inference;
  if (!steersIds) return [0, ownLength * length * 2 ** (pitchSemitones / 12), 0];
  return [ownNoise * noise, ownLength * length, OWN_RANGE_SCALE + (pitchRange - 1), pitchSemitones];
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
