import { describe, expect, it } from "vitest";
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
    stream.frame(
      {
        ...{ type: "audio", streamId: "stream", chunkIndex: 0, attempt: 1, workerId: "w", firstSample: 0 },
        ...{ sampleRate: 8000, pcm: new Uint8Array(16_000), last: true, timing: null, words: [] },
      },
      0,
    );
    expect(messages(stream)).toEqual([{ size: 0, isAll: true }]);
  });
});
