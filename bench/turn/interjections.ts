import { VirtualClock } from "#common/clock";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { Dialogue } from "#agents/dialogue/dialogue";
import type { DialogueInput } from "#agents/dialogue/input";
import { testSettings } from "#agents/dialogue/testing/test-dialogue";
import type { DialogueSettings } from "#agents/dialogue/settings";
import { openCallerTranscription } from "#agents/turn/caller-transcription";
import { spokenClips } from "../conversations/clips.js";
import type { Clip } from "../conversations/messages.js";
import { backchannels, interruptions } from "../conversations/script.js";
import { EngineRecognition, type Engines, openEngines } from "./engine-recognition.js";
import { quantile } from "./figures.js";

/*
 * `node dist/bench/turn/interjections.js [COUNT]`: what becomes of a reply when callers say backchannels and
 * interruptions into it, with the models that come with Parley and the dialogue itself, in virtual time: the clips of
 * `npm run bench -- conversations`, without rooms, in half a minute.
 */
const count = Number(process.argv[2] ?? 60);
const PORTION_MS = 10;
const [LEAD_MS, TAIL_MS] = [1000, 4000];
const settings: DialogueSettings = { ...testSettings, eagerness: "eager" };
const STORY = "An old man lived with seven goats in a small house on the hill above the river. ".repeat(10);

/** What became of the reply; times from the beginning of what the caller said. */
interface Outcome {
  name: string;
  understood: string[];
  silentAfterMs: number | null;
  stoppedAfterMs: number | null;
  /** It went on and was stopped all the same. */
  wentOnBefore: boolean;
}

const engines = await openEngines();
for (const [kind, texts] of [
  ["backchannels", backchannels],
  ["interruptions", interruptions],
] as const) {
  const said = Array.from({ length: count }, (_, at) => texts[at % texts.length] ?? "");
  const outcomes: Outcome[] = [];
  for (const clip of await spokenClips(said)) outcomes.push(await interject(clip, engines));
  const stopped = outcomes.filter(({ stoppedAfterMs }) => stoppedAfterMs !== null);
  const flawed = kind === "backchannels" ? stopped : outcomes.filter(({ stoppedAfterMs }) => stoppedAfterMs === null);
  console.log(
    `${outcomes.length} ${kind}: ${stopped.length} stopped the reply, ${stopped.filter(({ wentOnBefore }) => wentOnBefore).length} of them after it had gone on`,
  );
  console.log(`  silent after, ms: ${spread(outcomes.map(({ silentAfterMs }) => silentAfterMs))}`);
  console.log(`  stopped after, ms: ${spread(outcomes.map(({ stoppedAfterMs }) => stoppedAfterMs))}`);
  for (const { name, understood } of flawed) console.log(`  wrong: ${name}: ${understood.join(", ")}`);
}
await engines.close();

/** Has an agent tell a story, and the caller speak into it. */
async function interject(clip: Clip, opened: Engines): Promise<Outcome> {
  const clock = new VirtualClock();
  const recognition = new EngineRecognition(opened, clock);
  const dialogue = new Dialogue({ settings, nowMs: clock.nowMs(), responder: "bench" });
  const outcome: Outcome = {
    ...{ name: clip.name, understood: [], silentAfterMs: null, stoppedAfterMs: null, wentOnBefore: false },
  };
  let requestId = "";
  let replyId = "";
  const input = (given: DialogueInput): void => {
    const afterMs = clock.nowMs() - LEAD_MS;
    for (const action of dialogue.input(given, clock.nowMs())) {
      if (action.type === "ask-model") requestId = action.requestId;
      if (action.type === "speak" && replyId === "") replyId = action.replyId;
      if (action.type === "pause-reply") outcome.silentAfterMs ??= afterMs;
      if (action.type === "resume-reply") outcome.wentOnBefore ||= outcome.stoppedAfterMs === null;
      if (action.type === "stop-reply") outcome.stoppedAfterMs ??= afterMs;
    }
  };
  const transcription = openCallerTranscription({
    ...{ recognition, clock, recognizer: "asr", detector: "vad", language: "en", traceparent: null },
    onActivity: (event) =>
      input(
        event.type === "speech-started"
          ? { type: "speech-started" }
          : { type: "speech-paused", lastVoicedMs: event.lastVoicedMs },
      ),
    onPartial(text, isUnsure) {
      outcome.understood.push(`(${text})`);
      input({ type: "partial", text, isUnsure });
    },
    onTranscript(text, isUnsure) {
      outcome.understood.push(text);
      input({ type: "transcript", text, isUnsure });
    },
    onTranscribed: () => input({ type: "transcribed" }),
  });
  dialogue.takeActions();
  input({ type: "caller-joined" });
  input({ type: "typed", text: "Tell me a story." });
  input({ type: "model-text", requestId, text: STORY });
  input({ type: "model-finished", requestId });
  input({ type: "reply-audible", replyId });
  const samples = inSilence(clip);
  const portion = (PORTION_MS * RECOGNITION_RATE) / 1000;
  for (let at = 0; at + portion <= samples.length; at += portion) {
    clock.advance(PORTION_MS);
    await recognition.settle();
    transcription.push(samples.slice(at, at + portion));
    await recognition.settle();
    if ((dialogue.nextWakeMs() ?? Number.POSITIVE_INFINITY) <= clock.nowMs()) input({ type: "tick" });
  }
  transcription.close();
  return outcome;
}

function inSilence({ pcm }: Clip): Int16Array {
  const bytes = Buffer.from(pcm, "base64");
  const words = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const perMs = RECOGNITION_RATE / 1000;
  const samples = new Int16Array((LEAD_MS + TAIL_MS) * perMs + words.length);
  samples.set(words, LEAD_MS * perMs);
  return samples;
}

function spread(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "never";
  const [p50, p95] = [0.5, 0.95].map((share) => Math.round(quantile(known, share)));
  return `p50 ${p50}, p95 ${p95}, max ${Math.round(Math.max(...known))} (${known.length})`;
}
