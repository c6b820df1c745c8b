import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { multiSpeechInputFrames, speechInputFrames } from "#protocol/compat/elevenlabs-socket";
import { ServiceError } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../../http/exchange.js";
import { expectedSamples } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingConnection, SpeechBench, testPrincipal } from "../../speech/testing/speech-bench.js";
import { inputSocketRoute } from "./input-socket.js";

/** Every frame is one of those that the protocol declares for its socket, with nothing else in it. */
const frameOf = (frames: typeof speechInputFrames | typeof multiSpeechInputFrames) =>
  z.union([frames.error.strict(), frames.final.strict(), frames.audio.strict()]);
const singleFrame = frameOf(speechInputFrames);
const multiFrame = frameOf(multiSpeechInputFrames);

interface Frame {
  audio?: string | undefined;
  alignment?: { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] } | undefined;
  normalizedAlignment?: Frame["alignment"];
  isFinal?: true;
  error?: string;
  code?: number;
  contextId?: string | undefined;
}

/** A client on one socket over a scripted cluster. Its key is `good`; others are refused, none at all too. */
class Client {
  readonly bench: SpeechBench;
  readonly connection = new RecordingConnection();
  #session: SocketSession | null = null;
  #isMulti = false;

  constructor(environment: Record<string, string> = {}, bench = new SpeechBench(environment)) {
    this.bench = bench;
    this.bench.context.authenticate = async (request) => {
      const key = request.header("authorization");
      if (key === undefined) throw new ServiceError("unauthenticated");
      if (key !== "Bearer good") throw new ServiceError("invalid_token");
      return testPrincipal;
    };
  }

  async connect(
    options: { query?: string; headers?: Record<string, string>; isMulti?: boolean; voice?: string } = {},
  ): Promise<this> {
    const {
      query = "output_format=pcm_8000",
      headers = { "xi-api-key": "good" },
      isMulti = false,
      voice = "default",
    } = options;
    this.#isMulti = isMulti;
    const request = { ...jsonRequest({}, headers), query, parameters: { voice_id: voice } };
    this.#session = (await inputSocketRoute(this.bench.context, isMulti).upgrade(request))(this.connection);
    return this;
  }

  async send(...frames: object[]): Promise<void> {
    for (const frame of frames) this.#session?.message(Buffer.from(JSON.stringify(frame)), false);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }

  /** The socket is gone. */
  leave(): void {
    this.#session?.end();
  }

  drain(): void {
    this.#session?.drain?.();
  }

  get received(): Frame[] {
    const frame = this.#isMulti ? multiFrame : singleFrame;
    return this.connection.sent.map((sent) => frame.parse(JSON.parse(Buffer.from(sent).toString())));
  }

  get closeCode(): number | undefined {
    return this.connection.closedWith?.code;
  }

  /** Texts of the pieces that were spoken. */
  get pieces(): string[] {
    return this.bench.cluster.submits.map(({ submit }) => submit.chunk.text);
  }
}

describe("stream-input without a key in its head", () => {
  it.each([false, true])("is closed when none has come within ten seconds (several contexts: %s)", async (isMulti) => {
    const client = await new Client().connect({ headers: {}, isMulti });
    await client.bench.pass(9900);
    expect(client.connection.closedWith).toBeNull();
    await client.bench.pass(200);
    expect(client.received).toEqual([{ error: "Missing API key", code: 401 }]);
    expect(client.closeCode).toBe(1008);
  });

  it("stays open once its first frame has brought one, and takes no part of the team's streams before", async () => {
    const client = await new Client({ PARLEY_STREAMS_PER_TEAM: "1" }).connect({ headers: {} });
    expect(() => client.bench.context.teamSlots.check(testPrincipal)).not.toThrow();
    await client.bench.pass(9000);
    await client.send({ text: " ", xi_api_key: "good" });
    expect(() => client.bench.context.teamSlots.check(testPrincipal)).toThrow();
    await client.bench.pass(60_000);
    expect([client.received, client.connection.closedWith]).toEqual([[], null]);
  });

  it("waits for the answer about a key that came in time", async () => {
    const client = new Client();
    client.bench.context.authenticate = () =>
      new Promise((resolve) => client.bench.clock.after(4000, () => resolve(testPrincipal)));
    await client.connect({ headers: {} });
    await client.bench.pass(9000);
    await client.send({ text: " ", xi_api_key: "good" }, { text: "Hello there. " }, { text: "" });
    await client.bench.pass(8000);
    expect([client.closeCode, client.pieces]).toEqual([1000, ["Hello there."]]);
  });

  it.each<[string, object, number, string]>([
    ["none", { text: "Hello. " }, 401, "Missing API key"],
    ["a wrong one", { text: " ", xi_api_key: "bad" }, 401, "No permission"],
  ])("is closed at once when the first frame holds %s", async (_what, frame, code, error) => {
    const client = await new Client().connect({ headers: {} });
    await client.send(frame);
    expect([client.received, client.closeCode]).toEqual([[{ error, code }], 1008]);
  });

  it("is one of few of its address", async () => {
    const { bench } = new Client();
    const clients = await Promise.all(Array.from({ length: 32 }, () => new Client({}, bench).connect({ headers: {} })));
    await expect(new Client({}, bench).connect({ headers: {} })).rejects.toMatchObject({ code: "too_many_requests" });
    await new Client({}, bench).connect();
    await clients[0]?.send({ text: " ", xi_api_key: "good" });
    await new Client({}, bench).connect({ headers: {} });
    await expect(new Client({}, bench).connect({ headers: {} })).rejects.toMatchObject({ code: "too_many_requests" });
    await bench.pass(10_100);
    await new Client({}, bench).connect({ headers: {} });
  });
});

it.each([false, true])("stream-input is closed when its key is revoked (several contexts: %s)", async (isMulti) => {
  const client = await new Client().connect({ headers: {}, isMulti });
  await client.send({ text: " ", xi_api_key: "good" }, { text: "Hello there, you all. ", flush: true });
  await client.bench.pass(100);
  client.bench.keys.revoke();
  expect([client.received.at(-1), client.closeCode]).toEqual([{ error: "No permission", code: 401 }, 1008]);
  expect(client.bench.context.speech.activeStreams).toBe(0);
});

describe("the end of stream-input", () => {
  const hello = { text: "Hello there. " };

  it.each<[string, object[]]>([
    ["an empty text", [{ text: " " }, hello, { text: "" }]],
    ["an empty text with flush", [{ text: " " }, hello, { text: "", flush: true }]],
    ["an empty text with a trigger", [{ text: " " }, hello, { text: "", try_trigger_generation: true }]],
  ])("comes with %s, after the last audio", async (_what, frames) => {
    const client = await new Client().connect();
    await client.send(...frames);
    await client.bench.pass(3000);
    const [chunk] = client.bench.cluster.submits.map(({ submit }) => submit.chunk);
    const audio = Buffer.concat(client.received.map((frame) => Buffer.from(frame.audio ?? "", "base64")));
    expect(audio.equals(samplesToBytes(expectedSamples(chunk!)))).toBe(true);
    expect([client.received.at(-1), client.closeCode]).toEqual([{ isFinal: true }, 1000]);
  });

  it.each<[string, object]>([
    ["an empty text", { text: "" }],
    ["an empty text with flush", { text: "", flush: true }],
  ])("comes at once when the first frame is %s", async (_what, frame) => {
    const client = await new Client().connect();
    await client.send(frame);
    expect([client.received, client.closeCode]).toEqual([[{ isFinal: true }], 1000]);
    expect(() => client.bench.context.teamSlots.check(testPrincipal)).not.toThrow();
  });

  it("waits for a client that still writes when the server stops", async () => {
    const client = await new Client().connect();
    await client.send({ text: "One sentence is here. " });
    client.drain();
    await client.bench.pass(1500);
    await client.send({ text: "And another one." });
    await client.bench.pass(1500);
    expect(client.received.some(({ isFinal }) => isFinal === true)).toBe(false);
    await client.bench.pass(3000);
    expect(client.pieces.map((piece) => piece.trim()).join(" ")).toBe("One sentence is here. And another one.");
    expect(client.received.at(-1)?.isFinal).toBe(true);
  });

  it("comes with no frame without a text", async () => {
    const client = await new Client().connect();
    await client.send({ text: " " }, hello, { flush: true }, {}, { text: null });
    await client.bench.pass(3000);
    expect([client.received.at(-1)?.isFinal, client.connection.closedWith]).toEqual([undefined, null]);
  });
});

describe("the contexts of multi-stream-input", () => {
  const slots = (client: Client) => client.bench.context.teamSlots;
  const open = (contextId: string): object => ({ text: "Hello there. ", context_id: contextId });

  it("are a stream of the team each; the socket is none", async () => {
    const client = await new Client({ PARLEY_STREAMS_PER_TEAM: "3" }).connect({ isMulti: true });
    const releases = [1, 2, 3].map(() => slots(client).take(testPrincipal));
    expect(() => slots(client).check(testPrincipal)).toThrow();
    for (const release of releases) release();
    await client.send(open("a"), open("b"));
    const last = slots(client).take(testPrincipal);
    expect(() => slots(client).check(testPrincipal)).toThrow();
    last();
  });

  it("past the limit are told so; the others live on, and their places are free when they end", async () => {
    const client = await new Client({ PARLEY_STREAMS_PER_TEAM: "2" }).connect({ isMulti: true });
    await client.send(open("a"), open("b"), open("c"));
    expect(client.received).toEqual([{ contextId: "c", code: 429, error: expect.any(String) }]);
    await client.send({ context_id: "a", close_context: true });
    await client.bench.pass(3000);
    expect(client.received.at(-1)).toEqual({ isFinal: true, contextId: "a" });
    expect(client.received.some(({ audio, contextId }) => audio !== undefined && contextId === "b")).toBe(true);
    await client.send({ text: "Hello again. ", context_id: "c" }, { context_id: "c", close_context: true });
    await client.bench.pass(3000);
    expect([client.received.at(-1), client.closeCode]).toEqual([{ isFinal: true, contextId: "c" }, undefined]);
  });

  it.each<[string, (client: Client) => Promise<void> | void]>([
    [
      "an error of its own",
      async (client) => {
        await client.send({ text: "a".repeat(1024 * 1024 + 1), context_id: "a" });
        // A large frame is decoded on a thread.
        await vi.waitFor(
          () => expect(client.received).toEqual([{ contextId: "a", code: 1009, error: expect.any(String) }]),
          10_000,
        );
      },
    ],
    ["the end of the socket", (client) => client.leave()],
    [
      "close_socket",
      async (client) => {
        await client.send({ close_socket: true });
        await client.bench.pass(3000);
      },
    ],
  ])("give their place back with %s", async (_what, end) => {
    const client = await new Client({ PARLEY_STREAMS_PER_TEAM: "1" }).connect({ isMulti: true });
    await client.send(open("a"));
    expect(() => slots(client).check(testPrincipal)).toThrow();
    await end(client);
    expect(() => slots(client).check(testPrincipal)).not.toThrow();
  });

  it("do not begin for a client that left while its key was checked", async () => {
    const client = new Client({ PARLEY_STREAMS_PER_TEAM: "1" });
    client.bench.context.authenticate = () =>
      new Promise((resolve) => client.bench.clock.after(1000, () => resolve(testPrincipal)));
    await client.connect({ headers: {}, isMulti: true });
    await client.send({ ...open("a"), xi_api_key: "good" });
    client.leave();
    await client.bench.pass(3000);
    expect(() => slots(client).check(testPrincipal)).not.toThrow();
    expect(client.pieces).toEqual([]);
  });
});

describe("try_trigger_generation", () => {
  const text =
    "Good evening, dear listeners, and welcome. Tonight we speak about the long way of a letter that nobody in this town ever sent.";
  const phrases = [
    "Good evening,",
    "dear listeners,",
    "and welcome.",
    "Tonight we speak about the long way of a letter",
    "that nobody in this town ever sent.",
  ];
  /** What the official Python library sends first, and then with every word, ten milliseconds apart. */
  const init = { text: " ", try_trigger_generation: true, generation_config: { chunk_length_schedule: [50] } };
  const asked = (word: string): object => ({ text: word, try_trigger_generation: true });

  it.each([false, true])("with each word gives phrases, not words (several contexts: %s)", async (isMulti) => {
    const client = await new Client().connect({ isMulti });
    const of = (frame: object): object => (isMulti ? { ...frame, context_id: "a" } : frame);
    await client.send(of(init));
    for (const word of text.split(/(?<= )/)) {
      await client.send(of(asked(word)));
      client.bench.clock.advance(10);
    }
    await client.send(isMulti ? { context_id: "a", close_context: true } : { text: "" });
    await client.bench.pass(10_000);
    expect(client.pieces).toEqual(phrases);
  });

  it("gives the same phrases when the words come faster than the voice is looked up", async () => {
    const client = await new Client().connect();
    await client.send(init, ...text.split(/(?<= )/).map(asked), { text: "" });
    await client.bench.pass(10_000);
    expect(client.pieces).toEqual(phrases);
  });

  it("says nothing for the blank of the first frame", async () => {
    const client = await new Client().connect();
    await client.send(init);
    await client.bench.pass(2000);
    expect([client.pieces, client.received]).toEqual([[], []]);
  });

  it("speaks an unfinished phrase 300 ms after the last text, whenever the trigger came", async () => {
    const client = await new Client().connect();
    await client.send(init, asked("We are "));
    await client.bench.pass(280);
    expect(client.pieces).toEqual([]);
    await client.send({ text: "waiting " });
    await client.bench.pass(280);
    expect(client.pieces).toEqual([]);
    await client.bench.pass(40);
    expect(client.pieces).toEqual(["We are waiting"]);

    await client.send({ text: "for nobody " });
    await client.bench.pass(1000);
    expect(client.pieces).toEqual(["We are waiting"]);
    await client.send({ try_trigger_generation: true });
    await client.bench.pass(20);
    expect(client.pieces).toEqual(["We are waiting", "for nobody"]);
  });

  it("leaves what comes after it to wait for its own", async () => {
    const client = await new Client().connect();
    await client.send(init, asked("We are waiting, "), { text: "all of us " });
    await client.bench.pass(5000);
    expect(client.pieces).toEqual(["We are waiting,"]);
  });

  it("gives way to a flush, which speaks at once", async () => {
    const client = await new Client().connect();
    await client.send(init, asked("We are "), { text: "waiting", flush: true });
    expect(client.pieces).toEqual(["We are waiting"]);
    await client.bench.pass(3000);
    expect(client.pieces).toEqual(["We are waiting"]);
  });
});

describe("sync_alignment", () => {
  const text = "Hello there, my friend. How are you today? ";
  const frames = [{ text: " " }, { text }, { text: "" }];

  it("puts the times of the characters into the frames that carry their audio", async () => {
    const client = await new Client().connect({ query: "output_format=pcm_8000&sync_alignment=true" });
    await client.send(...frames);
    await client.bench.pass(5000);
    const spoken = client.received.slice(0, -1);
    expect(client.received.at(-1)).toEqual({ isFinal: true });
    expect(spoken.flatMap((frame) => frame.alignment?.chars ?? []).join("")).toBe(text);
    // What follows the last piece has no audio.
    expect(spoken.filter((frame) => frame.audio === undefined).map((frame) => frame.alignment?.chars)).toEqual([[" "]]);
    let fromMs = 0;
    for (const { audio, alignment, normalizedAlignment } of spoken.slice(0, -1)) {
      const toMs = fromMs + Buffer.from(audio ?? "", "base64").length / 16;
      expect(normalizedAlignment).toEqual(alignment);
      expect(alignment?.charStartTimesMs.every((ms) => ms >= Math.floor(fromMs) && ms <= Math.ceil(toMs))).toBe(true);
      fromMs = toMs;
    }
    const chunks = client.bench.cluster.submits.map(({ submit }) => submit.chunk);
    const audio = Buffer.concat(spoken.map((frame) => Buffer.from(frame.audio ?? "", "base64")));
    expect(audio.equals(Buffer.concat(chunks.map((chunk) => samplesToBytes(expectedSamples(chunk)))))).toBe(true);
  });

  it("is not there unless it was asked for", async () => {
    const client = await new Client().connect();
    await client.send(...frames);
    await client.bench.pass(5000);
    expect(
      client.received.every(
        (frame) => (frame.audio !== undefined || frame.isFinal === true) && frame.alignment === undefined,
      ),
    ).toBe(true);
  });

  it("is complete when a flush has been answered, the stream still open", async () => {
    const client = await new Client().connect({ query: "output_format=pcm_8000&sync_alignment=true" });
    await client.send({ text: " " }, { text: "Hello there, my friend", flush: true });
    await client.bench.pass(5000);
    expect(client.received.flatMap((frame) => frame.alignment?.chars ?? []).join("")).toBe("Hello there, my friend");
    expect(client.received.every((frame) => frame.audio !== undefined)).toBe(true);
  });

  it("holds nothing back from a client that reads slowly", async () => {
    const client = await new Client().connect({ query: "output_format=pcm_8000&sync_alignment=true" });
    client.connection.behind = true;
    await client.send(...frames);
    await client.bench.pass(8000);
    expect(client.closeCode).toBeUndefined();
    client.connection.catchUp();
    await client.bench.pass(8000);
    expect(client.received.flatMap((frame) => frame.alignment?.chars ?? []).join("")).toBe(text);
    expect([client.received.at(-1), client.closeCode]).toEqual([{ isFinal: true }, 1000]);
  });
});

describe("what stream-input refuses", () => {
  it.each([
    false,
    true,
  ])("more text than may wait, with the close code in the frame (several contexts: %s)", async (isMulti) => {
    const client = await new Client().connect({ isMulti });
    const frame = { text: "a".repeat(60_000), ...(isMulti ? { context_id: "a" } : {}) };
    await client.send(...Array.from({ length: 18 }, () => frame));
    expect(client.received).toMatchObject([{ code: 1009, error: expect.stringContaining("1048576") }]);
    // One context of several dies alone.
    expect(client.closeCode).toBe(isMulti ? undefined : 1009);
  });

  it.each([
    "mp3_22050_32",
    "pcm_22050",
    "wav_22050",
  ])("%s: by a frame where there is one stream, before the upgrade where there are several", async (format) => {
    const client = await new Client().connect({ query: `output_format=${format}` });
    expect([client.received, client.closeCode]).toMatchObject([[{ code: 400 }], 1000]);
    await expect(new Client().connect({ query: `output_format=${format}`, isMulti: true })).rejects.toMatchObject({
      code: "unsupported_format",
      status: 400,
    });
  });

  it("a model that there is not", async () => {
    await expect(new Client().connect({ query: "model_id=service/nonsense" })).rejects.toMatchObject({
      code: "unknown_model",
    });
    const client = await new Client().connect({ query: "model_id=service/nonsense", headers: {} });
    await client.send({ text: " ", xi_api_key: "good" });
    expect([client.received, client.closeCode]).toMatchObject([[{ code: 404 }], 1008]);
  });
});

describe("operators' aliases on stream-input", () => {
  it("name a voice and a model", async () => {
    const client = await new Client({
      PARLEY_VOICE_ALIASES: "Rachel=default",
      PARLEY_MODEL_ALIASES: "eleven_v3=s1",
    }).connect({ query: "output_format=pcm_8000&model_id=eleven_v3", voice: "Rachel" });
    await client.send({ text: " " }, { text: "Hello there. " }, { text: "" });
    await client.bench.pass(3000);
    expect([client.closeCode, client.bench.usage[0]?.model]).toEqual([1000, "s1"]);
  });
});
