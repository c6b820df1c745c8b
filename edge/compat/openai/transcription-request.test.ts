import { describe, expect, it } from "vitest";
import { openAiTranscription, openAiTranscriptFormats } from "#protocol/compat/openai-transcription";
import { mapOpenAiTranscription } from "./transcription-request.js";

const rows = openAiTranscription.parameters.filter((row) => row.place === "form");
const minimal = { model: "service/transcribe-1", response_format: "verbose_json" };
const map = (values: Record<string, unknown>) => mapOpenAiTranscription({ ...minimal, ...values }, { PARLEY_MODEL_ALIASES: { scribe: "transcribe-1", speaker: "s1" } });
const plain = (name: string): string => name.replace("[]", "");

describe("every row of OpenAI's transcription table", () => {
  it.each(rows.filter((row) => row.treatment === "mapped" && row.name !== "file" && row.name !== "model"))("$name changes the request", ({ name, example }) => {
    expect(map({ [plain(name)]: example })).not.toEqual(map({}));
  });

  it.each(rows.filter((row) => row.treatment === "ignored"))("$name changes nothing", ({ name, example }) => {
    expect(map({ [name]: example })).toEqual(map({}));
  });

  it.each(rows.filter((row) => row.treatment === "refused"))("$name is refused unless it is unset", ({ name, example, note }) => {
    expect(() => map({ [name]: example })).toThrow(`${name} is not supported: ${note}`);
    for (const unset of ["", "false", "None", "off", "0"]) expect(map({ [name]: unset })).toEqual(map({}));
  });
});

describe("OpenAI's transcription request", () => {
  it("takes the recognizer under all its names, and no other model", () => {
    for (const model of ["whisper-1", "service/transcribe-1", "fish-audio/transcribe-1", "transcribe-1", "openai/whisper-large-v3", "scribe", undefined]) {
      expect(() => map({ model })).not.toThrow();
    }
    for (const model of ["tts-1", "service/s1", "whisper-9", "speaker", "constructor"]) expect(() => map({ model })).toThrow(expect.objectContaining({ code: "unknown_model" }));
  });

  it("knows its formats, one and several granularities, and its streams", () => {
    for (const format of openAiTranscriptFormats) expect(map({ response_format: format }).format).toBe(format);
    expect(() => map({ response_format: "diarized_json" })).toThrow(expect.objectContaining({ code: "unsupported_format" }));
    expect(map({ timestamp_granularities: ["segment", "word"] }).withWords).toBe(true);
    expect(map({ timestamp_granularities: "segment" }).withWords).toBe(false);
    expect([map({ stream: "false" }).isStreamed, map({ stream: true }).isStreamed, map({}).isStreamed]).toEqual([false, true, false]);
  });
});
