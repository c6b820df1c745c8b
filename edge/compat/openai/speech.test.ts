import { describe, expect, it } from "vitest";
import { openAiMounts } from "#protocol/compat/openai-speech";
import { jsonRequest, RecordingResponder, SpeechBench } from "../../speech/testing/speech-bench.js";
import { openAiSpeechRoutes } from "./speech.js";

/** Posts a body to `/audio/speech` of a mount. */
async function speak(body: object, { bench = new SpeechBench(), headers = {}, mount = 0 }: { bench?: SpeechBench; headers?: Record<string, string>; mount?: number } = {}) {
  const responder = new RecordingResponder();
  const handled = openAiSpeechRoutes(bench.context)[mount]?.handle(jsonRequest({ input: "Hello there.", ...body }, headers), responder);
  await bench.pass(5000);
  await handled;
  return { responder, bench };
}

describe("PCM of the OpenAI mounts", () => {
  const cases: [what: string, body: object, headers: Record<string, string>, settings: Record<string, string>, rate: number][] = [
    ["without a word", {}, {}, {}, 24_000],
    ["as the operator settled", {}, {}, { PARLEY_COMPAT_PCM_RATE: "44100" }, 44_100],
    ["as the body asks", { response_format: "pcm", sample_rate: 16_000 }, {}, { PARLEY_COMPAT_PCM_RATE: "44100" }, 16_000],
    ["as a header asks", { response_format: "pcm", sample_rate: 16_000 }, { "x-fish-sample-rate": "8000" }, {}, 8000],
    ["of a header's format", { response_format: "mp3" }, { "x-fish-format": "pcm" }, {}, 24_000],
    ["named pcm16", { response_format: "pcm16" }, {}, { PARLEY_COMPAT_PCM_RATE: "44100" }, 24_000],
  ];

  it.each(cases)("%s has the rate that its content type names", async (_, body, headers, settings, rate) => {
    for (const mount of openAiMounts.keys()) {
      const { responder, bench } = await speak(body, { bench: new SpeechBench(settings), headers, mount });
      expect(responder.headers["content-type"]).toBe(`audio/pcm;rate=${rate}`);
      expect(bench.encoders.opened.map((spec) => [spec.format, spec.outputSampleRate])).toContainEqual(["pcm", rate]);
      expect(bench.encoders.opened.filter((spec) => spec.outputSampleRate !== rate)).toEqual([]);
    }
  });

  it("leaves the types of other formats as they are", async () => {
    const types = { mp3: "audio/mpeg", wav: "audio/wav", opus: "audio/ogg" };
    for (const [response_format, type] of Object.entries(types)) {
      expect((await speak({ response_format, sample_rate: undefined })).responder.headers["content-type"]).toBe(type);
    }
  });
});
