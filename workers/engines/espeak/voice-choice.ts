import { ServiceError } from "#protocol/errors";
import type { Delivery, VoiceSettings } from "#protocol/speech/chunk";

/** How espeak-ng is to be set for a chunk. */
export interface EspeakSettings {
  /** Voice variant, or null for the language's plain voice. */
  variant: string | null;
  rate: number;
  pitch: number;
  range: number;
}

/** Words per minute at speed 1, and what the engine can do. */
const NORMAL_RATE = 175;
const MIN_RATE = 80;
const MAX_RATE = 450;

/** Setting 50 of pitch and range is the voice's own. */
const NEUTRAL = 50;

/** Pitch settings, and the median fundamental frequency (Hz) that the plain voice and variant `f2` have there (measured, English). */
const pitchSettings = [0, 25, 50, 75, 99];
const lowVoiceHz = [66, 79, 98, 127, 166];
const highVoiceHz = [123, 150, 187, 242, 315];

/** From this pitch on a speaker without a variant gets the higher voice: halfway, in tones, between the two voices' own. */
const HIGH_VOICE_FROM_HZ = 140;

/** Speech of the plain voice at the normal rate, as `measureVoice` hears it. */
export const ownSyllablesPerSecond = 4.6;
export const ownPitchRangeSemitones = 2;

/** Speakers by name; their place in the list is their index. `default` is the language's plain voice. */
export const speakers: readonly string[] = ["default", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "f1", "f2", "f3", "f4", "f5"];

/** Chooses variant and settings. Throws `unknown_reference` for a speaker that does not exist. */
export function chooseVoice(voice: VoiceSettings, delivery: Delivery): EspeakSettings {
  const speaker = findSpeaker(voice.speaker);
  const traits = voice.traits;
  const high = speaker === null ? (traits?.pitchHz ?? 0) >= HIGH_VOICE_FROM_HZ : speaker.startsWith("f");
  const table = high ? highVoiceHz : lowVoiceHz;
  const ownHz = table[pitchSettings.indexOf(NEUTRAL)] ?? 100;
  const pitchHz = (traits?.pitchHz ?? ownHz) * 2 ** (delivery.pitchSemitones / 12);
  const rangeFactor = clamp((traits?.pitchRangeSemitones ?? ownPitchRangeSemitones) / ownPitchRangeSemitones, 0.3, 2) * delivery.pitchRangeFactor;
  const rateFactor = clamp((traits?.syllablesPerSecond ?? ownSyllablesPerSecond) / ownSyllablesPerSecond, 0.7, 1.4) * delivery.rateFactor;
  return {
    variant: delivery.whisper ? (high ? "whisperf" : "whisper") : (speaker ?? (high ? "f2" : null)),
    rate: Math.round(clamp(NORMAL_RATE * voice.speed * rateFactor, MIN_RATE, MAX_RATE)),
    pitch: pitchSetting(pitchHz, table),
    range: Math.round(clamp(NEUTRAL * rangeFactor, 0, 99)),
  };
}

/** The setting at which a voice has a pitch, between the measured points by its logarithm. */
export function pitchSetting(pitchHz: number, table: readonly number[]): number {
  for (let i = 1; i < table.length; i++) {
    const [lowHz = 1, highHz = 1] = [table[i - 1], table[i]];
    if (pitchHz > highHz && i < table.length - 1) continue;
    const [low = 0, high = 0] = [pitchSettings[i - 1], pitchSettings[i]];
    const share = Math.log(pitchHz / lowHz) / Math.log(highHz / lowHz);
    return Math.round(clamp(low + share * (high - low), 0, 99));
  }
  return NEUTRAL;
}

function findSpeaker(name: string | null): string | null {
  if (name === null || name === "default" || name === "0") return null;
  const byName = speakers.find((speaker) => speaker === name);
  const found = byName ?? (/^\d{1,3}$/.test(name) ? speakers[Number(name)] : undefined);
  if (found === undefined) throw new ServiceError("unknown_reference");
  return found;
}

function clamp(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low;
}
