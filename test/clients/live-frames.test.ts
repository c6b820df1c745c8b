import { decode, encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { openLive, speakLive } from "../harness/live-client.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";

const pcm = { inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "24000"] };
const flush = { event: "flush" };

/** Orders of frames on `/v1/tts/live` as voice-agent frameworks send them (docs/protocol.md "The live socket"). */
describe("the live socket, as frameworks use it", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster({ settings: { PARLEY_LIVE_REUSE_SECONDS: "3" } });
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  it("speaks for LiveKit: each sentence with a blank behind it and a flush, then stop", async () => {
    const result = await speakLive({
      ...cluster,
      request: {
        chunk_length: 100,
        latency: "balanced",
        format: "pcm",
        sample_rate: 24_000,
        opus_bitrate: 64_000,
        reference_id: null,
        normalize: true,
      },
      events: ["The first sentence is here. ", flush, "And this is the second one. ", flush, { event: "stop" }],
    });
    expect([result.finish, result.closeCode]).toEqual([{ reason: "stop" }, 1000]);
    const audio = await decodeWithFfmpeg(result.audio, pcm);
    expect(durationSeconds(audio)).toBeGreaterThan(2.5);
    expect(soundingShare(audio)).toBeGreaterThan(0.5);
  });

  it("speaks a second turn for LiveKit on the socket of the first, which its plugins keep in a pool, and closes it when none comes", async () => {
    const socket = openLive(cluster);
    const finishes: unknown[] = [];
    let turnBytes = 0;
    let finished: () => void = () => undefined;
    socket.on("message", (data: Buffer) => {
      const event = decode(data) as { event: string; audio?: Uint8Array };
      turnBytes += event.audio?.byteLength ?? 0;
      if (event.event === "finish") finishes.push(event);
      if (event.event === "finish") finished();
    });
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const request = {
      text: "",
      chunk_length: 100,
      format: "pcm",
      sample_rate: 24_000,
      references: [],
      reference_id: null,
      prosody: null,
      features: ["quality-guard"],
    };
    const secondsOf = async (sentences: string[]): Promise<number> => {
      turnBytes = 0;
      const whole = new Promise<void>((resolve) => (finished = resolve));
      const events = [
        { event: "start", request },
        ...sentences.flatMap((text) => [{ event: "text", text }, flush]),
        { event: "stop" },
      ];
      for (const event of events) socket.send(encode(event));
      await whole;
      return turnBytes / 48_000;
    };
    const first = await secondsOf(["How can I help you today? ", "I am all ears. "]);
    const again = await secondsOf(["How can I help you today? ", "I am all ears. "]);
    expect(first).toBeGreaterThan(1.5);
    expect(again).toBe(first);
    expect(finishes).toEqual([
      { event: "finish", reason: "stop" },
      { event: "finish", reason: "stop" },
    ]);
    expect(await closed).toBe(1000);
  });

  it("speaks for Pipecat: one start, utterance after utterance on an open socket, frames that it does not drop, stop at the end", async () => {
    const socket = openLive(cluster);
    const frames: Uint8Array[] = [];
    let received: () => void = () => undefined;
    const finished = new Promise<unknown>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("message", (data: Buffer) => {
        const event = decode(data) as { event: string; audio?: Uint8Array };
        if (event.event === "finish") resolve(event);
        if (event.audio !== undefined) frames.push(event.audio);
        received();
      });
    });
    const send = (event: object): void => socket.send(encode(event));
    const seconds = (): number => frames.reduce((sum, frame) => sum + frame.byteLength, 0) / 48_000;
    const audioOf = (atLeastSeconds: number): Promise<void> =>
      new Promise((resolve) => {
        received = () => seconds() >= atLeastSeconds && resolve();
        received();
      });
    await new Promise((resolve) => socket.once("open", resolve));
    const prosody = { speed: 1, volume: 0 };
    send({
      event: "start",
      request: {
        text: "",
        format: "pcm",
        sample_rate: 24_000,
        latency: "balanced",
        normalize: true,
        prosody,
        reference_id: null,
        temperature: null,
        top_p: null,
      },
    });
    for (const text of ["Hello, how can I help you today? ", "Let me look that up for you. "]) {
      const before = seconds();
      send({ event: "text", text });
      send(flush);
      await audioOf(before + 1);
    }
    send({ event: "stop" });
    expect(await finished).toEqual({ event: "finish", reason: "stop" });
    // The last frame of each utterance alone may be short: Pipecat drops what has 1,024 bytes or fewer.
    expect(frames.filter((frame) => frame.byteLength <= 1024).length).toBeLessThanOrEqual(2);
    expect(seconds()).toBeGreaterThan(2.5);
  });
});
