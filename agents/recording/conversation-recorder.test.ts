import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import {
  decodeSegment,
  recordingEndName,
  type RecordingRole,
  type RecordingSegment,
  recordingSegmentName,
} from "#protocol/bus/recording";
import { bytesToSamples, samplesToBytes } from "#audio/pcm";
import { VirtualClock } from "#common/clock";
import { createLogger } from "#common/log";
import { type VoiceSource, VoiceQueue } from "../room/voice-queue.js";
import { ConversationRecorder } from "./conversation-recorder.js";
import type { RecordingMetrics } from "./recording-metrics.js";
import { SegmentWriter } from "./segment-writer.js";

const VOICE_RATE = 24_000;
const rates: Record<RecordingRole, number> = { agent: VOICE_RATE, user: 16_000 };
const log = createLogger("test", "fatal");

/** Plays ticks of 10 ms as LiveKit's source does; `played` is all that was heard, silence included, from 0 on. */
class Loudspeaker implements VoiceSource {
  readonly sampleRate = VOICE_RATE;
  readonly played: number[] = [];
  #queue: number[] = [];
  #onTaken: (() => void) | null = null;

  constructor(clock: VirtualClock) {
    const tick = (): void => {
      this.played.push(...(this.#queue.length >= 240 ? this.#queue.splice(0, 240) : Array(240).fill(0)));
      if (this.#queue.length <= 1440) this.#onTaken?.();
      clock.after(10, tick);
    };
    clock.after(10, tick);
  }

  capture(frame: Int16Array): Promise<void> {
    this.#queue.push(...frame);
    return this.#queue.length <= 1440 ? Promise.resolve() : new Promise((resolve) => (this.#onTaken = resolve));
  }

  clear(): void {
    this.#queue = [];
  }
}

let clock: VirtualClock;
let stored: Map<string, Uint8Array>;
let isStoreAway: boolean;
let counts: { stored: number; bytes: number; lost: number; failed: number };
const counted: RecordingMetrics = {
  stored(bytes) {
    counts.stored++;
    counts.bytes += bytes;
  },
  lost(segments) {
    counts.lost += segments;
  },
  failed: () => void counts.failed++,
};

beforeEach(() => {
  clock = new VirtualClock();
  stored = new Map();
  isStoreAway = false;
  counts = { stored: 0, bytes: 0, lost: 0, failed: 0 };
});

/** Time passes in steps of a millisecond, and promises react in between. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at++) {
    clock.advance(1);
    if (at % 5 === 0) await nextTurn();
  }
}

/** A recorder whose packets are the frames themselves. */
function scene(attempt = 1) {
  const frames = (role: RecordingRole) => ({
    encode: async (samples: Int16Array) => {
      const perFrame = rates[role] / 50;
      return Array.from({ length: samples.length / perFrame }, (_, frame) =>
        samplesToBytes(samples.slice(frame * perFrame, (frame + 1) * perFrame)),
      );
    },
    free: () => undefined,
  });
  const put = async (name: string, bytes: Uint8Array): Promise<void> => {
    if (isStoreAway) throw new Error("the store is away");
    stored.set(name, bytes);
  };
  const recorder = new ConversationRecorder({
    ...{ clock, log, voiceRate: VOICE_RATE },
    encoders: { agent: frames("agent"), user: frames("user") },
    writer: new SegmentWriter({ objects: { put }, clock, log, metrics: counted, sessionId: "s", attempt }),
  });
  const loudspeaker = new Loudspeaker(clock);
  return { recorder, loudspeaker, voice: recorder.trackOf(new VoiceQueue(loudspeaker, clock)) };
}

function segments(attempt = 1): RecordingSegment[] {
  const found: RecordingSegment[] = [];
  for (let index = 0; ; index++) {
    const bytes = stored.get(recordingSegmentName("s", attempt, index));
    if (bytes === undefined) return found;
    found.push(decodeSegment(bytes));
  }
}

/** A track of all segments, as samples from the beginning of the recording. */
function trackOf(role: RecordingRole, attempt = 1): Int16Array {
  const perFrame = rates[role] / 50;
  const all = segments(attempt);
  const frames = Math.max(0, ...all.map(({ startFrame, packets }) => startFrame + packets[role].length));
  const samples = new Int16Array(frames * perFrame);
  for (const { startFrame, packets } of all)
    for (const [index, packet] of packets[role].entries())
      samples.set(bytesToSamples(packet), (startFrame + index) * perFrame);
  return samples;
}

const ramp = (count: number, from = 1): Int16Array => Int16Array.from({ length: count }, (_, index) => from + index);
const msOf = (samples: Int16Array, value: number, rate: number): number => (samples.indexOf(value) * 1000) / rate;

/** Says something from the caller's side for a while, in real time. */
async function callerSays(recorder: ConversationRecorder, value: number, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10) {
    await pass(10);
    recorder.addCaller(new Int16Array(160).fill(value));
  }
}

describe("the recorder of a conversation", () => {
  it("stores nothing before the caller has joined, and nothing of a session that nobody joined", async () => {
    const { recorder, voice } = scene();
    recorder.addCaller(new Int16Array(160).fill(1));
    void voice.write(ramp(2400));
    await pass(5000);
    await recorder.close({ isComplete: true });
    expect([...stored.keys()]).toEqual([]);
  });

  it("has the agent's voice as it was played, and both sides on one time line", async () => {
    const { recorder, voice, loudspeaker } = scene();
    await pass(1000);
    recorder.begin(0);
    await callerSays(recorder, 7, 300);
    const reply = (async () => {
      for (let from = 0; from < 24_000; from += 480) await voice.write(ramp(480, from + 1));
    })();
    await callerSays(recorder, 0, 1500);
    await reply;
    await callerSays(recorder, 9, 400);
    await recorder.close({ isComplete: true });
    const [agent, user] = [trackOf("agent"), trackOf("user")];
    // The loudspeaker has played for a second before the caller joined.
    expect(
      Math.abs(msOf(agent, 1, VOICE_RATE) + 1000 - msOf(Int16Array.from(loudspeaker.played), 1, VOICE_RATE)),
    ).toBeLessThanOrEqual(20);
    expect([...agent.subarray(agent.indexOf(1), agent.indexOf(1) + 23_000)]).toEqual([...ramp(23_000)]);
    expect(Math.abs(msOf(user, 7, 16_000))).toBeLessThanOrEqual(20);
    expect(Math.abs(msOf(user, 9, 16_000) - 1800)).toBeLessThanOrEqual(20);
    expect([agent.length / VOICE_RATE, user.length / 16_000]).toEqual([2.2, 2.2]);
    expect(stored.has(recordingEndName("s", 1))).toBe(true);
  });

  it("ends where an interruption cut the voice, and has the next reply where that was heard", async () => {
    const { recorder, voice, loudspeaker } = scene();
    recorder.begin(0);
    void voice.write(ramp(24_000));
    await pass(400);
    voice.clear();
    await pass(700);
    void voice.write(ramp(4800, 30_000));
    await pass(2000);
    await recorder.close({ isComplete: true });
    const [agent, played] = [trackOf("agent"), Int16Array.from(loudspeaker.played)];
    const [last, lastPlayed] = [
      Math.max(...agent.filter((sample) => sample < 30_000)),
      Math.max(...played.filter((sample) => sample < 30_000)),
    ];
    expect(Math.abs(last - lastPlayed)).toBeLessThanOrEqual(480);
    expect(Math.abs(msOf(agent, 30_000, VOICE_RATE) - msOf(played, 30_000, VOICE_RATE))).toBeLessThanOrEqual(20);
  });

  it("loses at most five seconds when the process is killed at any moment", async () => {
    const { recorder } = scene();
    recorder.begin(0);
    for (let second = 1; second <= 20; second++) {
      await callerSays(recorder, second, 1000);
      expect(second - trackOf("user").length / 16_000).toBeLessThanOrEqual(4);
    }
  });

  it("puts what a busy process received late where it was", async () => {
    const { recorder } = scene();
    recorder.begin(0);
    await callerSays(recorder, 1, 500);
    await pass(700);
    for (let piece = 0; piece < 70; piece++) recorder.addCaller(new Int16Array(160).fill(2));
    await callerSays(recorder, 3, 300);
    await recorder.close({ isComplete: false });
    const user = trackOf("user");
    expect(Math.abs(msOf(user, 2, 16_000) - 500)).toBeLessThanOrEqual(60);
    expect(Math.abs(msOf(user, 3, 16_000) - 1200)).toBeLessThanOrEqual(60);
    expect(user.filter((sample) => sample === 2).length).toBe(70 * 160);
    expect(stored.has(recordingEndName("s", 1))).toBe(false);
  });

  it("goes on in another runtime at the time that it is by then", async () => {
    const { recorder } = scene(2);
    recorder.begin(12_345);
    await callerSays(recorder, 5, 1000);
    await recorder.close({ isComplete: true });
    expect(segments(2)[0]?.startFrame).toBe(618);
    expect(Math.abs(msOf(trackOf("user", 2), 5, 16_000) - 12_345)).toBeLessThanOrEqual(40);
  });

  it("stores what waited when the object store is back, in order, and gives up in time at the end", async () => {
    const { recorder } = scene();
    recorder.begin(0);
    isStoreAway = true;
    await callerSays(recorder, 1, 9000);
    expect(stored.size).toBe(0);
    expect(counts).toMatchObject({ stored: 0, lost: 0 });
    expect(counts.failed).toBeGreaterThan(3);
    isStoreAway = false;
    await callerSays(recorder, 2, 3000);
    const starts = segments().map(({ startFrame }) => startFrame);
    expect(starts.slice(0, 4)).toEqual([0, 100, 200, 300]);
    const bytes = [...stored.values()].reduce((sum, segment) => sum + segment.byteLength, 0);
    expect(counts).toMatchObject({ stored: starts.length, bytes, lost: 0 });
    isStoreAway = true;
    let isClosed = false;
    void recorder.close({ isComplete: true }).then(() => (isClosed = true));
    await pass(4000);
    expect(isClosed).toBe(false);
    await pass(2000);
    expect([isClosed, stored.has(recordingEndName("s", 1))]).toEqual([true, false]);
    expect(counts.lost).toBeGreaterThan(0);
  });
});
