import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import type { WorkChunk } from "#protocol/bus/scheduling";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { MAX_FAILED_ATTEMPTS, OFFER_AGAIN_MS } from "./rules.js";
import { Submission } from "./submission.js";
import { SubmissionMachine, type SubmissionMessage } from "./submission-machine.js";

class TestChunk extends Submission {
  override chunk(): WorkChunk {
    const { chunkIndex, attempt } = this;
    const context = { ownerId: "edge-1", language: null, traceparent: null };
    return { task: "transcribe", streamId: "s", chunkIndex, attempt, model: "m", samples: 1, ...context };
  }
}

/** What holds after each of so many steps. The runner's own assertions took most of the test's time. */
function hold(isTrue: boolean, otherwise: () => string): void {
  if (!isTrue) throw new Error(otherwise());
}

interface Variant {
  isAdmitted?: boolean;
  mostWaitMs?: number;
  repeats: number;
  takenAfterMs: number;
  /** Whether one failed chunk ends the stream, as it does in speech. */
  strict: boolean;
}

const speech: Variant = { repeats: 0, takenAfterMs: Number.POSITIVE_INFINITY, strict: true };
const recording: Variant = { repeats: 8, takenAfterMs: 5000, strict: false };
const live: Variant = { ...recording, repeats: 0 };

/**
 * One machine with two schedulers that do what the test says, and the books that the properties are checked against.
 */
class World {
  readonly machine: SubmissionMachine<TestChunk>;
  nowMs = 0;
  connected = true;
  readonly alive = new Set(["a", "b"]);
  readonly sent: SubmissionMessage[] = [];
  /** How each chunk ended, by index; one entry per ending. */
  readonly endings: string[][] = [];
  /** Attempts sent per chunk. */
  readonly attempts: number[] = [];
  /** Attempts per chunk that were lost with a scheduler or the bus, or refused: those that do not count. */
  readonly excused: number[] = [];
  /** Completes whatever is submitted. */
  healthy = false;
  /** Chunks that may be out at once. */
  window = 3;

  constructor(readonly variant: Variant) {
    this.machine = new SubmissionMachine<TestChunk>({
      streamId: "s",
      tier: "live",
      isAdmitted: variant.isAdmitted === true,
      mostWaitMs: variant.mostWaitMs,
      model: "m",
      chooseScheduler: (keep, avoid) => this.#choose(keep, avoid),
      repeats: variant.repeats,
      takenAfterMs: variant.takenAfterMs,
      exhausted: (attempts) => new ServiceError("synthesis_failed", { parameters: { attempts } }),
      offerDue: (nowMs) => this.#offerDue(nowMs),
      chunkFailed: ({ chunkIndex }, error) => {
        this.endings[chunkIndex]?.push(error.code);
        if (this.variant.strict) this.cancelAll();
      },
    });
  }

  #choose(keep: string | null, avoid: string | null): string | null {
    if (!this.connected) return null;
    const ids = [...this.alive].sort().filter((id) => id !== avoid);
    if (keep !== null && ids.includes(keep)) return keep;
    return ids[0] ?? (avoid !== null && this.alive.has(avoid) ? avoid : null);
  }

  #offerDue(nowMs: number): void {
    let out = 0;
    for (const chunk of this.machine.unfinished()) {
      if (out >= this.window) return;
      if (chunk.isDue(nowMs)) this.machine.offer(chunk, 200, nowMs);
      if (chunk.state !== "over") out++;
    }
  }

  add(): void {
    const chunkIndex = this.endings.length;
    this.endings.push([]);
    this.attempts.push(0);
    this.excused.push(0);
    this.machine.add(new TestChunk(chunkIndex, this.nowMs));
    this.machine.advance(this.nowMs);
    this.settle();
  }

  complete(chunkIndex: number): void {
    if (this.machine.complete(chunkIndex) !== undefined) this.endings[chunkIndex]?.push("complete");
    this.machine.advance(this.nowMs);
    this.settle();
  }

  withdraw(chunkIndex: number): void {
    const chunk = this.machine.get(chunkIndex);
    if (chunk === undefined) return;
    const out = chunk.state === "submitted" ? chunk.schedulerId : null;
    this.endings[chunkIndex]?.push("withdrawn");
    this.machine.withdraw(chunkIndex, this.nowMs);
    const { cancelled } = this.settle();
    if (out !== null) expect(cancelled).toContain(`${out}/${chunkIndex}`);
  }

  cancelAll(): void {
    for (const { chunkIndex } of this.machine.unfinished()) this.endings[chunkIndex]?.push("cancelled");
    this.machine.cancelAll();
  }

  verdict(chunkIndex: number, age: number, kind: "lost" | "refused" | "draining" | "no_worker" | "hard"): void {
    const { attempt, isCurrent } = this.#attemptOf(chunkIndex, age);
    if (kind !== "lost" && kind !== "hard" && isCurrent) this.#excuse(chunkIndex);
    const about = { streamId: "s", chunkIndex, attempt };
    const codes = { lost: "internal", refused: "overloaded", hard: "engine_failed" } as const;
    const code = kind === "draining" || kind === "no_worker" ? kind : codes[kind];
    const error = toErrorRecord(new ServiceError(code));
    this.machine.verdict(
      kind === "lost" ? { type: "lost", ...about } : { type: "refused", ...about, error },
      this.nowMs,
    );
    this.settle();
  }

  failed(chunkIndex: number, age: number, retryable: boolean): void {
    const { attempt } = this.#attemptOf(chunkIndex, age);
    const error = toErrorRecord(new ServiceError("engine_failed"));
    this.machine.failed({ type: "failed", streamId: "s", chunkIndex, attempt, retryable, error }, this.nowMs);
    this.settle();
  }

  kill(schedulerId: string): void {
    if (!this.alive.delete(schedulerId)) return;
    for (const chunk of this.machine.unfinished())
      if (chunk.state === "submitted" && chunk.schedulerId === schedulerId) this.#excuse(chunk.chunkIndex);
    this.machine.schedulerLost(schedulerId, this.nowMs);
    this.settle();
  }

  reconnect(): void {
    if (this.connected) return;
    this.connected = true;
    for (const chunk of this.machine.unfinished()) if (chunk.state === "submitted") this.#excuse(chunk.chunkIndex);
    this.machine.reconnected(this.nowMs);
    this.settle();
  }

  pass(durationMs: number): void {
    const untilMs = this.nowMs + durationMs;
    for (let ticks = 0; this.machine.nextWakeMs() <= untilMs; ticks++) {
      hold(ticks < 20 + durationMs / 10, () => `${ticks} ticks in ${durationMs} ms`);
      this.nowMs = Math.max(this.nowMs, this.machine.nextWakeMs());
      this.machine.tick(this.nowMs, this.connected);
      hold(this.machine.nextWakeMs() > this.nowMs, () => `woken at ${this.nowMs} ms for what is not due later`);
      this.settle();
    }
    this.nowMs = untilMs;
  }

  /** Takes the messages in and checks what must hold after every input. */
  settle(): { cancelled: string[] } {
    const messages = this.machine.takeMessages();
    const cancelled: string[] = [];
    for (const { schedulerId, message } of messages) {
      this.sent.push({ schedulerId, message });
      if (message.type === "submit") this.#submitted(message.chunk);
      else if (message.type === "cancel")
        for (const [chunkIndex] of this.endings.entries())
          if (chunkIndex >= message.fromChunk && chunkIndex <= (message.toChunk ?? Number.POSITIVE_INFINITY))
            cancelled.push(`${schedulerId}/${chunkIndex}`);
    }
    for (const [chunkIndex, endings] of this.endings.entries()) {
      const wanted = this.machine.get(chunkIndex) === undefined ? 1 : 0;
      hold(endings.length === wanted, () => `chunk ${chunkIndex} ended ${endings.length} times, not ${wanted}`);
      const [attempts = Infinity, excused = 0] = [this.attempts[chunkIndex], this.excused[chunkIndex]];
      hold(attempts <= MAX_FAILED_ATTEMPTS + excused, () => `${attempts} attempts, of which ${excused} do not count`);
    }
    // As long as anything is unfinished, something is due some day: no chunk is forgotten.
    const { size } = this.machine;
    hold(Number.isFinite(this.machine.nextWakeMs()) === size > 0, () => `nothing is due, and ${size} are unfinished`);
    if (this.healthy)
      for (const { message } of messages) if (message.type === "submit") this.complete(message.chunk.chunkIndex);
    return { cancelled };
  }

  #submitted({ chunkIndex, attempt }: WorkChunk): void {
    const before = this.attempts[chunkIndex] ?? 0;
    // The same again is a question to a silent scheduler; else each attempt counts one up.
    hold(attempt === before || attempt === before + 1, () => `attempt ${attempt} follows ${before}`);
    this.attempts[chunkIndex] = attempt;
  }

  #attemptOf(chunkIndex: number, age: number): { attempt: number; isCurrent: boolean } {
    const attempt = (this.attempts[chunkIndex] ?? 0) - age;
    return { attempt, isCurrent: this.machine.get(chunkIndex)?.isCurrent(attempt) ?? false };
  }

  #excuse(chunkIndex: number): void {
    this.excused[chunkIndex] = (this.excused[chunkIndex] ?? 0) + 1;
  }
}

type Input = (world: World) => void;

const chunkIndex = fc.nat({ max: 7 });
const age = fc.constantFrom(0, 0, 0, 1);
const schedulerId = fc.constantFrom("a", "b");
const input: fc.Arbitrary<Input> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 30_000 }).map(
      (ms): Input =>
        (world) =>
          world.pass(ms),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Input>((world) => world.machine.refusal === null && world.add()) },
  chunkIndex.map(
    (at): Input =>
      (world) =>
        world.attempts[at] && world.complete(at),
  ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        chunkIndex,
        age,
        fc.constantFrom(...(["lost", "lost", "refused", "draining", "no_worker", "hard"] as const)),
      )
      .map(
        ([at, old, kind]): Input =>
          (world) =>
            world.verdict(at, old, kind),
      ),
  },
  fc.tuple(chunkIndex, age, fc.boolean()).map(
    ([at, old, retryable]): Input =>
      (world) =>
        world.failed(at, old, retryable),
  ),
  chunkIndex.map(
    (at): Input =>
      (world) =>
        world.withdraw(at),
  ),
  schedulerId.map(
    (id): Input =>
      (world) =>
        world.kill(id),
  ),
  {
    weight: 2,
    arbitrary: schedulerId.map(
      (id): Input =>
        (world) =>
          void world.alive.add(id),
    ),
  },
  fc.constant<Input>((world) => {
    world.connected = false;
  }),
  fc.constant<Input>((world) => world.reconnect()),
);

const inputs = fc.array(input, { minLength: 1, maxLength: 60 });
const variant = fc.constantFrom(speech, recording, live);

function disturbed(variant: Variant, inputs: readonly Input[]): World {
  const world = new World(variant);
  world.add();
  for (const input of inputs) input(world);
  return world;
}

describe("whatever happens, in any order", () => {
  it("every chunk is over once at most, after three failed attempts at most, and none is forgotten", () => {
    fc.assert(
      fc.property(variant, inputs, (variant, inputs) => void disturbed(variant, inputs)),
      { numRuns: howMany(1000) },
    );
  });

  it("every chunk is over once the cluster is well again", () => {
    fc.assert(
      fc.property(variant, inputs, (variant, inputs) => {
        const world = disturbed(variant, inputs);
        world.healthy = true;
        for (const id of ["a", "b"]) world.alive.add(id);
        world.reconnect();
        world.pass(2_000_000);
        expect(world.machine.size).toBe(0);
      }),
      { numRuns: howMany(500) },
    );
  });

  it("every chunk is over when nobody answers any more", () => {
    fc.assert(
      fc.property(variant, inputs, fc.boolean(), (variant, inputs, silent) => {
        const world = disturbed(variant, inputs);
        world.reconnect();
        if (!silent) for (const id of ["a", "b"]) world.kill(id);
        world.pass(4_000_000);
        expect(world.machine.size).toBe(0);
      }),
      { numRuns: howMany(150) },
    );
  });

  it("cancelling leaves nothing at work", () => {
    fc.assert(
      fc.property(variant, inputs, (variant, inputs) => {
        const world = disturbed(variant, inputs);
        const out = [...world.machine.unfinished()].filter(({ state }) => state === "submitted");
        const places = out.map((chunk) => `${chunk.schedulerId}/${chunk.chunkIndex}`);
        world.cancelAll();
        expect(world.settle().cancelled).toEqual(expect.arrayContaining(places));
        expect(world.machine.size).toBe(0);
      }),
      { numRuns: howMany(300) },
    );
  });
});

describe("a stream's submissions", () => {
  it("do not wake their owner for what its pace holds back", () => {
    const world = new World(live);
    world.window = 5;
    for (let count = 0; count < 5; count++) world.add();
    expect(world.sent.length).toBe(5);
    world.window = 1;
    world.alive.clear();
    world.machine.reconnected(world.nowMs);
    expect(world.machine.nextWakeMs()).toBe(world.nowMs + OFFER_AGAIN_MS);
  });

  it("stay with the scheduler that serves the stream", () => {
    const world = new World(speech);
    world.add();
    world.kill("a");
    world.alive.add("a");
    world.add();
    expect(world.sent.map(({ schedulerId }) => schedulerId)).toEqual(["a", "b", "b"]);
  });

  it("say of each attempt that the stream was admitted before", () => {
    for (const isAdmitted of [true, false]) {
      const world = new World({ ...speech, isAdmitted });
      world.add();
      world.kill("a");
      const said = world.sent.map(({ message }) => message.type === "submit" && message.isAdmitted === true);
      expect(said).toEqual([isAdmitted, isAdmitted]);
    }
  });

  it("say of each attempt how long the stream waits, where it says so itself", () => {
    for (const mostWaitMs of [500, undefined]) {
      const world = new World({ ...speech, ...(mostWaitMs === undefined ? {} : { mostWaitMs }) });
      world.add();
      world.kill("a");
      expect(world.sent.map(({ message }) => message.type === "submit" && message.mostWaitMs)).toEqual([
        mostWaitMs,
        mostWaitMs,
      ]);
    }
  });

  it("leave a scheduler that is silent", () => {
    const world = new World(speech);
    world.add();
    world.pass(15_000);
    expect(world.sent.map(({ schedulerId }) => schedulerId)).toEqual(["a", "b"]);
  });

  it.each([
    "draining",
    "no_worker",
  ] as const)("go to another scheduler when the first that is asked says %s, and are refused there as a new stream is", (code) => {
    const world = new World(recording);
    world.add();
    world.verdict(0, 0, code);
    expect(world.sent.map(({ schedulerId }) => schedulerId)).toEqual(["a", "b"]);
    world.verdict(0, 0, "refused");
    expect([world.machine.refusal?.code, world.endings]).toEqual(["overloaded", [["overloaded"]]]);
  });

  it("wait a second for the successor of the only scheduler", () => {
    const [waiting, served] = [new World(live), new World(live)];
    for (const world of [waiting, served]) {
      world.alive.delete("b");
      world.add();
      world.verdict(0, 0, "draining");
      world.verdict(0, 0, "draining");
      expect([world.machine.refusal, world.sent.length]).toEqual([null, 2]);
      world.pass(500);
      world.verdict(0, 0, "draining");
    }
    served.alive.add("b");
    served.pass(OFFER_AGAIN_MS);
    expect(served.sent.at(-1)?.schedulerId).toBe("b");
    served.complete(0);
    waiting.pass(600);
    waiting.verdict(0, 0, "draining");
    expect([waiting.endings, served.endings]).toEqual([[["draining"]], [["complete"]]]);
  });

  it("are not troubled by reports about attempts that are over", () => {
    const world = new World(speech);
    world.add();
    world.verdict(0, 0, "lost");
    for (let times = 0; times < 5; times++) {
      world.verdict(0, 1, "lost");
      world.failed(0, 1, true);
    }
    expect(world.sent.length).toBe(2);
    expect(world.endings).toEqual([[]]);
  });
});
