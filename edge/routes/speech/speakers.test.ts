import { describe, expect, it } from "vitest";
import { jsonRequest, RecordingResponder, SpeechBench, testPrincipal } from "../../speech/testing/speech-bench.js";
import { speakersRoute } from "./speakers.js";
import { speechFileRoute } from "./speech-file.js";

async function ask(bench: SpeechBench, headers: Record<string, string> = {}): Promise<unknown> {
  const responder = new RecordingResponder();
  await speakersRoute(bench.context).handle(jsonRequest(null, headers), responder);
  return JSON.parse(responder.body.toString());
}

describe("GET /v1/tts/speakers", () => {
  it("lists whom requests to a model may name, and a request that names one is spoken so", async () => {
    const bench = new SpeechBench();
    await bench.pass(10);
    const list = { total: 1, items: [{ id: "zoe", voice_model: "espeak", languages: ["*"] }] };
    expect(await ask(bench, { model: "s2-pro" })).toEqual(list);
    const body = { text: "Hello there.", format: "pcm", reference_id: "zoe" };
    const handled = speechFileRoute(bench.context).handle(jsonRequest(body), new RecordingResponder());
    await bench.pass(2000);
    await handled;
    expect(bench.cluster.submits.map(({ submit }) => submit.chunk.voice)).toMatchObject([
      { speaker: "zoe", speakerModel: "espeak" },
    ]);
    // No saved voice was used.
    expect(bench.usage).toMatchObject([{ outcome: "completed", voiceIds: [] }]);
  });

  it("is empty while nothing serves the model, and refuses unknown models and keys that may not speak", async () => {
    const bench = new SpeechBench({ PARLEY_MODEL_MAP: "s1=other" });
    await bench.pass(10);
    expect(await ask(bench, { model: "s1" })).toEqual({ total: 0, items: [] });
    await expect(ask(bench, { model: "s9" })).rejects.toMatchObject({ code: "unknown_model" });
    bench.principal = { ...testPrincipal, scopes: ["voices"] };
    await expect(ask(bench)).rejects.toMatchObject({ code: "missing_scope" });
  });
});
