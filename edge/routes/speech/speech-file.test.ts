import { describe, expect, it } from "vitest";
import { samplesToBytes } from "#audio/pcm";
import { expectedSamples } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingResponder, SpeechBench, testPrincipal } from "../../speech/testing/speech-bench.js";
import { speechFileRoute } from "./speech-file.js";

/** Starts a request; the promise is observed at once, so that a rejection is not unhandled while time passes. */
function post(bench: SpeechBench, body: unknown, headers?: Record<string, string>) {
  const responder = new RecordingResponder();
  const handled = speechFileRoute(bench.context).handle(jsonRequest(body, headers), responder);
  const outcome = handled.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
  return { responder, outcome };
}

function audioOf(bench: SpeechBench): Buffer {
  const chunks = new Map(bench.cluster.submits.map(({ submit }) => [submit.chunk.chunkIndex, submit.chunk]));
  return Buffer.concat([...chunks.values()].map((chunk) => samplesToBytes(expectedSamples(chunk))));
}

describe("POST /v1/tts", () => {
  it("answers with the sound of the whole text", async () => {
    const bench = new SpeechBench();
    const { responder, outcome } = post(bench, {
      text: "Hello there. How are you today?",
      format: "pcm",
      sample_rate: 16000,
      prosody: { volume: 3 },
    });
    await bench.pass(2000);
    expect(await outcome).toBe("done");
    expect(responder.status).toBe(200);
    expect(responder.headers["content-type"]).toBe("audio/pcm");
    expect(responder.ended).toBe(true);
    expect(responder.body.equals(audioOf(bench))).toBe(true);
    expect(bench.encoders.opened).toMatchObject([
      { format: "pcm", outputSampleRate: 16000, inputSampleRate: 8000, gainDb: 3 },
    ]);
    expect(bench.encoders.openCount).toBe(0);
    expect(bench.usage).toMatchObject([
      { route: "/v1/tts", model: "s2-pro", outcome: "completed", characters: 30, teamId: "team" },
    ]);
    expect(bench.usage[0]?.audioMs).toBeGreaterThan(1000);
    expect(bench.usage[0]?.firstAudioMs).toBeGreaterThan(0);
  });

  it("tells every chunk how freely to read it: what is said, and the defaults for what is not", async () => {
    const asked = { text: "Hello there. ".repeat(40), temperature: 0.1, top_p: 0.9, repetition_penalty: 2 };
    for (const [body, sampling] of [
      [asked, { temperature: 0.1, topP: 0.9, repetitionPenalty: 2 }],
      [
        { text: asked.text, temperature: 0 },
        { temperature: 0, topP: 0.7, repetitionPenalty: 1.2 },
      ],
      [
        { text: asked.text, temperature: null },
        { temperature: 0.7, topP: 0.7, repetitionPenalty: 1.2 },
      ],
    ] as const) {
      const bench = new SpeechBench();
      const { outcome } = post(bench, body);
      await bench.pass(4000);
      expect(await outcome).toBe("done");
      expect(bench.cluster.submits.length).toBeGreaterThan(1);
      for (const { submit } of bench.cluster.submits) expect(submit.chunk.sampling).toEqual(sampling);
    }
  });

  it("sends the first sound long before the last is made", async () => {
    const bench = new SpeechBench();
    const { responder } = post(bench, { text: "A sentence of speech. ".repeat(100) });
    await bench.pass(200);
    expect(responder.status).toBe(200);
    expect(responder.body.length).toBeGreaterThan(0);
    expect(responder.ended).toBe(false);
  });

  it("refuses before any sound", async () => {
    const refusals: [
      body: unknown,
      headers: Record<string, string>,
      principal: Partial<typeof testPrincipal>,
      code: string,
    ][] = [
      [{ text: "Hi" }, { model: "nonsense" }, {}, "unknown_model"],
      [{ text: "Hi" }, {}, { hasCredit: false }, "out_of_credit"],
      [{ text: "Hi" }, {}, { scopes: ["voices"] }, "missing_scope"],
      [{}, {}, {}, "validation"],
      [{ text: "... !" }, {}, {}, "nothing_to_speak"],
      [{ text: "" }, {}, {}, "nothing_to_speak"],
      [{ text: "Hi" }, { "content-type": "text/plain" }, {}, "unsupported_media_type"],
    ];
    for (const [body, headers, principal, code] of refusals) {
      const bench = new SpeechBench();
      bench.principal = { ...testPrincipal, ...principal };
      const { responder, outcome } = post(bench, body, headers);
      await bench.pass(100);
      expect(await outcome).toBe(code);
      expect(responder.begun).toBe(false);
      expect(bench.encoders.openCount).toBe(0);
    }
  });

  it.each(["wav", "pcm"])("says that there was nothing to speak when no %s sound comes of the text", async (format) => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "soundless" });
    const { responder, outcome } = post(bench, { text: "+", format });
    await bench.pass(2000);
    expect(await outcome).toBe("nothing_to_speak");
    expect(responder.begun).toBe(false);
  });

  it("lets those without credit use the free model, in its own tier", async () => {
    const bench = new SpeechBench();
    bench.principal = { ...testPrincipal, hasCredit: false };
    const { outcome } = post(bench, { text: "Hi" }, { model: "s2.1-pro-free" });
    await bench.pass(500);
    expect(await outcome).toBe("done");
    expect(bench.cluster.submits[0]?.submit.tier).toBe("free");
  });

  it("passes a refusal of the first chunk on, and no_worker when nobody serves the model", async () => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "refused" });
    const refused = post(bench, { text: "Hi" });
    await bench.pass(100);
    expect(await refused.outcome).toBe("overloaded");

    const elsewhere = new SpeechBench({ PARLEY_MODEL_MAP: "s1=other" });
    const unserved = post(elsewhere, { text: "Hi" }, { model: "s1" });
    expect(await unserved.outcome).toBe("no_worker");
  });

  it.each([
    ["low", 700],
    ["balanced", undefined],
    ["normal", undefined],
    [undefined, undefined],
  ])("lets a request with latency %s wait for its first audio for %s ms at most", async (latency, mostWaitMs) => {
    const bench = new SpeechBench({ PARLEY_LIVE_WAIT_MS: "700" });
    const { outcome } = post(bench, { text: "Hi", ...(latency === undefined ? {} : { latency }) });
    await bench.pass(500);
    expect(await outcome).toBe("done");
    expect(bench.cluster.submits[0]?.submit.mostWaitMs).toBe(mostWaitMs);
  });

  it("asks no scheduler again for a moment after one had no room, and only for the model that had none", async () => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "refused" });
    const first = post(bench, { text: "Hi" });
    await bench.pass(50);
    expect(await first.outcome).toBe("overloaded");
    expect(await post(bench, { text: "Hi" }).outcome).toBe("overloaded");
    expect(bench.cluster.submits).toHaveLength(1);
    bench.faultOf = () => null;
    const other = post(bench, { text: "Hi" }, { model: "s2.1-pro-free" });
    await bench.pass(500);
    expect(await other.outcome).toBe("done");
    const later = post(bench, { text: "Hi" });
    await bench.pass(500);
    expect(await later.outcome).toBe("done");
  });

  it("bounds the streams of a team and frees the slot in the end", async () => {
    const bench = new SpeechBench({ PARLEY_STREAMS_PER_TEAM: "1" });
    const first = post(bench, { text: "Hello there." });
    await bench.pass(20);
    expect(await post(bench, { text: "Hi" }).outcome).toBe("too_many_requests");
    await bench.pass(2000);
    expect(await first.outcome).toBe("done");
    const second = post(bench, { text: "Hi" });
    await bench.pass(500);
    expect(await second.outcome).toBe("done");
  });

  it("ends all work when the client goes away", async () => {
    const bench = new SpeechBench();
    const { responder, outcome } = post(bench, { text: "A sentence of speech. ".repeat(50) });
    await bench.pass(200);
    responder.leave();
    expect(await outcome).toBe("done");
    expect(bench.cluster.cancels).toHaveLength(1);
    expect(bench.encoders.openCount).toBe(0);
    expect(bench.context.speech.activeStreams).toBe(0);
    expect(bench.usage).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("asks for no more sound while the client is behind, and misses nothing", async () => {
    const bench = new SpeechBench();
    const { responder, outcome } = post(bench, { text: "A sentence of speech. ".repeat(40), format: "pcm" });
    responder.behind = true;
    await bench.pass(3000);
    const submitted = bench.cluster.submits.length;
    expect(submitted).toBeLessThan(8);
    await bench.pass(10_000);
    expect(bench.cluster.submits.length).toBe(submitted);
    responder.catchUp();
    await bench.pass(10_000);
    expect(await outcome).toBe("done");
    expect(responder.body.equals(audioOf(bench))).toBe(true);
  });

  it("breaks off when the sound cannot be completed or encoded", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "failed", afterFrames: 1 } : null);
    const failed = post(bench, { text: "One sentence here. And a second one, which fails. Third." });
    await bench.pass(3000);
    expect(await failed.outcome).toBe("synthesis_failed");
    expect(failed.responder.begun).toBe(true);
    expect(failed.responder.ended).toBe(false);
    expect(bench.usage).toMatchObject([{ outcome: "failed" }]);

    const broken = new SpeechBench();
    broken.encoders.broken = true;
    const unencoded = post(broken, { text: "One." });
    await broken.pass(3000);
    expect(await unencoded.outcome).toBe("internal");
    expect(broken.context.speech.activeStreams).toBe(0);
  });
});
