import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { SOURCE_QUEUE_MS, VoiceQueue, type VoiceSource } from "./voice-queue.js";

const RATE = 16_000;
const TICK = RATE / 100;

/**
 * Plays as the native source does: every 10 ms a tick of what it has, or silence where it has less than one; takes a
 * frame at once, and says so when no more than its queue's length is left.
 */
class FakeSource implements VoiceSource {
  readonly sampleRate = RATE;
  /** Samples that were played, silence left out. */
  readonly played: number[] = [];
  silentTicks = 0;
  #queue: number[] = [];
  #onTaken: (() => void) | null = null;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.#tickLater();
  }

  get queued(): number {
    return this.#queue.length;
  }

  capture(frame: Int16Array): Promise<void> {
    if (frame.length % TICK !== 0) throw new RangeError("a part of a tick");
    if (this.#onTaken !== null) throw new Error("a frame is on its way already");
    this.#queue.push(...frame);
    if (this.#queue.length <= this.#most) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onTaken = resolve;
    });
  }

  clear(): void {
    this.#queue = [];
  }

  get #most(): number {
    return (RATE * SOURCE_QUEUE_MS) / 1000;
  }

  #tickLater(): void {
    this.#clock.after(10, () => {
      if (this.#queue.length >= TICK) this.played.push(...this.#queue.splice(0, TICK));
      else this.silentTicks++;
      if (this.#queue.length <= this.#most) {
        this.#onTaken?.();
        this.#onTaken = null;
      }
      this.#tickLater();
    });
  }
}

function scene() {
  const clock = new VirtualClock();
  const source = new FakeSource(clock);
  return { clock, source, queue: new VoiceQueue(source, clock) };
}

/** Time passes in steps of a millisecond, and promises react in between. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let at = 0; at < ms; at++) {
    clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const ramp = (count: number, from = 1): Int16Array => Int16Array.from({ length: count }, (_, index) => from + index);

describe("the queue of an agent's voice", () => {
  it("plays everything in order, whatever the pieces it is written in", async () => {
    const { clock, source, queue } = scene();
    const writing = (async () => {
      let from = 1;
      for (const count of [7, 333, 5000, 160, 1, 4000]) {
        await queue.write(ramp(count, from));
        from += count;
      }
    })();
    await pass(clock, 1000);
    await writing;
    expect(source.played.slice(0, 9501)).toEqual([...ramp(9501)]);
    // What is missing of the last tick is silence.
    expect(source.played.slice(9501).every((sample) => sample === 0)).toBe(true);
    expect(source.played.length).toBeLessThan(9501 + TICK);
    expect(queue.queuedMs()).toBe(0);
  });

  it("lets a writer on when there is room, and holds it to real time", async () => {
    const { clock, source, queue } = scene();
    let written = 0;
    const stop = { now: false };
    const writing = (async () => {
      while (!stop.now) {
        await queue.write(new Int16Array(TICK * 2).fill(1));
        written += 2;
      }
    })();
    await pass(clock, 1000);
    stop.now = true;
    expect(written * 10).toBeGreaterThanOrEqual(1000);
    expect(written * 10).toBeLessThanOrEqual(1000 + SOURCE_QUEUE_MS + 40);
    // Nothing was missing in between.
    expect(source.silentTicks).toBeLessThanOrEqual(1);
    queue.clear();
    await pass(clock, 30);
    await writing;
  });

  it("knows within a tick how much has not been played", async () => {
    const { clock, source, queue } = scene();
    await pass(clock, 7);
    const all = RATE;
    void queue.write(ramp(all));
    for (let at = 0; at < 1100; at += 13) {
      await pass(clock, 13);
      const unplayedMs = ((all - source.played.length) * 1000) / RATE;
      expect(Math.abs(queue.queuedMs() - unplayedMs)).toBeLessThanOrEqual(10);
    }
    expect(queue.queuedMs()).toBe(0);
  });

  it("does not count twice what a busy process learned late", async () => {
    const { clock, source, queue } = scene();
    const capture = source.capture.bind(source);
    let calls = 0;
    source.capture = async (frame) => {
      await capture(frame);
      calls += 1;
      if (calls === 10) await new Promise<void>((resolve) => clock.after(55, resolve));
    };
    const all = TICK * 2 * 13;
    await Promise.all([queue.write(ramp(all)), pass(clock, 400)]);
    void queue.write(ramp(all));
    await pass(clock, 1);
    for (let at = 0; at < 300; at += 10) {
      await pass(clock, 10);
      const unplayedMs = ((2 * all - source.played.length) * 1000) / RATE;
      expect(queue.queuedMs() - unplayedMs).toBeLessThanOrEqual(20);
    }
  });

  it("is silent at once when it is cleared, and plays only what is written after", async () => {
    const { clock, source, queue } = scene();
    const first = queue.write(ramp(RATE));
    await pass(clock, 205);
    const played = source.played.length;
    queue.clear();
    expect(queue.queuedMs()).toBe(0);
    await first;
    await pass(clock, 50);
    expect(source.played.length).toBe(played);
    void queue.write(ramp(TICK * 3, 20_000));
    await pass(clock, 80);
    expect(source.played.slice(played)).toEqual([...ramp(TICK * 3, 20_000)]);
  });

  it("throws away a frame that reaches the source after it was cleared", async () => {
    const { clock, source, queue } = scene();
    // The library hands a frame over later than it takes it.
    const capture = source.capture.bind(source);
    source.capture = (frame) => new Promise((resolve) => clock.after(3, () => resolve(capture(frame))));
    void queue.write(ramp(TICK * 2));
    await pass(clock, 1);
    queue.clear();
    await pass(clock, 60);
    expect(source.played.length).toBeLessThanOrEqual(TICK);
    expect(source.queued).toBe(0);
    expect(queue.queuedMs()).toBe(0);
  });

  it("holds a writer to real time when its source is gone", async () => {
    const { clock, source, queue } = scene();
    source.capture = () => Promise.reject(new Error("closed"));
    let written = 0;
    const stop = { now: false };
    const writing = (async () => {
      while (!stop.now) {
        await queue.write(new Int16Array(TICK * 2));
        written += 20;
      }
    })();
    await pass(clock, 500);
    expect(written).toBeGreaterThan(400);
    expect(written).toBeLessThan(600);
    stop.now = true;
    await pass(clock, 50);
    await writing;
  });

  it("takes only rates whose ticks are whole samples", () => {
    const clock = new VirtualClock();
    const source: VoiceSource = { sampleRate: 22_050, capture: () => Promise.resolve(), clear: () => undefined };
    expect(() => new VoiceQueue(source, clock)).toThrow("multiple of 100");
  });
});
