import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { wordErrors } from "../harness/recognizer.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";

/** The vendor's own library, with nothing but base URL and key changed. */
let cluster: TestCluster;
let client: ElevenLabsClient;

beforeAll(async () => {
  cluster = await sharedCluster();
  client = new ElevenLabsClient({ baseUrl: `${cluster.baseUrl}/compat/elevenlabs`, apiKey: cluster.apiKey });
});

const text = "Good evening, dear listeners. This is the second sentence.";

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream as unknown as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}

async function expectSpeech(bytes: Uint8Array, options: Parameters<typeof decodeWithFfmpeg>[1] = {}): Promise<number> {
  const pcm = await decodeWithFfmpeg(bytes, options);
  const seconds = durationSeconds(pcm);
  expect(seconds).toBeGreaterThan(2);
  expect(seconds).toBeLessThan(7);
  expect(soundingShare(pcm)).toBeGreaterThan(0.5);
  return seconds;
}

function expectAlignment(
  times: { characters: string[]; starts: number[]; ends: number[] },
  of: string,
  seconds: number,
): void {
  expect(times.characters.join("")).toBe(of);
  const order = times.starts.flatMap((start, index) => [start, times.ends[index] as number]);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order.at(-1)).toBeGreaterThan(seconds * 0.8);
  expect(order.at(-1)).toBeLessThan(seconds + 0.2);
}

describe("ElevenLabs' library", () => {
  it.each(["mp3_44100_128", "wav_44100", "opus_48000_64"] as const)("converts to %s", async (outputFormat) => {
    await expectSpeech(
      await collect(
        await client.textToSpeech.convert("default", { text, modelId: "eleven_multilingual_v2", outputFormat }),
      ),
    );
  });

  it("streams PCM", async () => {
    const audio = await collect(await client.textToSpeech.stream("-", { text, outputFormat: "pcm_16000" }));
    await expectSpeech(audio, { inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "16000"] });
  });

  it("gives the time of each character with the sound", async () => {
    const answer = await client.textToSpeech.convertWithTimestamps("default", { text });
    const seconds = await expectSpeech(Buffer.from(answer.audioBase64, "base64"));
    const alignment = answer.alignment!;
    const times = {
      characters: alignment.characters,
      starts: alignment.characterStartTimesSeconds,
      ends: alignment.characterEndTimesSeconds,
    };
    expectAlignment(times, text, seconds);
    expect(answer.normalizedAlignment).toEqual(alignment);
  });

  it("streams sound and times", async () => {
    const parts: Buffer[] = [];
    const times = { characters: [] as string[], starts: [] as number[], ends: [] as number[] };
    const outputFormat = "pcm_16000";
    const bare = { inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "16000"] };
    for await (const line of await client.textToSpeech.streamWithTimestamps("default", { text, outputFormat })) {
      const begunSeconds = Buffer.concat(parts).byteLength / 32_000;
      parts.push(Buffer.from(line.audioBase64, "base64"));
      // Captions can follow: characters come with the audio that they begin in.
      for (const start of line.alignment?.characterStartTimesSeconds ?? [])
        expect(start).toBeGreaterThan(begunSeconds - 0.001);
      times.characters.push(...(line.alignment?.characters ?? []));
      times.starts.push(...(line.alignment?.characterStartTimesSeconds ?? []));
      times.ends.push(...(line.alignment?.characterEndTimesSeconds ?? []));
    }
    expectAlignment(times, text, await expectSpeech(Buffer.concat(parts), bare));
  });

  it("transcribes a file", async () => {
    const audio = await collect(await client.textToSpeech.convert("default", { text, outputFormat: "wav_44100" }));
    const answer = (await client.speechToText.convert({
      file: new File([Buffer.from(audio)], "said.wav"),
      modelId: "scribe_v1",
    })) as { text: string; words: { type: string; text: string }[] };
    const { errors, words } = wordErrors(text, answer.text);
    expect(errors / words).toBeLessThan(0.5);
    expect(answer.words.map((word) => word.text).join("")).toBe(answer.text);
    const word = new File([Buffer.from(audio).subarray(0, 44 + 44_100)], "word.wav");
    expect(await client.speechToText.convert({ file: word, modelId: "scribe_v1" })).toMatchObject({
      audioDurationSecs: 0.5,
    });
    const tagged = client.speechToText.convert({
      file: new File([Buffer.from(audio)], "said.wav"),
      modelId: "scribe_v1",
      tagAudioEvents: true,
    });
    await expect(tagged).rejects.toMatchObject({ statusCode: 400 });
  });

  it("lists voices, models and the user", async () => {
    expect((await client.voices.getAll()).voices).toEqual([]);
    expect(await client.voices.search({})).toMatchObject({ voices: [], hasMore: false, totalCount: 0 });
    const models = await client.models.list();
    expect(models.map((model) => model.modelId)).toContain("service/s1");
    const languages = models.find(({ modelId }) => modelId === "service/s2-pro")?.languages ?? [];
    expect(languages).toEqual(
      expect.arrayContaining([
        { languageId: "en", name: "English" },
        { languageId: "ar", name: "Arabic" },
      ]),
    );
    expect(new Set(languages.map(({ languageId }) => languageId)).size).toBe(languages.length);
    expect((await client.user.get()).subscription.tier).toBe("self-hosted");
    expect((await client.user.subscription.get()).hasOpenInvoices).toBe(false);
  });

  it("raises its own errors", async () => {
    await expect(client.voices.get("nobody")).rejects.toMatchObject({
      statusCode: 404,
      body: { detail: { status: "voice_not_found" } },
    });
    await expect(client.textToSpeech.convert("nobody", { text })).rejects.toThrow(ElevenLabsError);
    await expect(client.textToSpeech.convert("nobody", { text })).rejects.toMatchObject({
      statusCode: 400,
      body: { detail: { status: "provider_error" } },
    });
    await expect(client.textToSpeech.convert("default", { text, outputFormat: "ulaw_8000" })).rejects.toMatchObject({
      statusCode: 400,
      body: { detail: { status: "invalid_request" } },
    });
    await expect(client.textToSpeech.convert("default", { text, modelId: "service/nonsense" })).rejects.toMatchObject({
      statusCode: 404,
      body: { detail: { status: "model_not_found" } },
    });
    const stranger = new ElevenLabsClient({ baseUrl: `${cluster.baseUrl}/compat/elevenlabs`, apiKey: "wrong" });
    await expect(stranger.user.get()).rejects.toMatchObject({
      statusCode: 401,
      body: { detail: { status: "provider_error", message: "No permission" } },
    });
  });
});

interface ServerFrame {
  audio?: string;
  alignment?: { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] };
  isFinal?: true;
  error?: string;
  code?: number;
  contextId?: string;
}

/** A recorded order of frames, as a client of the vendor's sends them, and everything that came back. */
async function converse(
  path: string,
  frames: object[],
  headers: Record<string, string> = { "xi-api-key": cluster.apiKey },
) {
  const socket = new WebSocket(`${cluster.baseUrl.replace("http", "ws")}/compat/elevenlabs/v1/text-to-speech/${path}`, {
    headers,
  });
  const received: ServerFrame[] = [];
  socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString()) as ServerFrame));
  const closed = new Promise<number>((resolve, reject) => {
    socket.on("close", resolve);
    socket.on("error", reject);
  });
  await Promise.race([new Promise((resolve) => socket.once("open", resolve)), closed]);
  for (const frame of frames) socket.send(JSON.stringify(frame));
  return { code: await closed, received };
}

const audioOf = (frames: ServerFrame[]): Buffer =>
  Buffer.concat(frames.map((frame) => Buffer.from(frame.audio ?? "", "base64")));
const pcm = { inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "16000"] };

/**
 * Every character of a text once, with the audio in which it begins; at most the frame before the end has times alone.
 */
function expectTimesWithAudio(received: ServerFrame[], of: string, seconds: number): void {
  const spoken = received.filter((frame) => frame.isFinal !== true);
  expect(spoken.slice(0, -1).filter((frame) => frame.audio === undefined)).toEqual([]);
  const alignments = spoken.flatMap((frame) => frame.alignment ?? []);
  const starts = alignments.flatMap((alignment) => alignment.charStartTimesMs.map((ms) => ms / 1000));
  const ends = alignments.flatMap((alignment) =>
    alignment.charStartTimesMs.map((ms, index) => (ms + (alignment.charDurationsMs[index] ?? 0)) / 1000),
  );
  expectAlignment({ characters: alignments.flatMap((alignment) => alignment.chars), starts, ends }, of, seconds);
  // Several frames a second, most with some character.
  expect(alignments.length).toBeGreaterThan(spoken.length / 2);
}

describe("ElevenLabs' sockets", () => {
  it("speaks text that comes word by word as fluently as in one request, as its Python library sends it", async () => {
    const long =
      "Good evening, dear listeners, and welcome. Tonight we speak about the long way of a letter that nobody in this town ever sent.";
    const whole = durationSeconds(
      await decodeWithFfmpeg(
        await collect(await client.textToSpeech.convert("default", { text: long, outputFormat: "pcm_16000" })),
        pcm,
      ),
    );
    const init = {
      text: " ",
      try_trigger_generation: true,
      voice_settings: null,
      generation_config: { chunk_length_schedule: [50] },
    };
    const words = long.split(" ").map((word) => ({ text: `${word} `, try_trigger_generation: true }));
    const { code, received } = await converse("default/stream-input?output_format=pcm_16000&sync_alignment=true", [
      init,
      ...words,
      { text: "" },
    ]);
    expect([code, received.at(-1)]).toEqual([1000, { isFinal: true }]);
    const spoken = await decodeWithFfmpeg(audioOf(received), pcm);
    const seconds = durationSeconds(spoken);
    expect(soundingShare(spoken)).toBeGreaterThan(0.5);
    expect(seconds / whole).toBeGreaterThan(0.8);
    expect(seconds / whole).toBeLessThan(1.25);
    expectTimesWithAudio(received, `${long} `, seconds);
  });

  it.each(["mp3_44100_64", "opus_48000"])("gives times with the audio that they are about in %s", async (format) => {
    const { received } = await converse(`default/stream-input?output_format=${format}&sync_alignment=true`, [
      { text: " " },
      { text: `${text} ` },
      { text: "" },
    ]);
    expectTimesWithAudio(received, `${text} `, await expectSpeech(audioOf(received)));
  });

  it("takes the key from the first frame, and says nothing when nothing was said", async () => {
    const silent = await converse(
      "default/stream-input",
      [{ text: " ", xi_api_key: cluster.apiKey }, { text: "" }],
      {},
    );
    expect(silent).toEqual({ code: 1000, received: [{ isFinal: true }] });
    const stranger = await converse("default/stream-input", [{ text: " ", xi_api_key: "wrong" }], {});
    expect(stranger).toEqual({ code: 1008, received: [{ error: "No permission", code: 401 }] });
  });

  it("speaks in several contexts at once, as LiveKit and Pipecat use it", async () => {
    const { code, received } = await converse("-/multi-stream-input?output_format=pcm_16000", [
      { text: " ", context_id: "a", voice_settings: { speed: 1 } },
      { text: " ", context_id: "b" },
      { text: "Good evening, dear listeners, ", context_id: "a" },
      { text: "Another voice speaks here at once. ", context_id: "b", flush: true },
      { text: "" },
      { text: "wherever you are tonight.", context_id: "a" },
      { context_id: "b", close_context: true },
      { context_id: "a", flush: true },
      { context_id: "a", close_context: true },
      { close_socket: true },
    ]);
    expect(code).toBe(1000);
    for (const contextId of ["a", "b"]) {
      const own = received.filter((frame) => frame.contextId === contextId);
      expect(own.at(-1)).toEqual({ isFinal: true, contextId });
      expect(durationSeconds(await decodeWithFfmpeg(audioOf(own), pcm))).toBeGreaterThan(1);
    }
  });

  it.each([
    ["the 22.05 kHz family", "default/stream-input?output_format=pcm_22050", [], 1000, 400],
    ["an unknown voice", "nobody/stream-input", [{ text: "Hello there. ", flush: true }], 1008, 400],
    ["a frame that is no JSON object", "default/stream-input", [[1]], 1008, 400],
    ["more text than may wait", "default/stream-input", [{ text: "a".repeat(1024 * 1024 + 1) }], 1009, 1009],
  ])("refuses %s in band", async (_what, path, frames, code, status) => {
    const answer = await converse(path, frames);
    expect([answer.code, answer.received.at(-1)?.code]).toEqual([code, status]);
  });

  it.each(["ulaw_8000", "nonsense"])("refuses %s before the upgrade", async (format) => {
    await expect(converse(`default/stream-input?output_format=${format}`, [])).rejects.toThrow("400");
  });

  it.each([
    "mp3_22050_32",
    "pcm_22050",
  ])("refuses %s, which LiveKit asks for by default, before it opens several contexts", async (format) => {
    await expect(converse(`default/multi-stream-input?output_format=${format}`, [])).rejects.toThrow("400");
  });
});
