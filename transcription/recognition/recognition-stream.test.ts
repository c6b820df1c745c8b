import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edgeVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import { ServiceError } from "#protocol/errors";
import { LISTENING_RATE, MAX_SOUND_SECONDS } from "#protocol/transcription/chunk";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { ClusterView } from "#common/membership/cluster-view";
import type { HeardPiece, SoundStream, SoundStreamSettings } from "./recognition-client.js";
import { openSoundBus } from "./open-client.js";
import { expectedWords, pass, ScriptedListeners, type SoundFault } from "../testing/scripted-recognizers.js";

const settings: SoundStreamSettings = {
  streamId: "s1",
  task: "listen",
  model: "ear",
  tier: "bulk",
  language: null,
  traceparent: null,
};

function bench(faultOf: (chunkIndex: number, attempt: number) => SoundFault | null = () => null) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const sound = openSoundBus({ bus, clock, ownerId: "edge-1", cluster: new ClusterView({ bus, clock }) });
  const listeners = new ScriptedListeners({ bus, clock, faultOf });
  return { bus, clock, sound, listeners };
}

const pieces = [1, 2, 3, 4, 5].map((seed) =>
  Int16Array.from({ length: 1600 * seed }, (_, at) => (at * seed * 31) % 2000),
);
const undisturbed: HeardPiece[] = pieces.map((samples) => ({
  task: "listen",
  words: expectedWords(samples),
  language: "en",
}));

function hearAll(stream: SoundStream, slackMs = 60_000): Promise<PromiseSettledResult<HeardPiece>[]> {
  return Promise.allSettled(pieces.map((samples) => stream.hear(samples, { slackMs })));
}

const codesOf = (results: PromiseSettledResult<HeardPiece>[]): string[] =>
  results.map((result) => {
    if (result.status === "fulfilled") return "heard";
    return result.reason instanceof ServiceError ? result.reason.code : String((result.reason as Error).name);
  });

describe("a stream of sound", () => {
  it("hears pieces that are out at once, spread over all schedulers, and gives each its own words", async () => {
    const { clock, sound, listeners } = bench();
    const heard = hearAll(sound.open(settings));
    await pass(clock, 200);
    expect(await heard).toEqual(undisturbed.map((value) => ({ status: "fulfilled", value })));
    expect(new Set(listeners.submits.map(({ schedulerId }) => schedulerId)).size).toBe(2);
    expect(listeners.submits.map(({ submit }) => [submit.tier, submit.slackMs])).toEqual(
      pieces.map(() => ["bulk", 60_000]),
    );
    expect(sound.activePieces).toBe(0);
  });

  it("detects speech where it is asked to, by a model of that task", async () => {
    const { clock, sound } = bench();
    await pass(clock, 20);
    expect(sound.served("detect").map(({ name }) => name)).toEqual(["vad"]);
    const samples = new Int16Array(LISTENING_RATE).fill(3000, 8000);
    const heard = sound.open({ ...settings, task: "detect", model: "vad" }).hear(samples, { slackMs: 0 });
    await pass(clock, 200);
    expect(await heard).toEqual({ task: "detect", speech: new Uint8Array(100).fill(255, 50) });
  });

  it("keeps back what would fill the schedulers' queues", async () => {
    const { clock, sound, listeners } = bench((_, attempt) => (attempt === 1 ? { kind: "late", delayMs: 1000 } : null));
    const stream = sound.open(settings);
    await pass(clock, 20);
    const heard = Array.from({ length: 200 }, (_, at) => stream.hear(new Int16Array(160).fill(at), { slackMs: 0 }));
    expect(listeners.submits.length).toBe(32);
    await pass(clock, 8000);
    expect((await Promise.all(heard)).length).toBe(200);
  });

  it("cancels everywhere what is aborted, and only that", async () => {
    const { clock, sound, listeners } = bench((chunkIndex) =>
      chunkIndex === 1 ? { kind: "late", delayMs: 500 } : null,
    );
    await pass(clock, 20);
    const stream = sound.open(settings);
    const abort = new AbortController();
    const first = stream.hear(new Int16Array(160), { slackMs: 0 });
    const second = stream.hear(new Int16Array(160), { slackMs: 0, signal: abort.signal });
    abort.abort(new RangeError("changed my mind"));
    await expect(second).rejects.toThrow("changed my mind");
    await pass(clock, 1000);
    expect(await first).toMatchObject({ task: "listen" });
    expect(listeners.cancels).toMatchObject([{ streamId: "s1", fromChunk: 1, toChunk: 1 }]);
    expect(listeners.goneAnswers).toEqual(["s1/1"]);
    await expect(
      stream.hear(new Int16Array(160), { slackMs: 0, signal: AbortSignal.abort(new RangeError("before")) }),
    ).rejects.toThrow("before");
  });

  it("ends all of it when it is closed, and takes no more", async () => {
    const { clock, sound, listeners } = bench(() => ({ kind: "late", delayMs: 500 }));
    await pass(clock, 20);
    const stream = sound.open(settings);
    const heard = hearAll(stream);
    stream.close();
    expect(new Set(codesOf(await heard))).toEqual(new Set(["AbortError"]));
    expect(new Set(listeners.cancels.map((cancel) => cancel.schedulerId)).size).toBe(2);
    await expect(stream.hear(new Int16Array(160), { slackMs: 0 })).rejects.toThrow("closed");
    await pass(clock, 1000);
    expect(listeners.goneAnswers.length).toBe(pieces.length);
    expect(sound.activePieces).toBe(0);
  });

  it("refuses pieces that no message could carry", async () => {
    const stream = bench().sound.open(settings);
    await expect(stream.hear(new Int16Array(0), { slackMs: 0 })).rejects.toThrow(RangeError);
    await expect(stream.hear(new Int16Array(MAX_SOUND_SECONDS * LISTENING_RATE + 1), { slackMs: 0 })).rejects.toThrow(
      RangeError,
    );
  });
});

describe("pieces whose attempts are lost", () => {
  it("end with hearing_failed after three of them, each for itself", async () => {
    for (const kind of ["lost", "failed"] as const) {
      const { clock, sound, listeners } = bench((chunkIndex) => (chunkIndex === 1 ? { kind } : null));
      const heard = hearAll(sound.open(settings));
      await pass(clock, 1000);
      expect(codesOf(await heard)).toEqual(["heard", "hearing_failed", "heard", "heard", "heard"]);
      expect(
        listeners.submits
          .filter(({ submit }) => submit.chunk.chunkIndex === 1)
          .map(({ submit }) => submit.chunk.attempt),
      ).toEqual([1, 2, 3]);
    }
  });

  it("are submitted elsewhere at once when a live listener's scheduler is silent", async () => {
    const { clock, sound, listeners } = bench((_, attempt) => (attempt < 3 ? { kind: "silent" } : null));
    const heard = sound.open({ ...settings, tier: "live" }).hear(new Int16Array(160), { slackMs: 300 });
    await pass(clock, 60_000, 100);
    expect(await heard).toMatchObject({ task: "listen" });
    const [first, second] = listeners.submits;
    expect(second?.schedulerId).not.toBe(first?.schedulerId);
    expect(listeners.submits.map(({ submit }) => submit.chunk.attempt)).toEqual([1, 2, 3]);
  });

  it("stand in line for minutes when they are recordings: silence is asked about before it counts", async () => {
    const patient = bench((_, attempt) => (attempt === 1 ? { kind: "late", delayMs: 200_000 } : null));
    const heard = patient.sound.open(settings).hear(new Int16Array(160), { slackMs: 1000 });
    await pass(patient.clock, 210_000, 500);
    expect(await heard).toMatchObject({ task: "listen" });
    expect(new Set(patient.listeners.submits.map(({ submit }) => submit.chunk.attempt))).toEqual(new Set([1, 2]));

    const silent = bench(() => ({ kind: "silent" }));
    const lost = hearAll(silent.sound.open(settings));
    await pass(silent.clock, 2_000_000, 5000);
    expect(new Set(codesOf(await lost))).toEqual(new Set(["hearing_failed"]));
  });

  it("give the refusal itself when the first is refused, for the whole stream", async () => {
    const { clock, sound, listeners } = bench((chunkIndex) =>
      chunkIndex === 0 ? { kind: "refused" } : { kind: "late", delayMs: 500 },
    );
    const stream = sound.open(settings);
    const heard = hearAll(stream);
    await pass(clock, 1000);
    expect(new Set(codesOf(await heard))).toEqual(new Set(["overloaded"]));
    await expect(stream.hear(new Int16Array(160), { slackMs: 0 })).rejects.toMatchObject({
      code: "overloaded",
      retryAfterMs: 700,
    });
    expect(listeners.cancels.length).toBeGreaterThan(0);
  });

  it("are offered again when one in the middle is refused, and given up after a while", async () => {
    const recovering = bench((chunkIndex, attempt) => (chunkIndex === 2 && attempt < 8 ? { kind: "refused" } : null));
    const heard = hearAll(recovering.sound.open(settings));
    await pass(recovering.clock, 30_000, 100);
    expect(new Set(codesOf(await heard))).toEqual(new Set(["heard"]));

    const refused = bench((chunkIndex) => (chunkIndex === 2 ? { kind: "refused" } : null));
    const given = hearAll(refused.sound.open(settings));
    await pass(refused.clock, 60_000, 100);
    expect(codesOf(await given)).toEqual(["heard", "heard", "overloaded", "heard", "heard"]);
  });

  it("end at once when no attempt can succeed", async () => {
    const { clock, sound, listeners } = bench((chunkIndex) => (chunkIndex === 3 ? { kind: "broken" } : null));
    const heard = hearAll(sound.open(settings));
    await pass(clock, 1000);
    expect(codesOf(await heard)).toEqual(["heard", "heard", "heard", "engine_failed", "heard"]);
    expect(listeners.submits.length).toBe(pieces.length);
  });

  it("fail with no_worker when nobody serves the model, soon or after an outage", async () => {
    const { clock, sound, listeners } = bench((_, attempt) => (attempt === 1 ? { kind: "silent" } : null));
    const nobody = hearAll(sound.open({ ...settings, streamId: "s2", model: "no such model" }));
    await pass(clock, 1300);
    expect(new Set(codesOf(await nobody))).toEqual(new Set(["no_worker"]));
    const stream = sound.open({ ...settings, streamId: "s3", model: "no such model" });
    const many = Promise.allSettled(
      Array.from({ length: 100 }, () => stream.hear(new Int16Array(160), { slackMs: 0 })),
    );
    await pass(clock, 1300);
    expect(codesOf(await many)).toEqual(new Array(100).fill("no_worker"));
    const outage = hearAll(sound.open(settings));
    await pass(clock, 100);
    for (const id of ["scheduler-a", "scheduler-b"]) listeners.kill(id, 100_000);
    await pass(clock, 30_000, 100);
    expect(new Set(codesOf(await outage))).toEqual(new Set(["no_worker"]));
  });

  it("do not count an outage that ended long ago", async () => {
    const { bus, clock, sound, listeners } = bench(() => ({ kind: "late", delayMs: 70_000 }));
    const heard = hearAll(sound.open(settings));
    for (const waitMs of [1000, 30_000, 30_000]) {
      await pass(clock, waitMs, 100);
      bus.disconnect();
      await pass(clock, 500);
      bus.reconnect();
    }
    await pass(clock, 80_000, 100);
    expect(new Set(codesOf(await heard))).toEqual(new Set(["heard"]));
    expect(Math.max(...listeners.submits.map(({ submit }) => submit.chunk.attempt))).toBe(4);
  });

  it("ignore verdicts about attempts that are over", async () => {
    const { bus, clock, sound, listeners } = bench((_, attempt) =>
      attempt === 1 ? { kind: "lost" } : { kind: "late", delayMs: 300 },
    );
    const heard = hearAll(sound.open(settings));
    await pass(clock, 200);
    const stale: Verdict = { type: "lost", streamId: "s1", chunkIndex: 0, attempt: 1 };
    for (let times = 0; times < 5; times++) bus.publish(edgeVerdictSubject("edge-1"), stale);
    await pass(clock, 1000);
    expect(new Set(codesOf(await heard))).toEqual(new Set(["heard"]));
    expect(listeners.submits.length).toBe(2 * pieces.length);
  });
});

describe("whatever the faults, up to two per piece", () => {
  const fault: fc.Arbitrary<SoundFault | null> = fc.oneof(
    fc.constant(null),
    fc.constantFrom<SoundFault>(
      ...(["lost", "failed", "silent", "duplicates", "scheduler-dies"] as const).map((kind) => ({ kind })),
    ),
    fc.record({ kind: fc.constant("bus-down" as const), forMs: fc.integer({ min: 1, max: 4000 }) }),
    fc.record({ kind: fc.constant("late" as const), delayMs: fc.integer({ min: 0, max: 15_000 }) }),
  );
  const schedule = fc.array(fc.tuple(fault, fault), { minLength: pieces.length, maxLength: pieces.length });

  it("every piece gives the undisturbed words, once", async () => {
    await fc.assert(
      fc.asyncProperty(schedule, fc.constantFrom("bulk" as const, "live" as const), async (faults, tier) => {
        const { clock, sound } = bench((chunkIndex, attempt) => faults[chunkIndex]?.[attempt - 1] ?? null);
        const heard = hearAll(sound.open({ ...settings, tier }), 500);
        // A silent scheduler is asked about a recording eight times over.
        await pass(clock, tier === "live" ? 90_000 : 300_000, 250);
        expect(await heard).toEqual(undisturbed.map((value) => ({ status: "fulfilled", value })));
      }),
      { numRuns: 15, seed: 7 },
    );
  });
});
