import { describe, expect, it } from "vitest";
import { openAiSpeech } from "#protocol/compat/openai-speech";
import { ServiceError } from "#protocol/errors";
import { type MappedSpeech, mapOpenAiSpeech, type OpenAiSettings } from "./speech-request.js";

const minimal = { input: "Hello.", model: "service/s1" };
const settings: OpenAiSettings = {
  PARLEY_MODEL_ALIASES: { fast: "s1" },
  PARLEY_VOICE_ALIASES: { alloy: "0123abcd", echo: "default" },
  PARLEY_COMPAT_PCM_RATE: 24_000,
};
const noHeader = (): undefined => undefined;
const map = (body: unknown, headers: Record<string, string> = {}): MappedSpeech =>
  mapOpenAiSpeech(body, (name) => headers[name], settings);
const sample = Buffer.from("RIFF").toString("base64");

/** Sets a dotted name; `fish-audio` holds no dot. */
function withParameter(name: string, value: unknown): Record<string, unknown> {
  const keys = name.split(".");
  const nested = keys.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return { ...minimal, [keys[0] ?? ""]: keys.length > 1 ? nested : value };
}

function refusal(body: unknown, headers: Record<string, string> = {}): ServiceError {
  try {
    map(body, headers);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new RangeError("it was taken");
}

it("follows the operator's names of voices", () => {
  const voices = ["alloy", { id: "alloy" }, "echo", "nova"].map(
    (voice) => map({ ...minimal, voice }).request.reference_id,
  );
  expect(voices).toEqual(["0123abcd", "0123abcd", undefined, "nova"]);
});

describe("every row of OpenAI's speech table", () => {
  const of = (treatment: string) =>
    openAiSpeech.parameters.filter((row) => row.treatment === treatment && row.place === "body");

  it.each(
    of("mapped").filter(({ example }) => !Array.isArray(example) && example !== "default"),
  )("$name changes the native request", ({ name, example }) => {
    expect(map(withParameter(name, example))).not.toEqual(map(minimal));
  });

  it.each(of("ignored"))("$name changes nothing", ({ name, example }) => {
    expect(map(withParameter(name, example))).toEqual(map(minimal));
  });

  it.each(of("refused"))("$name is refused, and unset values of it are not", ({ name, example, note }) => {
    const error = refusal(withParameter(name, example));
    expect([error.status, error.message]).toEqual([400, `${name} is not supported: ${note}`]);
    for (const unset of [null, false, "", "False", "none", "off", 0])
      expect(map(withParameter(name, unset))).toEqual(map(minimal));
  });
});

describe("OpenAI's speech request", () => {
  it("asks for 24 kHz PCM of the default voice unless told otherwise", () => {
    expect(mapOpenAiSpeech({ input: "Hi." }, noHeader, settings)).toEqual({
      model: "s2.1-pro",
      request: { text: "Hi.", latency: "low", format: "pcm", sample_rate: 24_000 },
      asEvents: false,
    });
    for (const voice of ["", "default", null]) expect(map({ ...minimal, voice }).request.reference_id).toBeUndefined();
    expect(map({ ...minimal, voice: { id: "abc" } }).request.reference_id).toBe("abc");
    expect(map({ ...minimal, response_format: "pcm16" }).request).toMatchObject({ format: "pcm", sample_rate: 24_000 });
    expect(map({ ...minimal, response_format: "pcm16", sample_rate: 16_000 }).request.sample_rate).toBe(16_000);
  });

  it("takes audio for the format of the stream unless it is to be events", () => {
    for (const unset of ["audio", null, false, "", "False", "none", "off", 0])
      expect(map({ ...minimal, stream_format: unset })).toEqual(map(minimal));
    expect(map({ ...minimal, stream_format: "sse" }).asEvents).toBe(true);
    for (const wrong of ["SSE", "ndjson", 5, ["sse"]])
      expect(refusal({ ...minimal, stream_format: wrong }).code).toBe("validation");
  });

  it("takes the rate of PCM from a header, the provider's options, the body or the operator, in this order", () => {
    const rate = (body: object, headers: Record<string, string> = {}, operators = 44_100) =>
      mapOpenAiSpeech({ ...minimal, ...body }, (name) => headers[name], {
        ...settings,
        PARLEY_COMPAT_PCM_RATE: operators,
      }).request.sample_rate;
    const options = { provider: { options: { "fish-audio": { sample_rate: 16_000 } } } };
    expect([
      rate({}, {}, 24_000),
      rate({}),
      rate({ response_format: "pcm" }),
      rate({ response_format: "pcm16" }),
    ]).toEqual([24_000, 44_100, 44_100, 24_000]);
    expect([
      rate({ sample_rate: 32_000 }),
      rate({ sample_rate: 32_000, ...options }),
      rate(options, { "x-fish-sample-rate": "8000" }),
    ]).toEqual([32_000, 16_000, 8000]);
    expect(rate({ response_format: "mp3" }, { "x-fish-format": "pcm" })).toBe(44_100);
    expect(["mp3", "wav", "opus"].map((response_format) => rate({ response_format }))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(rate({}, { "x-fish-format": "opus" })).toBeUndefined();
  });

  it("takes the names of models as the catalogue, older clients and other vendors write them", () => {
    const names = {
      "service/s1": "s1",
      "fish-audio/s2-pro": "s2-pro",
      "s2.1-pro-free": "s2.1-pro-free",
      "tts-1-hd": "s2.1-pro",
      "playai-tts": "s2.1-pro",
    };
    for (const [name, native] of Object.entries(names)) expect(map({ ...minimal, model: name }).model).toBe(native);
    expect(refusal({ ...minimal, model: "whisper-1" }).code).toBe("unknown_model");
  });

  it("lets headers win over provider options, and these over the body", () => {
    const body = {
      ...minimal,
      temperature: 0.1,
      speed: 2,
      provider: { options: { "fish-audio": { temperature: 0.2, prosody: { speed: 0.5 }, unknown: 1 } } },
    };
    expect(map(body).request).toMatchObject({ temperature: 0.2, prosody: { speed: 0.5 } });
    const headers = { "x-fish-temperature": "0.3", "x-fish-reference_id": "voice-7", "x-fish-chunk-length": "120" };
    expect(map(body, headers).request).toMatchObject({ temperature: 0.3, reference_id: "voice-7", chunk_length: 120 });
  });

  it("takes speeds that the native request does not know, and snaps mp3 bitrates up", () => {
    expect(map({ ...minimal, speed: 4 }).request.prosody?.speed).toBe(4);
    expect(map({ ...minimal, speed: 0.25 }).request.prosody?.speed).toBe(0.25);
    const bitrate = (value: number) => ({
      ...minimal,
      response_format: "mp3",
      provider: { options: { "fish-audio": { mp3_bitrate: value } } },
    });
    expect([32, 64, 96, 160].map((value) => map(bitrate(value)).request.mp3_bitrate)).toEqual([64, 64, 128, 192]);
    expect(refusal(bitrate(320)).status).toBe(422);
  });

  it("pairs voice samples with their texts, on whichever side these stand", () => {
    const audio = { type: "input_audio", input_audio: { data: sample, format: "wav" } };
    const text = (value: string) => ({ type: "text", text: value });
    const textsOf = (parts: unknown[]) =>
      (map({ ...minimal, input_references: parts }).request.references as { text: string }[]).map((one) => one.text);
    expect(textsOf([audio, text("a"), audio, text("b")])).toEqual(["a", "b"]);
    expect(textsOf([text("a"), audio, audio, text("b")])).toEqual(["a", "b"]);
    expect(textsOf([audio])).toEqual([""]);
  });

  it.each([
    ["no input", { model: "tts-1" }],
    ["input that is no text", { ...minimal, input: 5 }],
    ["a body that is no object", [1]],
    ["too fast", { ...minimal, speed: 4.1 }],
    ["too slow", { ...minimal, speed: 0.2 }],
    ["a rate that the format has not", { ...minimal, response_format: "mp3", sample_rate: 16_000 }],
    ["references that are no list", { ...minimal, input_references: "x" }],
    [
      "a sample that is no base64",
      { ...minimal, input_references: [{ type: "input_audio", input_audio: { data: "%%%" } }] },
    ],
    ["a temperature beyond 1", { ...minimal, temperature: 1.5 }],
  ])("refuses %s as a bad field", (_what, body) => {
    expect(refusal(body).code).toBe("validation");
  });

  it.each(["aac", "flac", "mulaw", "ogg", "MP3", "toString"])("refuses the format %s", (format) => {
    expect(refusal({ ...minimal, response_format: format }).code).toBe("unsupported_format");
  });
});
