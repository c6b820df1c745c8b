import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { SubmissionClient } from "#submission/submission-client";
import { openRecognitionClient } from "#transcription/recognition/open-client";
import { pass, ScriptedRecognizers, type RecognitionFault } from "#transcription/testing/scripted-recognizers";
import { openCallerTranscription } from "./caller-transcription.js";
import { type SpokenWord, speechOfTalk, talk, wordsOfTalk } from "./testing/voices.js";

const PER_MS = RECOGNITION_RATE / 1000;
/** When audio is pushed first: no time is 0. */
const BEGIN_MS = 500;

interface Happened {
  atMs: number;
  /** Milliseconds of the talk. */
  started?: number;
  paused?: number;
  partial?: string;
  transcript?: string;
  isUnsure?: boolean;
  transcribed?: true;
}

function bench({
  detector = "vad" as string | null,
  faultOf = undefined as ((chunkIndex: number, attempt: number) => RecognitionFault | null) | undefined,
  words = wordsOfTalk,
  vad = speechOfTalk,
} = {}) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  clock.advance(BEGIN_MS);
  const recognition = openRecognitionClient(new SubmissionClient({ bus, clock, ownerId: "agent-1" }));
  const recognizers = new ScriptedRecognizers({ bus, clock, words, vad, faultOf });
  const happened: Happened[] = [];
  const add = (event: Omit<Happened, "atMs">): void => void happened.push({ atMs: clock.nowMs() - BEGIN_MS, ...event });
  const transcription = openCallerTranscription({
    recognition,
    recognizer: "asr",
    detector,
    language: "en",
    traceparent: null,
    clock,
    onActivity: (event) =>
      add(
        event.type === "speech-started"
          ? { started: event.atMs - BEGIN_MS }
          : { paused: event.lastVoicedMs - BEGIN_MS },
      ),
    onPartial: (partial, isUnsure) => add({ partial, isUnsure }),
    onTranscript: (transcript, isUnsure) => add({ transcript, isUnsure }),
    onTranscribed: () => add({ transcribed: true }),
  });
  /** Pushes in real time: a portion is pushed when its last sample has been spoken. */
  const speak = async (samples: Int16Array, portionMs = 10): Promise<void> => {
    for (let at = 0; at < samples.length; at += portionMs * PER_MS) {
      await pass(clock, portionMs, 10);
      transcription.push(samples.slice(at, at + portionMs * PER_MS));
    }
    await pass(clock, 100, 10);
  };
  return { bus, clock, recognition, recognizers, happened, transcription, speak };
}

const said = (happened: readonly Happened[]): string[] =>
  happened.flatMap(({ transcript }) => (transcript === undefined ? [] : [transcript]));
const main = (happened: readonly Happened[]): Happened[] => happened.filter(({ partial }) => partial === undefined);

const two: SpokenWord[] = [
  { atMs: 500, forMs: 300, name: 1 },
  { atMs: 900, forMs: 400, name: 2 },
  { atMs: 2000, forMs: 500, name: 3 },
];

describe("a transcription", () => {
  it("tells within 100 ms that somebody speaks, after 200 ms that they pause, and soon after that what they said", async () => {
    for (const detector of ["vad", null]) {
      const { happened, speak, recognition } = bench({ detector });
      await speak(talk(3000, two));
      const events = main(happened);
      expect(events.map((event) => Object.keys(event)[1])).toEqual([
        "started",
        "paused",
        "transcript",
        "transcribed",
        "started",
        "paused",
        "transcript",
        "transcribed",
      ]);
      for (const [at, began, ended, text] of [
        [0, 500, 1300, "w1 w2"],
        [4, 2000, 2500, "w3"],
      ] as const) {
        const [started, paused, transcript, transcribed] = events.slice(at, at + 4);
        expect((started?.atMs ?? 0) - began).toBeLessThanOrEqual(100);
        expect(Math.abs((started?.started ?? 0) - began)).toBeLessThanOrEqual(30);
        expect((paused?.atMs ?? 0) - ended).toBeGreaterThanOrEqual(200);
        // The detector is asked every 80 ms, and has 160 ms of silence by then at the least.
        expect((paused?.atMs ?? 0) - ended).toBeLessThanOrEqual(270);
        expect(Math.abs((paused?.paused ?? 0) - ended)).toBeLessThanOrEqual(50);
        expect(transcript?.transcript).toBe(text);
        expect((transcribed?.atMs ?? 0) - (paused?.atMs ?? 0)).toBeLessThanOrEqual(50);
      }
      expect(recognition.activePieces).toBe(0);
    }
  });

  it("says of words whether the recognizer is unsure of them, and sooner of those that may change", async () => {
    for (const [confidence, isUnsurePartial, isUnsure] of [
      [0.2, true, true],
      [0.48, true, false],
      [0.9, false, false],
    ] as const) {
      const words: typeof wordsOfTalk = (samples) => wordsOfTalk(samples).map((word) => ({ ...word, confidence }));
      const { happened, speak } = bench({ words });
      await speak(talk(2500, [{ atMs: 500, forMs: 900, name: 1 }]));
      expect(happened.find(({ partial }) => partial !== undefined)).toMatchObject({
        partial: "w1",
        isUnsure: isUnsurePartial,
      });
      expect(happened.find(({ transcript }) => transcript !== undefined)?.isUnsure).toBe(isUnsure);
    }
  });

  it("gives partial words while somebody speaks, the first within half a second", async () => {
    const { happened, speak } = bench();
    await speak(
      talk(3000, [
        { atMs: 500, forMs: 700, name: 1 },
        { atMs: 1300, forMs: 900, name: 2 },
      ]),
    );
    const partials = happened.filter(({ partial }) => partial !== undefined);
    expect(partials[0]).toMatchObject({ partial: "w1" });
    expect(partials[0]?.atMs).toBeLessThanOrEqual(1000);
    expect(partials.map(({ partial }) => partial)).toContain("w1 w2");
    expect(said(happened)).toEqual(["w1 w2"]);
  });

  it("has the words at once when it tells of a pause: they were recognized while it was not sure", async () => {
    const { happened, speak } = bench({ detector: null, faultOf: () => ({ kind: "late", delayMs: 60 }) });
    await speak(talk(3000, two));
    const told = main(happened).filter(({ paused, transcribed }) => (paused ?? transcribed) !== undefined);
    expect(told.length).toBe(4);
    for (const at of [0, 2]) expect((told[at + 1]?.atMs ?? 0) - (told[at]?.atMs ?? 0)).toBeLessThanOrEqual(50);
  });

  it("has words recognized from their beginning to their end", async () => {
    const measured = (samples: Int16Array) =>
      wordsOfTalk(samples).map((word) => ({ ...word, text: `${word.text}:${Math.round(word.endMs - word.startMs)}` }));
    const { happened, speak } = bench({ words: measured });
    await speak(talk(3000, two));
    expect(said(happened)).toEqual(["w1:300 w2:400", "w3:500"]);
  });

  it("tells of one pause after the other while recognition is late, and once that all is transcribed", async () => {
    for (const [delayMs, between] of [
      [1500, ["paused", "transcript"]],
      [700, ["transcript", "paused"]],
    ] as const) {
      const { happened, speak, clock } = bench({ detector: null, faultOf: () => ({ kind: "late", delayMs }) });
      await speak(talk(3000, two));
      await pass(clock, 3000, 10);
      const events = main(happened).map((event) => Object.keys(event)[1]);
      expect(events).toEqual(["started", "paused", "started", ...between, "transcript", "transcribed"]);
      expect(said(happened)).toEqual(["w1 w2", "w3"]);
    }
  });

  it("tells of a voice that the detector does not find as of a pause with nothing said", async () => {
    const { happened, speak } = bench({ vad: (samples) => new Uint8Array(Math.ceil(samples.length / 160)) });
    await speak(talk(3000, [{ atMs: 500, forMs: 1500, name: 1 }]));
    const events = main(happened);
    expect(events.map((event) => Object.keys(event)[1])).toEqual(["started", "paused", "transcribed"]);
    expect((events[1]?.atMs ?? 0) - (events[0]?.atMs ?? 0)).toBeLessThanOrEqual(600);
  });

  it("takes audio that does not come for silence, and goes on in step when it comes again", async () => {
    const { happened, speak, clock, transcription } = bench();
    const samples = talk(4000, [
      { atMs: 500, forMs: 600, name: 1 },
      { atMs: 2000, forMs: 400, name: 2 },
    ]);
    await speak(samples.slice(0, 1100 * PER_MS));
    // Nothing for 600 ms, of which 100 have passed.
    await pass(clock, 500, 10);
    expect(main(happened).map((event) => Object.keys(event)[1])).toEqual([
      "started",
      "paused",
      "transcript",
      "transcribed",
    ]);
    expect(happened.find(({ paused }) => paused !== undefined)?.atMs).toBeLessThanOrEqual(1100 + 350);
    await speak(samples.slice(1700 * PER_MS));
    const again = main(happened).find(({ atMs, started }) => atMs > 1700 && started !== undefined);
    expect(Math.abs((again?.started ?? 0) - 2000)).toBeLessThanOrEqual(50);
    transcription.close();
    const before = happened.length;
    await pass(clock, 10_000, 100);
    expect(happened.length).toBe(before);
  });

  it("cuts what is said without a pause at its quietest place", async () => {
    const { happened, speak, recognizers } = bench();
    const words = Array.from({ length: 15 }, (_, at) => ({ atMs: 300 + 1500 * at, forMs: 1400, name: at + 1 }));
    await speak(talk(23_500, words));
    expect(said(happened).join(" ")).toBe(words.map(({ name }) => `w${name}`).join(" "));
    expect(said(happened).length).toBe(2);
    const longest = Math.max(...recognizers.submits.map(({ submit }) => submit.chunk.samples));
    expect(longest).toBeLessThanOrEqual(20 * RECOGNITION_RATE);
    expect(happened.filter(({ paused }) => paused !== undefined).length).toBe(1);
  });

  it("gives all that somebody says who goes on and on without a pause", async () => {
    const { happened, speak, recognizers } = bench();
    const words = Array.from({ length: 60 }, (_, at) => ({ atMs: 300 + 1500 * at, forMs: 1400, name: (at % 15) + 1 }));
    await speak(talk(91_000, words), 50);
    expect(said(happened).join(" ")).toBe(words.map(({ name }) => `w${name}`).join(" "));
    const longest = Math.max(...recognizers.submits.map(({ submit }) => submit.chunk.samples));
    expect(longest).toBeLessThanOrEqual(20.5 * RECOGNITION_RATE);
    expect(happened.filter(({ paused }) => paused !== undefined).length).toBe(1);
  });

  it("keeps what a failed recognizer did not recognize, and gives it in turn when it works again", async () => {
    let isBroken = true;
    const { happened, speak, clock } = bench({
      detector: null,
      faultOf: () => (isBroken ? { kind: "refused" } : null),
    });
    await speak(talk(3000, two));
    expect(said(happened)).toEqual([]);
    expect(main(happened).filter(({ paused }) => paused !== undefined).length).toBe(2);
    isBroken = false;
    await pass(clock, 1200, 10);
    expect(said(happened)).toEqual(["w1 w2", "w3"]);
    expect(happened.at(-1)).toMatchObject({ transcribed: true });
  });

  it("asks nobody about a muted microphone", async () => {
    const { happened, speak, recognizers } = bench();
    await speak(new Int16Array(20_000 * PER_MS), 100);
    expect(happened).toEqual([]);
    expect(recognizers.submits).toEqual([]);
  });
});

describe("however somebody speaks", () => {
  const spoken = fc.array(
    fc.record({ pauseMs: fc.integer({ min: 40, max: 900 }), forMs: fc.integer({ min: 150, max: 900 }) }),
    { minLength: 1, maxLength: 8 },
  );
  const place = (parts: readonly { pauseMs: number; forMs: number }[]): { words: SpokenWord[]; endMs: number } => {
    let endMs = 300;
    const words = parts.map(({ pauseMs, forMs }, index) => {
      const atMs = endMs + pauseMs;
      endMs = atMs + forMs;
      return { atMs, forMs, name: index + 1 };
    });
    return { words, endMs };
  };

  it("no word is lost or doubled, and starts and pauses alternate", async () => {
    await fc.assert(
      fc.asyncProperty(spoken, fc.constantFrom("vad", null), async (parts, detector) => {
        const { words, endMs } = place(parts);
        const { happened, speak } = bench({ detector });
        await speak(talk(endMs + 600, words));
        expect(said(happened).join(" ")).toBe(words.map(({ name }) => `w${name}`).join(" "));
        const activity = happened.filter(({ started, paused }) => (started ?? paused) !== undefined);
        for (const [at, event] of activity.entries()) expect(event.started !== undefined).toBe(at % 2 === 0);
        expect(happened.at(-1)).toMatchObject({ transcribed: true });
      }),
      { numRuns: howMany(15), seed: 4 },
    );
  });

  it("the portions in which the audio comes change nothing but when it is known", async () => {
    await fc.assert(
      fc.asyncProperty(spoken, fc.integer({ min: 2, max: 9 }), async (parts, tens) => {
        const { words, endMs } = place(parts);
        const samples = talk(Math.ceil((endMs + 600) / 90) * 90, words);
        const [whole, other] = [bench({ detector: null }), bench({ detector: null })];
        await whole.speak(samples);
        await other.speak(samples, tens * 10);
        const known = ({ happened }: typeof whole) => main(happened).map(({ atMs: _, ...event }) => event);
        const activity = (one: typeof whole) =>
          known(one).filter(({ started, paused }) => (started ?? paused) !== undefined);
        expect(activity(other)).toEqual(activity(whole));
        expect(said(other.happened)).toEqual(said(whole.happened));
      }),
      { numRuns: howMany(15), seed: 6 },
    );
  });
});
