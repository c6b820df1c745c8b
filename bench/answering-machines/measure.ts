import { VirtualClock } from "#common/clock";
import { AnswererDetection } from "#agents/call/answerer/answerer-detection";
import { openCallerTranscription } from "#agents/turn/caller-transcription";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { AnsweredBy } from "#protocol/webhooks";
import { EngineRecognition, type Engines } from "../turn/engine-recognition.js";
import { byTelephone } from "../turn/telephone.js";
import type { GreetingAudio } from "./greeting-audio.js";

/** What was made of one who answered; times from the answer. */
export interface AnswererOutcome {
  answeredBy: AnsweredBy | null;
  decidedMs: number | null;
  /** When a message would have begun; null where none is left. */
  recordingMs: number | null;
  understood: string;
}

const PORTION_MS = 10;

/** Plays a greeting through a telephone to a runtime, in virtual time, with the models that come with Parley. */
export async function answerOf(
  { samples }: Pick<GreetingAudio, "samples">,
  engines: Engines,
): Promise<AnswererOutcome> {
  const clock = new VirtualClock();
  const recognition = new EngineRecognition(engines, clock);
  const outcome: AnswererOutcome = { answeredBy: null, decidedMs: null, recordingMs: null, understood: "" };
  const beganMs = clock.nowMs();
  const detection = new AnswererDetection({
    ...{ clock, language: "en" },
    onFinding(finding) {
      if (finding.type === "recording") outcome.recordingMs = clock.nowMs() - beganMs;
      else Object.assign(outcome, { answeredBy: finding.answeredBy, decidedMs: clock.nowMs() - beganMs });
    },
  });
  detection.begin();
  const transcription = openCallerTranscription({
    ...{ recognition, clock, recognizer: "asr", detector: "vad", language: "en", traceparent: null },
    onActivity: (event) => detection.activity(event),
    onPartial: (text) => detection.partial(text),
    onTranscript(text) {
      outcome.understood += ` ${text}`;
      detection.transcript(text);
    },
    onTranscribed: () => undefined,
  });
  const portion = (PORTION_MS * RECOGNITION_RATE) / 1000;
  const heard = byTelephone(samples);
  for (let at = 0; at + portion <= heard.length; at += portion) {
    clock.advance(PORTION_MS);
    await recognition.settle();
    const piece = heard.slice(at, at + portion);
    detection.push(piece);
    transcription.push(piece);
    await recognition.settle();
  }
  transcription.close();
  detection.close();
  return outcome;
}
