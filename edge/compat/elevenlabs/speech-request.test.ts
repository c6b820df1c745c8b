import { describe, expect, it } from "vitest";
import { elevenLabsSpeech } from "#protocol/compat/elevenlabs-speech";
import { ServiceError } from "#protocol/errors";
import { loadConfig } from "#common/config/config";
import { chooseModel } from "#speech/voice/model";
import { readOutputFormat } from "./output-format.js";
import { mapElevenLabsSpeech } from "./speech-request.js";

const { parameters } = elevenLabsSpeech.convert;
const minimal = { text: "Hello." };
const plain = loadConfig({});

function apply(row: (typeof parameters)[number] | null): unknown {
  if (row?.place === "query")
    return mapElevenLabsSpeech(minimal, "v", new URLSearchParams({ [row.name]: String(row.example) }), plain);
  const [outer = "", inner] = row?.name.split(".") ?? [];
  const body =
    row === null ? minimal : { ...minimal, [outer]: inner === undefined ? row.example : { [inner]: row.example } };
  return mapElevenLabsSpeech(body, "v", new URLSearchParams(), plain);
}

describe("every row of ElevenLabs' speech table", () => {
  it.each(parameters.filter((row) => row.treatment === "mapped"))("$name changes the native request", (row) => {
    expect(apply(row)).not.toEqual(apply(null));
  });

  it.each(parameters.filter((row) => row.treatment === "ignored"))("$name changes nothing", (row) => {
    expect(apply(row)).toEqual(apply(null));
  });

  it("refuses nothing but what it cannot read", () => {
    expect(parameters.some((row) => row.treatment === "refused")).toBe(false);
  });
});

describe("ElevenLabs' speech request", () => {
  const map = (body: object, voice = "abc", config = plain) =>
    mapElevenLabsSpeech({ ...minimal, ...body }, voice, new URLSearchParams(), config);

  it("names voices and models", () => {
    expect(map({}).request).toEqual({
      text: "Hello.",
      latency: "low",
      format: "mp3",
      sample_rate: 44_100,
      mp3_bitrate: 128,
      reference_id: "abc",
    });
    for (const voice of ["default", "-"]) expect(map({}, voice).request).not.toHaveProperty("reference_id");
    expect(["eleven_turbo_v2_5", undefined, "anything"].map((model_id) => map({ model_id }).model)).toEqual([
      "s2.1-pro",
      "s2.1-pro",
      "s2.1-pro",
    ]);
    expect(["service/s1", "fish-audio/s2-pro"].map((model_id) => map({ model_id }).model)).toEqual(["s1", "s2-pro"]);
    for (const model_id of [
      "service/nonsense",
      "fish-audio/nonsense",
      "service/",
      "service/eleven_v3",
      "fish-audio/transcribe-1",
      "service/toString",
    ]) {
      expect(() => map({ model_id })).toThrow(expect.objectContaining({ code: "unknown_model" }));
    }
    expect(() => map({ model_id: "Ellipsis" })).toThrow(expect.objectContaining({ code: "refused_parameter" }));
  });

  it("follows an operator's aliases of models, whatever their names are to other clients", () => {
    const config = loadConfig({ PARLEY_MODEL_ALIASES: "eleven_v3=s1,house=s2-pro" });
    const chosen = ["eleven_v3", "house", "service/house", "eleven_turbo_v2_5"].map(
      (model_id) => chooseModel(map({ model_id }, "abc", config).model, config).name,
    );
    expect(chosen).toEqual(["s1", "s2-pro", "s2-pro", "s2.1-pro"]);
  });

  it("follows an operator's aliases of voices", () => {
    const config = loadConfig({ PARLEY_VOICE_ALIASES: "21m00Tcm4TlvDq8ikWAM=0123abcd,Rachel=default,Adam=" });
    expect(map({}, "21m00Tcm4TlvDq8ikWAM", config).request.reference_id).toBe("0123abcd");
    for (const voice of ["Rachel", "Adam"]) expect(map({}, voice, config).request).not.toHaveProperty("reference_id");
    expect(map({}, "Bella", config).request.reference_id).toBe("Bella");
  });

  it("turns stability into temperature, and takes no settings at all", () => {
    expect(map({ voice_settings: { stability: 0.3, speed: 0.7 } }).request).toMatchObject({
      temperature: 0.7,
      prosody: { speed: 0.7 },
    });
    expect(map({ voice_settings: null }).request).toEqual(map({}).request);
    for (const voice_settings of [{ stability: 2 }, { speed: 9 }, 5])
      expect(() => map({ voice_settings })).toThrow(ServiceError);
  });
});

describe("output formats", () => {
  it.each([
    ["mp3_44100_128", { format: "mp3", sample_rate: 44_100, mp3_bitrate: 128 }],
    ["mp3_32000_64", { format: "mp3", sample_rate: 32_000, mp3_bitrate: 64 }],
    ["mp3_44100_32", { format: "mp3", sample_rate: 44_100, mp3_bitrate: 64 }],
    ["mp3_44100_96", { format: "mp3", sample_rate: 44_100, mp3_bitrate: 128 }],
    ["mp3_44100_192", { format: "mp3", sample_rate: 44_100, mp3_bitrate: 192 }],
    ["pcm_8000", { format: "pcm", sample_rate: 8000 }],
    ["pcm_44100", { format: "pcm", sample_rate: 44_100 }],
    ["wav_24000", { format: "wav", sample_rate: 24_000 }],
    ["opus_48000_32", { format: "opus", sample_rate: 48_000 }],
    ["opus_48000", { format: "opus", sample_rate: 48_000 }],
  ])("%s is read", (name, format) => {
    expect(readOutputFormat(name)).toEqual(format);
  });

  it.each([
    "mp3_22050_32",
    "pcm_22050",
    "wav_22050",
    "mp3_24000_48",
    "pcm_48000",
    "wav_48000",
    "ulaw_8000",
    "alaw_8000",
    "mp3_44100_320",
    "pcm_16000_64",
    "opus_44100",
    "flac_44100",
    "mp3",
    "44100",
    "mp3_44100_128 ",
    "MP3_44100_128",
    "pcm_1e4",
    "__proto___1000",
  ])("%s is refused", (name) => {
    expect(() => readOutputFormat(name)).toThrow(expect.objectContaining({ code: "unsupported_format" }));
  });

  it("says which formats there are", () => {
    expect(() => readOutputFormat("pcm_48000")).toThrow(
      expect.objectContaining({
        parameters: {
          detail:
            "pcm_48000 is not among mp3_<32000|44100>_<bitrate up to 192>, wav_<8000|16000|24000|32000|44100>, pcm_<8000|16000|24000|32000|44100>, opus_48000",
        },
      }),
    );
  });
});
