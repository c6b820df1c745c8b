import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { defaultSampling, neutralDelivery } from "#protocol/speech/chunk";
import { VirtualClock } from "#common/clock";
import type { ChunkText } from "../chunking/chunker.js";
import { SpeechClient } from "../speech-client.js";
import { SubmissionClient } from "#submission/submission-client";
import { LocalBus } from "#common/bus/testing/local-bus";
import { expectedSamples, type Fault, SAMPLE_RATE, ScriptedCluster } from "../testing/scripted-cluster.js";
import { chunkSeed } from "../voice/seed.js";
import type { SpeechStream } from "./speech-stream.js";
import type { StreamEvent } from "./stream-event.js";
import { livePacing, type Pacing } from "./stream-settings.js";

const pieceOf = (text: string, pause: Partial<ChunkText> = {}): ChunkText => ({
  text,
  speaker: 0,
  delivery: neutralDelivery,
  pauseBeforeMs: 0,
  pauseAfterMs: 0,
  ...pause,
});
const script = [
  "Hello there.",
  "This is the second sentence.",
  "A third one, rather longer than the others were.",
  "Bye.",
].map((text) => pieceOf(text));

function open(faultOf: (chunkIndex: number, attempt: number) => Fault | null, pacing: Pacing = livePacing) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const speech = new SpeechClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  const cluster = new ScriptedCluster({ bus, clock, model: "m", ownerId: "edge-1", faultOf });
  const events: StreamEvent[] = [];
  const voices = [{ speaker: null, language: null, speed: 1, traits: null }];
  const settings = {
    streamId: "s1",
    models: [{ name: "m", languages: ["*"] }],
    tier: "live" as const,
    isAdmitted: false,
    voices,
    normalize: true,
    sampling: defaultSampling,
    maxSamples: 0,
    seedBase: "seed",
    traceparent: null,
    pacing,
    firstAudioGoalMs: 200,
  };
  const stream: SpeechStream = speech.open(settings, (event) => events.push(event));
  return { bus, clock, speech, cluster, events, stream };
}

function audioOf(events: StreamEvent[]): number[] {
  return events.flatMap((event) => (event.type === "samples" ? [...event.samples] : []));
}

function undisturbed(pieces: ChunkText[]): number[] {
  return pieces.flatMap((piece, index) => [
    ...new Array<number>((piece.pauseBeforeMs * SAMPLE_RATE) / 1000).fill(0),
    ...expectedSamples({
      text: piece.text,
      seed: chunkSeed("seed", index, piece.text),
      pauseAfterMs: piece.pauseAfterMs,
    }),
  ]);
}

const terminal = (events: StreamEvent[]): StreamEvent[] =>
  events.filter((event) => event.type === "ended" || event.type === "failed");

describe("an undisturbed stream", () => {
  it("gives the chunks' sound in order, with their starts, words, ends and marks", () => {
    const pieces = [pieceOf("One", { pauseAfterMs: 100 }), pieceOf("Two", { pauseBeforeMs: 50 })];
    const { events, stream, clock, speech } = open(() => null);
    stream.add(pieces.slice(0, 1));
    stream.mark();
    stream.add(pieces.slice(1));
    stream.mark();
    stream.end();
    clock.advance(5000);
    expect(audioOf(events)).toEqual(undisturbed(pieces));
    const types = events.map((event) => event.type).filter((type) => type !== "samples" && type !== "words");
    expect(types).toEqual([
      "first-frame",
      "chunk-started",
      "chunk-ended",
      "marked",
      "chunk-started",
      "chunk-ended",
      "marked",
      "ended",
    ]);
    expect(events.filter((event) => event.type === "chunk-started").map((event) => event.offsetSamples)).toEqual([
      0,
      2000 + 400,
    ]);
    expect(events.find((event) => event.type === "words")).toMatchObject({ chunkIndex: 0, words: [{ text: "w0" }] });
    expect(speech.activeStreams).toBe(0);
  });

  it("asks for sound only while the listener has less than four seconds, and as fast as it comes for a file", () => {
    const long = Array.from({ length: 40 }, () => pieceOf("A sentence of some forty characters, yes."));
    const live = open(() => null);
    live.stream.add(long);
    live.stream.end();
    live.clock.advance(1000);
    const chunkMs = (41 * 400 * 1000) / SAMPLE_RATE;
    expect(live.cluster.submits.length * chunkMs).toBeLessThan(1000 + 4000 + 2 * chunkMs);
    expect(live.stream.waitingBytes).toBe((40 - live.cluster.submits.length) * 41);
    live.clock.advance(40 * chunkMs);
    expect(audioOf(live.events)).toEqual(undisturbed(long));

    const file = open(() => null, { aheadMs: Number.POSITIVE_INFINITY, windowChunks: 4 });
    file.stream.add(long);
    file.stream.end();
    file.clock.advance(40 * chunkMs * 0.2);
    expect(terminal(file.events)).toMatchObject([{ type: "ended" }]);
    expect(
      file.cluster.submits
        .map(({ submit }) => submit.slackMs)
        .slice(10)
        .every((slackMs) => slackMs > 4000),
    ).toBe(true);
  });

  it("says how long the listener can wait", () => {
    const { stream, cluster, clock } = open(() => null);
    stream.add(script.slice(0, 1));
    clock.advance(60_000);
    stream.add(script.slice(1, 2));
    expect(cluster.submits.map(({ submit }) => submit.slackMs)).toEqual([200, 200]);
  });

  it("asks for nothing while it is held", () => {
    const { stream, cluster, clock } = open(() => null);
    stream.hold(true);
    stream.add(script);
    clock.advance(10_000);
    expect(cluster.submits).toEqual([]);
    stream.hold(false);
    expect(cluster.submits.length).toBeGreaterThan(0);
  });

  it("ends all work when it is cancelled", () => {
    const { stream, cluster, clock, events, speech } = open(() => null);
    stream.add(script);
    clock.advance(10);
    stream.cancel();
    const received = events.length;
    clock.advance(10_000);
    expect(new Set(cluster.cancels).size).toBe(1);
    expect(events.length).toBe(received);
    expect(speech.activeStreams).toBe(0);
  });
});

describe("a stream whose attempts are lost", () => {
  it("ends with synthesis_failed after three of them", () => {
    for (const kind of ["lost", "failed", "silent"] as const) {
      const { stream, events, clock, cluster } = open((chunkIndex) =>
        chunkIndex === 1 ? { kind, afterFrames: 1 } : null,
      );
      stream.add(script);
      stream.end();
      clock.advance(200_000);
      expect(terminal(events)).toMatchObject([{ type: "failed", error: { code: "synthesis_failed" } }]);
      expect(
        cluster.submits.filter(({ submit }) => submit.chunk.chunkIndex === 1).map(({ submit }) => submit.chunk.attempt),
      ).toEqual([1, 2, 3]);
      expect(audioOf(events)).toEqual(undisturbed(script).slice(0, audioOf(events).length));
    }
  });

  it("tries a scheduler that was silent last", () => {
    const { stream, clock, cluster } = open((_, attempt) =>
      attempt === 1 ? { kind: "silent", afterFrames: 0 } : null,
    );
    stream.add(script.slice(0, 1));
    clock.advance(30_000);
    const [first, second] = cluster.submits.map(({ schedulerId }) => schedulerId);
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  });

  it("gives the refusal itself when the first chunk is refused, with the time to wait", () => {
    const { stream, events, clock } = open(() => ({ kind: "refused" }));
    stream.add(script);
    clock.advance(100);
    expect(terminal(events)).toMatchObject([{ type: "failed", error: { code: "overloaded", retryAfterMs: 700 } }]);
  });

  it("offers a chunk refused in the middle again, and gives up after a while", () => {
    const recovered = open((chunkIndex, attempt) => (chunkIndex === 2 && attempt < 8 ? { kind: "refused" } : null));
    recovered.stream.add(script);
    recovered.stream.end();
    recovered.clock.advance(30_000);
    expect(audioOf(recovered.events)).toEqual(undisturbed(script));

    const refused = open((chunkIndex) => (chunkIndex === 2 ? { kind: "refused" } : null));
    refused.stream.add(script);
    refused.stream.end();
    refused.clock.advance(60_000);
    expect(terminal(refused.events)).toMatchObject([{ type: "failed", error: { code: "overloaded" } }]);
  });

  it("ends at once when the engine says that no attempt can succeed", () => {
    const { stream, events, clock, cluster } = open((chunkIndex) => (chunkIndex === 1 ? { kind: "broken" } : null));
    stream.add(script);
    clock.advance(1000);
    expect(terminal(events)).toMatchObject([{ type: "failed", error: { code: "engine_failed" } }]);
    expect(cluster.submits.filter(({ submit }) => submit.chunk.chunkIndex === 1)).toHaveLength(1);
  });

  it("waits after an interruption of the bus until a scheduler is heard: what is sent before would be lost", () => {
    const { stream, bus, clock, cluster, events } = open(() => null);
    stream.add(script);
    stream.end();
    bus.disconnect();
    clock.advance(990);
    bus.reconnect();
    const before = cluster.submits.length;
    clock.advance(5);
    expect(cluster.submits.length).toBe(before);
    clock.advance(20_000);
    expect(audioOf(events)).toEqual(undisturbed(script));
  });

  it("fails with no_worker when nobody serves the model, soon or after an outage", () => {
    const none = open(() => null);
    const other = none.speech.open(
      {
        streamId: "s2",
        models: [{ name: "other", languages: ["*"] }],
        tier: "live",
        isAdmitted: false,
        voices: [{ speaker: null, language: null, speed: 1, traits: null }],
        normalize: true,
        sampling: defaultSampling,
        maxSamples: 0,
        seedBase: "",
        traceparent: null,
        pacing: livePacing,
        firstAudioGoalMs: 200,
      },
      (event) => none.events.push(event),
    );
    other.add(script);
    none.clock.advance(1500);
    expect(terminal(none.events)).toMatchObject([{ type: "failed", error: { code: "no_worker" } }]);

    const outage = open((chunkIndex, attempt) =>
      chunkIndex === 0 && attempt === 1 ? { kind: "silent", afterFrames: 1 } : null,
    );
    outage.stream.add(script);
    outage.clock.advance(100);
    outage.cluster.kill("scheduler-a", 100_000);
    outage.cluster.kill("scheduler-b", 100_000);
    outage.clock.advance(60_000);
    expect(terminal(outage.events)).toMatchObject([{ type: "failed", error: { code: "no_worker" } }]);
  });
});

describe("an outage that ended", () => {
  it("is not counted against attempts that came long after it", () => {
    const faults: (Fault | null)[][] = [
      [{ kind: "bus-down", afterFrames: 0, forMs: 1 }],
      // The first of these goes with the bus and does not count.
      Array.from({ length: 4 }, (): Fault => ({ kind: "silent", afterFrames: 0 })),
    ];
    const { stream, events, clock } = open((chunkIndex, attempt) => faults[chunkIndex]?.[attempt - 1] ?? null);
    stream.add(script.slice(0, 2));
    stream.end();
    clock.advance(400_000);
    expect(terminal(events)).toMatchObject([{ type: "failed", error: { code: "synthesis_failed" } }]);
    const recovering = open((chunkIndex, attempt) =>
      attempt === 4 && chunkIndex === 1 ? null : (faults[chunkIndex]?.[attempt - 1] ?? null),
    );
    recovering.stream.add(script.slice(0, 2));
    recovering.stream.end();
    recovering.clock.advance(400_000);
    expect(audioOf(recovering.events)).toEqual(undisturbed(script.slice(0, 2)));
  });
});

describe("whatever the faults, up to two per chunk", () => {
  const frames = fc.integer({ min: 0, max: 6 });
  const fault: fc.Arbitrary<Fault | null> = fc.oneof(
    fc.constant(null),
    fc.record({ kind: fc.constant("lost" as const), afterFrames: frames }),
    fc.record({ kind: fc.constant("failed" as const), afterFrames: frames }),
    fc.record({ kind: fc.constant("silent" as const), afterFrames: frames }),
    fc.record({ kind: fc.constant("dropped-frame" as const), frame: frames }),
    fc.record({ kind: fc.constant("scheduler-dies" as const), afterFrames: frames }),
    fc.record({
      kind: fc.constant("bus-down" as const),
      afterFrames: frames,
      forMs: fc.integer({ min: 1, max: 4000 }),
    }),
    fc.record({ kind: fc.constant("late" as const), delayMs: fc.integer({ min: 0, max: 15_000 }) }),
    fc.constant<Fault>({ kind: "duplicates" }),
  );
  const schedule = fc.array(fc.tuple(fault, fault), { minLength: script.length, maxLength: script.length });

  it("the listener hears the undisturbed sound, once", () => {
    const bytesOf = (samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);
    const expected = bytesOf(undisturbed(script));
    fc.assert(
      fc.property(schedule, (faults) => {
        const { stream, events, clock } = open((chunkIndex, attempt) => faults[chunkIndex]?.[attempt - 1] ?? null);
        stream.add(script);
        stream.end();
        // Heartbeats of many minutes take most of the test's time: none that nobody waits for.
        for (let passedMs = 0; passedMs < 400_000 && terminal(events).length === 0; passedMs += 1000)
          clock.advance(1000);
        clock.advance(20_000);
        expect(terminal(events)).toMatchObject([{ type: "ended" }]);
        // As bytes: a deep comparison of so many numbers takes most of the test's time.
        expect(bytesOf(audioOf(events)).equals(expected)).toBe(true);
        const words = events.flatMap((event) =>
          event.type === "words" ? event.words.map((word) => `${event.chunkIndex}:${word.startMs}`) : [],
        );
        expect(new Set(words).size).toBe(words.length);
        expect(words.length).toBe(script.reduce((sum, piece) => sum + Math.ceil((piece.text.length * 400) / 1700), 0));
      }),
      { numRuns: howMany(150) },
    );
  });
});
