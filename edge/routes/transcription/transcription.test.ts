import { NOTHING_GIVEN_WAIT_MS } from "#common/usage/usage-reporter";
import { expect, describe, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { MAX_AUDIO_FILE_BYTES } from "#protocol/transcription/request";
import { encodeMsgpack } from "#protocol/msgpack";
import { samplesToBytes } from "#audio/pcm";
import { MemoryBudget } from "../../memory/memory-budget.js";
import { TranscriptionBench, uploadRequest } from "../../transcription/testing/transcription-bench.js";
import { scriptedDetector, audioOfWords } from "#transcription/testing/scripted-client";
import { RecordingResponder, testPrincipal } from "../../speech/testing/speech-bench.js";
import { transcriptionRoute } from "./transcription.js";

const { samples } = audioOfWords(
  [
    { pauseSteps: 50, steps: 40, loudness: 2001 },
    { pauseSteps: 10, steps: 20, loudness: 2002 },
    { pauseSteps: 100, steps: 50, loudness: 2003 },
  ],
  80,
);
const audio = samplesToBytes(samples);
const packed = { "content-type": "application/msgpack" };

function post(bench: TranscriptionBench, body: Uint8Array, headers: Record<string, string> = packed) {
  const responder = new RecordingResponder();
  const outcome = transcriptionRoute(bench.context)
    .handle(uploadRequest(body, headers), responder)
    .then(
      () => "done",
      (error: unknown) => error as ServiceError,
    );
  return { responder, outcome };
}

async function answer(bench: TranscriptionBench, fields: object): Promise<Record<string, unknown>> {
  const { responder, outcome } = post(bench, encodeMsgpack({ audio, ...fields }));
  expect(await outcome).toBe("done");
  expect([responder.status, responder.headers["content-type"]]).toEqual([200, "application/json"]);
  return JSON.parse(responder.body.toString());
}

async function form(
  parts: [name: string, value: string | Uint8Array, filename?: string][],
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === "string") data.append(name, value);
    else data.append(name, new Blob([Buffer.from(value)]), filename ?? "a.wav");
  }
  const request = new Request("http://x", { method: "POST", body: data });
  return {
    body: new Uint8Array(await request.arrayBuffer()),
    headers: { "content-type": request.headers.get("content-type") ?? "" },
  };
}

describe("POST /v1/asr", () => {
  it("gives text and duration, and segments when they are asked for", async () => {
    const whole = { text: "w2001 w2002 w2003", duration: 3.5, language_code: "en", language: "English" };
    const phrases = [
      { text: "w2001 w2002", start: 0.5, end: 1.2 },
      { text: "w2003", start: 2.2, end: 2.7 },
    ];
    expect(await answer(new TranscriptionBench(), {})).toEqual({ ...whole, segments: [] });
    expect(
      await answer(new TranscriptionBench(), {
        ignore_timestamps: null,
        language: null,
        timestamp_granularity: null,
        later: 1,
      }),
    ).toEqual({ ...whole, segments: [] });
    expect(await answer(new TranscriptionBench(), { ignore_timestamps: false, language: "en" })).toEqual({
      ...whole,
      segments: phrases,
    });
    const words = await answer(new TranscriptionBench(), { timestamp_granularity: "word" });
    expect(words["segments"]).toEqual([
      { text: "w2001", start: 0.5, end: 0.9 },
      { text: "w2002", start: 1, end: 1.2 },
      { text: "w2003", start: 2.2, end: 2.7 },
    ]);
  });

  it("takes a form as well, its booleans as text and its file without a name", async () => {
    for (const filename of ["a.wav", ""]) {
      const { body, headers } = await form([
        ["audio", audio, filename],
        ["language", "en-US"],
        ["ignore_timestamps", "false"],
      ]);
      const { responder, outcome } = post(new TranscriptionBench(), body, headers);
      expect(await outcome).toBe("done");
      expect((JSON.parse(responder.body.toString()) as { segments: unknown[] }).segments).toHaveLength(2);
    }
  });

  it("gives numbers as they are written, unless words are asked for, by the request or by the setting", async () => {
    const textOf = (loudness: number): string => ["twenty", "five", "dollars"][loudness - 2001] ?? "";
    const ask = async (fields: object, environment: Record<string, string> = {}, language = "en") =>
      await answer(new TranscriptionBench({ textOf, language }, environment), fields);
    const digits = await ask({ timestamp_granularity: "word" });
    // The third word comes a second after the others: it is not said together with them.
    expect(digits).toMatchObject({ text: "25 dollars", segments: [{ text: "25", start: 0.5 }, { text: "dollars" }] });
    expect((await ask({ numbers: "words" }))["text"]).toBe("twenty five dollars");
    expect((await ask({}, { PARLEY_ASR_NUMBERS: "words" }))["text"]).toBe("twenty five dollars");
    expect((await ask({ numbers: "digits" }, { PARLEY_ASR_NUMBERS: "words" }))["text"]).toBe("25 dollars");
    expect((await ask({}, {}, "de"))["text"]).toBe("twenty five dollars");
    expect(await post(new TranscriptionBench(), encodeMsgpack({ audio, numbers: "roman" })).outcome).toMatchObject({
      code: "validation",
    });
  });

  it("adds full stops and capitals where the setting says so", async () => {
    const textOf = (loudness: number): string => ["where", "is", "mister"][loudness - 2001] ?? "";
    const bench = (environment: Record<string, string>) => new TranscriptionBench({ textOf }, environment);
    expect((await answer(bench({ PARLEY_ASR_PUNCTUATION: "on" }), {}))["text"]).toBe("Where is? Mister.");
    expect((await answer(bench({}), {}))["text"]).toBe("where is mister");
  });

  it("books the seconds of audio, and works in the tier of files", async () => {
    const bench = new TranscriptionBench();
    await answer(bench, {});
    expect(bench.usage).toMatchObject([
      { route: "/v1/asr", model: "transcribe-1", characters: 0, audioMs: 3500, outcome: "completed", teamId: "team" },
    ]);
    expect(bench.recognition.opened).toMatchObject([
      { task: "transcribe", model: "parley-asr-en", tier: "bulk" },
      { task: "vad", model: "parley-vad", tier: "bulk" },
    ]);
    expect(bench.recognition.opened[0]?.traceparent).toMatch(/^00-/);
    expect(bench.recognition.openStreams).toBe(0);
  });

  it("answers silence with no words, for its whole length", async () => {
    const bench = new TranscriptionBench();
    expect(await answer(bench, { audio: new Uint8Array(32_000 * 5), ignore_timestamps: false })).toEqual({
      text: "",
      duration: 5,
      segments: [],
    });
    expect(bench.usage).toMatchObject([{ audioMs: 5000 }]);
  });

  it("refuses before any work", async () => {
    const refusals: [body: object, principal: Partial<typeof testPrincipal>, code: string, message: RegExp][] = [
      [{}, { scopes: ["speech"] }, "missing_scope", /transcription/],
      [{}, { hasCredit: false }, "out_of_credit", /credit/],
      [{ audio: undefined }, {}, "validation", /./],
      [{ audio: 5 }, {}, "validation", /./],
      [{ audio: [audio, audio] }, {}, "validation", /./],
      [{ ignore_timestamps: "perhaps" }, {}, "validation", /./],
      [{ language: 7 }, {}, "validation", /./],
      [{ timestamp_granularity: "letter" }, {}, "validation", /./],
      [{ language: "de" }, {}, "unknown_language", /available: en$/],
      [{ audio: new Uint8Array(3) }, {}, "unusable_audio", /: no samples$/],
      [{ audio: new Uint8Array(31_998) }, {}, "unusable_audio", /: it is shorter than 1 second$/],
      [{ audio: new Uint8Array(0) }, {}, "unusable_audio", /shorter/],
      [{ audio: new Uint8Array(MAX_AUDIO_FILE_BYTES + 2) }, {}, "payload_too_large", /20971520/],
    ];
    for (const [fields, principal, code, message] of refusals) {
      const bench = new TranscriptionBench();
      bench.principal = { ...testPrincipal, ...principal };
      const { responder, outcome } = post(bench, encodeMsgpack({ audio, ...fields }));
      expect(await outcome).toMatchObject({ code, message: expect.stringMatching(message) });
      expect({ begun: responder.begun, usage: bench.usage, recognized: bench.recognition.lengths }).toEqual({
        begun: false,
        usage: [],
        recognized: [],
      });
    }
  });

  it("takes one file, in a form or MessagePack", async () => {
    const two = await form([
      ["audio", audio],
      ["audio", audio],
    ]);
    expect(await post(new TranscriptionBench(), two.body, two.headers).outcome).toMatchObject({
      code: "malformed_multipart",
    });
    const none = await form([["file", audio]]);
    expect(await post(new TranscriptionBench(), none.body, none.headers).outcome).toMatchObject({
      code: "validation",
      problems: [{ type: "missing", loc: ["body", "audio"] }],
    });
    for (const type of ["application/json", "text/plain", ""]) {
      expect(await post(new TranscriptionBench(), Buffer.from("{}"), { "content-type": type }).outcome).toMatchObject({
        code: "unsupported_media_type",
      });
    }
    expect(await post(new TranscriptionBench(), Buffer.from("\x93")).outcome).toMatchObject({
      code: "malformed_msgpack",
    });
  });

  it("says that nobody can listen, before it reads the upload", async () => {
    const bench = new TranscriptionBench({ models: [scriptedDetector] });
    expect(await post(bench, new Uint8Array(0), { "content-type": "audio/wav" }).outcome).toMatchObject({
      code: "no_worker",
      status: 503,
    });
  });

  it("cuts by loudness where no detector is loaded", async () => {
    const bench = new TranscriptionBench({ models: new TranscriptionBench().recognition.served("transcribe") });
    expect((await answer(bench, {}))["text"]).toBe("w2001 w2002 w2003");
    expect(bench.recognition.opened.map(({ task }) => task)).toEqual(["transcribe"]);
  });

  it("passes a failure on, books it as one, and leaves nothing open", async () => {
    const bench = new TranscriptionBench({
      failureOf: (task) =>
        task === "transcribe" ? new ServiceError("transcription_failed", { parameters: { attempts: 3 } }) : null,
    });
    expect(await post(bench, encodeMsgpack({ audio })).outcome).toMatchObject({ code: "transcription_failed" });
    bench.clock.advance(NOTHING_GIVEN_WAIT_MS);
    expect(bench.usage).toMatchObject([{ outcome: "failed" }]);
    expect(bench.recognition.openStreams).toBe(0);
  });

  it("ends all work when the client goes away", async () => {
    const bench = new TranscriptionBench({ turnsOf: () => 1_000_000 });
    const { responder, outcome } = post(bench, encodeMsgpack({ audio }));
    while (bench.recognition.lengths.length === 0) await new Promise((resolve) => setImmediate(resolve));
    responder.leave();
    expect(await outcome).toMatchObject({ name: "AbortError" });
    expect(bench.recognition.openStreams).toBe(0);
    bench.clock.advance(NOTHING_GIVEN_WAIT_MS);
    expect(bench.usage).toMatchObject([{ outcome: "cancelled", audioMs: 0 }]);
    expect(responder.begun).toBe(false);
  });

  it("holds an upload up while others leave it no room, and reads it then", async () => {
    const bench = new TranscriptionBench();
    const limits = {
      totalBytes: 2 ** 27,
      growingBytes: 4 * audio.byteLength,
      waitingBytes: 2 ** 27,
      copies: 2,
      maxWaitMs: 20_000,
    };
    bench.context.uploads = new MemoryBudget(limits, bench.clock);
    const { signal } = new AbortController();
    const half = 2 * audio.byteLength;
    const other = await bench.context.uploads.open({ teamId: "b", expectedBytes: half, unaskedBytes: half, signal });
    const request = uploadRequest(encodeMsgpack({ audio }), packed);
    const responder = new RecordingResponder();
    let isHeldUp = false;
    const stream = (): AsyncIterable<Uint8Array> => {
      isHeldUp = true;
      return request.stream();
    };
    const outcome = transcriptionRoute(bench.context).handle({ ...request, stream }, responder);
    await new Promise((resolve) => setImmediate(resolve));
    expect([isHeldUp, responder.begun]).toEqual([true, false]);
    other.close();
    await outcome;
    expect(responder.status).toBe(200);
  });

  it("bounds the requests of a team and frees the place in the end", async () => {
    const bench = new TranscriptionBench({ turnsOf: () => 20 }, { PARLEY_STREAMS_PER_TEAM: "1" });
    const first = post(bench, encodeMsgpack({ audio }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await post(bench, encodeMsgpack({ audio })).outcome).toMatchObject({ code: "too_many_requests" });
    expect(await first.outcome).toBe("done");
    expect(await post(bench, encodeMsgpack({ audio })).outcome).toBe("done");
  });
});
