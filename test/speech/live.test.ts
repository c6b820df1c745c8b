import { decode, encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type WebSocket from "ws";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { openLive, speakLive } from "../harness/live-client.js";
import { until } from "../harness/processes.js";
import { decodeWithFfmpeg, soundingShare } from "../harness/audio.js";

const pcm = { format: "pcm", sample_rate: 24_000 };

describe("WebSocket /v1/tts/live", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    // Sockets close soon after finish, also those of clients that flush all they write.
    cluster = await startCluster({ settings: { PARLEY_LIVE_REUSE_SECONDS: "1" } });
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  const speak = (request: Record<string, unknown>, events: Parameters<typeof speakLive>[0]["events"], model?: string) =>
    speakLive({
      baseUrl: cluster.baseUrl,
      apiKey: cluster.apiKey,
      request,
      events,
      ...(model === undefined ? {} : { model }),
    });

  /** A socket that the test drives, with what has come so far. */
  async function conversation(): Promise<{
    socket: WebSocket;
    send: (event: object) => void;
    audioBytes: () => number;
    finish: () => unknown;
  }> {
    const socket = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
    let audioBytes = 0;
    let finish: unknown = null;
    socket.on("message", (data: Buffer) => {
      const event = decode(data) as { event: string; audio?: Uint8Array };
      if (event.event === "audio") audioBytes += event.audio!.byteLength;
      else finish = event;
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return { socket, send: (event) => socket.send(encode(event)), audioBytes: () => audioBytes, finish: () => finish };
  }

  it("speaks while the text is still arriving, word by word", async () => {
    const { socket, send, audioBytes, finish } = await conversation();
    send({ event: "start", request: { text: "", ...pcm } });
    const words =
      "Well, here is the first clause, and this is the rest of a sentence that has not been written to its end".split(
        " ",
      );
    let spokeAfterWord = -1;
    for (const [index, word] of words.entries()) {
      send({ event: "text", text: `${word} ` });
      if (spokeAfterWord < 0 && index === 7) {
        await until(() => audioBytes() > 0, {
          withinMs: 5000,
          what: "sound of the first clause, the sentence being unfinished",
        });
        spokeAfterWord = index;
      }
    }
    expect(spokeAfterWord).toBe(7);
    send({ event: "stop" });
    await until(() => finish() !== null, { withinMs: 10_000, what: "the end" });
    expect(finish()).toEqual({ event: "finish", reason: "stop" });
    socket.terminate();
  });

  it("gives the same bytes however the text is cut into events", async () => {
    const text = "One sentence, in two parts. Another one! And (a third), with 3.14 and Dr. Who? Yes. ";
    const whole = await speak(pcm, [text, { event: "stop" }]);
    const letters = await speak(pcm, [...[...text], { event: "stop" }]);
    expect(Buffer.compare(letters.audio, whole.audio)).toBe(0);
    expect(
      soundingShare(
        await decodeWithFfmpeg(whole.audio, { inputArguments: ["-f", "s16le", "-ar", "24000", "-ac", "1"] }),
      ),
    ).toBeGreaterThan(0.5);
  });

  it("sends no frame below 2 KB but the last, and ends with finish and code 1000", async () => {
    const result = await speak(pcm, [
      "A sentence of some length, so that there are frames. ",
      "And another. ",
      { event: "stop" },
    ]);
    expect(result.frameBytes.slice(0, -1).every((bytes) => bytes >= 1026)).toBe(true);
    expect([result.finish, result.closeCode]).toEqual([{ reason: "stop" }, 1000]);
  });

  it("writes the wav header once, in the first frame", async () => {
    const result = await speak({ format: "wav" }, [
      "First sentence here. ",
      { event: "flush" },
      "Second sentence here. ",
      { event: "stop" },
    ]);
    expect(Buffer.from(result.audio).toString("latin1").split("WAVEfmt ").length - 1).toBe(1);
    expect(Buffer.from(result.audio.subarray(0, 4)).toString()).toBe("RIFF");
  });

  it.each([
    "pcm",
    "mp3",
    "opus",
    "wav",
  ])("stays open after a flush whose sound came wholly, and speaks on (%s)", async (format) => {
    const whole = (await speak({ format }, ["Hello there.", { event: "stop" }])).audio.byteLength;
    const { socket, send, audioBytes, finish } = await conversation();
    send({ event: "start", request: { text: "", format } });
    for (let utterance = 1; utterance <= 3; utterance++) {
      send({ event: "text", text: "Hello there." });
      send({ event: "flush" });
      // Nothing is held back for the next utterance: as much as the whole utterance takes alone, less the container's
      // head and variable bitrate.
      await until(() => audioBytes() >= whole * 0.9 * utterance, {
        withinMs: 10_000,
        what: `utterance ${utterance} to sound wholly`,
      });
      expect([finish(), socket.readyState]).toEqual([null, 1]);
    }
    socket.terminate();
  });

  it("speaks a sentence that nobody ends: the text pauses after its full stop", async () => {
    const { socket, send, audioBytes } = await conversation();
    send({ event: "start", request: { text: "", latency: "low", ...pcm } });
    send({ event: "text", text: "This is a whole sentence." });
    await until(() => audioBytes() > 20_000, { withinMs: 5000, what: "sound without flush or stop" });
    socket.terminate();
  });

  it("speaks the beginning of a sentence when there is nothing left to hear before it", async () => {
    const clause = "Well, here is the first clause,";
    const alone = await speak(pcm, [clause, { event: "stop" }]);
    const { socket, send, audioBytes } = await conversation();
    send({ event: "start", request: { text: "", ...pcm } });
    send({ event: "text", text: `${clause} and this is the rest of a sentence that has not been written to its e` });
    await until(() => audioBytes() > alone.audio.byteLength + 20_000, {
      withinMs: 10_000,
      what: "sound of the rest, without a mark, flush or stop",
    });
    socket.terminate();
  });

  describe("in the order of events of known clients", () => {
    const nulls = { reference_id: null, prosody: null, sample_rate: null, references: [] };

    it("fish-audio-python: start with nulls, text, stop", async () => {
      const request = {
        ...nulls,
        chunk_length: 200,
        format: "mp3",
        mp3_bitrate: 128,
        opus_bitrate: 32,
        normalize: true,
        latency: "balanced",
        temperature: 0.7,
        top_p: 0.7,
      };
      const result = await speak(request, ["Hello ", "from Python. ", { event: "stop" }], "s2-pro");
      expect([result.finish, soundingShare(await decodeWithFfmpeg(result.audio)) > 0.5]).toEqual([
        { reason: "stop" },
        true,
      ]);
    });

    it("LiveKit: text and flush per sentence, then stop", async () => {
      const request = {
        ...nulls,
        chunk_length: 100,
        format: "opus",
        opus_bitrate: 64_000,
        latency: "balanced",
        features: ["quality-guard"],
      };
      const events = [
        "One sentence. ",
        { event: "flush" },
        "Another sentence. ",
        { event: "flush" },
        { event: "stop" },
      ];
      const result = await speak(request, events, "s1");
      expect([result.finish, soundingShare(await decodeWithFfmpeg(result.audio)) > 0.4]).toEqual([
        { reason: "stop" },
        true,
      ]);
    });

    it("Pipecat: one socket for many utterances, frames above 1 KB", async () => {
      const request = {
        ...nulls,
        format: "pcm",
        sample_rate: 24_000,
        prosody: { speed: 1.0, volume: 0 },
        latency: "normal",
        normalize: true,
      };
      const events = [
        "First utterance of this call.",
        { event: "flush" },
        "Second utterance, a bit later.",
        { event: "flush" },
        { event: "stop" },
      ];
      const result = await speak(request, events, "s1");
      expect(result.frameBytes.filter((bytes) => bytes <= 1024).length).toBeLessThanOrEqual(2);
      expect(result.finish).toEqual({ reason: "stop" });
    });

    it("the legacy library: no model header, unknown fields, text in start", async () => {
      const result = await speak({ text: "Spoken from the start event.", model_id: "x", format: "mp3" }, [
        { event: "stop" },
      ]);
      expect(soundingShare(await decodeWithFfmpeg(result.audio))).toBeGreaterThan(0.5);
    });
  });
});
