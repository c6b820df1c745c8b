import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { PromptedRecognition, type PromptedPiece } from "../testing/prompted-recognition.js";
import { SegmentRecognizer } from "./segment-recognizer.js";

function bench() {
  const recognition = new PromptedRecognition();
  const clock = new VirtualClock();
  const events: string[] = [];
  const recognizer = new SegmentRecognizer({
    recognition,
    streamId: "call",
    recognizer: "asr",
    language: "en",
    traceparent: null,
    clock,
    onWords: (words) => events.push(words.map(({ text }) => text).join(" ")),
    onAllRecognized: () => events.push("all"),
  });
  return { recognition, clock, events, recognizer };
}

const audio = (seconds: number): Int16Array => new Int16Array(seconds * RECOGNITION_RATE);

async function answer(piece: PromptedPiece | undefined, text: string): Promise<void> {
  piece?.answer({ task: "transcribe", language: "en", words: [{ text, startMs: 0, endMs: 100, confidence: 1 }] });
  await nextTurn();
}

async function fail(piece: PromptedPiece | undefined, error: Error = new ServiceError("no_worker")): Promise<void> {
  piece?.fail(error);
  await nextTurn();
}

describe("segments of a conversation", () => {
  it("give their words in the order in which they were committed, and tell when there are no more", async () => {
    const { recognition, events, recognizer } = bench();
    for (const length of [1, 2]) recognizer.commit(recognizer.begin(audio(length)));
    await answer(recognition.pieces[1], "second");
    expect(events).toEqual([]);
    await answer(recognition.pieces[0], "first");
    expect(events).toEqual(["first", "second", "all"]);
    expect(recognizer.waiting).toBe(0);
  });

  it("give words at once that came before it was known to be a segment, and none when it was not", async () => {
    const { recognition, events, recognizer } = bench();
    const early: string[] = [];
    const wanted = recognizer.begin(audio(1), (words) => early.push(words[0]?.text ?? ""));
    await answer(recognition.pieces[0], "wanted");
    expect([early, events]).toEqual([["wanted"], []]);
    recognizer.commit(wanted);
    expect(events).toEqual(["wanted", "all"]);
    recognizer.drop(recognizer.begin(audio(1), () => early.push("dropped")));
    expect(recognition.pieces[1]?.signal?.aborted).toBe(true);
    await nextTurn();
    expect([early, events.length, recognition.opened.length]).toEqual([["wanted"], 2, 1]);
  });

  it("wait for a recognizer that failed, and are asked for again every second", async () => {
    const { recognition, clock, events, recognizer } = bench();
    recognizer.commit(recognizer.begin(audio(1)));
    const tentative = recognizer.begin(audio(2));
    await fail(recognition.pieces[0]);
    expect(recognition.openStreams).toBe(0);
    const later = recognizer.begin(audio(3));
    clock.advance(1000);
    await fail(recognition.pieces[2]);
    clock.advance(1000);
    recognizer.commit(tentative);
    recognizer.commit(later);
    const asked = recognition.pieces.slice(3);
    expect(asked.map(({ samples }) => samples.length / RECOGNITION_RATE)).toEqual([1, 2, 3]);
    expect(recognition.opened).toEqual(["call-1", "call-2", "call-3"]);
    for (const [at, piece] of asked.entries()) await answer(piece, `${at}`);
    expect(events).toEqual(["0", "1", "2", "all"]);
  });

  it("are given up when the recognizer breaks on one each time, or when too much waits", async () => {
    const { recognition, clock, events, recognizer } = bench();
    recognizer.commit(recognizer.begin(audio(1)));
    for (let turn = 0; turn < 3; turn++) {
      await fail(recognition.pieces.at(-1), new ServiceError("engine_failed"));
      clock.advance(1000);
    }
    expect(events).toEqual(["", "all"]);
    expect(recognition.pieces.length).toBe(3);
    for (const length of [12, 12, 12]) recognizer.commit(recognizer.begin(audio(length)));
    expect(recognizer.waiting).toBe(2);
    for (const piece of recognition.pieces.slice(3)) await answer(piece, "words");
    expect(events.slice(2)).toEqual(["words", "words", "all"]);
  });

  it("give partial words once, or none when they are superseded or the recognizer is away", async () => {
    const { recognition, recognizer } = bench();
    const partial = recognizer.partial(audio(1), new AbortController().signal);
    await answer(recognition.pieces[0], "part");
    expect(await partial).toMatchObject([{ text: "part" }]);
    const superseded = new AbortController();
    const none = recognizer.partial(audio(1), superseded.signal);
    superseded.abort();
    expect(await none).toBe(null);
    recognizer.commit(recognizer.begin(audio(1)));
    await fail(recognition.pieces[2]);
    expect(await recognizer.partial(audio(1), new AbortController().signal)).toBe(null);
  });

  it("are silent after it was closed", async () => {
    const { recognition, clock, events, recognizer } = bench();
    recognizer.commit(recognizer.begin(audio(1)));
    recognizer.close();
    await nextTurn();
    clock.advance(5000);
    expect([events, recognition.openStreams, recognition.opened.length]).toEqual([[], 0, 1]);
  });
});
