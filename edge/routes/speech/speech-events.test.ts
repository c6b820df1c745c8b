import { describe, expect, it } from "vitest";
import type { TimestampEvent } from "#protocol/speech/timestamps";
import { samplesToBytes } from "#audio/pcm";
import { expectedSamples, SAMPLE_RATE } from "#speech/testing/scripted-cluster";
import { jsonRequest, RecordingResponder, SpeechBench } from "../../speech/testing/speech-bench.js";
import { speechEventsRoute } from "./speech-events.js";

async function post(bench: SpeechBench, body: unknown) {
  const responder = new RecordingResponder();
  const handled = speechEventsRoute(bench.context).handle(jsonRequest(body), responder);
  const outcome = handled.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
  await bench.pass(5000);
  return { responder, outcome: await outcome };
}

const eventsOf = (responder: RecordingResponder): string[] =>
  responder.body.toString("utf8").split("\n\n").slice(0, -1);

describe("POST /v1/tts/stream/with-timestamp", () => {
  it("sends one line of data per event, whose sound joined is the file", async () => {
    const bench = new SpeechBench();
    const { responder, outcome } = await post(bench, {
      text: "Hello there. How are you? (break) Fine, thanks.",
      format: "pcm",
    });
    expect(outcome).toBe("done");
    expect(responder.headers["content-type"]).toBe("text/event-stream");
    const events = eventsOf(responder).map((event) => {
      expect(event).toMatch(/^data: \{[^\n]*\}$/);
      return JSON.parse(event.slice(6)) as TimestampEvent;
    });
    const chunks = bench.cluster.submits.map(({ submit }) => submit.chunk);
    const audio = Buffer.concat(events.map((event) => Buffer.from(event.audio_base64, "base64")));
    expect(audio.equals(Buffer.concat(chunks.map((chunk) => samplesToBytes(expectedSamples(chunk)))))).toBe(true);
    expect(
      events.every(
        (event) =>
          Object.keys(event).sort().join() === "alignment,audio_base64,chunk_audio_offset_sec,chunk_seq,content",
      ),
    ).toBe(true);

    let offsetSeconds = 0;
    for (const [index, chunk] of chunks.entries()) {
      const last = events.filter((event) => event.chunk_seq === index).at(-1);
      const seconds = expectedSamples(chunk).length / SAMPLE_RATE;
      expect(last).toMatchObject({
        content: chunk.text,
        chunk_audio_offset_sec: offsetSeconds,
        alignment: { audio_duration: seconds },
      });
      expect(last?.alignment?.segments.length).toBe(Math.ceil(expectedSamples(chunk).length / 1700));
      offsetSeconds += seconds;
    }
  });

  it("ends with an error event when the sound cannot be completed", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "failed", afterFrames: 1 } : null);
    const { responder, outcome } = await post(bench, { text: "One sentence here. And a second one, which fails." });
    expect(outcome).toBe("done");
    expect(responder.ended).toBe(true);
    const last = eventsOf(responder).at(-1) ?? "";
    expect(last).toBe('event: error\ndata: {"status":503,"message":"Speech could not be completed after 3 attempts"}');
  });

  it("refuses before the first event with an ordinary error", async () => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "refused" });
    const { responder, outcome } = await post(bench, { text: "Hello." });
    expect(outcome).toBe("overloaded");
    expect(responder.begun).toBe(false);
  });
});
