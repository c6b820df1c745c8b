import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { FishAudioClient, RealtimeEvents } from "fish-audio";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";

/** The vendor's own library, with nothing but its base URL and key changed. */
describe("the fish-audio client library", () => {
  let cluster: TestCluster;
  let client: FishAudioClient;

  beforeAll(async () => {
    cluster = await sharedCluster();
    client = new FishAudioClient({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
  });

  async function collect(stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of stream as AsyncIterable<Uint8Array>) parts.push(part);
    return Buffer.concat(parts);
  }

  async function realtime(
    request: Parameters<FishAudioClient["textToSpeech"]["convertRealtime"]>[0],
    texts: string[],
  ): Promise<Uint8Array> {
    async function* stream(): AsyncGenerator<string> {
      yield* texts;
    }
    const connection = await client.textToSpeech.convertRealtime(request, stream());
    const parts: Uint8Array[] = [];
    await new Promise<void>((resolve, reject) => {
      connection.on(RealtimeEvents.AUDIO_CHUNK, (audio: unknown) => parts.push(audio as Uint8Array));
      connection.on(RealtimeEvents.ERROR, reject);
      connection.on(RealtimeEvents.CLOSE, () => resolve());
    });
    return Buffer.concat(parts);
  }

  it("converts text to an mp3 that sounds", async () => {
    const audio = await collect(await client.textToSpeech.convert({ text: "Hello from the official client." }));
    const pcm = await decodeWithFfmpeg(audio);
    expect(durationSeconds(pcm)).toBeGreaterThan(1);
    expect(durationSeconds(pcm)).toBeLessThan(4);
    expect(soundingShare(pcm)).toBeGreaterThan(0.5);
  });

  it.each(["wav", "opus", "mp3"] as const)("converts to %s", async (format) => {
    const audio = await collect(await client.textToSpeech.convert({ text: "One two three four five.", format }));
    expect(soundingShare(await decodeWithFfmpeg(audio))).toBeGreaterThan(0.5);
  });

  it("streams text in and speech out", async () => {
    const audio = await realtime({ text: "" }, ["Hello from ", "Fish Audio. ", "This is a realtime ", "test."]);
    const pcm = await decodeWithFfmpeg(audio);
    expect(durationSeconds(pcm)).toBeGreaterThan(1.5);
    expect(soundingShare(pcm)).toBeGreaterThan(0.5);
  });

  it("lets a program end that speaks a text and does nothing more: the library leaves its socket open until the server closes", async () => {
    const program = `
      import { FishAudioClient } from "fish-audio";
      const client = new FishAudioClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.KEY });
      async function* texts() { yield "Hello from "; yield "a program."; }
      const connection = await client.textToSpeech.convertRealtime({ text: "" }, texts());
      connection.on("audio_chunk", (audio) => console.log(audio.byteLength));
    `;
    const env = { ...process.env, BASE_URL: cluster.baseUrl, KEY: cluster.apiKey };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      env,
      timeout: 20_000,
    });
    expect(stdout.split("\n").reduce((sum, bytes) => sum + Number(bytes), 0)).toBeGreaterThan(10_000);
  });

  it("raises the server's message when a realtime request fails", async () => {
    await expect(realtime({ text: "", reference_id: "0".repeat(32) }, ["Hello there."])).rejects.toThrow(
      "Reference voice not found",
    );
  });

  it("creates, finds, reads, changes and deletes a voice, and speaks with it", async () => {
    const sample = await collect(
      await client.textToSpeech.convert({
        text: "This sample is long enough to be measured, and it is spoken without haste.",
        format: "wav",
      }),
    );
    const created = await client.voices.ivc.create({
      title: "client voice",
      voices: [new File([Buffer.from(sample)], "sample.wav")],
      texts: ["one, two", "three"],
      tags: ["alpha", "beta"],
      visibility: "private",
    });
    expect(created).toMatchObject({
      title: "client voice",
      type: "tts",
      train_mode: "fast",
      state: "trained",
      visibility: "private",
      tags: ["alpha", "beta"],
    });
    expect(created._id).toMatch(/^[0-9a-f]{32}$/);

    const found = await client.voices.search({ self: true, title: "client voice", tag: ["alpha", "beta"] });
    expect(found.items.map((item) => item._id)).toEqual([created._id]);
    expect(found.total).toBe(1);

    await client.voices.update(created._id, { title: "renamed", tags: ["gamma"] });
    expect(await client.voices.get(created._id)).toMatchObject({ title: "renamed", tags: ["gamma"] });

    const spoken = await collect(
      await client.textToSpeech.convert({ text: "Spoken with a saved voice.", reference_id: created._id }),
    );
    expect(soundingShare(await decodeWithFfmpeg(spoken))).toBeGreaterThan(0.5);

    await client.voices.delete(created._id);
    await expect(client.voices.get(created._id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it("speaks with a reference sent inline as a File", async () => {
    const sample = await collect(
      await client.textToSpeech.convert({
        text: "A reference sample of a few seconds, read out calmly.",
        format: "wav",
      }),
    );
    const audio = await collect(
      await client.textToSpeech.convert({
        text: "Spoken like the reference.",
        references: [{ audio: new File([Buffer.from(sample)], "reference.wav"), text: "A reference sample." }],
      }),
    );
    expect(soundingShare(await decodeWithFfmpeg(audio))).toBeGreaterThan(0.5);
  });

  it("reads credit and package", async () => {
    expect(Number((await client.user.get_api_credit()).credit)).toBeGreaterThan(0);
    const plan = await client.user.get_package();
    expect(plan.balance).toBeLessThanOrEqual(plan.total);
  });

  it("gets its typed errors", async () => {
    await expect(client.textToSpeech.convert({ text: "x", chunk_length: 5 })).rejects.toMatchObject({
      statusCode: 422,
      body: [{ loc: ["body", "chunk_length"] }],
    });
    const stranger = new FishAudioClient({ baseUrl: cluster.baseUrl, apiKey: "pk_unknown" });
    await expect(stranger.user.get_api_credit()).rejects.toMatchObject({
      statusCode: 401,
      body: { status: 401, message: "Invalid token" },
    });
  });
});
