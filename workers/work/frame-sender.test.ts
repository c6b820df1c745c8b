import { expect, it } from "vitest";
import type { AudioFrame } from "#protocol/bus/audio";
import { bytesToSamples } from "#audio/pcm";
import { VirtualClock } from "#common/clock";
import { testChunk } from "../engines/testing/speak.js";
import { FrameSender } from "./frame-sender.js";

/** 100 ms of audio per piece. */
const SAMPLE_RATE = 1000;
const piece = (value: number): { samples: Int16Array; words: [] } => ({
  samples: new Int16Array(100).fill(value),
  words: [],
});

function setUp(): { sender: FrameSender; clock: VirtualClock; frames: AudioFrame[]; audio: () => number[] } {
  const clock = new VirtualClock();
  const frames: AudioFrame[] = [];
  const bus = { publish: (_: string, message: object) => void frames.push(message as AudioFrame) };
  const sender = new FrameSender({
    bus,
    clock,
    workerId: "w",
    chunk: testChunk("Hello"),
    sampleRate: SAMPLE_RATE,
    queuedUs: 7,
  });
  return { sender, clock, frames, audio: () => frames.flatMap((frame) => [...bytesToSamples(frame.pcm)]) };
}

it("sends the beginning piece by piece, the rest gathered, all of it in order", () => {
  const { sender, clock, frames, audio } = setUp();
  for (let i = 0; i < 8; i++) sender.send(piece(i));
  expect(frames.map((frame) => frame.firstSample)).toEqual([0, 100, 200]);
  clock.advance(10);
  expect(frames.slice(3).map(({ firstSample, last }) => [firstSample, last])).toEqual([
    [300, false],
    [600, false],
  ]);
  sender.send(piece(8));
  sender.finish();
  expect(frames.at(-1)).toMatchObject({ firstSample: 800, last: true });
  expect(audio()).toEqual(Array.from({ length: 900 }, (_, i) => Math.floor(i / 100)));
  clock.advance(1000);
  expect(frames.map((frame) => frame.timing !== null)).toEqual([true, false, false, false, false, false]);
});

it("makes no frame so long that other streams wait for its encoding", () => {
  const { sender, clock, frames, audio } = setUp();
  for (let i = 0; i < 30; i++) sender.send(piece(i));
  clock.advance(10);
  expect(frames.map((frame) => frame.pcm.length / 2)).toEqual([100, 100, 100, ...Array.from({ length: 9 }, () => 300)]);
  expect(audio().length).toBe(3000);
});

it("drops what it holds of a chunk that will not be completed", () => {
  const { sender, clock, frames } = setUp();
  for (let i = 0; i < 5; i++) sender.send(piece(i));
  sender.discard();
  clock.advance(1000);
  expect(frames.length).toBe(3);
});
