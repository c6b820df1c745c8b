import { ServiceError } from "#protocol/errors";
import type { Delivery, VoiceSettings } from "#protocol/speech/chunk";

/** How espeak-ng is to be set for a chunk. */
export interface EspeakSettings {
  /** Voice variant, or null for the language's plain voice. */
  variant: string | null;
  rate: number;
  pitch: number;
  range: number;
  /** How much brighter (positive) or darker the audio must be made after synthesis. */
  tiltDbPerOctave: number;
}

/** Words per minute at speed 1, and what the engine can do. */
const NORMAL_RATE = 165;
const MIN_RATE = 80;
const MAX_RATE = 450;

/** Setting 50 of pitch and range is the voice's own. */
const NEUTRAL = 50;

/** What `measureVoice` learns of the plain voice and of variant `f2` at these pitch settings (English, normal rate). */
const pitchSettings = [0, 25, 50, 75, 99];
const lowVoice = { hz: [67, 83, 102, 130, 169], tilt: [-6.3, -6.4, -6.4, -6.1, -5.6] };
const highVoice = { hz: [131, 157, 193, 247, 321], tilt: [-6.1, -6.2, -6.2, -3.7, -4.2] };

/**
 * From this pitch on a speaker without a variant gets the higher voice: halfway, in tones, between the two voices' own.
 */
const HIGH_VOICE_FROM_HZ = 140;

/** Pitch movement at range 50, and how much each step of range raises the median pitch. */
const ownPitchRangeSemitones = 1.35;
const RISE_PER_RANGE_STEP = 0.0031;

/**
 * Rate of the voices at the normal rate; measured rates of low voices scatter, so little of the difference is believed.
 */
const ownSyllablesPerSecond = 4.15;

/**
 * The variant that speaks when nothing else is asked for: of the thirteen, the one whose words pocketsphinx mistakes
 * least (sixteen everyday sentences: 34 to 56 % word errors over small changes of rate; the plain voice 78 to 85 %).
 */
const DEFAULT_VARIANT = "f5";

/** Speakers by name; their place in the list is their index. `plain` is the language's voice without a variant. */
export const speakers: readonly string[] = [
  "plain",
  "m1",
  "m2",
  "m3",
  "m4",
  "m5",
  "m6",
  "m7",
  "f1",
  "f2",
  "f3",
  "f4",
  "f5",
];

/** Chooses variant and settings. Throws `unknown_reference` for a speaker that does not exist. */
export function chooseVoice(voice: VoiceSettings, delivery: Delivery): EspeakSettings {
  const speaker = findSpeaker(voice.speaker);
  const traits = voice.traits;
  const high =
    speaker === null ? (traits?.pitchHz ?? Number.POSITIVE_INFINITY) >= HIGH_VOICE_FROM_HZ : speaker.startsWith("f");
  const own = high ? highVoice : lowVoice;
  const rangeFactor =
    clamp((traits?.pitchRangeSemitones ?? ownPitchRangeSemitones) / ownPitchRangeSemitones, 0.3, 2) *
    delivery.pitchRangeFactor;
  const range = Math.round(clamp(NEUTRAL * rangeFactor, 0, 99));
  const rise = (1 + RISE_PER_RANGE_STEP * range) / (1 + RISE_PER_RANGE_STEP * NEUTRAL);
  const pitchHz =
    (traits?.pitchHz ?? interpolate(pitchSettings, own.hz, NEUTRAL)) * 2 ** (delivery.pitchSemitones / 12);
  const pitch = Math.round(clamp(interpolate(own.hz.map(Math.log), pitchSettings, Math.log(pitchHz / rise)), 0, 99));
  const rateFactor =
    clamp((traits?.syllablesPerSecond ?? ownSyllablesPerSecond) / ownSyllablesPerSecond, 0.75, 1.35) *
    delivery.rateFactor;
  return {
    variant: delivery.whisper ? (high ? "whisperf" : "whisper") : variantOf(speaker, traits, high),
    rate: Math.round(clamp(NORMAL_RATE * voice.speed * rateFactor, MIN_RATE, MAX_RATE)),
    pitch,
    range,
    tiltDbPerOctave:
      traits === null || delivery.whisper
        ? 0
        : clamp(traits.spectralTiltDbPerOctave - interpolate(pitchSettings, own.tilt, pitch), -6, 6),
  };
}

/** A measured speaker is copied with the two voices that were calibrated for it. */
function variantOf(speaker: string | null, traits: VoiceSettings["traits"], high: boolean): string | null {
  if (speaker !== null) return speaker === "plain" ? null : speaker;
  if (traits === null) return DEFAULT_VARIANT;
  return high ? "f2" : null;
}

/** The value at `x` on the line through the points; the outer pieces go on beyond the ends. `xs` grows. */
export function interpolate(xs: readonly number[], ys: readonly number[], x: number): number {
  const after = xs.findIndex((candidate, i) => i > 0 && (x <= candidate || i === xs.length - 1));
  const [x0 = 0, x1 = 1, y0 = 0, y1 = 0] = [xs[after - 1], xs[after], ys[after - 1], ys[after]];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}

function findSpeaker(name: string | null): string | null {
  if (name === null || name === "default") return null;
  const byName = speakers.find((speaker) => speaker === name);
  const found = byName ?? (/^\d{1,3}$/.test(name) ? speakers[Number(name)] : undefined);
  if (found === undefined) throw new ServiceError("unknown_reference");
  return found;
}

function clamp(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low;
}
