import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { measureVoice } from "./traits.js";

// A real synthesiser as the speaker, where the optional package is installed: its settings say how the traits must
// move.

interface Espeak {
  eSpeakNGWorker: new () => {
    samplerate: number;
    set_voice(name: string): number;
    set_rate(wordsPerMinute: number): void;
    set_pitch(pitch: number): void;
    set_range(range: number): void;
    synthesize(text: string, callback: (audio: ArrayBuffer | null) => boolean): void;
  };
}

const packageName = "@echogarden/espeak-ng-emscripten";
const isInstalled = ((): boolean => {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
})();

const text =
  "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. It is easy to tell the depth of a well.";
const syllables = 33;

async function speak({ pitch = 50, rate = 175, range = 50 }): Promise<Parameters<typeof measureVoice>[0]> {
  const { default: initialize } = (await import(packageName)) as { default: (options: object) => Promise<Espeak> };
  const module = await initialize({});
  const worker = await new module.eSpeakNGWorker();
  worker.set_voice("en-us");
  worker.set_pitch(pitch);
  worker.set_rate(rate);
  worker.set_range(range);
  const parts: Int16Array[] = [];
  worker.synthesize(text, (audio) => {
    if (audio !== null) parts.push(new Int16Array(audio.slice(0)));
    return false;
  });
  return { samples: Int16Array.from(parts.flatMap((part) => [...part])), sampleRate: worker.samplerate };
}

test.skipIf(!isInstalled)("espeak's pitch, range and rate settings show in the traits", async () => {
  const plain = measureVoice(await speak({}));
  const high = measureVoice(await speak({ pitch: 80 }));
  const low = measureVoice(await speak({ pitch: 20 }));
  expect(low.pitchHz).toBeLessThan(plain.pitchHz * 0.9);
  expect(high.pitchHz).toBeGreaterThan(plain.pitchHz * 1.1);
  expect(plain.pitchHz).toBeGreaterThan(80);
  expect(plain.pitchHz).toBeLessThan(180);
  expect(measureVoice(await speak({ range: 90 })).pitchRangeSemitones).toBeGreaterThan(plain.pitchRangeSemitones * 1.2);
  expect(measureVoice(await speak({ rate: 260 })).syllablesPerSecond).toBeGreaterThan(plain.syllablesPerSecond * 1.15);
});

test.skipIf(!isInstalled)("syllables are counted within a quarter of those in the text", async () => {
  const audio = await speak({});
  const { syllablesPerSecond } = measureVoice(audio);
  const seconds = audio.samples.length / audio.sampleRate;
  expect(syllablesPerSecond * seconds).toBeGreaterThan(syllables * 0.75);
  expect(syllablesPerSecond * seconds).toBeLessThan(syllables * 1.4);
});
