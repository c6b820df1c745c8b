import { describe, expect, it } from "vitest";
import { heldAnswerLimits } from "#protocol/limits";
import { createWavCodec } from "#audio/encoding/pcm-codec";
import { fromFloat, samplesToBytes } from "#audio/pcm";
import { MemoryBudget, type MemoryLimits } from "../memory/memory-budget.js";
import { expectedSamples } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingResponder, SpeechBench } from "../speech/testing/speech-bench.js";
import { elevenLabsSpeechRoutes } from "./elevenlabs/speech.js";
import { expectedAnswerBytes, holdAnswer } from "./held-answer.js";
import { dispatch } from "./testing/dispatch.js";
import { openAiChatRoutes } from "./openai/chat.js";

const KB = 1024;
const MB = 1024 * KB;

interface Chat {
  choices: [{ message: { audio: { data: string; transcript: string } } }];
  usage: object;
}

/** Asks for a chat completion; `handled` settles with its answer. */
function chat(
  bench: SpeechBench,
  text: string,
  responder = new RecordingResponder(),
): { responder: RecordingResponder; handled: Promise<void> } {
  const [route] = openAiChatRoutes({ speech: bench.context, transcriberFor: () => () => expect.unreachable() });
  const body = {
    model: "service/s1",
    modalities: ["text", "audio"],
    audio: { format: "mp3" },
    messages: [{ role: "user", content: text }],
  };
  return { responder, handled: dispatch(route!, jsonRequest(body), responder) };
}

function withTimestamps(
  bench: SpeechBench,
  text: string,
  responder = new RecordingResponder(),
): { responder: RecordingResponder; handled: Promise<void> } {
  const route = elevenLabsSpeechRoutes(bench.context).find(({ path }) => path.endsWith("/:voice_id/with-timestamps"));
  return {
    responder,
    handled: dispatch(
      route!,
      { ...jsonRequest({ text }, { "xi-api-key": "k" }), parameters: { voice_id: "default" } },
      responder,
    ),
  };
}

function benchWith(limits: Partial<MemoryLimits>): SpeechBench {
  const bench = new SpeechBench();
  bench.context.heldAnswers = new MemoryBudget(
    { totalBytes: 96 * MB, growingBytes: 96 * MB, waitingBytes: 96 * MB, copies: 1, maxWaitMs: 20_000, ...limits },
    bench.clock,
  );
  return bench;
}

const spokenBytes = (bench: SpeechBench): Buffer =>
  Buffer.concat(bench.cluster.submits.map(({ submit }) => samplesToBytes(expectedSamples(submit.chunk))));
const sentences = (count: number): string =>
  Array.from({ length: count }, (_, index) => `This is the sentence with the number ${index}.`).join(" ");
const errorOf = ({ body }: RecordingResponder): unknown => JSON.parse(body.toString());

describe("an answer that is one object", () => {
  it("holds the whole file and the transcript, whatever the text says", async () => {
    const bench = new SpeechBench();
    const text = `He said "" and "data":"" {"a": ""}. ${sentences(20)}`;
    const { responder, handled } = chat(bench, text);
    await bench.pass(6000);
    await handled;
    const { choices, usage } = JSON.parse(responder.body.toString()) as Chat;
    const { data, transcript } = choices[0].message.audio;
    expect(Buffer.from(data, "base64").equals(spokenBytes(bench))).toBe(true);
    expect([transcript, usage]).toEqual([text, expect.objectContaining({ prompt_tokens: text.length })]);
    expect([responder.ended, bench.context.heldAnswers.heldBytes]).toEqual([true, 0]);
  });

  it.each([0, 1, 2, 5000])("says how long its WAV file of %i samples is", async (samples) => {
    const bench = new SpeechBench();
    const responder = new RecordingResponder();
    const codec = createWavCodec(16_000);
    const options = { heldAnswers: bench.context.heldAnswers, teamId: "t", responder, textField: "text", instead: "" };
    await holdAnswer({ ...options, request: { text: "Hi.", format: "wav" } }, async (answer) => {
      for (const piece of [...codec.encode(new Float32Array(samples).fill(0.5)), ...codec.finish()])
        for (let at = 0; at < piece.byteLength; at += 17) await answer.audio(piece.subarray(at, at + 17));
      await answer.send('{"audio": "', ['"}']);
    });
    const { audio } = JSON.parse(responder.body.toString()) as { audio: string };
    const file = Buffer.from(audio, "base64");
    expect(file.byteLength).toBe(44 + 2 * samples);
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([36 + 2 * samples, 2 * samples]);
    expect(new Int16Array(file.subarray(44).buffer.slice(file.byteOffset + 44, file.byteOffset + file.length))).toEqual(
      new Int16Array(samples).fill(fromFloat(new Float32Array([0.5]))[0] ?? 0),
    );
  });

  it("holds the time of every character", async () => {
    const bench = new SpeechBench();
    const text = sentences(20);
    const { responder, handled } = withTimestamps(bench, text);
    await bench.pass(6000);
    await handled;
    const answer = JSON.parse(responder.body.toString()) as {
      audio_base64: string;
      alignment: Record<string, unknown[]>;
      normalized_alignment: unknown;
    };
    expect(Buffer.from(answer.audio_base64, "base64").equals(spokenBytes(bench))).toBe(true);
    expect(answer.alignment["characters"]?.join("")).toBe(text);
    expect(Object.values(answer.alignment).map((list) => list.length)).toEqual([text.length, text.length, text.length]);
    expect(answer.normalized_alignment).toEqual(answer.alignment);
  });

  it("may have a text that is not too long for it, in the words of its protocol", async () => {
    const text = "a".repeat(heldAnswerLimits.characters + 1);
    const bench = new SpeechBench();
    const [ofOpenAi, ofElevenLabs] = [chat(bench, text), withTimestamps(bench, text)];
    await Promise.all([ofOpenAi.handled, ofElevenLabs.handled]);
    expect([ofOpenAi.responder.status, errorOf(ofOpenAi.responder)]).toEqual([
      400,
      {
        error: {
          code: 400,
          type: "invalid_request_error",
          param: "messages",
          message:
            "The answer is too long for one object: its text may have 20000 characters; set stream, or split the text",
        },
      },
    ]);
    expect([ofElevenLabs.responder.status, errorOf(ofElevenLabs.responder)]).toEqual([
      400,
      {
        detail: {
          status: "invalid_request",
          message:
            "The answer is too long for one object: its text may have 20000 characters; use /stream/with-timestamps, or split the text",
        },
      },
    ]);
    expect(bench.cluster.submits).toEqual([]);
  });

  it("ends, with all work for it, when its audio is too long", async () => {
    const bench = new SpeechBench();
    const writer = bench.encoders.open.bind(bench.encoders);
    // An encoder that makes a megabyte of whatever it is given.
    bench.encoders.open = (spec) => ({ ...writer(spec), write: async () => new Uint8Array(MB) });
    const { responder, handled } = chat(bench, sentences(200));
    await bench.pass(30_000);
    await handled;
    expect([responder.status, errorOf(responder)]).toEqual([
      400,
      {
        error: expect.objectContaining({
          type: "invalid_request_error",
          message:
            "The answer is too long for one object: its audio may take 41943040 bytes in base64; ask for a smaller format, or set stream, or split the text",
        }),
      },
    ]);
    const submitted = bench.cluster.submits.length;
    await bench.pass(5000);
    expect(bench.cluster.submits.length).toBe(submitted);
    expect(submitted).toBeLessThan(100);
    expect(bench.context.heldAnswers.heldBytes).toBe(0);
    expect(bench.usage.map(({ outcome }) => outcome)).toEqual(["failed"]);
  });
});

describe("the memory of all such answers", () => {
  it("makes who finds no room wait, with his speech, and gives up in time", async () => {
    const bench = benchWith({ totalBytes: 400 * KB, maxWaitMs: 10_000 });
    const blocker = await bench.context.heldAnswers.open({
      teamId: "another",
      expectedBytes: 0,
      unaskedBytes: 0,
      signal: new AbortController().signal,
    });
    await blocker.add(100 * KB);
    const { responder, handled } = chat(bench, sentences(40));
    await bench.pass(3000);
    const submitted = bench.cluster.submits.length;
    await bench.pass(3000);
    // It holds half of what the other leaves, and no more of it is asked for.
    expect(bench.context.heldAnswers.heldBytes).toBeLessThan(100 * KB + 300 * KB);
    expect([bench.cluster.submits.length, responder.status]).toEqual([submitted, 0]);
    const late = chat(bench, sentences(40));
    blocker.close();
    await bench.pass(4000);
    expect(bench.cluster.submits.length).toBeGreaterThan(submitted);
    await bench.pass(30_000);
    await Promise.all([handled, late.handled]);
    // Both cannot have what they need: the older one is completed.
    expect([responder.status, late.responder.status]).toEqual([200, 503]);
    expect(errorOf(late.responder)).toEqual({
      error: expect.objectContaining({ message: "All speech capacity is in use" }),
    });
    expect(bench.context.heldAnswers.heldBytes).toBe(0);
  });

  it("is taken until a slow client has read the answer, and free when one leaves", async () => {
    const bench = new SpeechBench();
    const responder = new RecordingResponder();
    responder.behind = true;
    const slow = chat(bench, sentences(20), responder);
    const left = chat(bench, sentences(20));
    await bench.pass(1000);
    left.responder.leave();
    await left.handled;
    await bench.pass(5000);
    expect(bench.usage.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    expect(bench.context.heldAnswers.heldBytes).toBeGreaterThan(spokenBytes(bench).length / 2);
    responder.catchUp();
    await slow.handled;
    expect(bench.context.heldAnswers.heldBytes).toBe(0);
    expect((JSON.parse(responder.body.toString()) as Chat).choices.length).toBe(1);
  });
});

it("expects an answer to be as large as a slow voice would make it", () => {
  const text = "a".repeat(1000);
  expect(expectedAnswerBytes({ text, format: "pcm", sample_rate: 24_000 })).toBe((101 * 48_000 * 4) / 3);
  expect(expectedAnswerBytes({ text, format: "mp3", prosody: { speed: 2 } })).toBe((51 * 16_000 * 4) / 3);
  expect(expectedAnswerBytes({ text, format: "opus", opus_bitrate: 32_000 })).toBe(Math.ceil((101 * 4000 * 4) / 3));
  expect(expectedAnswerBytes({ text: "a".repeat(20_000), format: "wav" })).toBe(heldAnswerLimits.bytes);
});
