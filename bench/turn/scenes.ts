import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { recognizeOne, wordsOf } from "#workers/engines/testing/recognize";
import type { Engines } from "./engine-recognition.js";
import type { Recording } from "./recordings.js";

/** A call to follow: recordings one after the other, and what is true of it. Steps are of 10 ms. */
export interface Scene {
  samples: Int16Array;
  /** Steps in which somebody speaks, by the detector's answers to the recording alone, without noise. */
  isSpeech: boolean[];
  /** Where each recording lies, and what is read in it. */
  parts: { fromStep: number; toStep: number; text: string }[];
}

const STEP = RECOGNITION_RATE / 100;
const SPEECH_ANSWER = 128;

/** Numbers from 0 to 1 (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Noise of unit power: white (`colour` 0) or with more and more of the low frequencies. */
export function noise(count: number, random: () => number, colour: number): Float64Array {
  const samples = new Float64Array(count);
  const scale = Math.sqrt(3) * Math.sqrt(1 - colour * colour);
  let held = 0;
  for (let i = 0; i < count; i++) {
    held = colour * held + scale * (2 * random() - 1);
    samples[i] = held;
  }
  return samples;
}

/** Recordings with what the detector says about them, cut to what is spoken and `marginMs` around it. */
export async function trimmed(recordings: readonly Recording[], engines: Engines, marginMs: number): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const { samples, text } of recordings) {
    const result = await recognizeOne(engines.detector, samples);
    if (result.result !== "vad") throw new RangeError(result.result);
    const isSpeech = [...result.speech].map((answer) => answer >= SPEECH_ANSWER);
    const [first, last] = [isSpeech.indexOf(true), isSpeech.lastIndexOf(true)];
    if (first < 0) continue;
    const from = Math.max(0, first - marginMs / 10);
    const to = Math.min(isSpeech.length, last + 1 + marginMs / 10);
    const cut = isSpeech.slice(from, to);
    scenes.push({
      samples: samples.slice(from * STEP, to * STEP),
      isSpeech: cut,
      parts: [{ fromStep: 0, toStep: cut.length, text }],
    });
  }
  return scenes;
}

/** One after the other, with silence between them, at the beginning and at the end. */
export function joined(scenes: readonly Scene[], { pauseMs = 1500, endMs = 1500 } = {}): Scene {
  const length = scenes.reduce((sum, { isSpeech }) => sum + isSpeech.length + pauseMs / 10, endMs / 10);
  const whole: Scene = {
    samples: new Int16Array(length * STEP),
    isSpeech: new Array<boolean>(length).fill(false),
    parts: [],
  };
  let at = endMs / 10;
  for (const { samples, isSpeech, parts } of scenes) {
    whole.samples.set(samples.subarray(0, (length - at) * STEP), at * STEP);
    for (const [step, value] of isSpeech.entries()) whole.isSpeech[at + step] = value;
    for (const { fromStep, toStep, text } of parts)
      whole.parts.push({ fromStep: fromStep + at, toStep: toStep + at, text });
    at += isSpeech.length + pauseMs / 10;
  }
  return whole;
}

/** Adds noise so far below the speech: white and brownish in turn. */
export function inNoise(scene: Scene, signalToNoiseDb: number, seed: number): Scene {
  const random = generator(seed);
  const background = noise(scene.samples.length, random, seed % 2 === 0 ? 0 : 0.9);
  let power = 0;
  let steps = 0;
  for (const [step, isSpeech] of scene.isSpeech.entries()) {
    if (!isSpeech) continue;
    steps++;
    for (let i = 0; i < STEP; i++) power += (scene.samples[step * STEP + i] ?? 0) ** 2;
  }
  const scale = Math.sqrt(power / Math.max(1, steps * STEP)) * 10 ** (-signalToNoiseDb / 20);
  const samples = scene.samples.map((sample, at) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample + scale * (background[at] as number)))),
  );
  return { ...scene, samples };
}

/** What the recognizer makes of a stretch, all at once. */
export async function recognizeWhole(engines: Engines, samples: Int16Array): Promise<string> {
  return wordsOf(await recognizeOne(engines.recognizer, samples))
    .map(({ text }) => text)
    .join(" ");
}
