import { noise } from "./signals.js";

export interface SpeechLike {
  pitchHz: number;
  /** Pitch swings by this much around its mean, semitones (peak). */
  swingSemitones?: number;
  syllablesPerSecond: number;
  seconds: number;
  sampleRate: number;
  /** Slope of the harmonics, dB per octave. */
  tiltDbPerOctave?: number;
}

/**
 * A voice of known traits without vowels or consonants: harmonics that fall by a fixed slope, swelling once per
 * syllable, every eighth syllable a pause, over faint noise.
 */
export function speechLike({
  pitchHz,
  swingSemitones = 0,
  syllablesPerSecond,
  seconds,
  sampleRate,
  tiltDbPerOctave = -9,
}: SpeechLike): Int16Array {
  const samples = noise(Math.round(seconds * sampleRate), 0.0005);
  const levels: number[] = [];
  const levelOf = (harmonic: number): number => (levels[harmonic] ??= harmonic ** (tiltDbPerOctave / 6.0206));
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const time = i / sampleRate;
    const pitch = pitchHz * 2 ** ((swingSemitones * Math.sin(2 * Math.PI * 0.7 * time)) / 12);
    phase += pitch / sampleRate;
    const syllable = time * syllablesPerSecond;
    if (Math.floor(syllable) % 8 === 7) continue;
    const envelope = 0.05 + 0.95 * Math.sin(Math.PI * (syllable % 1)) ** 2;
    let value = 0;
    for (let harmonic = 1; harmonic * pitch < Math.min(6000, sampleRate * 0.45); harmonic++) {
      // Phases that differ keep the peaks down without changing the spectrum.
      value += levelOf(harmonic) * Math.sin(2 * Math.PI * harmonic * phase + harmonic * harmonic);
    }
    samples[i] = (samples[i] as number) + Math.round(5000 * envelope * value);
  }
  return samples;
}
