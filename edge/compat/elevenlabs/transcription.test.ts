import { describe, expect, it } from "vitest";
import { elevenLabsTranscription } from "#protocol/compat/elevenlabs-transcription";
import { samplesToBytes } from "#audio/pcm";
import { TranscriptionBench, uploadRequest } from "../../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { RecordingResponder } from "../../speech/testing/speech-bench.js";
import { dispatch } from "../testing/dispatch.js";
import { elevenLabsTranscriptionRoute } from "./transcription.js";

const { samples } = audioOfWords(
  [
    { pauseSteps: 50, steps: 40, loudness: 2001 },
    { pauseSteps: 10, steps: 20, loudness: 2002 },
  ],
  80,
);
const rows = elevenLabsTranscription.parameters.filter((row) => row.name !== "file");

async function ask(
  fields: Record<string, string> | [string, string][],
  query = "",
  bench = new TranscriptionBench(),
): Promise<{ status: number; body: Record<string, unknown> }> {
  const form = new FormData();
  for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([Buffer.from(samplesToBytes(samples))]), "a.wav");
  const request = new Request("http://x", { method: "POST", body: form });
  const upload = uploadRequest(new Uint8Array(await request.arrayBuffer()), {
    "content-type": request.headers.get("content-type") ?? "",
    "xi-api-key": "k",
  });
  const responder = new RecordingResponder();
  await dispatch(elevenLabsTranscriptionRoute(bench.context), { ...upload, query }, responder);
  return { status: responder.status, body: JSON.parse(responder.body.toString()) as Record<string, unknown> };
}

const send = (row: (typeof rows)[number], value: unknown) =>
  row.place === "query"
    ? ask({}, new URLSearchParams({ [row.name]: String(value) }).toString())
    : ask({ [row.name]: String(value) });

describe("POST /v1/speech-to-text", () => {
  it("gives words and the blanks between them, all with times", async () => {
    const { status, body } = await ask({ model_id: "scribe_v1", language_code: "en" });
    expect(status).toBe(200);
    const fixed = { logprob: 0, speaker_id: null };
    expect(body).toEqual({
      language_code: "en",
      language_probability: 1,
      text: "w2001 w2002",
      audio_duration_secs: samples.length / 16_000,
      transcription_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      words: [
        { text: "w2001", type: "word", start: 0.5, end: 0.9, ...fixed },
        { text: " ", type: "spacing", start: 0.9, end: 1, ...fixed },
        { text: "w2002", type: "word", start: 1, end: 1.2, ...fixed },
      ],
    });
    expect((await ask({})).body["language_code"]).toBe("");
  });

  it.each(rows.filter((row) => row.treatment === "ignored"))("ignores $name", async (row) => {
    const { transcription_id: _own, ...plain } = (await ask({})).body;
    expect((await send(row, row.example)).body).toMatchObject(plain);
  });

  it.each(rows.filter((row) => row.treatment === "refused"))("refuses $name ($place) when it is set", async (row) => {
    expect(await send(row, row.example)).toMatchObject({
      status: 400,
      body: { detail: { status: "invalid_request", message: `${row.name} is not supported: ${row.note}` } },
    });
    for (const unset of row.refusedWhenOff === true ? ["true", "1", ""] : ["false", "False", "0", "off", "none", ""])
      expect((await send(row, unset)).status).toBe(200);
  });

  it("has the words found that the client expects", async () => {
    const bench = new TranscriptionBench();
    const fields: [string, string][] = [
      ["keyterms", "Parley"],
      ["keyterms", "Home Assistant"],
    ];
    expect((await ask(fields, "", bench)).status).toBe(200);
    const [recognizer, detector] = bench.recognition.opened;
    expect(recognizer?.keyterms).toEqual(["Parley", "Home", "Assistant"]);
    expect(detector).not.toHaveProperty("keyterms");
  });

  it("goes by the last value of a field that comes several times", async () => {
    expect(
      (
        await ask([
          ["diarize", "true"],
          ["diarize", "false"],
        ])
      ).status,
    ).toBe(200);
    expect(
      (
        await ask([
          ["diarize", "false"],
          ["diarize", "true"],
        ])
      ).status,
    ).toBe(400);
    expect(
      (
        await ask([
          ["language_code", "xx"],
          ["language_code", "en"],
        ])
      ).body["language_code"],
    ).toBe("en");
  });

  it("has no zero-retention mode, wherever a client asks for one", async () => {
    expect([
      (await ask({ enable_logging: "false" })).status,
      (await ask({}, "enable_logging=False")).status,
      (await ask({ enable_logging: "true" })).status,
    ]).toEqual([400, 400, 200]);
  });

  it("needs a file", async () => {
    const responder = new RecordingResponder();
    const request = new Request("http://x", {
      method: "POST",
      body: (() => {
        const form = new FormData();
        form.append("model_id", "x");
        return form;
      })(),
    });
    const upload = uploadRequest(new Uint8Array(await request.arrayBuffer()), {
      "content-type": request.headers.get("content-type") ?? "",
    });
    await dispatch(elevenLabsTranscriptionRoute(new TranscriptionBench().context), upload, responder);
    expect(responder.status).toBe(400);
    expect(JSON.parse(responder.body.toString())).toEqual({
      detail: { status: "invalid_request", message: expect.stringContaining("file") },
    });
  });
});
