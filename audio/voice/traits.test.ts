import { expect, test } from "vitest";
import { noise, tone } from "../testing/signals.js";
import { speechLike } from "../testing/speech-like.js";
import { combineTraits, measureVoice } from "./traits.js";

const base = { pitchHz: 120, syllablesPerSecond: 4, seconds: 4, sampleRate: 22050 };

test.each([75, 120, 210, 330])("a voice at %d Hz is measured within one percent", (pitchHz) => {
  const { pitchHz: measured } = measureVoice({ samples: speechLike({ ...base, pitchHz }), sampleRate: 22050 });
  expect(Math.abs(measured / pitchHz - 1)).toBeLessThan(0.01);
});

test("a monotone has no pitch range, a swing of 3 semitones has its standard deviation", () => {
  const rangeOf = (swingSemitones: number): number =>
    measureVoice({ samples: speechLike({ ...base, swingSemitones }), sampleRate: 22050 }).pitchRangeSemitones;
  expect(rangeOf(0)).toBeLessThan(0.2);
  expect(rangeOf(3)).toBeGreaterThan(1.7);
  expect(rangeOf(3)).toBeLessThan(2.5);
});

test.each([2.5, 4, 6])("%d syllables a second are counted within 15 percent, pauses excluded", (syllablesPerSecond) => {
  const { syllablesPerSecond: measured } = measureVoice({
    samples: speechLike({ ...base, syllablesPerSecond }),
    sampleRate: 22050,
  });
  expect(Math.abs(measured / syllablesPerSecond - 1)).toBeLessThan(0.15);
});

test.each([-6, -9, -12])("harmonics falling by %d dB per octave measure so within 1 dB", (tiltDbPerOctave) => {
  const { spectralTiltDbPerOctave } = measureVoice({
    samples: speechLike({ ...base, tiltDbPerOctave }),
    sampleRate: 22050,
  });
  expect(Math.abs(spectralTiltDbPerOctave - tiltDbPerOctave)).toBeLessThan(1);
});

test.each([8000, 16000, 44100, 48000])("the traits do not depend on the rate of the recording: %d Hz", (sampleRate) => {
  const traits = measureVoice({ samples: speechLike({ ...base, sampleRate }), sampleRate });
  expect(Math.abs(traits.pitchHz / 120 - 1)).toBeLessThan(0.01);
  expect(Math.abs(traits.syllablesPerSecond - 4)).toBeLessThan(0.6);
  expect(Math.abs(traits.spectralTiltDbPerOctave + 9)).toBeLessThan(1.5);
});

test.each([
  ["silence", new Int16Array(32_000), "it is silent"],
  ["faint noise", noise(32_000, 0.002), "it is silent"],
  ["loud noise", noise(32_000, 0.5), "no speech was found in it"],
  ["a tone", tone(440, 2, 16_000), "too little speech was found in it"],
])("%s is not a voice", (_, samples, detail) => {
  expect(() => measureVoice({ samples, sampleRate: 16_000 })).toThrow(
    expect.objectContaining({ code: "bad_reference_audio", message: expect.stringContaining(detail) }),
  );
});

test("several samples combine to the median of each trait", () => {
  const traits = [100, 300, 110].map((pitchHz, index) => ({
    pitchHz,
    pitchRangeSemitones: index,
    syllablesPerSecond: 5 - index,
    spectralTiltDbPerOctave: -index,
  }));
  expect(combineTraits(traits)).toEqual({
    pitchHz: 110,
    pitchRangeSemitones: 1,
    syllablesPerSecond: 4,
    spectralTiltDbPerOctave: -1,
  });
  expect(combineTraits(traits.slice(0, 2)).pitchHz).toBe(200);
});
