import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { openEngines } from "../turn/engine-recognition.js";
import { quantile } from "../turn/figures.js";
import { loadVoiceEngine } from "../voice-engine.js";
import { greetingAudio, readRecordings } from "./greeting-audio.js";
import { type Greeting, measuredGreetings, tuningGreetings } from "./greetings.js";
import { answerOf, type AnswererOutcome } from "./measure.js";

/*
 * `npm run bench:answering-machines -- DATA [tuning]`: who answers a call, as the runtime finds it out, on greetings of
 * people and machines, through G.711, in virtual time. DATA is the folder of the recordings of people; `tuning` runs
 * the greetings by which the thresholds were chosen instead of those on which they are measured.
 */
const [data = "", set = "measured"] = process.argv.slice(2);
const isTuning = set === "tuning";
const greetings = isTuning ? tuningGreetings : measuredGreetings;
const [engines, voice, recordings] = [
  await openEngines(),
  await loadVoiceEngine(),
  await readRecordings(data, isTuning),
];

interface Measured {
  greeting: Greeting;
  outcome: AnswererOutcome;
  /** From the end of what a person says to the decision. */
  waitMs: number;
  /** From the last beep to the message. */
  afterBeepMs: number | null;
}

const measured: Measured[] = [];
for (const [at, greeting] of greetings.entries()) {
  const audio = await greetingAudio(greeting, at, { engine: voice.engine, recordings });
  const outcome = await answerOf(audio, engines);
  const { decidedMs, recordingMs } = outcome;
  measured.push({
    ...{ greeting, outcome, waitMs: (decidedMs ?? Number.NaN) - audio.spokenToMs },
    afterBeepMs: audio.beepedToMs === null || recordingMs === null ? null : recordingMs - audio.beepedToMs,
  });
}
for (const answeredBy of ["human", "voicemail"] as const) describe(answeredBy);
const right = measured.filter(isRight);
console.log(`\nright: ${right.length} of ${measured.length}, ${((100 * right.length) / measured.length).toFixed(1)} %`);
await Promise.all([engines.close(), voice.close(), closeDecoderThreads()]);

function isRight({ greeting, outcome }: Measured): boolean {
  return outcome.answeredBy === greeting.answeredBy;
}

function describe(answeredBy: Greeting["answeredBy"]): void {
  const chosen = measured.filter(({ greeting }) => greeting.answeredBy === answeredBy);
  const counts = (["human", "voicemail", "unknown", null] as const)
    .map((found) => `${found ?? "undecided"} ${chosen.filter(({ outcome }) => outcome.answeredBy === found).length}`)
    .join(", ");
  console.log(`\n${chosen.length} ${answeredBy}: ${counts}`);
  if (answeredBy === "human")
    console.log(`  decided after the last word, ms: ${spread(chosen.map(({ waitMs }) => waitMs))}`);
  else {
    console.log(
      `  decided after the answer, ms: ${spread(chosen.map(({ outcome }) => outcome.decidedMs ?? Number.NaN))}`,
    );
    console.log(
      `  message begins after the beep, ms: ${spread(chosen.flatMap(({ afterBeepMs }) => afterBeepMs ?? []))}`,
    );
  }
  if (process.argv.includes("--all"))
    for (const { greeting, outcome, waitMs } of chosen)
      console.log(`    ${Math.round(waitMs)} ms: ${greeting.name} =>${outcome.understood}`);
  for (const { greeting, outcome, waitMs } of chosen.filter((one) => !isRight(one)))
    console.log(
      `  wrong, ${outcome.answeredBy ?? "undecided"} ${Math.round(waitMs)} ms from its end: ${greeting.name}\n    understood:${outcome.understood}`,
    );
}

function spread(values: readonly number[]): string {
  const [p5, p50, p95] = [0.05, 0.5, 0.95].map((share) => Math.round(quantile(values, share)));
  return `p5 ${p5}, p50 ${p50}, p95 ${p95} (${values.length})`;
}
