import { VirtualClock } from "#common/clock";
import { EngineRecognition, openEngines } from "./engine-recognition.js";
import { addFigures, noFigures, quantile } from "./figures.js";
import { followCall } from "./follow.js";
import { readEvaluation, type Recording } from "./recordings.js";
import { joined, recognizeWhole, type Scene, trimmed } from "./scenes.js";
import { byTelephone } from "./telephone.js";
import { addErrors, noErrors, rate, wordErrors } from "./word-errors.js";

/*
 * `npm run bench:telephone -- DATA [EVERY]`: the same recordings of people at 16 kHz and through a telephone (8 kHz,
 * G.711 with mu-law): word errors by corpus, and how soon and how rightly speech is detected, in virtual time.
 */
const [data = "", every = "1"] = process.argv.slice(2);
const engines = await openEngines();
const recordings = await readEvaluation(data, Number(every));
const kinds: [name: string, change: (samples: Int16Array) => Int16Array][] = [
  ["16 kHz", (samples) => samples],
  ["telephone", byTelephone],
];

console.log(`${recordings.length} recordings, ${minutes(recordings).toFixed(1)} min`);
const corpora = [...new Set(recordings.map(({ corpus }) => corpus))];
for (const corpus of [...corpora, null]) await printErrors(corpus);
for (const [name, change] of kinds) await printDetection(name, change);
await engines.close();

/** Word errors of one corpus, or of all. */
async function printErrors(corpus: string | null): Promise<void> {
  const chosen = recordings.filter((recording) => corpus === null || recording.corpus === corpus);
  const rates: string[] = [];
  let words = 0;
  for (const [, change] of kinds) {
    let errors = noErrors();
    for (const { samples, text } of chosen)
      errors = addErrors(errors, wordErrors(text, await recognizeWhole(engines, change(samples))));
    rates.push(`${rate(errors).toFixed(1)} %`);
    words = errors.words;
  }
  console.log(
    `word errors, ${corpus ?? "all"}: ${kinds.map(([name], at) => `${name} ${rates[at]}`).join(", ")} of ${words}`,
  );
}

/** Calls of four recordings each: what speech is by the detector at 16 kHz is the truth for both. */
async function printDetection(name: string, change: (samples: Int16Array) => Int16Array): Promise<void> {
  const clock = new VirtualClock();
  const recognition = new EngineRecognition(engines, clock);
  const figures = noFigures();
  const clips = await trimmed(recordings, engines, 250);
  for (let at = 0; at < clips.length; at += 4) {
    const call = joined(clips.slice(at, at + 4));
    const scene: Scene = { ...call, samples: change(call.samples) };
    addFigures(figures, scene, await followCall(scene.samples, { recognition, clock }));
  }
  const spread = (values: readonly number[]): string =>
    [0.5, 0.95].map((share) => Math.round(quantile(values, share))).join(" / ");
  console.log(
    `detection, ${name}: ${figures.utterances} utterances, start known after ${spread(figures.onsetMs)} ms (p50 / p95), missed ${figures.missedOnsets};` +
      ` pause known after ${spread(figures.pauseMs)} ms, missed ${figures.missedPauses}, too early ${figures.earlyPauses} of ${figures.pauses};` +
      ` false starts ${figures.falseStarts} in ${figures.nonSpeechMinutes.toFixed(1)} min;` +
      ` speech in no segment ${((100 * figures.lostSteps) / Math.max(1, figures.speechSteps)).toFixed(2)} %`,
  );
}

function minutes(list: readonly Recording[]): number {
  return list.reduce((sum, { samples }) => sum + samples.length, 0) / 960_000;
}
