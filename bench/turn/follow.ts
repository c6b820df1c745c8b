import type { VirtualClock } from "#common/clock";
import { openCallerTranscription } from "#agents/turn/caller-transcription";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { EngineRecognition } from "./engine-recognition.js";
import type { Understood } from "./partials.js";

/** What a transcription told of a call. Times are milliseconds of its audio. */
export interface Followed {
  spans: Span[];
  transcripts: ({ atMs: number } & Understood)[];
  /** From each pause that was told to when its last words had been given. */
  transcribedAfterMs: number[];
  firstPartialAfterMs: number[];
}

export interface Span {
  startedMs: number;
  startKnownMs: number;
  /** Null while it lasts. */
  pausedMs: number | null;
  pauseKnownMs: number | null;
}

const PORTION_MS = 10;

/** Runs a transcription over a call in virtual time, in portions of 10 ms as a room gives them. */
export async function followCall(
  samples: Int16Array,
  { recognition, clock }: { recognition: EngineRecognition; clock: VirtualClock },
): Promise<Followed> {
  const followed: Followed = { spans: [], transcripts: [], transcribedAfterMs: [], firstPartialAfterMs: [] };
  const beginMs = clock.nowMs();
  const nowMs = (): number => clock.nowMs() - beginMs;
  let isPartialAwaited = false;
  /** Partial results of what is being said, and of what was said and waits for its words. */
  let partials: string[] = [];
  const waiting: string[][] = [];
  const transcription = openCallerTranscription({
    recognition,
    recognizer: "asr",
    detector: "vad",
    language: "en",
    traceparent: null,
    clock,
    onActivity(event) {
      isPartialAwaited = event.type === "speech-started";
      if (event.type === "speech-started")
        followed.spans.push({
          startedMs: event.atMs - beginMs,
          startKnownMs: nowMs(),
          pausedMs: null,
          pauseKnownMs: null,
        });
      else {
        Object.assign(followed.spans.at(-1) ?? {}, { pausedMs: event.lastVoicedMs - beginMs, pauseKnownMs: nowMs() });
        waiting.push(partials);
        partials = [];
      }
    },
    onPartial(text) {
      partials.push(text);
      if (isPartialAwaited) followed.firstPartialAfterMs.push(nowMs() - (followed.spans.at(-1)?.startedMs ?? 0));
      isPartialAwaited = false;
    },
    onTranscript: (text) => followed.transcripts.push({ atMs: nowMs(), text, partials: waiting.shift() ?? [] }),
    onTranscribed() {
      // Of a segment without words there is no transcript.
      waiting.length = 0;
      followed.transcribedAfterMs.push(nowMs() - (followed.spans.at(-1)?.pauseKnownMs ?? 0));
    },
  });
  const portion = (PORTION_MS * RECOGNITION_RATE) / 1000;
  for (let at = 0; at + portion <= samples.length; at += portion) {
    clock.advance(PORTION_MS);
    await recognition.settle();
    transcription.push(samples.slice(at, at + portion));
    await recognition.settle();
  }
  transcription.close();
  return followed;
}
