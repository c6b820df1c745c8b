import { VirtualClock } from "#common/clock";
import { EngineRecognition, type Engines, openEngines } from "./engine-recognition.js";
import { addFigures, noFigures, quantile, type TurnFigures } from "./figures.js";
import { followCall } from "./follow.js";
import { addPartials, noPartials, type PartialFigures } from "./partials.js";
import { printProvisional } from "./provisional.js";
import { readEvaluation } from "./recordings.js";
import { generator, inNoise, joined, noise, recognizeWhole, type Scene, trimmed } from "./scenes.js";
import { addErrors, noErrors, rate, wordErrors, type WordErrors } from "./word-errors.js";

/*
 * `node dist/bench/turn/main.js DATA [EVERY] [ONLY]`: how soon and how rightly it is told when callers speak, pause,
 * and what they said, on recordings of people (every nth of the evaluation set), with the models that come with Parley,
 * in virtual time. ONLY is part of the name of what is to be measured.
 */
const [data = "", every = "1", only = ""] = process.argv.slice(2);
const engines = await openEngines();
const recordings = await readEvaluation(data, Number(every));
const clips = await trimmed(recordings, engines, 250);
console.log(
  `${clips.length} recordings, ${(clips.reduce((sum, { samples }) => sum + samples.length, 0) / 960_000).toFixed(1)} min`,
);

/** Calls of four recordings each, with pauses of 1.5 s. */
const calls = groups(clips, 4).map((group) => joined(group));
/** Calls of two recordings each, with a pause of 250 ms between them. */
const closeCalls = groups(await trimmed(recordings, engines, 0), 2).map((group) => joined(group, { pauseMs: 250 }));

if ("provisional answers".includes(only)) await printProvisional(calls, engines);
const kinds: [name: string, scenes: readonly Scene[]][] = [
  ["as recorded", calls],
  ["noise at 20 dB", calls.map((call, at) => inNoise(call, 20, at))],
  ["noise at 10 dB", calls.map((call, at) => inNoise(call, 10, at))],
  ["pauses of 250 ms", closeCalls],
  ["nobody speaks", nonSpeech()],
];
for (const [name, scenes] of kinds) if (name.includes(only)) await follow(name, scenes);
await engines.close();

async function follow(name: string, scenes: readonly Scene[]): Promise<void> {
  const clock = new VirtualClock();
  const recognition = new EngineRecognition(engines, clock);
  const figures = noFigures();
  const latencies = { transcribed: [] as number[], partial: [] as number[] };
  let [whole, inSegments, between] = [noErrors(), noErrors(), noErrors()];
  let partials = noPartials();
  let seconds = 0;
  const before = process.cpuUsage();
  for (const scene of scenes) {
    const followed = await followCall(scene.samples, { recognition, clock });
    seconds += scene.samples.length / 16_000;
    addFigures(figures, scene, followed);
    latencies.transcribed.push(...followed.transcribedAfterMs);
    latencies.partial.push(...followed.firstPartialAfterMs);
    partials = followed.transcripts.reduce(addPartials, partials);
    const parts = await compareWords(engines, scene, followed.transcripts);
    [whole, inSegments, between] = [
      addErrors(whole, parts.whole),
      addErrors(inSegments, parts.inSegments),
      addErrors(between, parts.between),
    ];
  }
  const { user, system } = process.cpuUsage(before);
  console.log(`\n${name}: ${(seconds / 60).toFixed(1)} min`);
  console.log(describe(figures));
  console.log(`  transcribed after the pause was known, ms: ${spread(latencies.transcribed)}`);
  console.log(`  first partial after the start, ms: ${spread(latencies.partial)}`);
  console.log(`  ${describePartials(partials)}`);
  console.log(
    `  word errors, %: at once ${rate(whole).toFixed(1)}, in segments ${rate(inSegments).toFixed(1)} of ${whole.words}`,
  );
  console.log(`  segments against at once: ${JSON.stringify(between)}`);
  console.log(
    `  audio for one second: detector ${(recognition.seconds.vad / seconds).toFixed(2)} s in ${(recognition.pieces.vad / seconds).toFixed(1)} pieces,` +
      ` recognizer ${(recognition.seconds.transcribe / seconds).toFixed(2)} s in ${(recognition.pieces.transcribe / seconds).toFixed(1)};` +
      ` processor ${((user + system) / seconds / 10_000).toFixed(1)} % of a core (with recognition at once)`,
  );
}

/** The words of each recording of a call, recognized at once and in its segments. */
async function compareWords(
  { recognizer, detector, close }: Engines,
  { samples, parts }: Scene,
  transcripts: readonly { text: string }[],
): Promise<{ whole: WordErrors; inSegments: WordErrors; between: WordErrors }> {
  const said = parts.map(({ text }) => text).join(" ");
  const atOnce: string[] = [];
  // Recordings of one call that are close to each other are one recording here.
  for (const { fromStep, toStep } of merged(parts))
    atOnce.push(await recognizeWhole({ recognizer, detector, close }, samples.subarray(fromStep * 160, toStep * 160)));
  const [whole, segments] = [atOnce.join(" "), transcripts.map(({ text }) => text).join(" ")];
  return {
    whole: wordErrors(said, whole),
    inSegments: wordErrors(said, segments),
    between: wordErrors(whole, segments),
  };
}

function merged(parts: Scene["parts"]): { fromStep: number; toStep: number }[] {
  const spans: { fromStep: number; toStep: number }[] = [];
  for (const { fromStep, toStep } of parts) {
    const last = spans.at(-1);
    if (last !== undefined && fromStep - last.toStep < 50 && toStep - last.fromStep < 2900) last.toStep = toStep;
    else spans.push({ fromStep, toStep });
  }
  return spans.map(({ fromStep, toStep }) => ({ fromStep: Math.max(0, fromStep - 20), toStep: toStep + 20 }));
}

function describe(figures: TurnFigures): string {
  const { utterances, onsetMs, missedOnsets, pauseMs, missedPauses, earlyPauses } = figures;
  return [
    `  ${utterances} utterances; start known after, ms: ${spread(onsetMs)}; missed ${missedOnsets}`,
    `  pause known after, ms: ${spread(pauseMs)}; missed ${missedPauses}; too early ${earlyPauses} of ${figures.pauses}`,
    `  false starts: ${figures.falseStarts} in ${figures.nonSpeechMinutes.toFixed(1)} min without speech;` +
      ` speech in no segment: ${((100 * figures.lostSteps) / Math.max(1, figures.speechSteps)).toFixed(2)} %`,
  ].join("\n");
}

function describePartials(figures: PartialFigures): string {
  const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  const { partials, words, changed, settledWords, settledChanged, revisions } = figures;
  return (
    `${partials} partial results: ${share(changed, words)} of their words are others in the end, ` +
    `${share(settledChanged, settledWords)} without the last word of each; ${share(revisions, partials)} take back a word before the last`
  );
}

function spread(values: readonly number[]): string {
  const [p5, p50, p90, p95] = [0.05, 0.5, 0.9, 0.95].map((share) => Math.round(quantile(values, share)));
  return `p5 ${p5}, p50 ${p50}, p90 ${p90}, p95 ${p95} (${values.length})`;
}

/** Two minutes of noises without speech: white and brown, hum, clicks, breath, a melody. */
function nonSpeech(): Scene[] {
  const length = 20 * 16_000;
  const random = generator(5);
  const [white, brown, hiss] = [0, 0.95, 0].map((colour) => noise(length, random, colour));
  const kinds: ((at: number) => number)[] = [
    (at) => 1500 * (white?.[at] ?? 0),
    (at) => 2500 * (brown?.[at] ?? 0),
    (at) => [1, 2, 3, 5].reduce((sum, k) => sum + (3000 / k) * Math.sin((2 * Math.PI * 50 * k * at) / 16_000), 0),
    (at) => (at % 9000 < 60 ? 20_000 * Math.exp(-(at % 9000) / 9) : 0) + 20 * (hiss?.[at] ?? 0),
    (at) => 2500 * (hiss?.[at] ?? 0) * Math.max(0, Math.sin((2 * Math.PI * at) / 48_000)) ** 2,
    (at) => melody(at),
  ];
  return kinds.map((kind) => ({
    samples: Int16Array.from({ length }, (_, at) => Math.max(-32_768, Math.min(32_767, Math.round(kind(at))))),
    isSpeech: new Array<boolean>(length / 160).fill(false),
    parts: [],
  }));
}

/** Plucked notes, three a second. */
function melody(at: number): number {
  const note = Math.floor(at / 5333);
  const hz = 220 * 2 ** (((note * 5) % 12) / 12);
  const since = (at % 5333) / 16_000;
  return (
    [1, 2, 3].reduce((sum, k) => sum + (4000 / k) * Math.sin(2 * Math.PI * hz * k * since), 0) * Math.exp(-5 * since)
  );
}

function groups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
