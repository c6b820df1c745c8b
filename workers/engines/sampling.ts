import { type Delivery, defaultSampling, type Sampling, type SpeechChunk } from "#protocol/speech/chunk";

/**
 * What sampling means to a voice that draws nothing by itself: its own reading is what the default sampling gives, bit
 * for bit. Below the default temperature the reading gets steadier; what the settings allow beyond the defaults becomes
 * room for departures, drawn from the chunk's seed.
 */
export interface Variation {
  /** Factor on pitch movement; doubles with every half of temperature. */
  pitchRange: number;
  /** Factor on the level of noise in the voice: breath and fricatives. */
  noise: number;
  /** Farthest departure, from 0 (none) to 1.34, in units that the quantity's user chooses. */
  reach: number;
  /** Chance that a departure goes in the direction of the one before it. */
  repeatChance: number;
}

/** Doublings per unit of temperature. */
const PITCH_RANGE_SLOPE = 2;
const NOISE_SLOPE = 0.5;

/**
 * A draw is uniform, as wide as the square of the temperature; `topP` keeps its middle, and the defaults' share of that
 * changes nothing.
 */
export function variation({ temperature, topP, repetitionPenalty }: Sampling): Variation {
  const warmer = temperature - defaultSampling.temperature;
  const width = (temperature / defaultSampling.temperature) ** 2;
  return {
    pitchRange: 2 ** (PITCH_RANGE_SLOPE * warmer),
    noise: 2 ** (NOISE_SLOPE * warmer),
    reach: Math.max(0, topP * width - defaultSampling.topP),
    repeatChance: 1 / (1 + repetitionPenalty),
  };
}

/** What varies; each has draws of its own. */
const quantities = { level: 0x9e3779b9, pace: 0x85ebca6b, accent: 0xc2b2ae35 } as const;

/** Successive departures of one quantity, each between -`reach` and `reach`: the same ones for the same seed. */
export function departures(
  seed: number,
  quantity: keyof typeof quantities,
  { reach, repeatChance }: Variation,
): () => number {
  const random = randomNumbers(seed ^ quantities[quantity]);
  let direction = random() < 0.5 ? -1 : 1;
  return () => {
    const departure = direction * random() * reach;
    if (random() >= repeatChance) direction = -direction;
    return departure;
  };
}

/** Binary logarithm of the pace per unit of departure: about 13 %. */
const PACE_UNIT = 0.18;

/** Factor on the rate of speech for a departure of the pace. */
export function paceFactor(departure: number): number {
  return 2 ** (PACE_UNIT * departure);
}

/** Semitones of mean pitch per unit of departure. */
export const LEVEL_UNIT_SEMITONES = 2;

/** The delivery of a whole chunk, varied: for engines that cannot vary its parts. */
export function variedDelivery({
  delivery,
  sampling,
  seed,
}: Pick<SpeechChunk, "delivery" | "sampling" | "seed">): Delivery {
  const varied = variation(sampling);
  return {
    ...delivery,
    pitchSemitones: delivery.pitchSemitones + LEVEL_UNIT_SEMITONES * departures(seed, "level", varied)(),
    pitchRangeFactor: delivery.pitchRangeFactor * varied.pitchRange,
    rateFactor: delivery.rateFactor * paceFactor(departures(seed, "pace", varied)()),
  };
}

/** Numbers in [0, 1), the same ones for the same seed: mulberry32, public domain. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
