import { describe, expect, it } from "vitest";
import { openAiMounts } from "#protocol/compat/openai-speech";
import { samplesToBytes } from "#audio/pcm";
import { expectedSamples, SAMPLE_RATE } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingResponder, SpeechBench } from "../../speech/testing/speech-bench.js";
import { dispatch } from "../testing/dispatch.js";
import { openAiSpeechRoutes } from "./speech.js";

/** Posts a body to `/audio/speech` of a mount. */
async function speak(
  body: object,
  {
    bench = new SpeechBench(),
    headers = {},
    mount = 0,
  }: { bench?: SpeechBench; headers?: Record<string, string>; mount?: number } = {},
) {
  const responder = new RecordingResponder();
  const handled = dispatch(
    openAiSpeechRoutes(bench.context)[mount]!,
    jsonRequest({ input: "Hello there.", ...body }, headers),
    responder,
  );
  await bench.pass(5000);
  await handled;
  return { responder, bench };
}

describe("PCM of the OpenAI mounts", () => {
  const cases: [
    what: string,
    body: object,
    headers: Record<string, string>,
    settings: Record<string, string>,
    rate: number,
  ][] = [
    ["without a word", {}, {}, {}, 24_000],
    ["as the operator settled", {}, {}, { PARLEY_COMPAT_PCM_RATE: "44100" }, 44_100],
    [
      "as the body asks",
      { response_format: "pcm", sample_rate: 16_000 },
      {},
      { PARLEY_COMPAT_PCM_RATE: "44100" },
      16_000,
    ],
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

describe("speech as server-sent events", () => {
  const text = "Hello there. How are you today? (break) Fine, thanks.";
  const eventsOf = (responder: RecordingResponder): Record<string, unknown>[] =>
    responder.body
      .toString()
      .split("\n\n")
      .slice(0, -1)
      .map((event) => {
        expect(event).toMatch(/^data: \{[^\n]*\}$/);
        return JSON.parse(event.slice(6)) as Record<string, unknown>;
      });

  it("gives the whole file in deltas that can be decoded one by one, then the usage, on every mount", async () => {
    for (const mount of openAiMounts.keys()) {
      const { responder, bench } = await speak({ input: text, stream_format: "sse" }, { mount });
      expect([responder.status, responder.headers["content-type"], responder.ended]).toEqual([
        200,
        "text/event-stream",
        true,
      ]);
      const events = eventsOf(responder);
      const deltas = events.slice(0, -1);
      expect(deltas.length).toBeGreaterThan(3);
      expect(
        deltas.every(
          ({ type, audio, ...rest }) => type === "speech.audio.delta" && audio !== "" && Object.keys(rest).length === 0,
        ),
      ).toBe(true);
      const audio = bench.cluster.submits.map(({ submit }) => samplesToBytes(expectedSamples(submit.chunk)));
      expect(
        Buffer.concat(deltas.map(({ audio }) => Buffer.from(String(audio), "base64"))).equals(Buffer.concat(audio)),
      ).toBe(true);
      const tokens = Math.round((Buffer.concat(audio).length / 2 / SAMPLE_RATE) * 21.5);
      const usage = { input_tokens: text.length, output_tokens: tokens, total_tokens: text.length + tokens };
      expect(events.at(-1)).toEqual({ type: "speech.audio.done", usage });
    }
  });

  it("waits for a client that is behind", async () => {
    const responder = new RecordingResponder();
    const bench = new SpeechBench();
    responder.behind = true;
    const handled = dispatch(
      openAiSpeechRoutes(bench.context)[0]!,
      jsonRequest({ input: text.repeat(40), stream_format: "sse" }),
      responder,
    );
    await bench.pass(4000);
    expect(responder.headers["content-type"]).toBe("text/event-stream");
    const taken = responder.written.length;
    await bench.pass(20_000);
    expect(responder.written.length).toBe(taken);
    expect(bench.cluster.submits.length).toBeLessThan(40);
    responder.leave();
    await handled;
  });

  it("ends with an event that holds the error when the audio cannot be completed", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "failed", afterFrames: 1 } : null);
    const { responder } = await speak(
      { input: "One sentence here. And a second one, which fails.", stream_format: "sse" },
      { bench },
    );
    expect(responder.ended).toBe(true);
    const events = eventsOf(responder);
    expect(events[0]).toMatchObject({ type: "speech.audio.delta" });
    expect(events.at(-1)).toMatchObject({
      error: { code: 503, type: "provider_error", message: "Speech could not be completed after 3 attempts" },
    });
    expect(events.filter(({ type }) => type === "speech.audio.done")).toEqual([]);
  });

  it("answers an ordinary error before the first event", async () => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "refused" });
    const { responder } = await speak({ stream_format: "sse" }, { bench });
    expect([responder.status, responder.headers["content-type"]]).toEqual([503, "application/json"]);
  });
});
