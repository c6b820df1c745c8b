import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createElevenLabs } from "@ai-sdk/elevenlabs";
import { createGroq } from "@ai-sdk/groq";
import { createOpenAI } from "@ai-sdk/openai";
import {
  APICallError,
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
  NoTranscriptGeneratedError,
} from "ai";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { wordErrors } from "../harness/recognizer.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";
import { root } from "../structure/sources.js";

/** Vercel's AI SDK: its own clients of three vendors' APIs, which check every answer. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await sharedCluster();
});

const openai = (apiKey = cluster.apiKey) => createOpenAI({ baseURL: `${cluster.baseUrl}/compat/v1`, apiKey });
const groq = (apiKey = cluster.apiKey) => createGroq({ baseURL: `${cluster.baseUrl}/compat/openai/v1`, apiKey });

/** This client has no setting for the address; what it offers instead is the fetch to use. */
const elevenLabs = (apiKey = cluster.apiKey) =>
  createElevenLabs({
    apiKey,
    fetch: (url, init) =>
      fetch(String(url).replace("https://api.elevenlabs.io", `${cluster.baseUrl}/compat/elevenlabs`), init),
  });

const text = "Good morning to everybody who is listening.";
const clips = join(root, "workers/engines/ctc/testing/clips");
const [clipName = "", clipText = ""] =
  readFileSync(join(clips, "sentences.tsv"), "utf8").split("\n")[0]?.split("\t") ?? [];
/** A person reads `clipText`. */
const clip = readFileSync(join(clips, clipName));

async function expectSpeech(bytes: Uint8Array, inputArguments: string[] = []): Promise<number> {
  const pcm = await decodeWithFfmpeg(bytes, { inputArguments });
  expect(durationSeconds(pcm)).toBeGreaterThan(1.5);
  expect(durationSeconds(pcm)).toBeLessThan(5);
  expect(soundingShare(pcm)).toBeGreaterThan(0.5);
  return durationSeconds(pcm);
}

/** At most half of the words are wrong: which are right is the recognizer's own test. */
function expectTranscript(transcript: string): void {
  const { errors, words } = wordErrors(clipText, transcript);
  expect(errors / words).toBeLessThan(0.5);
}

interface TimedTranscript {
  text: string;
  segments: { text: string; startSecond: number; endSecond: number }[];
  durationInSeconds: number | undefined;
}

/** The words with their times, in order, within the recording. */
async function expectTimes({ segments, durationInSeconds }: TimedTranscript, join: string): Promise<void> {
  const seconds = durationSeconds(await decodeWithFfmpeg(clip));
  expectTranscript(segments.map((segment) => segment.text).join(join));
  const times = segments.flatMap(({ startSecond, endSecond }) => [startSecond, endSecond]);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBeGreaterThan(seconds / 2);
  expect(times.at(-1)).toBeLessThan(seconds + 0.1);
  expect(durationInSeconds).toBeGreaterThan(seconds / 2);
  expect(durationInSeconds).toBeLessThan(seconds + 0.1);
}

/** A second of digital silence as a WAV file. */
function silentWav(): Uint8Array {
  const data = Buffer.alloc(44 + 32_000);
  data.write("RIFF", 0);
  data.writeUInt32LE(36 + 32_000, 4);
  data.write("WAVEfmt ", 8);
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(1, 22);
  data.writeUInt32LE(16_000, 24);
  data.writeUInt32LE(32_000, 28);
  data.writeUInt16LE(2, 32);
  data.writeUInt16LE(16, 34);
  data.write("data", 36);
  data.writeUInt32LE(32_000, 40);
  return data;
}

describe("the AI SDK with its client of OpenAI", () => {
  it.each([
    ["mp3", "audio/mpeg"],
    ["wav", "audio/wav"],
    ["opus", "audio/ogg"],
  ])("speaks %s", async (outputFormat, mediaType) => {
    const { audio, responses } = await generateSpeech({
      model: openai().speech("tts-1"),
      voice: "default",
      text,
      outputFormat,
    });
    expect(responses[0]?.headers?.["content-type"]).toBe(mediaType);
    await expectSpeech(audio.uint8Array);
  });

  it("speaks PCM of 24 kHz, and faster when asked", async () => {
    const pcm = ["-f", "s16le", "-ac", "1", "-ar", "24000"];
    const ask = { model: openai().speech("gpt-4o-mini-tts"), voice: "default", text, outputFormat: "pcm" };
    const seconds = await expectSpeech((await generateSpeech({ ...ask, speed: 0.8 })).audio.uint8Array, pcm);
    expect(
      (await expectSpeech((await generateSpeech({ ...ask, speed: 1.2 })).audio.uint8Array, pcm)) / seconds,
    ).toBeLessThan(0.85);
  });

  it.each(["whisper-1", "gpt-4o-transcribe"])("transcribes as %s", async (model) => {
    expectTranscript((await transcribe({ model: openai().transcription(model), audio: clip })).text);
  });

  it("transcribes with the time of each word", async () => {
    const asked = { openai: { timestampGranularities: ["word"], language: "en" } };
    const transcript = await transcribe({
      model: openai().transcription("whisper-1"),
      audio: clip,
      providerOptions: asked,
    });
    await expectTimes(transcript, " ");
  });

  it("raises its own errors, with what the service said", async () => {
    const speech = (change: object, apiKey?: string) =>
      generateSpeech({ model: openai(apiKey).speech("tts-1"), voice: "default", text, ...change });
    const unknownVoice: unknown = await speech({ voice: "nobody" }).catch((error: unknown) => error);
    expect(APICallError.isInstance(unknownVoice)).toBe(true);
    // A typed error's data is what the library could read of the body.
    expect(unknownVoice).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('use "default", the id of a saved voice or a speaker'),
      data: { error: { code: 400, type: "invalid_request_error" } },
    });
    await expect(speech({ instructions: "Whisper" })).rejects.toMatchObject({
      name: "AI_APICallError",
      statusCode: 400,
      isRetryable: false,
    });
    await expect(speech({}, "wrong")).rejects.toMatchObject({
      statusCode: 401,
      data: { error: { type: "provider_error" } },
    });
    await expect(
      transcribe({ model: openai().transcription("whisper-1"), audio: Buffer.from("no audio at all") }),
    ).rejects.toMatchObject({ statusCode: 400 });
  });

  it("tells a recording without speech by its own error", async () => {
    await expect(transcribe({ model: openai().transcription("whisper-1"), audio: silentWav() })).rejects.toSatisfy(
      (error) => NoTranscriptGeneratedError.isInstance(error),
    );
  });
});

describe("the AI SDK with its client of Groq", () => {
  it("transcribes", async () => {
    expectTranscript((await transcribe({ model: groq().transcription("whisper-large-v3-turbo"), audio: clip })).text);
  });

  it.each(["segment", "word"])("transcribes with the time of each %s", async (granularity) => {
    const asked = { groq: { responseFormat: "verbose_json", timestampGranularities: [granularity], language: "en" } };
    const transcript = await transcribe({
      model: groq().transcription("whisper-large-v3"),
      audio: clip,
      providerOptions: asked,
    });
    expect(transcript.language).toBe("en");
    await expectTimes(transcript, " ");
  });

  it("transcribes as plain text", async () => {
    const transcript = await transcribe({
      model: groq().transcription("whisper-large-v3"),
      audio: clip,
      providerOptions: { groq: { responseFormat: "text" } },
    });
    expectTranscript(transcript.text);
  });

  it("raises its own errors, with what the service said", async () => {
    const refused: unknown = await transcribe({
      model: groq("wrong").transcription("whisper-large-v3"),
      audio: clip,
    }).catch((error: unknown) => error);
    expect(APICallError.isInstance(refused)).toBe(true);
    expect(refused).toMatchObject({ statusCode: 401, isRetryable: false, data: { error: { type: "provider_error" } } });
    await expect(transcribe({ model: groq().transcription("no-model"), audio: clip })).rejects.toMatchObject({
      statusCode: 400,
    });
  });
});

describe("the AI SDK with its client of ElevenLabs", () => {
  it.each([
    ["mp3", "audio/mpeg"],
    ["pcm_16000", "audio/pcm"],
  ])("speaks %s", async (outputFormat, mediaType) => {
    const { audio, responses } = await generateSpeech({
      model: elevenLabs().speech("eleven_multilingual_v2"),
      voice: "default",
      text,
      outputFormat,
    });
    expect(responses[0]?.headers?.["content-type"]).toContain(mediaType);
    await expectSpeech(audio.uint8Array, outputFormat === "mp3" ? [] : ["-f", "s16le", "-ac", "1", "-ar", "16000"]);
  });

  it("takes its settings of the voice", async () => {
    const providerOptions = {
      elevenlabs: {
        voiceSettings: { stability: 0.5, similarityBoost: 0.75, style: 0, useSpeakerBoost: true },
        seed: 7,
        applyTextNormalization: "auto",
      },
    };
    const ask = {
      model: elevenLabs().speech("eleven_turbo_v2_5"),
      voice: "default",
      text,
      language: "en",
      providerOptions,
    };
    const slow = await expectSpeech((await generateSpeech({ ...ask, speed: 0.8 })).audio.uint8Array);
    expect((await expectSpeech((await generateSpeech({ ...ask, speed: 1.2 })).audio.uint8Array)) / slow).toBeLessThan(
      0.85,
    );
  });

  // It says `diarize=true` in every form, and what its user says about it in a second field of that name.
  const plain = { elevenlabs: { diarize: false, tagAudioEvents: false, languageCode: "en" } };

  it("transcribes with the time of each word", async () => {
    const transcript = await transcribe({
      model: elevenLabs().transcription("scribe_v1"),
      audio: clip,
      providerOptions: plain,
    });
    expectTranscript(transcript.text);
    expect(transcript.language).toBe("en");
    await expectTimes(transcript, "");
  });

  it("raises its own errors", async () => {
    const speech = (change: object, apiKey?: string) =>
      generateSpeech({ model: elevenLabs(apiKey).speech("eleven_v3"), voice: "default", text, ...change });
    const unknownVoice: unknown = await speech({ voice: "nobody" }).catch((error: unknown) => error);
    expect(APICallError.isInstance(unknownVoice)).toBe(true);
    expect(unknownVoice).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      responseBody: expect.stringContaining('"status":"provider_error"'),
    });
    await expect(speech({ outputFormat: "ulaw" })).rejects.toMatchObject({
      statusCode: 400,
      responseBody: expect.stringContaining('"status":"invalid_request"'),
    });
    await expect(speech({}, "wrong")).rejects.toMatchObject({
      statusCode: 401,
      responseBody: expect.stringContaining("No permission"),
    });
    await expect(transcribe({ model: elevenLabs().transcription("scribe_v1"), audio: clip })).rejects.toMatchObject({
      statusCode: 400,
      responseBody: expect.stringContaining("diarize"),
    });
  });
});
