import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeAudio } from "#audio/decoding/decode";
import { noise, tone } from "#audio/testing/signals";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { EnergyGate, type GateFrame } from "./energy-gate.js";
import { voice } from "./testing/voices.js";

const STEP = RECOGNITION_RATE / 100;
const example = fileURLToPath(new URL("../../../models/parley-vad/example.opus", import.meta.url));

function frames(samples: Int16Array, gate = new EnergyGate()): GateFrame[] {
  return Array.from({ length: Math.floor(samples.length / STEP) }, (_, at) =>
    gate.next(samples.subarray(at * STEP, (at + 1) * STEP)),
  );
}

const speechFrames = (samples: Int16Array): number => frames(samples).filter(({ isSpeech }) => isSpeech).length;
const seconds = (duration: number, value: (second: number, at: number) => number): Int16Array =>
  Int16Array.from({ length: duration * RECOGNITION_RATE }, (_, at) => Math.round(value(at / RECOGNITION_RATE, at)));
const sum = (a: Int16Array, b: ArrayLike<number>, from = 0): Int16Array =>
  a.map((sample, at) => sample + Math.round(b[at - from] ?? 0));

/** A mains hum with its harmonics. */
const hum = (hz: number): Int16Array =>
  seconds(6, (s) => [1, 2, 3, 4, 5, 7].reduce((all, k) => all + (3000 / k) * Math.sin(2 * Math.PI * k * hz * s), 0));
/** Breath: noise that swells and fades, every two seconds. */
const breath = (): Int16Array => {
  const hiss = noise(8 * RECOGNITION_RATE, 0.08, 5);
  return seconds(8, (s, at) => (hiss[at] as number) * Math.max(0, Math.sin(Math.PI * s)) ** 2);
};
/** Short impulses, some doubled, at odd times. */
const clicks = (): Int16Array => {
  const samples = noise(8 * RECOGNITION_RATE, 0.001, 9);
  for (let at = 500, gap = 1700; at + 40 < samples.length; at += gap, gap = ((gap * 7 + 900) % 5000) + 600)
    for (let i = 0; i < 40; i++) samples[at + i] = Math.round(20_000 * Math.exp(-i / 6) * (i % 3 === 0 ? 1 : -0.7));
  return samples;
};

/** What is left of noise when its low frequencies are taken away, as much as an "s" has. */
const hiss = (durationMs: number, levelDb: number): number[] => {
  const white = noise((durationMs * RECOGNITION_RATE) / 1000 + 1, 0.5, 11);
  const differences = [...white.subarray(1)].map((sample, at) => sample - (white[at] as number));
  const rms = Math.sqrt(differences.reduce((sum, value) => sum + value * value, 0) / differences.length);
  return differences.map((value) => (value / rms) * 10 ** (levelDb / 20) * 32_768);
};
/** Hisses too short for an "s", twice a second. */
const spits = (): Int16Array => {
  const samples = new Int16Array(4 * RECOGNITION_RATE);
  for (let at = 0; at < samples.length; at += RECOGNITION_RATE / 2)
    for (const [i, value] of hiss(55, -25).entries()) samples[at + i] = Math.round(value);
  return samples;
};

/** A voice for 25 ms, twice a second. */
const blips = (): Int16Array => {
  const samples = new Int16Array(4 * RECOGNITION_RATE);
  for (let at = 0; at < samples.length; at += RECOGNITION_RATE / 2)
    for (const [i, value] of voice(25, { pitchHz: 200 }).entries()) samples[at + i] = Math.round(value);
  return samples;
};

describe("the energy gate without speech", () => {
  it.each<[string, () => Int16Array]>([
    ["a muted microphone", () => new Int16Array(5 * RECOGNITION_RATE)],
    ["white noise", () => noise(8 * RECOGNITION_RATE, 0.1)],
    ["faint noise", () => noise(8 * RECOGNITION_RATE, 0.002)],
    [
      "noise that begins suddenly",
      () => sum(noise(8 * RECOGNITION_RATE, 0.001), noise(6 * RECOGNITION_RATE, 0.2, 3), 2 * RECOGNITION_RATE),
    ],
    ["a hum of 50 Hz", () => hum(50)],
    ["a hum of 60 Hz in noise", () => sum(hum(60), noise(6 * RECOGNITION_RATE, 0.01))],
    ["a hum that begins after silence", () => sum(new Int16Array(8 * RECOGNITION_RATE), hum(50), RECOGNITION_RATE)],
    ["a hum of 100 Hz that begins after silence", () => sum(new Int16Array(8 * RECOGNITION_RATE), hum(100), 16_000)],
    [
      "a tone that begins after silence",
      () => sum(new Int16Array(64_000), tone(300, 2, RECOGNITION_RATE, 0.3), 16_000),
    ],
    ["blips", blips],
    ["spits", spits],
    ["a tone", () => tone(440, 3, RECOGNITION_RATE, 0.3)],
    ["clicks", clicks],
    ["breathing", breath],
    ["an offset that comes and goes", () => seconds(4, (s) => (Math.floor(s) % 2 === 1 ? 9000 : 0))],
    ["full scale", () => seconds(2, (_, at) => (at % 2 === 0 ? 32_767 : -32_768))],
  ])("takes no %s for speech", (_what, samples) => {
    expect(speechFrames(samples())).toBe(0);
  });
});

describe("the energy gate with speech", () => {
  let speech: Int16Array;
  beforeAll(async () => {
    // Somebody speaks from 1.50 to 4.77 s and from 6.27 to 10.94 s (the model card of the detector).
    const { pcm } = await decodeAudio(readFileSync(example), { maxSeconds: 60, sampleRate: RECOGNITION_RATE });
    speech = pcm.samples;
  });
  const share = (all: GateFrame[], fromMs: number, toMs: number): number =>
    all.slice(fromMs / 10, toMs / 10).filter(({ isSpeech }) => isSpeech).length / ((toMs - fromMs) / 10);

  it.each([-20, -30, -40, -48])("knows a voice of %i dB after 60 ms", (levelDb) => {
    for (const pitchHz of [85, 140, 220, 330]) {
      const background = noise(2 * RECOGNITION_RATE, 10 ** ((levelDb - 26) / 20));
      const all = frames(sum(background, voice(600, { pitchHz, levelDb }), RECOGNITION_RATE));
      expect(all.findIndex(({ isSpeech }) => isSpeech) - 100, `${pitchHz} Hz`).toBeGreaterThanOrEqual(0);
      expect(all.findIndex(({ isSpeech }) => isSpeech) - 100, `${pitchHz} Hz`).toBeLessThan(6);
      expect(
        all.findLastIndex(({ isSpeech }) => isSpeech),
        `${pitchHz} Hz`,
      ).toBeLessThan(100 + 60 + 6);
    }
  });

  it.each([-25, -35, -45])('knows an "s" of %i dB before any vowel after 90 ms', (levelDb) => {
    const background = noise(2 * RECOGNITION_RATE, 10 ** ((levelDb - 22) / 20));
    const all = frames(sum(background, hiss(150, levelDb), RECOGNITION_RATE));
    expect(all.slice(0, 100).some(({ isSpeech }) => isSpeech)).toBe(false);
    expect(all.findIndex(({ isSure }) => isSure) - 100).toBeLessThan(9);
    expect(all.findLastIndex(({ isSpeech }) => isSpeech)).toBeLessThan(117);
  });

  it.each<[string, () => Int16Array]>([
    ["on a rumble with an offset", () => seconds(6, (s) => 6000 + 5000 * Math.sin(2 * Math.PI * 23 * s))],
    [
      "in a background that has become louder",
      () => sum(noise(6 * RECOGNITION_RATE, 0.0005), noise(5 * RECOGNITION_RATE, 0.01, 8), RECOGNITION_RATE),
    ],
  ])("knows a voice and its end %s", (_what, background) => {
    const all = frames(sum(background(), voice(600, { levelDb: -25 }), 4 * RECOGNITION_RATE));
    expect(all.slice(0, 400).some(({ isSpeech }) => isSpeech)).toBe(false);
    expect(all.findIndex(({ isSpeech }) => isSpeech)).toBeLessThan(406);
    const last = all.findLastIndex(({ isSpeech }) => isSpeech);
    expect([last >= 454, last < 466], `${last}`).toEqual([true, true]);
  });

  it("finds what a person says, loud and faint, and the pauses", () => {
    for (const scale of [1, 1 / 6, 1 / 20]) {
      const all = frames(speech.map((sample) => Math.round(sample * scale)));
      expect(share(all, 1600, 4700), `at ${scale}`).toBeGreaterThan(0.5);
      expect(share(all, 6400, 10_800), `at ${scale}`).toBeGreaterThan(0.6);
      for (const [from, to] of [
        [0, 1400],
        [5100, 6100],
        [11_300, 12_300],
      ] as const)
        expect(share(all, from, to), `${from} to ${to} at ${scale}`).toBe(0);
    }
  });

  it("finds it again after the caller, or the background, has become louder or fainter", () => {
    const gate = new EnergyGate();
    frames(speech, gate);
    expect(
      share(
        frames(
          speech.map((sample) => Math.round(sample / 25)),
          gate,
        ),
        1600,
        4700,
      ),
    ).toBeGreaterThan(0.5);
    frames(noise(3 * RECOGNITION_RATE, 0.03), gate);
    const inNoise = frames(sum(noise(speech.length, 0.02, 4), speech), gate);
    expect(share(inNoise, 1600, 4700)).toBeGreaterThan(0.4);
    expect(share(inNoise, 5200, 6100)).toBe(0);
    frames(new Int16Array(RECOGNITION_RATE), gate);
    expect(share(frames(speech, gate), 1600, 4700)).toBeGreaterThan(0.6);
  });
});
