import { ElevenLabsClient, RealtimeEvents } from "@elevenlabs/elevenlabs-js";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samplesToBytes } from "#audio/pcm";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { wordErrors } from "../harness/recognizer.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";
import { startTlsFront } from "./tls-front.js";

const text = "Good morning to everybody who is listening.";
let cluster: TestCluster;
let front: Awaited<ReturnType<typeof startTlsFront>>;
let openai: OpenAI;
/** `text` as the service says it, 24 kHz PCM. */
let spoken: Buffer;

beforeAll(async () => {
  cluster = await sharedCluster();
  front = await startTlsFront(cluster.baseUrl);
  openai = new OpenAI({ baseURL: `${front.baseUrl}/compat/v1`, apiKey: cluster.apiKey });
  const plain = new OpenAI({ baseURL: `${cluster.baseUrl}/compat/v1`, apiKey: cluster.apiKey });
  const response = await plain.audio.speech.create({
    model: "tts-1",
    voice: "default",
    input: text,
    response_format: "wav",
    speed: 0.9,
  });
  const { samples } = await decodeWithFfmpeg(new Uint8Array(await response.arrayBuffer()), { sampleRate: 24_000 });
  spoken = Buffer.from(samplesToBytes(samples));
});
afterAll(async () => {
  await front?.stop();
});

function expectRecognized(received: string): void {
  const { errors, words } = wordErrors(text, received);
  expect(errors / words).toBeLessThan(0.5);
}

/** Resolves with what `type` brings; rejects at an error event. */
function event<T>(realtime: OpenAIRealtimeWS, type: string): Promise<T> {
  return new Promise((resolve, reject) => {
    realtime.on(type as "session.created", (value) => resolve(value as T));
    realtime.on("error", reject);
  });
}

describe("OpenAI's realtime library, over TLS", () => {
  const connect = (query: string): OpenAIRealtimeWS =>
    new OpenAIRealtimeWS({ model: query, options: { ca: front.certificate } }, openai);

  it("speaks what is written", async () => {
    const realtime = connect("gpt-realtime");
    await event(realtime, "session.created");
    const parts: Buffer[] = [];
    realtime.on("response.output_audio.delta", ({ delta }) => parts.push(Buffer.from(delta, "base64")));
    const done = event<{ response: { status: string } }>(realtime, "response.done");
    realtime.send({
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
    });
    realtime.send({ type: "response.create" });
    expect((await done).response.status).toBe("completed");
    realtime.close();
    const pcm = await decodeWithFfmpeg(Buffer.concat(parts), {
      inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "24000"],
    });
    expect(durationSeconds(pcm)).toBeGreaterThan(1.5);
    expect(soundingShare(pcm)).toBeGreaterThan(0.5);
  });

  it("transcribes what is committed", async () => {
    const realtime = connect("gpt-realtime");
    await event(realtime, "session.created");
    const completed = event<{ transcript: string }>(realtime, "conversation.item.input_audio_transcription.completed");
    let deltas = "";
    realtime.on("conversation.item.input_audio_transcription.delta", ({ delta }) => (deltas += delta ?? ""));
    for (let at = 0; at < spoken.length; at += 48_000) {
      realtime.send({ type: "input_audio_buffer.append", audio: spoken.subarray(at, at + 48_000).toString("base64") });
    }
    realtime.send({ type: "input_audio_buffer.commit" });
    expectRecognized((await completed).transcript);
    realtime.close();
  });

  it("raises errors of the session", async () => {
    const realtime = connect("gpt-realtime");
    await event(realtime, "session.created");
    const failed = event(realtime, "never");
    realtime.send({ type: "response.cancel" });
    await expect(failed).rejects.toMatchObject({ error: { code: "response_cancel_not_active" } });
    realtime.close();
  });
});

describe("ElevenLabs' realtime library", () => {
  it("gives partial transcripts while the turn is spoken", async () => {
    const client = new ElevenLabsClient({ baseUrl: `${cluster.baseUrl}/compat/elevenlabs`, apiKey: cluster.apiKey });
    const connection = await client.speechToText.realtime.connect({
      modelId: "scribe_v2_realtime",
      audioFormat: "pcm_24000",
      sampleRate: 24_000,
    } as never);
    const order: string[] = [];
    const partial = new Promise<void>((resolve, reject) => {
      connection.on(RealtimeEvents.ERROR, reject);
      connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, ({ text: soFar }) => {
        order.push(soFar);
        if (soFar.split(" ").length >= 3) resolve();
      });
    });
    const committed = new Promise<string>((resolve) =>
      connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, ({ text: transcript }) => {
        order.push("committed");
        resolve(transcript);
      }),
    );
    await new Promise<void>((resolve) => connection.on(RealtimeEvents.SESSION_STARTED, () => resolve()));
    for (let at = 0; at < spoken.length; at += 4800)
      connection.send({ audioBase64: spoken.subarray(at, at + 4800).toString("base64") });
    await partial;
    connection.commit();
    const transcript = await committed;
    connection.close();
    expect(order.indexOf("committed")).toBe(order.length - 1);
    // A partial transcript may still change: of what it said by the third word, most stays.
    const partialWords = order.at(-2)?.split(" ") ?? [];
    const remaining = partialWords.filter((word) => transcript.split(" ").includes(word));
    expect(remaining.length / partialWords.length).toBeGreaterThan(0.5);
  });

  it("transcribes what is committed, turn by turn", async () => {
    const client = new ElevenLabsClient({ baseUrl: `${cluster.baseUrl}/compat/elevenlabs`, apiKey: cluster.apiKey });
    const connection = await client.speechToText.realtime.connect({
      modelId: "scribe_v2_realtime",
      audioFormat: "pcm_24000",
      sampleRate: 24_000,
    } as never);
    const transcripts: string[] = [];
    const both = new Promise<void>((resolve, reject) => {
      connection.on(RealtimeEvents.ERROR, reject);
      connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, ({ text: received, words }) => {
        transcripts.push(received);
        for (const word of words ?? []) expect(word.end).toBeGreaterThanOrEqual(word.start ?? 0);
        if (transcripts.length === 2) resolve();
      });
    });
    await new Promise<void>((resolve) => connection.on(RealtimeEvents.SESSION_STARTED, () => resolve()));
    for (let at = 0; at < spoken.length; at += 24_000)
      connection.send({ audioBase64: spoken.subarray(at, at + 24_000).toString("base64") });
    connection.commit();
    connection.commit();
    await both;
    connection.close();
    expectRecognized(transcripts[0] ?? "");
    expect(transcripts[1]).toBe("");
  });

  it.each([8000, 22_050, 48_000])("transcribes what was taken at %i Hz", async (sampleRate) => {
    const { samples } = await decodeWithFfmpeg(spoken, {
      inputArguments: ["-f", "s16le", "-ac", "1", "-ar", "24000"],
      sampleRate,
    });
    const client = new ElevenLabsClient({ baseUrl: `${cluster.baseUrl}/compat/elevenlabs`, apiKey: cluster.apiKey });
    const connection = await client.speechToText.realtime.connect({
      modelId: "scribe_v2_realtime",
      audioFormat: `pcm_${sampleRate}`,
      sampleRate,
      includeTimestamps: false,
    } as never);
    const received = new Promise<string>((resolve, reject) => {
      connection.on(RealtimeEvents.ERROR, reject);
      connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, ({ text: transcript }) => resolve(transcript));
      connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, () =>
        reject(new Error("times were not asked for")),
      );
    });
    await new Promise<void>((resolve) => connection.on(RealtimeEvents.SESSION_STARTED, () => resolve()));
    connection.send({ audioBase64: Buffer.from(samplesToBytes(samples)).toString("base64") });
    connection.commit();
    expectRecognized(await received);
    connection.close();
  });
});
