import { describe, expect, it } from "vitest";
import type { AudioFrame } from "#protocol/bus/audio";
import { defaultSampling, neutralDelivery } from "#protocol/speech/chunk";
import type { ChunkText } from "../chunking/chunker.js";
import { StreamMachine } from "./stream-machine.js";
import { livePacing } from "./stream-settings.js";

const machine = (): StreamMachine =>
  new StreamMachine({
    settings: {
      streamId: "stream",
      models: [{ name: "voice", languages: ["*"] }],
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
    ownerId: "edge",
    chooseScheduler: () => "scheduler",
  });

const piece = (characters: number): ChunkText => ({
  ...{ text: "x".repeat(characters), speaker: 0, delivery: neutralDelivery, pauseBeforeMs: 0, pauseAfterMs: 0 },
});

/** What the scheduler is told of the text, message by message. */
const messages = ({ submissions }: StreamMachine): unknown[] =>
  submissions.takeMessages().map(({ message }) => (message.type === "submit" ? message.following : message.type));

/** A chunk's audio, whole. */
const spoken = (chunkIndex: number, ms: number): AudioFrame => ({
  ...{ type: "audio", streamId: "stream", chunkIndex, attempt: 1, workerId: "w", firstSample: 0 },
  ...{ sampleRate: 8000, pcm: new Uint8Array(16 * ms), last: true, timing: null, words: [] },
});

/** Lets time pass as the stream's timer does; gives the times at which it asked for text. */
function askedAt(stream: StreamMachine, fromMs: number, toMs: number): number[] {
  const times: number[] = [];
  for (let nowMs = fromMs; nowMs <= toMs; nowMs = Math.max(nowMs + 1, stream.nextWakeMs(nowMs))) {
    stream.tick(nowMs);
    if (stream.takeEvents().some(({ type }) => type === "text-wanted")) times.push(nowMs);
  }
  return times;
}

describe("a stream asks for text", () => {
  it("once, shortly before its player runs dry, and again when what came then is nearly over", () => {
    const stream = machine();
    expect(askedAt(stream, 0, 10_000)).toEqual([]);
    stream.add([piece(20)], 10_000);
    expect(askedAt(stream, 10_000, 11_000)).toEqual([]);
    stream.frame(spoken(0, 2000), 11_000);
    expect(askedAt(stream, 11_000, 20_000)).toEqual([12_700]);
    expect(stream.wantsText).toBe(true);
    stream.add([piece(20)], 20_000);
    expect(stream.wantsText).toBe(false);
    stream.frame(spoken(1, 1000), 20_000);
    expect(askedAt(stream, 20_000, 30_000)).toEqual([20_700]);
  });

  it("not while chunks are to be spoken that last longer, nor once the text is over or the client is behind", () => {
    const stream = machine();
    stream.add([piece(20), piece(20)], 0);
    stream.frame(spoken(0, 2000), 0);
    expect(askedAt(stream, 0, 1700)).toEqual([]);
    stream.hold(true, 1700);
    expect(askedAt(stream, 1700, 9000)).toEqual([]);
    stream.hold(false, 9000);
    stream.end();
    expect(askedAt(stream, 9000, 20_000)).toEqual([]);
  });
});

describe("a stream's scheduler learns", () => {
  it("how much text stands behind each chunk", () => {
    const stream = machine();
    stream.add([piece(50), piece(10), piece(100), piece(70)], 0);
    expect(messages(stream)).toEqual([
      { size: 180, isAll: false },
      { size: 170, isAll: false },
      { size: 70, isAll: false },
    ]);
  });

  it("at once that the text is over, where it has all of it", () => {
    const stream = machine();
    stream.add([piece(20)], 0);
    stream.end();
    expect(messages(stream)).toEqual([{ size: 0, isAll: false }, "text-ended"]);
  });

  it("with the chunks that still wait that the text is over, and not apart", () => {
    const stream = machine();
    stream.add([piece(100), piece(30)], 0);
    stream.end();
    expect(messages(stream)).toEqual([{ size: 30, isAll: false }]);
    stream.frame(spoken(0, 1000), 0);
    expect(messages(stream)).toEqual([{ size: 0, isAll: true }]);
  });
});
