import Groq from "groq-sdk";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { wordErrors } from "../harness/recognizer.js";
import { decodeWithFfmpeg, durationSeconds, soundingShare } from "../harness/audio.js";

/** The vendors' own libraries, with nothing but base URL and key changed. */
let cluster: TestCluster;
let openai: OpenAI;
let groq: Groq;
let openRouter: OpenRouter;

beforeAll(async () => {
  cluster = await sharedCluster();
  const { baseUrl, apiKey } = cluster;
  openai = new OpenAI({ baseURL: `${baseUrl}/compat/v1`, apiKey });
  groq = new Groq({ baseURL: `${baseUrl}/compat`, apiKey });
  openRouter = new OpenRouter({ serverURL: `${baseUrl}/compat/api/v1`, apiKey, retryConfig: { strategy: "none" } });
});

const text = "Good morning to everybody who is listening.";
const raw = (sampleRate: number): { inputArguments: string[] } => ({
  inputArguments: ["-f", "s16le", "-ac", "1", "-ar", String(sampleRate)],
});

async function expectSpeech(bytes: Uint8Array, options: Parameters<typeof decodeWithFfmpeg>[1] = {}): Promise<void> {
  const pcm = await decodeWithFfmpeg(bytes, options);
  expect(durationSeconds(pcm)).toBeGreaterThan(1.5);
  expect(durationSeconds(pcm)).toBeLessThan(5);
  expect(soundingShare(pcm)).toBeGreaterThan(0.5);
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** A file that says `text`, made by the service itself. */
async function spokenFile(): Promise<File> {
  const response = await openai.audio.speech.create({
    model: "tts-1",
    voice: "default",
    input: text,
    response_format: "wav",
    speed: 0.9,
  });
  return new File([Buffer.from(await response.arrayBuffer())], "said.wav", { type: "audio/wav" });
}

/** At most half of the words are wrong: which are right is the recognizer's own test. */
function expectRecognized(received: string): void {
  const { errors, words } = wordErrors(text, received);
  expect(errors / words).toBeLessThan(0.5);
}

describe("OpenAI's library", () => {
  it.each([
    ["mp3", "audio/mpeg"],
    ["wav", "audio/wav"],
    ["opus", "audio/ogg"],
  ] as const)("speaks %s", async (response_format, contentType) => {
    const response = await openai.audio.speech.create({
      model: "tts-1",
      voice: "default",
      input: text,
      response_format,
    });
    expect(response.headers.get("content-type")).toBe(contentType);
    expect(response.headers.get("x-generation-id")).toMatch(/^[0-9a-f]{32}$/);
    await expectSpeech(new Uint8Array(await response.arrayBuffer()));
  });

  it.each(["pcm", "pcm16" as "pcm"] as const)("streams %s of 24 kHz", async (response_format) => {
    const response = await openai.audio.speech.create({
      model: "gpt-4o-mini-tts",
      voice: "",
      input: text,
      response_format,
    });
    expect(response.headers.get("content-type")).toBe("audio/pcm;rate=24000");
    await expectSpeech(await collect(response.body as unknown as AsyncIterable<Uint8Array>), raw(24_000));
  });

  it("speaks in events, for clients that ask for them", async () => {
    const response = await openai.audio.speech.create({
      model: "gpt-4o-mini-tts",
      voice: "",
      input: text,
      response_format: "mp3",
      stream_format: "sse",
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text())
      .split("\n\n")
      .filter((event) => event !== "")
      .map((event) => JSON.parse(event.replace("data: ", "")) as { type: string; audio?: string; usage?: object });
    await expectSpeech(Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64"))));
    expect(events.at(-1)).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: text.length, output_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
  });

  it("speaks faster", async () => {
    const seconds = async (speed: number): Promise<number> => {
      const response = await openai.audio.speech.create({
        model: "tts-1",
        voice: "default",
        input: text,
        response_format: "wav",
        speed,
      });
      return durationSeconds(await decodeWithFfmpeg(new Uint8Array(await response.arrayBuffer())));
    };
    expect((await seconds(2)) / (await seconds(1))).toBeLessThan(0.65);
  });

  it("lists the models without a key", async () => {
    const models = await new OpenAI({ baseURL: `${cluster.baseUrl}/compat/v1`, apiKey: "none" }).models.list();
    expect(models.data.map((model) => model.id)).toContain("service/transcribe-1");
  });

  const chat = {
    model: "service/s2.1-pro",
    modalities: ["text", "audio"],
    messages: [{ role: "user", content: text }],
  } as const;

  it("speaks a chat message, whole and streamed", async () => {
    const whole = await openai.chat.completions.create({
      ...chat,
      modalities: ["text", "audio"],
      messages: [...chat.messages],
      audio: { voice: "default" as "alloy", format: "wav" },
    });
    const audio = whole.choices[0]?.message.audio;
    expect(audio?.transcript).toBe(text);
    await expectSpeech(Buffer.from(audio?.data ?? "", "base64"));
    const stream = await openai.chat.completions.create({
      ...chat,
      modalities: ["text", "audio"],
      messages: [...chat.messages],
      audio: { voice: "default" as "alloy", format: "pcm16" },
      stream: true,
      stream_options: { include_usage: true },
    });
    let collected = "";
    const finishes: unknown[] = [];
    let totalTokens = 0;
    for await (const chunk of stream) {
      collected += (chunk.choices[0]?.delta as { audio?: { data?: string } } | undefined)?.audio?.data ?? "";
      finishes.push(chunk.choices[0]?.finish_reason);
      totalTokens = chunk.usage?.total_tokens ?? totalTokens;
    }
    await expectSpeech(Buffer.from(collected, "base64"), raw(24_000));
    expect(finishes.filter((reason) => reason === "stop")).toHaveLength(1);
    expect(totalTokens).toBeGreaterThan(text.length);
  });

  it("transcribes in every format", async () => {
    const file = await spokenFile();
    const ask = { file, model: "whisper-1" } as const;
    expectRecognized((await openai.audio.transcriptions.create(ask)).text);
    expectRecognized(await openai.audio.transcriptions.create({ ...ask, response_format: "text" }));
    expect(await openai.audio.transcriptions.create({ ...ask, response_format: "srt" })).toMatch(
      /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n/,
    );
    expect(await openai.audio.transcriptions.create({ ...ask, response_format: "vtt" })).toMatch(/^WEBVTT\n/);
    const verbose = await openai.audio.transcriptions.create({
      ...ask,
      response_format: "verbose_json",
      timestamp_granularities: ["word"],
    });
    expectRecognized((verbose.words ?? []).map(({ word }) => word).join(" "));
    expect(verbose.segments?.[0]).toMatchObject({ id: 0, avg_logprob: expect.any(Number) });
    expect(Number(verbose.duration)).toBeGreaterThan(1.5);
  });

  it("transcribes a single word, and says what is too short for one", async () => {
    const bytes = Buffer.from(await (await spokenFile()).arrayBuffer());
    const sampleRate = bytes.readUInt32LE(24);
    const first = (seconds: number): File => new File([bytes.subarray(0, 44 + 2 * sampleRate * seconds)], "word.wav");
    const { text: said } = await openai.audio.transcriptions.create({ file: first(0.75), model: "whisper-1" });
    expect(said).not.toBe("");
    await expect(openai.audio.transcriptions.create({ file: first(0.05), model: "whisper-1" })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("shorter than 0.1 seconds"),
    });
  });

  it("streams a transcript", async () => {
    let deltas = "";
    let whole = "";
    for await (const event of await openai.audio.transcriptions.create({
      file: await spokenFile(),
      model: "gpt-4o-transcribe",
      stream: true,
    })) {
      if (event.type === "transcript.text.delta") deltas += event.delta;
      if (event.type === "transcript.text.done") whole = event.text;
    }
    expectRecognized(whole);
    expect(deltas).toBe(whole);
  });

  it("refuses what a transcription cannot do, and what is no sound", async () => {
    const file = await spokenFile();
    await expect(
      openai.audio.transcriptions.create({ file, model: "whisper-1", include: ["logprobs"] }),
    ).rejects.toThrow(OpenAI.BadRequestError);
    await expect(openai.audio.transcriptions.create({ file, model: "whisper-1", language: "xx" })).rejects.toThrow(
      OpenAI.BadRequestError,
    );
    const noise = new File([Buffer.from("this is no sound at all")], "a.wav");
    await expect(openai.audio.transcriptions.create({ file: noise, model: "whisper-1" })).rejects.toMatchObject({
      status: 400,
    });
  });

  it("raises its own errors, with the request's id", async () => {
    const ask = (body: object, client = openai): Promise<unknown> =>
      Promise.resolve(
        client.audio.speech.create({ model: "tts-1", voice: "default", input: text, ...body } as Parameters<
          typeof openai.audio.speech.create
        >[0]),
      );
    await expect(ask({ instructions: "Whisper" })).rejects.toThrow(OpenAI.BadRequestError);
    await expect(ask({ voice: "alloy" })).rejects.toMatchObject({
      status: 400,
      requestID: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    await expect(ask({ model: "no-model" })).rejects.toMatchObject({
      status: 400,
      error: { code: 400, type: "invalid_request_error" },
    });
    const stranger = new OpenAI({ baseURL: `${cluster.baseUrl}/compat/v1`, apiKey: "wrong" });
    await expect(ask({}, stranger)).rejects.toThrow(OpenAI.AuthenticationError);
    await expect(openai.models.retrieve("service/s1")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(
      openai.audio.translations.create({ model: "whisper-1", file: new File([new Uint8Array(8)], "a.wav") }),
    ).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe("Groq's library", () => {
  it("speaks, whatever it says it accepts", async () => {
    const response = await groq.audio.speech.create({
      model: "playai-tts",
      voice: "default",
      input: text,
      response_format: "wav",
    });
    await expectSpeech(new Uint8Array(await response.arrayBuffer()));
  });

  it("transcribes", async () => {
    expectRecognized(
      (await groq.audio.transcriptions.create({ file: await spokenFile(), model: "whisper-large-v3-turbo" })).text,
    );
  });

  it("lists the models, and raises its own errors", async () => {
    expect((await groq.models.list()).data.length).toBeGreaterThan(3);
    const refused = groq.audio.speech.create({
      model: "playai-tts",
      voice: "default",
      input: text,
      response_format: "flac",
    });
    await expect(refused).rejects.toThrow(Groq.BadRequestError);
  });
});

describe("OpenRouter's library, which checks every answer", () => {
  it("speaks", async () => {
    const stream = await openRouter.tts.createSpeech({
      speechRequest: { model: "service/s2.1-pro", voice: "", input: text },
    });
    await expectSpeech(await collect(stream as unknown as AsyncIterable<Uint8Array>), raw(24_000));
  });

  it("speaks a chat message", async () => {
    const request = {
      model: "service/s1",
      modalities: ["audio"],
      audio: { voice: "default", format: "mp3" },
      messages: [{ role: "user" as const, content: text }],
    };
    const answer = await openRouter.chat.send({
      chatRequest: request as unknown as Parameters<typeof openRouter.chat.send>[0]["chatRequest"],
    });
    const { choices } = answer as unknown as { choices: { message: { audio?: { data?: string } } }[] };
    await expectSpeech(Buffer.from(choices[0]?.message.audio?.data ?? "", "base64"));
  });

  it("transcribes a form and JSON", async () => {
    const file = await spokenFile();
    const form = await openRouter.stt.createTranscriptionMultipart({
      requestBody: { model: "service/transcribe-1", file },
    });
    expectRecognized(form.text);
    const inputAudio = { data: Buffer.from(await file.arrayBuffer()).toString("base64"), format: "wav" };
    const json = await openRouter.stt.createTranscription({
      sttRequest: { model: "service/transcribe-1", inputAudio },
    });
    expectRecognized(json.text);
  });

  it("lists the models", async () => {
    const list = await openRouter.models.list();
    expect(JSON.stringify(list)).toContain("service/s2.1-pro-free");
  });

  it("raises its own typed errors", async () => {
    const refused = openRouter.tts.createSpeech({ speechRequest: { model: "no/model", voice: "", input: text } });
    await expect(refused).rejects.toMatchObject({ name: "BadRequestResponseError", statusCode: 400 });
    const stranger = new OpenRouter({
      serverURL: `${cluster.baseUrl}/compat/api/v1`,
      apiKey: "wrong",
      retryConfig: { strategy: "none" },
    });
    await expect(
      stranger.tts.createSpeech({ speechRequest: { model: "service/s1", voice: "", input: text } }),
    ).rejects.toMatchObject({ name: "UnauthorizedResponseError" });
  });
});
