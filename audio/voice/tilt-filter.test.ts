import fc from "fast-check";
import { expect, test } from "vitest";
import { howMany } from "#common/testing/how-many";
import { fitTone, noise, tone } from "../testing/signals.js";
import { speechLike } from "../testing/speech-like.js";
import { tiltFilter } from "./tilt-filter.js";
import { measureVoice } from "./traits.js";

function gainDb(tilt: number, frequencyHz: number, sampleRate: number): number {
  const output = tiltFilter(tilt, sampleRate)
    .process(tone(frequencyHz, 1, sampleRate, 0.05))
    .subarray(2000);
  return 20 * Math.log10(fitTone(output, frequencyHz, sampleRate).amplitude / 0.05);
}

test.each([-5, -2, 3])("tilts by %d dB per octave from 350 Hz to 4.5 kHz", (tilt) => {
  const octaves = Math.log2(4500 / 350);
  const slope = (gainDb(tilt, 4500, 22050) - gainDb(tilt, 350, 22050)) / octaves;
  expect(Math.abs(slope / tilt - 1)).toBeLessThan(0.2);
  expect(Math.abs(gainDb(tilt, 500, 22050))).toBeLessThan(0.2);
});

test("a voice measures as much darker or brighter as was asked", () => {
  const samples = speechLike({ pitchHz: 120, syllablesPerSecond: 4, seconds: 4, sampleRate: 22050 });
  const before = measureVoice({ samples, sampleRate: 22050 });
  for (const tilt of [-4, 4]) {
    const after = measureVoice({ samples: tiltFilter(tilt, 22050).process(samples), sampleRate: 22050 });
    expect(Math.abs(after.spectralTiltDbPerOctave - before.spectralTiltDbPerOctave - tilt)).toBeLessThan(0.8);
    expect(Math.abs(after.pitchHz / before.pitchHz - 1)).toBeLessThan(0.01);
  }
});

test("gives a sample for a sample, the same however they are split", () => {
  const samples = noise(3000, 0.9);
  const whole = tiltFilter(4, 22050).process(samples);
  expect(whole.length).toBe(3000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), (piece) => {
      const filter = tiltFilter(4, 22050);
      const parts: number[] = [];
      for (let i = 0; i < samples.length; i += piece) parts.push(...filter.process(samples.subarray(i, i + piece)));
      return parts.every((value, index) => value === whole[index]);
    }),
    { numRuns: howMany(30) },
  );
});

test("no tilt changes nothing, and the loudest sound does not wrap around", () => {
  const samples = noise(3000, 1);
  expect(tiltFilter(0, 22050).process(samples)).toEqual(samples);
  const loud = tone(3000, 0.5, 22050, 1);
  const output = tiltFilter(6, 22050).process(loud);
  // A wave bent into a square keeps 8/9 of its energy in the tone; one that wrapped around would not.
  expect(fitTone(output.subarray(1000), 3000, 22050).signalToNoiseDb).toBeGreaterThan(5);
  expect(output.reduce((most, value) => Math.max(most, value), 0)).toBeGreaterThan(31_000);
});
