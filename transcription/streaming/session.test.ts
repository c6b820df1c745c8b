import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { type RecognizedWord, RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { SubmissionClient } from "#submission/submission-client";
import { TranscriptionSession, type SessionEvent, type SessionOptions } from "./session.js";
import { openRecognitionClient } from "../recognition/open-client.js";
import { pass, ScriptedRecognizers, type RecognitionFault } from "../testing/scripted-recognizers.js";

const perMs = RECOGNITION_RATE / 1000;

/** A talk: each word a level of its own, from `atMs` on. */
function talk(lengthMs: number, words: { atMs: number; forMs: number }[]): Int16Array {
  const samples = new Int16Array(lengthMs * perMs);
  for (const [index, { atMs, forMs }] of words.entries())
    samples.fill(3000 + index * 20, atMs * perMs, (atMs + forMs) * perMs);
  return samples;
}

/** The words of a talk: their levels. */
function understand(samples: Int16Array): RecognizedWord[] {
  const words: RecognizedWord[] = [];
  for (let at = 0; at < samples.length; at++) {
    const level = samples[at] ?? 0;
    if (level < 1000) continue;
    const from = at;
    while (samples[at + 1] === level) at++;
    words.push({ text: `${(level - 3000) / 20}`, startMs: from / perMs, endMs: (at + 1) / perMs, confidence: 1 });
  }
  return words;
}

function bench(
  change: Partial<SessionOptions> = {},
  faultOf?: (chunkIndex: number, attempt: number) => RecognitionFault | null,
) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const recognition = openRecognitionClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  const recognizers = new ScriptedRecognizers({ bus, clock, words: understand, faultOf });
  const events: SessionEvent[] = [];
  const session = new TranscriptionSession({
    recognition,
    sessionId: "session",
    recognizer: "asr",
    detector: "vad",
    language: null,
    traceparent: null,
    partials: false,
    onEvent: (event) => events.push(event),
    ...change,
  });
  return { bus, clock, recognition, recognizers, events, session };
}

const committed = (events: SessionEvent[]) => events.flatMap((event) => (event.type === "committed" ? [event] : []));
const textOf = (events: SessionEvent[]): string[] => committed(events).map(({ text }) => text);
const last = (events: SessionEvent[]): string | undefined => events.at(-1)?.type;

/** Pushes at the pace of speech. */
async function speak(
  clock: VirtualClock,
  session: TranscriptionSession,
  samples: Int16Array,
  portionMs = 100,
): Promise<void> {
  for (let at = 0; at < samples.length; at += portionMs * perMs) {
    session.push(samples.slice(at, at + portionMs * perMs));
    await pass(clock, portionMs, 50);
  }
}

const twoUtterances = talk(6000, [
  { atMs: 500, forMs: 300 },
  { atMs: 900, forMs: 400 },
  { atMs: 1500, forMs: 500 },
  { atMs: 3500, forMs: 400 },
  { atMs: 4100, forMs: 300 },
]);

describe("a listening session", () => {
  it("commits what is said between silences, with times of the session, and tells when speech starts and ends", async () => {
    const { clock, events, session, recognition } = bench();
    await speak(clock, session, twoUtterances);
    session.end();
    await pass(clock, 500);
    expect(textOf(events)).toEqual(["0 1 2", "3 4"]);
    expect(committed(events).map(({ startMs, endMs, continues }) => [startMs, endMs, continues])).toEqual([
      [300, 2200, false],
      [3300, 4600, false],
    ]);
    expect(committed(events)[1]?.words[0]).toMatchObject({ startMs: 3500, endMs: 3900 });
    expect(events.filter(({ type }) => type.startsWith("speech"))).toEqual([
      { type: "speech-started", atMs: 500 },
      { type: "speech-ended", atMs: 2000 },
      { type: "speech-started", atMs: 3500 },
      { type: "speech-ended", atMs: 4400 },
    ]);
    expect(last(events)).toBe("ended");
    expect(recognition.activePieces).toBe(0);
  });

  it("gives partial results that grow while somebody speaks, and none for silence", async () => {
    const { clock, events, session, recognizers } = bench({ partials: true });
    await speak(clock, session, twoUtterances);
    session.end();
    await pass(clock, 500);
    const partials = events.flatMap((event) => (event.type === "partial" ? [event.text] : []));
    expect(partials.length).toBeGreaterThan(4);
    for (const text of partials) expect(["0 1 2", "3 4"].some((whole) => whole.startsWith(text))).toBe(true);
    expect(partials).toContain("0 1");
    expect(textOf(events)).toEqual(["0 1 2", "3 4"]);
    // Between two, at least 300 ms of audio, which came in portions of 100 ms.
    const offered = recognizers.submits
      .filter(({ submit }) => submit.chunk.task === "transcribe" && submit.slackMs === 400)
      .map(({ atMs }) => atMs);
    for (const [index, atMs] of offered.entries())
      expect(atMs - (offered[index - 1] ?? -1000)).toBeGreaterThanOrEqual(200);
  });

  it("recognizes a long piece a few times for partial results, not dozens of times", async () => {
    const { clock, session, recognizers } = bench({ partials: true });
    await speak(clock, session, talk(12_000, [{ atMs: 0, forMs: 12_000 }]));
    const offered = recognizers.submits.flatMap(({ submit }) =>
      submit.chunk.task === "transcribe" ? [submit.chunk.samples / RECOGNITION_RATE] : [],
    );
    expect(offered.length).toBeGreaterThan(10);
    expect(offered.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThan(9 * 12);
  });

  it("takes for speech whatever is not silent, where there is no detector", async () => {
    const { clock, events, session, recognizers } = bench({ detector: null });
    await speak(clock, session, twoUtterances);
    session.end();
    await pass(clock, 500);
    expect(textOf(events)).toEqual(["0 1 2", "3 4"]);
    expect(committed(events).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [300, 2200],
      [3300, 4600],
    ]);
    expect(recognizers.submits.every(({ submit }) => submit.chunk.task === "transcribe")).toBe(true);
    expect(last(events)).toBe("ended");
  });

  it("commits what is being said when the sound ends, or when it is asked to", async () => {
    const { clock, events, session } = bench();
    session.push(twoUtterances.subarray(0, 1000 * perMs));
    session.commit();
    session.push(twoUtterances.subarray(1000 * perMs, 1750 * perMs + 77));
    session.end();
    await pass(clock, 500);
    expect(textOf(events)).toEqual(["0 1", "1 2"]);
    expect(committed(events).map(({ startMs, endMs }) => [startMs * perMs, endMs * perMs])).toEqual([
      [300 * perMs, 1000 * perMs],
      [1000 * perMs, 1750 * perMs + 77],
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      "speech-started",
      "speech-ended",
      "committed",
      "committed",
      "ended",
    ]);
  });

  it("cuts at a pause what is said for long, and anywhere quiet when nobody pauses", async () => {
    const breathing = talk(40_000, [
      { atMs: 0, forMs: 15_000 },
      { atMs: 15_400, forMs: 14_000 },
      { atMs: 29_600, forMs: 10_000 },
    ]);
    const paused = bench();
    await speak(paused.clock, paused.session, breathing, 500);
    paused.session.end();
    await pass(paused.clock, 1000);
    expect(textOf(paused.events)).toEqual(["0", "1 2", ""]);
    expect(committed(paused.events).map(({ continues }) => continues)).toEqual([true, true, false]);

    for (const detector of ["vad", null]) {
      const restless = bench({ detector });
      const samples = talk(70_000, [{ atMs: 0, forMs: 70_000 }]);
      samples.fill(0, 20_000 * perMs, 20_120 * perMs);
      await speak(restless.clock, restless.session, samples, 1000);
      restless.session.end();
      await pass(restless.clock, 1000);
      const pieces = committed(restless.events);
      expect(pieces[0]?.endMs).toBeGreaterThanOrEqual(20_000);
      expect(pieces[0]?.endMs).toBeLessThanOrEqual(20_120);
      expect(pieces.map(({ continues }) => continues)).toEqual([true, true, false]);
      expect(pieces.slice(1).map(({ startMs }) => startMs)).toEqual(pieces.slice(0, -1).map(({ endMs }) => endMs));
      expect(Math.max(...pieces.map(({ startMs, endMs }) => endMs - startMs))).toBeLessThanOrEqual(30_000);
    }
  });

  it("keeps nothing of long silence, or of a noise that is never sure to be speech", async () => {
    for (const level of [0, 120]) {
      const { clock, events, session } = bench();
      const noisy = unsureSession(clock, level);
      for (let second = 0; second < 150; second++) {
        session.push(new Int16Array(RECOGNITION_RATE));
        noisy.push(new Int16Array(RECOGNITION_RATE));
        await pass(clock, 1000, 500);
      }
      expect(session.waitingMs).toBeLessThan(3000);
      expect(noisy.waitingMs).toBeLessThan(3000);
      expect(events).toEqual([]);
    }
  });

  it("says when there is room, and ends when nobody listens to that", async () => {
    const { clock, events, session } = bench({}, () => ({ kind: "silent" }));
    await pass(clock, 20);
    let roomy = false;
    session.push(new Int16Array(59 * RECOGNITION_RATE));
    await session.room();
    session.push(new Int16Array(10 * RECOGNITION_RATE));
    void session.room().then(() => (roomy = true));
    await pass(clock, 100);
    expect(roomy).toBe(false);
    session.push(new Int16Array(240 * RECOGNITION_RATE));
    expect(events).toMatchObject([{ type: "failed", error: { code: "audio_buffer_full" } }]);
    await pass(clock, 20);
    expect(roomy).toBe(true);
  });

  it("ends with the error when a piece cannot be heard, and cancels the rest", async () => {
    const { clock, events, session, recognition } = bench({ detector: null }, (chunkIndex) =>
      chunkIndex === 1 ? { kind: "broken" } : { kind: "late", delayMs: 400 },
    );
    for (const at of [0, 1, 2]) {
      session.push(twoUtterances.subarray(at * 2000 * perMs, (at + 1) * 2000 * perMs));
      session.commit();
    }
    await pass(clock, 2000);
    expect(events.at(-1)).toMatchObject({ type: "failed", error: { code: "engine_failed" } });
    expect(committed(events)).toEqual([]);
    expect(recognition.activePieces).toBe(0);
  });

  it("is silent after it was closed", async () => {
    const { clock, events, session, recognition } = bench({ partials: true });
    await speak(clock, session, twoUtterances.subarray(0, 2000 * perMs));
    const before = events.length;
    session.close();
    session.push(twoUtterances);
    await pass(clock, 2000);
    expect(events.length).toBe(before);
    expect(recognition.activePieces).toBe(0);
  });
});

/** A session whose detector always answers the same. */
function unsureSession(clock: VirtualClock, level: number): TranscriptionSession {
  const bus = new LocalBus();
  const recognition = openRecognitionClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  new ScriptedRecognizers({
    bus,
    clock,
    words: understand,
    vad: (samples) => new Uint8Array(samples.length / 160).fill(level),
  });
  return new TranscriptionSession({
    recognition,
    sessionId: "session",
    recognizer: "asr",
    detector: "vad",
    language: null,
    traceparent: null,
    partials: false,
    onEvent: () => undefined,
  });
}

/** Pushes in portions of these lengths over and over, commits at these positions, and ends. */
async function pushAll(
  { session, clock }: ReturnType<typeof bench>,
  samples: Int16Array,
  commits: number[],
  portions: number[],
): Promise<void> {
  for (let at = 0, turn = 0, next = 0; at < samples.length || next < commits.length; turn++) {
    const to = Math.min(at + (portions[turn % portions.length] ?? 1), commits[next] ?? samples.length, samples.length);
    session.push(samples.slice(at, to));
    at = to;
    for (; commits[next] === at; next++) session.commit();
    await pass(clock, 40);
  }
  session.end();
}

/** Every end of speech is followed by one utterance that does not continue. */
function expectWholeTurns(events: SessionEvent[]): void {
  const turns = events.flatMap((event) =>
    event.type === "speech-ended" ? ["ended"] : event.type === "committed" && !event.continues ? ["whole"] : [],
  );
  expect(turns.filter((turn) => turn === "ended").length).toBe(turns.length / 2);
  for (let taken = 1; taken <= turns.length; taken++) {
    const sofar = turns.slice(0, taken);
    expect(sofar.filter((turn) => turn === "whole").length).toBeLessThanOrEqual(
      sofar.filter((turn) => turn === "ended").length,
    );
  }
}

function expectCoveredOnce(samples: Int16Array, pieces: { startMs: number; endMs: number }[]): void {
  let covered = 0;
  for (const { startMs, endMs } of pieces) {
    expect(startMs * perMs).toBeGreaterThanOrEqual(covered);
    expect(understand(samples.subarray(covered, startMs * perMs))).toEqual([]);
    covered = endMs * perMs;
  }
  expect(understand(samples.subarray(covered))).toEqual([]);
}

describe("however the sound comes, and whatever dies meanwhile", () => {
  const word = fc.record({ pauseMs: fc.integer({ min: 60, max: 1500 }), forMs: fc.integer({ min: 90, max: 5000 }) });
  const fault: fc.Arbitrary<RecognitionFault | null> = fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<RecognitionFault>(
        ...(["lost", "failed", "silent", "duplicates"] as const).map((kind) => ({ kind })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("bus-down" as const), forMs: fc.integer({ min: 1, max: 2000 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("late" as const), delayMs: fc.integer({ min: 0, max: 3000 }) }),
    },
  );

  it("the committed utterances are the same, and every sample is in exactly one or silent", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.array(fault, { minLength: 1, maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 10 }),
        fc.constantFrom("vad", null),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        async (words, faults, portions, detector, commitAt) => {
          let endMs = 0;
          const placed = words.map(({ pauseMs, forMs }) => {
            const atMs = endMs + pauseMs;
            endMs = atMs + forMs;
            return { atMs, forMs };
          });
          const samples = talk(endMs + 333, placed);
          const commits = commitAt.map((part) => Math.floor(part * samples.length)).sort((a, b) => a - b);
          const plain = bench({ detector });
          await pushAll(plain, samples, commits, [samples.length]);
          await pass(plain.clock, 3000);
          // A bus that is away for longer than patience lasts, in all, ends the session rightly.
          let interruptions = 0;
          const disturbed = bench({ detector, partials: true }, (chunkIndex, attempt) => {
            const chosen = attempt === 1 ? (faults[chunkIndex % faults.length] ?? null) : null;
            return chosen?.kind === "bus-down" && ++interruptions > 4 ? null : chosen;
          });
          await pushAll(
            disturbed,
            samples,
            commits,
            portions.map((portion) => Math.max(portion, Math.ceil(samples.length / 60))),
          );
          await pass(disturbed.clock, 120_000, 500);
          expect(last(plain.events)).toBe("ended");
          expect(last(disturbed.events)).toBe("ended");
          expect(committed(disturbed.events)).toEqual(committed(plain.events));
          if (commits.length === 0) expectWholeTurns(disturbed.events);
          expectCoveredOnce(samples, committed(plain.events));
        },
      ),
      { numRuns: howMany(12), seed: 11 },
    );
  });
});
