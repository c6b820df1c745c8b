import { describe, expect, it } from "vitest";
import { elevenLabsMount, elevenLabsSpeech } from "#protocol/compat/elevenlabs-speech";
import { jsonRequest, RecordingResponder, SpeechBench } from "../../speech/testing/speech-bench.js";
import { dispatch } from "../testing/dispatch.js";
import { elevenLabsSpeechRoutes } from "./speech.js";

async function speak(
  bench: SpeechBench,
  way: keyof typeof elevenLabsSpeech,
  body: object,
  voice = "default",
): Promise<RecordingResponder> {
  const route = elevenLabsSpeechRoutes(bench.context).find(
    ({ path }) => path === `${elevenLabsMount}${elevenLabsSpeech[way].path}`,
  );
  const responder = new RecordingResponder();
  const handled = dispatch(
    route!,
    { ...jsonRequest(body, { "xi-api-key": "k" }), parameters: { voice_id: voice } },
    responder,
  );
  await bench.pass(4000);
  await handled;
  return responder;
}

describe("ElevenLabs' text to speech", () => {
  it("names an error in the middle of a stream by one of its own words", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "failed", afterFrames: 8 } : null);
    const { body } = await speak(bench, "streamWithTimestamps", {
      text: "The first sentence is spoken. The second sentence, which is a good deal longer, is not.",
    });
    const lines = body
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { audio_base64?: string });
    expect(lines[0]?.audio_base64).toMatch(/./);
    expect(lines.at(-1)).toEqual({ detail: { status: "upstream_error", message: expect.stringMatching(/attempts/) } });
  });

  it("knows no model of this service by a name that it has not", async () => {
    const { status, body } = await speak(new SpeechBench(), "convert", {
      text: "Hello.",
      model_id: "service/nonsense",
    });
    expect([status, JSON.parse(body.toString())]).toEqual([
      404,
      { detail: { status: "model_not_found", message: expect.stringContaining("service/s1") } },
    ]);
  });
});
