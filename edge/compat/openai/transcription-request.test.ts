import { describe, expect, it } from "vitest";
import { openAiTranscription, openAiTranscriptFormats } from "#protocol/compat/openai-transcription";
import { ServiceError } from "#protocol/errors";
import { uploadRequest } from "../../transcription/testing/transcription-bench.js";
import { renderOpenAiError } from "../error-answer.js";
import { mapOpenAiTranscription, readOpenAiTranscription } from "./transcription-request.js";

const rows = openAiTranscription.parameters.filter((row) => row.place === "form");
const minimal = { model: "service/transcribe-1", response_format: "verbose_json" };
const map = (values: Record<string, unknown>) =>
  mapOpenAiTranscription(
    { ...minimal, ...values },
    { PARLEY_MODEL_ALIASES: { scribe: "transcribe-1", speaker: "s1" } },
  );
const plain = (name: string): string => name.replace("[]", "");

describe("every row of OpenAI's transcription table", () => {
  it.each(
    rows.filter((row) => row.treatment === "mapped" && row.name !== "file" && row.name !== "model"),
  )("$name changes the request", ({ name, example }) => {
    expect(map({ [plain(name)]: example })).not.toEqual(map({}));
  });

  it.each(rows.filter((row) => row.treatment === "ignored"))("$name changes nothing", ({ name, example }) => {
    expect(map({ [name]: example })).toEqual(map({}));
  });

  it.each(rows.filter((row) => row.treatment === "refused"))("$name is refused unless it is unset", ({
    name,
    example,
    note,
  }) => {
    expect(() => map({ [name]: example })).toThrow(`${name} is not supported: ${note}`);
    for (const unset of ["", "false", "None", "off", "0"]) expect(map({ [name]: unset })).toEqual(map({}));
  });
});

describe("OpenAI's transcription request", () => {
  it("takes the recognizer under all its names, and no other model", () => {
    for (const model of [
      "whisper-1",
      "service/transcribe-1",
      "fish-audio/transcribe-1",
      "transcribe-1",
      "openai/whisper-large-v3",
      "scribe",
      undefined,
    ]) {
      expect(() => map({ model })).not.toThrow();
    }
    for (const model of ["tts-1", "service/s1", "whisper-9", "speaker", "constructor"])
      expect(() => map({ model })).toThrow(expect.objectContaining({ code: "unknown_model" }));
  });

  it("knows its formats, one and several granularities, and its streams", () => {
    for (const format of openAiTranscriptFormats) expect(map({ response_format: format }).format).toBe(format);
    expect(() => map({ response_format: "diarized_json" })).toThrow(
      expect.objectContaining({
        code: "refused_parameter",
        parameters: expect.objectContaining({ parameter: "response_format" }),
      }),
    );
    expect(map({ timestamp_granularities: ["segment", "word"] }).withWords).toBe(true);
    expect(map({ timestamp_granularities: "segment, word" }).withWords).toBe(true);
    expect(map({ timestamp_granularities: "segment" }).withWords).toBe(false);
    expect([map({ stream: "false" }).isStreamed, map({ stream: true }).isStreamed, map({}).isStreamed]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("says plainly that there is no file, or nothing in it", async () => {
    const form = async (file: Blob | null, url?: string): Promise<[Uint8Array, Record<string, string>]> => {
      const data = new FormData();
      data.set("model", "whisper-1");
      if (url !== undefined) data.set("url", url);
      if (file !== null) data.set("file", file, "a.wav");
      const body = new Response(data);
      return [
        new Uint8Array(await body.clone().arrayBuffer()),
        { "content-type": body.headers.get("content-type") ?? "" },
      ];
    };
    const json = (value: object): [Uint8Array, Record<string, string>] => [
      Buffer.from(JSON.stringify({ model: "whisper-1", ...value })),
      { "content-type": "application/json" },
    ];
    const said = async ([body, headers]: [Uint8Array, Record<string, string>]): Promise<unknown> => {
      const error: unknown = await readOpenAiTranscription(uploadRequest(body, headers), {
        PARLEY_MODEL_ALIASES: {},
      }).catch((thrown: unknown) => thrown);
      if (!(error instanceof ServiceError)) throw new TypeError("it was taken");
      const { error: shown } = JSON.parse(Buffer.from(renderOpenAiError(error).body).toString()) as {
        error: Record<string, unknown>;
      };
      return [shown["code"], shown["message"], shown["param"]];
    };
    expect(await said(await form(null))).toEqual([400, "file: Field required", "file"]);
    expect(await said(await form(null, "https://a.example/b.wav"))).toEqual([
      400,
      expect.stringMatching(/^url is not supported: /),
      "url",
    ]);
    expect(await said(await form(new Blob([])))).toEqual([400, "file: The file is empty", "file"]);
    expect(await said(json({ input_audio: { data: "" } }))).toEqual([
      400,
      "input_audio.data: Input should be audio bytes: binary, base64 or a data URL",
      "input_audio.data",
    ]);
    expect(await said(json({}))).toEqual([400, "input_audio: Field required", "input_audio"]);
  });
});
