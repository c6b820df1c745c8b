import { expect, it } from "vitest";
import { fromFloat, toFloat } from "#audio/pcm";
import { speechLike } from "#audio/testing/speech-like";
import { medianPitchHz } from "./testing/pitch.js";
import { stretchTime } from "./time-stretch.js";

const sampleRate = 24_000;
const voice = toFloat(speechLike({ pitchHz: 140, swingSemitones: 1, syllablesPerSecond: 4, seconds: 3, sampleRate }));

it.each([0.5, 0.7, 0.95, 1.1, 1.5, 2])("makes speech %f times as long, at its pitch and level", (factor) => {
  const stretched = stretchTime(voice, factor, sampleRate);
  expect(stretched.length / voice.length).toBeCloseTo(factor, 3);
  const pitch = (audio: Float32Array): number => medianPitchHz(fromFloat(audio), sampleRate) ?? Number.NaN;
  expect(Math.abs(12 * Math.log2(pitch(stretched) / pitch(voice)))).toBeLessThan(0.3);
  const level = (audio: Float32Array): number =>
    Math.sqrt(audio.reduce((sum, value) => sum + value ** 2, 0) / audio.length);
  expect(level(stretched) / level(voice)).toBeGreaterThan(0.85);
  expect(level(stretched) / level(voice)).toBeLessThan(1.1);
  // Pieces that do not fit would leave steps.
  const step = (audio: Float32Array): number =>
    audio.reduce((most, value, i) => Math.max(most, Math.abs(value - (audio[i - 1] ?? 0))), 0);
  expect(step(stretched)).toBeLessThan(1.5 * step(voice));
});

it("leaves audio as it is for the factor 1, and what is too short to be stretched", () => {
  expect(stretchTime(voice, 1, sampleRate)).toBe(voice);
  const short = voice.subarray(0, 500);
  expect(stretchTime(short, 2, sampleRate)).toBe(short);
});
